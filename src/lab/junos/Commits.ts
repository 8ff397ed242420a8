/**
 * Commits of the configuration database: checks, confirmed commits with their minutes, what confirms them, and the rollback by
 * itself. A check by anybody confirms, as does any commit; the history keeps its comment and loses the mark.
 */
import { setTimeout as sleep } from "node:timers/promises"
import * as Faults from "../Faults.ts"
import * as Switch from "../Switch.ts"
import * as Braces from "./Braces.ts"
import * as Checks from "./Checks.ts"
import * as Compare from "./Compare.ts"
import * as Config from "./Config.ts"
import type { Entry, Issue } from "./Config.ts"
import * as Database from "./Database.ts"
import type { Login } from "./Database.ts"

/** What a client asks of a commit. */
export interface Request {
  readonly check: boolean
  /** Minutes until it is rolled back; 0 is at once. */
  readonly confirmed: number | undefined
  readonly log: string | undefined
}

/** The words of the device about a commit. */
export interface Outcome {
  readonly issues: ReadonlyArray<Issue>
  /** It was a confirmed commit with so many minutes. */
  readonly minutes: number | undefined
}

/** Minutes of a confirmed commit that names none. */
export const DEFAULT_MINUTES = 10

const MOST_MINUTES = 65_535

const failed = (...issues: ReadonlyArray<Issue>): Outcome => ({ issues, minutes: undefined })

const error = (message: string): Issue => ({ severity: "error", message })

/** The step of a fault at a commit of this kind. */
export const stepOf = (device: Switch.Switch, { check, confirmed }: Request): Faults.Step => {
  if (confirmed !== undefined) return "commitTimer"
  return Database.of(device).timer === undefined ? (check ? "other" : "commit") : "confirm"
}

/** Checks or commits the candidate of a login. */
export const commit = async (device: Switch.Switch, login: Login, request: Request): Promise<Outcome> => {
  const database = Database.of(device)
  const locked = Database.lockedBy(database, login)
  if (locked !== undefined) return failed(locked)
  if (request.confirmed !== undefined && login.own !== undefined)
    return failed(error("confirmed commit is not supported in private mode"))
  if (request.confirmed !== undefined && (request.confirmed > MOST_MINUTES || request.confirmed < 0))
    return failed(error(`Value ${request.confirmed} is not within range (1..${MOST_MINUTES})`))
  const wait = device.behaviour.commitMs + device.behaviour.junos.slowCommitMs
  if (wait > 0) await sleep(wait)
  if (device.power !== "on" || !database.logins.has(login.pid)) return failed(error("session is closed"))
  const wrong = Checks.check(Database.outcome(device, login))
  const warnings = device.behaviour.junos.commitWarnings.map((message): Issue => ({ severity: "warning", message }))
  if (wrong.length > 0) return failed(...wrong, error("configuration check-out failed"))
  if (request.check) {
    if (!device.behaviour.junos.checkConfirmsNot) confirm(device, login.user)
    return failed(...warnings)
  }
  if (device.faults.length > 0 && Faults.take(device.faults, "fullFlash") !== undefined)
    return failed(error("could not write configuration file /config/juniper.conf.gz: No space left on device"))
  apply(device, login, request)
  return { issues: warnings, minutes: request.confirmed }
}

const record = (device: Switch.Switch, session: string | undefined, kind: Switch.CommitKind, rereads = false) =>
  Switch.pushCommit(device.history, {
    session: session ?? "",
    kind,
    at: Date.now(),
    ...(rereads ? { rereads: true } : {})
  })

const comment = (minutes: number) => `commit confirmed, rollback in ${minutes}mins`

