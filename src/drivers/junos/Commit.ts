/**
 * Commit, commit timer and confirmation. The device answers `ok` also to what it has not done, so the history is read before and after:
 * a commit counts if the newest entry is ours, and a confirmation if our entry is still the newest and waits no more.
 */
import { Effect, Option } from "effect"
import { type ConfigSessions, type ConfirmAnswer, insistOnClaim } from "../Driver.ts"
import { CommitError, ConnectionException, type ReadError } from "../DriverErrors.ts"
import type { RpcRefused } from "../netconf/Messages.ts"
import { type Element, findAll } from "../netconf/Xml.ts"
import { isMember, type Junos, partsOf, showIfKnown } from "./Answers.ts"
import { commitCheck, committing, discardChanges, unlockCandidate } from "./Dialect.ts"
import { giveBack, giveBackRefused, lock, unlock } from "./Load.ts"
import { type CommitEntry, history, isSameCommit, type OwnCandidate, timer } from "./Sessions.ts"
import { saysInSystem } from "./ShownText.ts"
import type { MoveState, MoveVerbs } from "../Verbs.ts"

const COMMIT = "commit-configuration"

const refused = ({ target }: Junos, name: string, message: string) =>
  new CommitError({ hostname: target.hostname, session: name, message })

/** Nothing says what has become of the commit: the login ends, and the next one looks at what runs. */
const unclear = Effect.fnUntraced(function* (
  { hangUp, target: { address, hostname } }: Junos,
  message: string
): Effect.fn.Return<never, ConnectionException> {
  hangUp()
  return yield* new ConnectionException({ hostname, address, whileDoing: COMMIT, message })
})

// Two routing engines.

/** Whether the configuration itself makes each commit one of both routing engines. */
const synchronizes = (config: string): boolean => saysInSystem(config, "commit", "synchronize")

/** Whether the device has two routing engines; the members of a virtual chassis get each commit from their master. */
export const hasTwoEngines = (answer: Element): boolean => {
  const parts = partsOf(answer, "route-engine")
  return parts.length > 1 && !parts.some(isMember)
}

const mustSynchronize = Effect.fnUntraced(function* (junos: Junos, { willRun }: OwnCandidate) {
  if (synchronizes(willRun)) return false
  const engines = yield* showIfKnown(junos, "get-route-engine-information").pipe(
    // nothing was committed, and the candidate ends with the login
    Effect.catchTag("UnexpectedAnswer", ({ message }) => unclear(junos, message))
  )
  return engines !== null && hasTwoEngines(engines)
})

// The commit.

/** A routing engine has committed. */
const hasCommitted = (answer: Element): boolean => findAll(answer, "commit-success").length > 0

const saysDone = (answer: Element): boolean => hasCommitted(answer) || findAll(answer, "ok").length > 0

const ENDED = "the candidate has ended with the login that has loaded it, so there is nothing to commit"

/** The commits, asked after ours was sent: an answer that is not understood leaves open what has become of it. */
const commitsAfter = (junos: Junos) =>
  history(junos).pipe(
    Effect.catchTag(["CommandRejected", "UnexpectedAnswer"], ({ message }) => unclear(junos, message))
  )

/**
 * The same where the device has said that it has committed; null if they could not be read. The commit was answered, so it may be looked
 * at over another login, and is not sent again.
 */
const commitsAfterSuccess = (junos: Junos) =>
  history(junos).pipe(
    Effect.catch(({ message }) =>
      Effect.as(Effect.logDebug("the history could not be read after the commit", message), null)
    )
  )

/** A refused commit gives the candidate back, unless a part of the device has committed all the same. */
const afterRefusal = Effect.fnUntraced(function* (
  junos: Junos,
  own: OwnCandidate,
  name: string,
  { element, message }: RpcRefused
) {
  if (hasCommitted(element)) return yield* unclear(junos, `only a part of the device has committed: ${message}`)
  const [newest] = yield* commitsAfter(junos)
  if (!isSameCommit(newest, own.before)) {
    return yield* unclear(junos, `the device refuses the commit, but its history has a new one: ${message}`)
  }
  yield* giveBackRefused(junos, own)
  return yield* refused(junos, name, message)
})

