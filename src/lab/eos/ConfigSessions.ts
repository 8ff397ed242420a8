/**
 * Configuration sessions: candidates that live on the switch (not in a connection), commits, and commit timers that really
 * expire. See docs/switch-dialogues.md#eos-loading-a-candidate and docs/switch-dialogues.md#eos-commit-confirm-discard.
 */
import * as Faults from "../Faults.ts"
import * as Loader from "./ConfigLoader.ts"
import { empty, type Entry, printedChildren, render } from "./ConfigTree.ts"
import { saltedText } from "./ConfigFacts.ts"
import * as Switch from "../Switch.ts"
import * as Differences from "./Differences.ts"

export interface ConfigSession {
  readonly name: string
  readonly user: string
  readonly terminal: string
  state: "pending" | "pendingCommitTimer" | "committed" | "aborted"
  /** Running configuration when the session was opened. */
  readonly base: string
  /** The candidate; undefined before the first edit, and after the end. */
  tree: Entry | undefined
  /** The candidate as text, until the first edit. */
  printed: string | undefined
  /** A statement of the candidate that is not true, until the first edit. */
  misstated: string | undefined
  /** The committed configuration, as long as the session is kept. */
  committed: string | undefined
  /** Milliseconds since 1970; for an open session, when its user left it. */
  completedAt: number | undefined
}

export interface CommitTimer {
  readonly session: string
  /** The configuration that is restored when the timer expires. */
  readonly rollback: string
  /** Milliseconds since 1970. */
  expiresAt: number
  /** Shown nowhere, although it runs; `session`: neither is its session. */
  hidden?: "timer" | "session"
  handle: NodeJS.Timeout | undefined
}

const MAX_TIMER_SECONDS = 24 * 3600

/** Text of the refusal of a switch that opens no session while a commit timer runs. */
const TIMER_RUNS = "% Configuration sessions are not available until the pending commit is confirmed"

/** Text of the refusal when too many sessions are open. */
const TOO_MANY =
  "% Maximum number of pending sessions has been reached. Please commit or abort previous sessions before creating a new one."

/** Opens a session or enters the pending one of that name. Returns the session or an error text. */
export const open = (device: Switch.Switch, name: string, user: string, terminal: string): ConfigSession | string => {
  if (device.timer !== undefined && device.behaviour.quirks.sessionBesideTimer === "refused") return TIMER_RUNS
  const existing = device.sessions.get(name)
  if (existing !== undefined)
    return existing.state === "pending" ? existing : `% Session ${name} has already been completed`
  if (taken(device) >= device.behaviour.quirks.maxPending) return TOO_MANY
  const session = make(device, name, user, terminal)
  device.sessions.set(name, session)
  return session
}

const make = (device: Switch.Switch, name: string, user: string, terminal: string): ConfigSession => ({
  name,
  user,
  terminal,
  state: "pending",
  base: device.running,
  tree: undefined,
  printed: undefined,
  misstated: undefined,
  committed: undefined,
  completedAt: undefined
})

/** Places that are taken: by open sessions, and by the one whose timer runs. */
const taken = (device: Switch.Switch): number =>
  [...device.sessions.values()].filter(({ state }) => state === "pending" || state === "pendingCommitTimer").length

/** Other people's sessions that a switch has when it starts. */
export const openForeign = (device: Switch.Switch): void => {
  for (const { age, name } of device.behaviour.quirks.foreignSessions)
    device.sessions.set(name, { ...make(device, name, "root", "vty5"), completedAt: device.bootedAt - age * 1000 })
}

/** The candidate's tree for an edit, made from the base when it is touched first. */
export const edit = (session: ConfigSession): Entry => {
  session.printed = undefined
  session.misstated = undefined
  return (session.tree ??= Loader.parse(session.base))
}

/** Empties the candidate. */
export const clean = (session: ConfigSession): void => {
  session.tree = empty()
  session.printed = undefined
  session.misstated = undefined
}

/** The candidate as printed text. */
export const candidate = (session: ConfigSession): string =>
  session.tree === undefined ? session.base : (session.printed ??= render(session.tree))

/** The configuration that a commit will run, as the switch states it. */
export const statement = (device: Switch.Switch, session: ConfigSession): string => {
  const truth = session.committed ?? candidate(session)
  if (session.committed !== undefined || device.faults.length === 0) return session.misstated ?? truth
  if (session.misstated !== undefined) return session.misstated
  const how = Faults.take(device.faults, "misstates")?.how
  if (how === undefined) return truth
  if (how === "old") return device.running
  if (how === "lacksLine") return withoutLastNew(device.running, truth)
  session.tree = Loader.parse(withoutLastNew(device.running, truth))
  session.printed = undefined
  session.misstated = truth
  return truth
}

