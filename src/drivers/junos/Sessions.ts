/**
 * Who works on the configuration of a device, and which commit waits for its confirmation. All users share one candidate, so a session is
 * a person in it. The history of commits says whose timer runs: the newest entry has a mark while it waits, and the text of its commit,
 * which is the name of our candidate. The sentence "commit confirmed" stays in the history for good and says nothing.
 */
import { Effect, Option } from "effect"
import { LATE_SECONDS } from "../../domain/platforms/junos/Platform.ts"
import { jobOf } from "../Candidate.ts"
import type { CommitTimer, ConfigSession, ConfigSessions, SessionLimits } from "../Driver.ts"
import type { ReadError } from "../DriverErrors.ts"
import { type Element, findAll, textOf } from "../netconf/Xml.ts"
import { maskSecrets } from "../SecretMask.ts"
import { type Junos, numberIn, partsOf, secondsOf, show, showIfKnown, unexpected } from "./Answers.ts"
import { comparison } from "./Dialect.ts"

// The history.

/** A commit of the history. */
export interface CommitEntry {
  readonly user: string
  readonly client: string
  /** Epoch seconds by the device's clock; null where the release does not say it. */
  readonly at: number | null
  /** The text that was given with the commit; empty without one. */
  readonly log: string
  /** It waits for its confirmation. */
  readonly isPending: boolean
  /** After so many minutes it was to be taken back; null for a commit without a timer. */
  readonly minutes: number | null
}

const minutesIn = (comment: string): number | null => numberIn(/rollback in (\d+)\s*min/i.exec(comment)?.[1] ?? null)

const entryOf = (entry: Element): CommitEntry => ({
  user: textOf(entry, "user"),
  client: textOf(entry, "client"),
  at: secondsOf(entry.children.find(({ name }) => name === "date-time")),
  log: textOf(entry, "log"),
  isPending: /rollback pending/i.test(textOf(entry, "commit-confirmed")),
  minutes: minutesIn(
    entry.children
      .filter(({ name }) => name === "comment")
      .map(({ text }) => text)
      .join(" ")
  )
})

/** The commits of an answer, the newest first; null if it has no history. */
export const historyOf = (answer: Element): ReadonlyArray<CommitEntry> | null => {
  // both routing engines have the same one
  const [first] = partsOf(answer, "commit-information")
  return first === undefined ? null : findAll(first.element, "commit-history").map(entryOf)
}

const HISTORY = "get-commit-information"

/** The commits of the device, the newest first. */
export const history = Effect.fnUntraced(function* (
  junos: Junos
): Effect.fn.Return<ReadonlyArray<CommitEntry>, ReadError> {
  const found = historyOf(yield* show(junos, HISTORY))
  return found === null ? yield* unexpected(junos, HISTORY, "it gives no commit-information") : found
})

/** Whether both are one commit; a release that gives no times tells them apart by the rest. */
export const isSameCommit = (one: CommitEntry | undefined, other: CommitEntry | undefined): boolean =>
  one?.user === other?.user && one?.client === other?.client && one?.at === other?.at && one?.log === other?.log

// The timer.

const LONGEST = 80

/** The name of a commit: our candidate's, or words for that of another user. */
export const nameOf = ({ log, user }: CommitEntry): string => {
  if (jobOf(log) !== null) return log
  const said = maskSecrets(log.replaceAll(/\s+/g, " ")).slice(0, LONGEST)
  return `confirmed commit of ${user === "" ? "another user" : user}${said === "" ? "" : ` (${said})`}`
}

/** Whether an entry without a mark may wait all the same, on a release without marks. `now` by the device's clock. */
const mayBePending = ({ at, minutes }: CommitEntry, now: number | null): boolean =>
  minutes !== null && (at === null || now === null || now < at + minutes * 60 + LATE_SECONDS)

/** Which commit is looked for, if any, and whether its mark was seen before. */
export interface Wanted {
  readonly name: string | null
  readonly wasSeen: boolean
}

/** The timer by the history; `now` in epoch seconds by the device's clock, null where it is not known. */
export const timerOf = (
  entries: ReadonlyArray<CommitEntry>,
  { name, wasSeen }: Wanted,
  now: number | null
): CommitTimer => {
  const pending = entries.find(({ isPending }) => isPending)
  if (pending !== undefined) return { _tag: "running", name: name === pending.log ? name : nameOf(pending) }
  const [newest] = entries
  if (newest === undefined || !mayBePending(newest, now)) return { _tag: "none" }
  // a device that has shown the mark once shows it as long as the timer runs; that it is gone is all that says so
  return wasSeen && newest.log === name ? { _tag: "none", omitted: true } : { _tag: "unknown" }
}

/** The time by the device's clock, asked only where the timer depends on it. */
const deviceTime = Effect.fnUntraced(function* (junos: Junos) {
  const answer = yield* showIfKnown(junos, "get-system-uptime-information")
  const times = answer === null ? [] : findAll(answer, "current-time").flatMap((one) => findAll(one, "date-time"))
  return secondsOf(times[0])
})