/** What is committed, and how. */
interface Order {
  readonly name: string
  readonly minutes: number | null
  readonly synchronize: boolean
  /** How long the device may take to answer. */
  readonly seconds: number
  /** Requests in the same packet. */
  readonly behind?: ReadonlyArray<string>
}

const send = (junos: Junos, own: OwnCandidate, { behind, minutes, name, seconds, synchronize }: Order) =>
  junos.rpc(COMMIT, committing({ name, synchronize, minutes }), seconds, behind).pipe(
    Effect.map(({ element }) => element),
    Effect.catchTags({
      RpcRefused: (error) => afterRefusal(junos, own, name, error),
      UnexpectedAnswer: ({ message }) => unclear(junos, message)
    })
  )

const carryOut = Effect.fnUntraced(function* (junos: Junos, own: OwnCandidate, order: Order) {
  const { name } = order
  const answer = yield* send(junos, own, order)
  if (!saysDone(answer)) return yield* unclear(junos, "the answer is neither a success nor an error")
  const commits = yield* commitsAfterSuccess(junos)
  if (commits === null) return
  if (isSameCommit(commits[0], own.before)) {
    yield* giveBackRefused(junos, own)
    return yield* refused(junos, name, "the device answers that it has committed, but its history has no new commit")
  }
  // a later one may have taken its place already, such as the rollback
  const known = commits.findIndex((one) => isSameCommit(one, own.before))
  if (!commits.slice(0, known < 0 ? commits.length : known).some(({ log }) => log === name)) {
    return yield* unclear(junos, "the device's history does not have our commit")
  }
  if (!own.isLocked) return
  // it has committed, whatever becomes of this login
  yield* Effect.catch(unlock(junos, own), ({ message }) =>
    Effect.logDebug("the login was lost after the commit", message)
  )
})

const commitWith = Effect.fnUntraced(function* (
  junos: Junos,
  own: OwnCandidate,
  name: string,
  minutes: number | null
): Effect.fn.Return<void, ReadError | CommitError> {
  if (own.name !== name) return yield* refused(junos, name, ENDED)
  const synchronize = yield* mustSynchronize(junos, own)
  yield* carryOut(junos, own, { name, minutes, synchronize, seconds: junos.timeouts.commit })
})

/** See `DriverSession.commit`. */
export const commit = (junos: Junos, own: OwnCandidate, name: string) => commitWith(junos, own, name, null)

/** The timer counts whole minutes. */
const minutesOf = (seconds: number): number => Math.max(1, Math.ceil(seconds / 60))

/** See `DriverSession.commitTimed`. */
export const commitTimed = (junos: Junos, own: OwnCandidate, name: string, seconds: number) =>
  commitWith(junos, own, name, minutesOf(seconds))

// The move to another address.

/**
 * These requests are sent in one packet with the commit. Otherwise the device would keep the lock for a login that can no longer reach it,
 * and nobody could confirm the commit. The first one discards what was not committed, while the lock still holds.
 */
const LETTING_GO = [discardChanges, unlockCandidate]

const commitMove = Effect.fnUntraced(function* (
  junos: Junos,
  own: OwnCandidate,
  name: string,
  seconds: number,
  silenceSeconds: number
): Effect.fn.Return<"answered" | "silent", ReadError | CommitError> {
  if (own.name !== name) return yield* refused(junos, name, ENDED)
  const synchronize = yield* Effect.mapError(mustSynchronize(junos, own), ({ message }) =>
    refused(junos, name, `nothing was committed: ${message}`)
  )
  yield* insistOnClaim(junos.target, COMMIT)
  const order = { name, minutes: minutesOf(seconds), synchronize, seconds: silenceSeconds, behind: LETTING_GO }
  own.isLocked = false
  own.name = null
  // after an answer that is lost, or not understood, the history on the address where the device answers decides
  return yield* carryOut(junos, own, order).pipe(
    Effect.as("answered" as const),
    Effect.catchTag(["CommandTimeout", "ConnectionException"], ({ message }) =>
      Effect.gen(function* () {
        junos.hangUp()
        yield* Effect.logDebug("no answer to the commit that moves the device", message)
        return "silent" as const
      })
    )
  )
})

/** The device itself takes a commit back under this name. */
const isRollback = ({ client, user }: CommitEntry): boolean => user === "root" && client === "other"