/** The candidate's difference to the running configuration. */
export const diff = (device: Switch.Switch, session: ConfigSession): string =>
  Differences.ofSession(device.running, candidate(session), session.name, device.behaviour.quirks.diffs)

/**
 * Commits a session, with a timer of `seconds` or without. A second commit of the session whose timer runs confirms it.
 * Returns an error text or undefined.
 */
export const commit = (device: Switch.Switch, name: string, seconds: number | undefined): string | undefined => {
  const session = device.sessions.get(name)
  if (session === undefined) return `% Session ${name} does not exist`
  if (device.timer !== undefined) {
    if (device.timer.session !== name)
      return `% Cannot commit session ${name}: commit timer of session ${device.timer.session} is pending`
    return seconds === undefined ? confirm(device, session, device.timer) : restart(device, device.timer, seconds)
  }
  if (session.state !== "pending") return `% Cannot commit session ${name}: session is ${session.state}`
  if (seconds !== undefined && (seconds <= 0 || seconds > MAX_TIMER_SECONDS)) return "% Invalid input"
  const before = device.running
  const after = device.behaviour.quirks.saltsAtCommit ? saltedText(outcome(device, session)) : outcome(device, session)
  const timed = seconds !== undefined && Faults.take(device.faults, "noTimer") === undefined
  session.committed = session.misstated ?? after
  record(device, name, seconds === undefined ? "commit" : "commitTimer")
  if (timed) startTimer(device, session, before, seconds)
  else complete(device, session, "committed")
  Switch.setRunning(device, otherwise(device, before, after))
  autosave(device)
  return undefined
}

const outcome = (device: Switch.Switch, session: ConfigSession): string =>
  device.behaviour.quirks.mergesAtCommit
    ? mergeCandidate(session.base, candidate(session), device.running)
    : candidate(session)

/** What runs in place of the committed configuration. */
const otherwise = (device: Switch.Switch, before: string, after: string): string => {
  const how = device.faults.length === 0 ? undefined : Faults.take(device.faults, "runsOther")?.how
  if (how === undefined) return after
  return how === "lacksLastLine" ? withoutLastNew(before, after) : withFirstRemoved(before, after)
}

const autosave = (device: Switch.Switch) => {
  if (device.behaviour.quirks.savesAtCommit) device.startup = device.running
}

const startTimer = (device: Switch.Switch, session: ConfigSession, before: string, seconds: number) => {
  session.state = "pendingCommitTimer"
  session.tree = undefined
  session.printed = undefined
  session.completedAt = Date.now()
  device.timer = { session: session.name, rollback: before, expiresAt: Date.now() + seconds * 1000, handle: undefined }
  arm(device, device.timer, seconds)
}

const arm = (device: Switch.Switch, timer: CommitTimer, seconds: number) => {
  if (Faults.take(device.faults, "timerIgnored") !== undefined) return
  const cancelled = Faults.take(device.faults, "timerCancelled") !== undefined
  timer.handle = setTimeout(() => rollBack(device, timer, "expired"), cancelled ? 0 : seconds * 1000)
}

const confirm = (device: Switch.Switch, session: ConfigSession, timer: CommitTimer) => {
  const ignored = Faults.take(device.faults, "confirmIgnored")
  if (ignored !== undefined) {
    timer.hidden = ignored.listed === true ? "timer" : "session"
    return undefined
  }
  clearTimeout(timer.handle)
  device.timer = undefined
  record(device, session.name, "confirm")
  complete(device, session, "committed")
  autosave(device)
  return undefined
}

const restart = (device: Switch.Switch, timer: CommitTimer, seconds: number) => {
  clearTimeout(timer.handle)
  timer.expiresAt = Date.now() + seconds * 1000
  record(device, timer.session, "commitTimer")
  arm(device, timer, seconds)
  return undefined
}

const rollBack = (device: Switch.Switch, timer: CommitTimer, kind: "expired" | "abort") => {
  if (device.timer !== timer) return
  clearTimeout(timer.handle)
  device.timer = undefined
  record(device, timer.session, kind)
  const session = device.sessions.get(timer.session)
  if (session !== undefined) complete(device, session, "aborted")
  Switch.setRunning(device, timer.rollback)
}