/** The timer by the history that was just read. */
export const timer = Effect.fnUntraced(function* (junos: Junos, entries: ReadonlyArray<CommitEntry>, wanted: Wanted) {
  const found = timerOf(entries, wanted, null)
  return found._tag === "unknown" ? timerOf(entries, wanted, yield* deviceTime(junos)) : found
})

// Who works on the candidate.

/** The candidate of a login: one that it has loaded is locked until it is committed or discarded. */
export interface OwnCandidate {
  name: string | null
  isLocked: boolean
  /** What the candidate says that will run. */
  willRun: string
  /** The newest commit when it was locked. */
  before: CommitEntry | undefined
}

/** Other users in the configuration, named by what identifies them on the device. */
export const usersOf = (answer: Element, ownSession: string): ReadonlyArray<ConfigSession> =>
  findAll(answer, "database-status").flatMap((status) => {
    const [user, terminal, pid] = [textOf(status, "user"), textOf(status, "terminal"), textOf(status, "pid")]
    if (pid !== "" && pid === ownSession) return []
    const since = secondsOf(status.children.find(({ name }) => name === "start-time"))
    const words = [user, ...(terminal === "" ? [] : [`terminal ${terminal}`]), ...(pid === "" ? [] : [`(pid ${pid})`])]
    return [{ name: words.join(" "), state: "open" as const, user, ...(since === null ? {} : { since: since * 1000 }) }]
  })

/** The text of a comparison without the heading of the whole; empty without a difference. Null if the answer has none. */
export const comparisonOf = (answer: Element): string | null => {
  const outputs = findAll(answer, "configuration-output")
  const [output] = outputs
  if (output === undefined || outputs.length > 1) return null
  return output.text
    .replaceAll("\r", "")
    .trim()
    .replace(/^\[edit\]$/, "")
}

const COMPARE = "get-configuration compare"

/** What the candidate changes, in the device's words. */
export const compare = Effect.fnUntraced(function* (junos: Junos): Effect.fn.Return<string, ReadError> {
  const found = comparisonOf(yield* junos.ask(COMPARE, comparison, junos.timeouts.runningConfig))
  return found === null ? yield* unexpected(junos, COMPARE, "it gives no configuration-output") : found
})

/** The name under which changes stand that nobody has committed. */
export const UNCOMMITTED = "uncommitted changes in the candidate"

/** Other users in the configuration. */
export const users = (junos: Junos) =>
  Effect.map(showIfKnown(junos, "get-database-status-information"), (answer) =>
    answer === null ? [] : usersOf(answer, junos.sessionId)
  )

// Each commit is stored, but so is each rollback: the device never starts with what was taken back, and nothing has to be restored.
const limits: SessionLimits = { maxOpen: 1, maxSaved: 0, mergesAtCommit: false, savesAtCommit: false }

const listed = (
  { target }: Junos,
  { name }: OwnCandidate,
  others: ReadonlyArray<ConfigSession>,
  found: CommitTimer,
  owner: string
): ConfigSessions => {
  const own = name === null ? [] : [{ name, state: "open" as const, user: target.username }]
  const timed = found._tag === "running" ? [{ name: found.name, state: "timed" as const, user: owner }] : []
  return {
    isListed: true,
    sessions: [...own, ...others, ...timed],
    pending: found._tag === "running" ? Option.some({ name: found.name }) : Option.none(),
    timer: found,
    limits
  }
}

const ownerOf = (entries: ReadonlyArray<CommitEntry>): string => entries.find(({ isPending }) => isPending)?.user ?? ""

/** See `DriverSession.sessions`. Nothing is locked or checked to find it out: a check would confirm a commit that waits. */
export const sessions = Effect.fnUntraced(function* (junos: Junos, own: OwnCandidate) {
  const entries = yield* history(junos)
  const found = yield* timer(junos, entries, { name: null, wasSeen: false })
  const others = yield* users(junos)
  const isDirty = own.name === null && (yield* compare(junos)) !== ""
  const dirty = isDirty
    ? [{ name: UNCOMMITTED, state: "open" as const, user: others.length === 1 ? (others[0]?.user ?? "") : "" }]
    : []
  return listed(junos, own, [...others, ...dirty], found, ownerOf(entries))
})

/**
 * Whether another user's commit waits above ours. It goes back to what ran before the first of several that wait, and no history says
 * whether ours still waited when it came: so it may take ours back, too.
 */
const mayTakeBack = (entries: ReadonlyArray<CommitEntry>, name: string): boolean => {
  const pending = entries.findIndex(({ isPending }) => isPending)
  return pending >= 0 && entries[pending]?.log !== name && entries.slice(pending + 1).some(({ log }) => log === name)
}

const UNCLEAR: CommitTimer = { _tag: "unknown" }

/** See `DriverSession.sessionsWhileTimed`. */
export const sessionsWhileTimed = Effect.fnUntraced(function* (
  junos: Junos,
  own: OwnCandidate,
  name: string,
  wasSeen: boolean
) {
  const entries = yield* history(junos)
  const found = yield* timer(junos, entries, { name, wasSeen })
  return listed(junos, own, [], mayTakeBack(entries, name) ? UNCLEAR : found, ownerOf(entries))
})