const apply = (device: Switch.Switch, login: Login, { confirmed, log }: Request) => {
  const database = Database.of(device)
  const pending = database.timer
  const before = pending?.text ?? device.running
  const after = Braces.print(written(device, Database.outcome(device, login)))
  const { faults } = device
  const timed = confirmed !== undefined && (faults.length === 0 || Faults.take(faults, "noTimer") === undefined)
  if (confirmed === undefined) confirm(device, login.user, true)
  else if (pending !== undefined) extend(database, pending)
  const revision = Database.push(database, {
    user: login.user,
    client: login.client,
    log,
    comment: confirmed === undefined ? undefined : comment(confirmed),
    pending: timed,
    text: after
  })
  const { overridden } = database
  if (confirmed !== undefined) record(device, log, "commitTimer", overridden)
  else record(device, pending?.revision.log ?? log, pending === undefined ? "commit" : "confirm", overridden)
  if (overridden) readAgain(device)
  if (login.own === undefined) Database.forget(database)
  else login.own = { base: Braces.parse(after), candidate: Braces.parse(after) }
  if (timed) startTimer(device, revision, before, confirmed, login.pid)
  run(device, otherwise(device, before, after), revision)
}

/** With the release, where the device writes it. */
const written = (device: Switch.Switch, root: Entry): Entry => {
  if (device.behaviour.junos.writesVersion) Config.follow(root, ["version", device.version])
  return root
}

/** Every daemon reads the whole configuration again: all ports go down for a moment. */
const readAgain = (device: Switch.Switch) => {
  for (const port of device.hardware.ports) device.linkFlappedAt.set(port, Date.now())
}

const run = (device: Switch.Switch, text: string, revision: Database.Revision | undefined) => {
  const keeps = revision?.pending !== true || device.behaviour.junos.restartWhilePending === "kept"
  if (keeps) device.startup = text
  Switch.setRunning(device, text)
}

/** What runs in place of the committed configuration. */
const otherwise = (device: Switch.Switch, before: string, after: string): string => {
  const how = device.faults.length === 0 ? undefined : Faults.take(device.faults, "runsOther")?.how
  if (how === undefined) return after
  return how === "lacksLastLine" ? withoutLastNew(before, after) : withFirstRemoved(before, after)
}

/** Statements of a configuration that another one does not have, with their sections. */
const missing = (
  mine: Entry,
  there: Entry | undefined
): ReadonlyArray<{ readonly section: Entry; readonly there: Entry | undefined; readonly one: Entry }> =>
  [...mine.children].flatMap(([id, one]) => {
    const same = there?.children.get(id)
    const isLeaf = one.children.size === 0
    if (isLeaf && same?.values.join(" ") === one.values.join(" ")) return []
    return isLeaf ? [{ section: mine, there, one }] : missing(one, same)
  })

/** A configuration without the last of its new statements. */
export const withoutLastNew = (before: string, after: string): string => {
  const tree = Braces.parse(after)
  const last = missing(tree, Braces.parse(before)).at(-1)
  last?.section.children.delete(Config.id(last.one))
  return Braces.print(tree)
}

const withFirstRemoved = (before: string, after: string): string => {
  const tree = Braces.parse(after)
  const first = missing(Braces.parse(before), tree).find(({ there }) => there !== undefined)
  if (first?.there !== undefined) first.there.children.set(Config.id(first.one), first.one)
  return Braces.print(tree)
}

// The timer.

/** Another confirmed commit takes the place of one that is pending. */
const extend = (database: Database.Database, pending: Database.Timer) => {
  clearTimeout(pending.handle)
  pending.revision.pending = false
  database.timer = undefined
}

const startTimer = (
  device: Switch.Switch,
  revision: Database.Revision,
  text: string,
  minutes: number,
  login: number
) => {
  const milliseconds = minutes * device.behaviour.minuteMs
  arm(
    device,
    { revision, text, login, expiresAt: Date.now() + milliseconds, handle: undefined, hidden: false },
    milliseconds
  )
}

const arm = (device: Switch.Switch, timer: Database.Timer, milliseconds: number) => {
  Database.of(device).timer = timer
  if (device.faults.length > 0 && Faults.take(device.faults, "timerIgnored") !== undefined) return
  const cancelled = device.faults.length > 0 && Faults.take(device.faults, "timerCancelled") !== undefined
  const wait = cancelled ? 0 : milliseconds + device.behaviour.junos.lateRollbackMs
  timer.handle = setTimeout(() => rollBack(device, timer), wait)
}