const moveState = Effect.fnUntraced(function* (junos: Junos, name: string): Effect.fn.Return<MoveState, ReadError> {
  const entries = yield* history(junos)
  const ours = entries.findIndex(({ log }) => log === name)
  if (ours === -1) return "absent"
  if (entries.slice(0, ours + 1).some(({ isPending }) => isPending)) return "waits"
  const later = entries[ours - 1]
  if (later !== undefined) return isRollback(later) ? "takenBack" : "stays"
  const found = yield* timer(junos, entries, { name, wasSeen: false })
  return found._tag === "none" ? "stays" : "waits"
})

/** See `MoveVerbs`. */
export const move = (junos: Junos, own: OwnCandidate): MoveVerbs => ({
  commit: (name, seconds, silenceSeconds) =>
    Effect.catchTag(
      commitMove(junos, own, name, seconds, silenceSeconds),
      ["CommandRejected", "UnexpectedAnswer"],
      ({ message }) => Effect.fail(refused(junos, name, message))
    ),
  state: (name) => moveState(junos, name)
})

// The confirmation.

/** Whether this answer says that the timer of this name runs. */
const runs = ({ pending }: ConfigSessions, name: string): boolean =>
  Option.exists(pending, (waiting) => waiting.name === name)

/** Looks whether our commit waits; fails if it does not. Null: the device shows neither that it does nor that it does not. */
const insistOnOurs = Effect.fnUntraced(function* (junos: Junos, name: string, wasSeen: boolean) {
  const entries = yield* history(junos)
  const found = yield* timer(junos, entries, { name, wasSeen })
  if (found._tag === "running") {
    return found.name === name ? true : yield* refused(junos, name, `another commit waits: ${found.name}`)
  }
  if (entries[0]?.log !== name)
    return yield* refused(junos, name, "it waits no more: a later commit has taken its place")
  return found._tag === "unknown" ? null : yield* refused(junos, name, "it waits no more: it was confirmed already")
})

/**
 * A check confirms, and unlike a commit it takes nothing into use that stands in the candidate. It needs no lock, but with one nobody
 * can change the candidate meanwhile.
 */
const check = Effect.fnUntraced(function* (junos: Junos, own: OwnCandidate, name: string) {
  yield* Effect.catchTag(lock(junos, own), ["SessionLockedException", "CommandRejected"], ({ message }) =>
    Effect.logDebug("the candidate is not locked for the confirmation", message)
  )
  yield* junos.rpc(`${COMMIT} check`, commitCheck, junos.timeouts.commit).pipe(
    Effect.catchTag("RpcRefused", ({ message }) =>
      Effect.fail(
        refused(junos, name, `the device does not confirm: what stands in its candidate is refused: ${message}`)
      )
    ),
    Effect.ensuring(Effect.ignore(Effect.suspend(() => (own.isLocked ? unlock(junos, own) : Effect.void))))
  )
})

/**
 * See `DriverSession.confirm`. Any check confirms any commit, so it is sent only while our commit is the newest; whether it has
 * confirmed is read from the history.
 */
export const confirm = Effect.fnUntraced(function* (
  junos: Junos,
  own: OwnCandidate,
  name: string,
  wasSeen = false,
  seen?: ConfigSessions
): Effect.fn.Return<ConfirmAnswer, ReadError | CommitError> {
  const isSeen = (seen !== undefined && runs(seen, name)) || (yield* insistOnOurs(junos, name, wasSeen)) === true
  yield* check(junos, own, name)
  const [newest] = yield* history(junos)
  if (newest?.log !== name) return yield* refused(junos, name, "it was taken back before it could be confirmed")
  if (newest.isPending) return yield* refused(junos, name, "the device answers the check, but the commit still waits")
  return isSeen ? "seen" : "unseen"
})

/**
 * See `DriverSession.discard`. A commit that waits is left to its timer: to take it back at once would be a commit of its own, and
 * its check would confirm what it is to take back if it then failed.
 */
export const discard = (junos: Junos, own: OwnCandidate, name: string): Effect.Effect<void, ReadError> =>
  Effect.suspend(() => (own.name === name ? giveBack(junos, own) : Effect.void))