/** Discards a session; one whose timer runs is rolled back at once. Returns an error text or undefined. */
export const abort = (device: Switch.Switch, name: string): string | undefined => {
  const session = device.sessions.get(name)
  if (session === undefined) return `% Session ${name} does not exist`
  if (device.timer?.session === name) {
    rollBack(device, device.timer, "abort")
    return undefined
  }
  if (session.state !== "pending") return `% Cannot abort session ${name}: session is ${session.state}`
  record(device, name, "abort")
  device.sessions.delete(name)
  return undefined
}

const complete = (device: Switch.Switch, session: ConfigSession, state: "committed" | "aborted") => {
  session.state = state
  session.tree = undefined
  session.printed = undefined
  session.completedAt = Date.now()
  const completed = [...device.sessions.values()].filter(
    (other) => other.state === "committed" || other.state === "aborted"
  )
  completed.sort((a, b) => (a.completedAt ?? 0) - (b.completedAt ?? 0))
  const { maxSaved } = device.behaviour.quirks
  for (const old of completed.slice(0, Math.max(0, completed.length - maxSaved))) device.sessions.delete(old.name)
}

const record = (device: Switch.Switch, session: string, kind: Switch.CommitKind) =>
  Switch.pushCommit(device.history, { session, kind, at: Date.now() })

/** Opens a session of another operator; with `timerSeconds` it is committed with a running timer. */
export const foreign = (device: Switch.Switch, name: string, timerSeconds: number | undefined): string | undefined => {
  const session = open(device, name, "operator", "vty9")
  if (typeof session === "string") return session
  return timerSeconds === undefined ? undefined : commit(device, name, timerSeconds)
}

// The commit of a switch with `service configuration session commit merge`: it applies the candidate's changes since the session was
// opened on top of the changes that other people made to the running configuration meanwhile.

const isSame = (a: Entry, b: Entry): boolean => {
  if (a.text !== b.text || a.body?.join("\n") !== b.body?.join("\n")) return false
  if (a.children?.size !== b.children?.size) return false
  for (const [key, child] of a.children ?? []) {
    const other = b.children?.get(key)
    if (other === undefined || !isSame(child, other)) return false
  }
  return true
}

const onTop = (base: Entry, mine: Entry, theirs: Entry): Entry => {
  const children = new Map(theirs.children)
  for (const key of base.children?.keys() ?? []) if (mine.children?.has(key) !== true) children.delete(key)
  for (const [key, entry] of mine.children ?? []) {
    const before = base.children?.get(key)
    if (before !== undefined && isSame(before, entry)) continue
    const their = children.get(key)
    const isSection = entry.children !== undefined && their?.children !== undefined
    children.set(key, isSection ? onTop(before ?? empty(), entry, their) : entry)
  }
  return { ...mine, children }
}

/** The printed configuration of such a commit; all three are printed configurations. */
const mergeCandidate = (base: string, candidate: string, running: string): string =>
  base === running ? candidate : render(onTop(Loader.parse(base), Loader.parse(candidate), Loader.parse(running)))

// What a switch runs or states falsely: without the last line that is new, or with the first one that was to go.

interface Place {
  readonly section: Entry
  /** The section in the other configuration. */
  readonly there: Entry | undefined
  readonly key: string
  readonly entry: Entry
}

/** The lines and sections of `mine` that the other configuration does not have in the same section, as printed. */
const missing = (mine: Entry, there: Entry | undefined): ReadonlyArray<Place> =>
  printedChildren(mine).flatMap((entry) => {
    const [key = entry.text] = [...(mine.children ?? [])].find(([, child]) => child === entry) ?? []
    const same = there?.children?.get(key)
    return [
      ...(same?.text === entry.text ? [] : [{ section: mine, there, key, entry }]),
      ...(entry.children === undefined ? [] : missing(entry, same))
    ]
  })

const withoutLastNew = (before: string, after: string): string => {
  const tree = Loader.parse(after)
  const last = missing(tree, Loader.parse(before)).at(-1)
  last?.section.children?.delete(last.key)
  return render(tree)
}

const withFirstRemoved = (before: string, after: string): string => {
  const tree = Loader.parse(after)
  const first = missing(Loader.parse(before), tree).find(({ there }) => there !== undefined)
  first?.there?.children?.set(first.key, first.entry)
  return render(tree)
}