/**
 * Ends a running timer with its configuration kept; true if there was one. `isNewCommit`: a commit follows, so the history gets an
 * entry of its own.
 */
export const confirm = (device: Switch.Switch, user: string, isNewCommit = false): boolean => {
  const database = Database.of(device)
  const { timer } = database
  if (timer === undefined) return false
  const ignored = device.faults.length > 0 && Faults.take(device.faults, "confirmIgnored") !== undefined
  timer.revision.pending = false
  if (ignored) {
    timer.hidden = true
    return true
  }
  clearTimeout(timer.handle)
  database.timer = undefined
  if (!isNewCommit) record(device, timer.revision.log ?? user, "confirm")
  device.startup = device.running
  return true
}

const DONE = "Commit was not confirmed; automatic rollback complete."

/** Goes back to the configuration before a confirmed commit. */
export const rollBack = (device: Switch.Switch, timer: Database.Timer, kind: "expired" | "abort" = "expired"): void => {
  const database = Database.of(device)
  if (database.timer !== timer) return
  clearTimeout(timer.handle)
  database.timer = undefined
  timer.revision.pending = false
  const revision = Database.push(database, {
    user: "root",
    client: "other",
    log: undefined,
    comment: undefined,
    pending: false,
    text: timer.text
  })
  record(device, timer.revision.log, kind)
  run(device, timer.text, revision)
  for (const { tell } of database.logins.values())
    tell(
      `\nBroadcast Message from root@${device.facts.hostname}\n        (no tty) at ${new Date().toISOString().slice(11, 16)} UTC...\n\n${DONE}\n\n`
    )
}

/** The login was killed, or lost where that counts as much: what it has not confirmed is rolled back. */
export const loginEnded = (device: Switch.Switch, login: Login, how: "killed" | "lost"): void => {
  const { timer } = Database.of(device)
  Database.logOut(device, login)
  if (timer?.login !== login.pid) return
  if (how === "killed" || device.behaviour.junos.lostWhilePending === "rolledBack") rollBack(device, timer, "abort")
}

/** A change that an operator has committed at the console. As any commit it confirms one that waits. */
export const byHand = (device: Switch.Switch, text: string): void => {
  if (text === device.running) return
  confirm(device, "operator", true)
  const revision = Database.push(Database.of(device), {
    user: "operator",
    client: "cli",
    log: undefined,
    comment: undefined,
    pending: false,
    text
  })
  record(device, undefined, "direct")
  run(device, text, revision)
}

/**
 * A confirmed commit of another operator, of the configuration that runs. It takes the place of one that waits, and goes back to what
 * ran before that.
 */
export const foreignTimer = (device: Switch.Switch, log: string, seconds: number): undefined => {
  const database = Database.of(device)
  const pending = database.timer
  const before = pending?.text ?? device.running
  const minutes = Math.max(1, Math.ceil(seconds / 60))
  if (pending !== undefined) extend(database, pending)
  const revision = Database.push(database, {
    user: "operator",
    client: "cli",
    log,
    comment: comment(minutes),
    pending: true,
    text: device.running
  })
  record(device, log, "commitTimer")
  arm(
    device,
    { revision, text: before, login: 0, expiresAt: Date.now() + seconds * 1000, handle: undefined, hidden: false },
    seconds * 1000
  )
  return undefined
}

/** The difference of two configurations of the history. */
export const between = (
  device: Switch.Switch,
  one: number,
  other: number,
  secrets: Braces.SecretView
): string | undefined => {
  const textOf = (number: number) => (number === 0 ? device.running : Database.of(device).history[number]?.text)
  const [from, to] = [textOf(one), textOf(other)]
  return from === undefined || to === undefined
    ? undefined
    : Compare.compare(Braces.parse(from), Braces.parse(to), secrets)
}
