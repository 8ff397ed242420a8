/**
 * Loads a candidate under the exclusive lock of the device, reads it back, and compares it. Private copies are not used: a commit with a
 * timer is not possible on them. A candidate that is refused in any way is discarded under the lock, because the device keeps the part
 * of it that it has understood. Nothing is discarded that others have written: their changes make the lock fail.
 */
import { Effect } from "effect"
import { notationOf } from "../../domain/BraceGate.ts"
import type { DriverSession, LoadRequest, LoadResult } from "../Driver.ts"
import {
  type LoadError,
  MergeConfigException,
  type ReadError,
  type RejectedLine,
  ReplaceConfigException,
  SessionLockedException
} from "../DriverErrors.ts"
import { clearForLoad, type ForeignSessions, TIMER_OF_OTHERS } from "../LoadChecks.ts"
import { describe, type RpcError, type RpcRefused } from "../netconf/Messages.ts"
import { type Element, findAll } from "../netconf/Xml.ts"
import { maskAnswer, maskSecrets } from "../SecretMask.ts"
import { type Junos, numberIn, refusal, unexpected } from "./Answers.ts"
import { commitCheck, discardChanges, loading, lockCandidate, unlockCandidate } from "./Dialect.ts"
import { readConfiguration } from "./RunningConfig.ts"
import { compare, history, nameOf, type OwnCandidate, sessions, timer, UNCOMMITTED, users } from "./Sessions.ts"
import { refusedLinesIn, saysInSystem } from "./ShownText.ts"

// The lock.

const holder = /locked by:?\s*(\S.*?)\s*(?:\bon\b\s*since|\bsince\b|$)/is
const modified = /database (?:is )?modified/i
const inTheWay = /locked|modified|exclusive|in use|another user|currently editing/i
const inTheWayTags: ReadonlySet<string> = new Set(["lock-denied", "in-use"])

/** Whether the device cannot lock because of somebody else. */
const isInTheWay = ({ errors }: RpcRefused): boolean =>
  errors.every(({ message, tag }) => inTheWayTags.has(tag) || inTheWay.test(message))

/** Who holds the lock, or has changes in the candidate, as the device names them. */
const whoHolds = Effect.fnUntraced(function* (junos: Junos, { message, errors }: RpcRefused) {
  const [, held] = holder.exec(message) ?? []
  if (held !== undefined) return held.replaceAll(/\s+/g, " ")
  if (modified.test(message)) {
    const names = (yield* users(junos)).map(({ name }) => name)
    return names.length === 0 ? UNCOMMITTED : `${UNCOMMITTED}, edited by ${names.join(", ")}`
  }
  return errors.find(({ sessionId }) => sessionId !== "")?.sessionId ?? ""
})

/** Locks the candidate; fails with SessionLockedException if it is another user's. */
export const lock = Effect.fnUntraced(function* (
  junos: Junos,
  own: OwnCandidate
): Effect.fn.Return<void, ReadError | SessionLockedException> {
  const { hostname } = junos.target
  yield* junos.rpc("lock", lockCandidate).pipe(
    Effect.catchTag("RpcRefused", (refused) =>
      Effect.gen(function* () {
        if (!isInTheWay(refused)) return yield* refusal(hostname, "lock", refused)
        const session = yield* whoHolds(junos, refused)
        return yield* new SessionLockedException({ hostname, session, message: refused.message, unopened: true })
      })
    )
  )
  own.isLocked = true
})

/** Gives the lock back. What the device says to it changes nothing: the lock ends with the login. */
export const unlock = Effect.fnUntraced(function* (junos: Junos, own: OwnCandidate) {
  own.isLocked = false
  own.name = null
  yield* junos
    .rpc("unlock", unlockCandidate)
    .pipe(
      Effect.catchTag(["RpcRefused", "UnexpectedAnswer"], ({ message }) =>
        Effect.logDebug("the candidate could not be unlocked", message)
      )
    )
})

/** Discards what this login has loaded, and nothing else. */
export const giveBack = Effect.fnUntraced(function* (
  junos: Junos,
  own: OwnCandidate
): Effect.fn.Return<void, ReadError> {
  if (!own.isLocked) return
  const { hostname } = junos.target
  yield* junos
    .rpc("discard-changes", discardChanges)
    .pipe(Effect.catchTag("RpcRefused", (refused) => Effect.fail(refusal(hostname, "discard-changes", refused))))
  yield* unlock(junos, own)
})

/** The same after a refusal, which counts more than what comes after it; the end of the login discards the rest. */
export const giveBackRefused = (junos: Junos, own: OwnCandidate) =>
  Effect.catch(giveBack(junos, own), ({ message }) =>
    Effect.logDebug("the refused candidate could not be given back", message)
  )

// What the device objects to.

/** The device reads on after a mistake, and says where it has given up; it is no mistake of its own. */
const consequence = /error recovery ignores input/i

const MOST_LINES = 5
const MOST_REJECTED = 20
const MOST_REMARKS = 100

/** The lines of the candidate that an error may mean; the device itself names none. */
const linesOf = (text: string, { badElement, path }: RpcError): ReadonlyArray<number> =>
  notationOf(text) === "set" || badElement === "" ? [] : refusedLinesIn(text, { path, word: badElement })

/** An objection with its line, or with all that have its word. */
export const objectionOf = (text: string, error: RpcError): RejectedLine => {
  const [lineNumber, ...others] = linesOf(text, error)
  const path = error.path === "" ? {} : { path: error.path }
  if (lineNumber === undefined) return { lineNumber: null, line: "", ...path, answer: describe(error) }
  if (others.length > 0) {
    const numbers = [lineNumber, ...others].slice(0, MOST_LINES).join(", ")
    const more = others.length >= MOST_LINES ? ", …" : ""
    return { lineNumber: null, line: "", ...path, answer: `${describe(error)} (on lines ${numbers}${more})` }
  }
  const line = text.split("\n")[lineNumber - 1] ?? ""
  return { lineNumber, line: maskSecrets(line), ...path, answer: maskAnswer(line, describe(error)) }
}

/** The refusal of a candidate. */
export const rejected = (hostname: string, { mode, text }: Pick<LoadRequest, "mode" | "text">, refused: RpcRefused) => {
  const own = refused.errors.filter(({ message }) => !consequence.test(message))
  const errors = own.length === 0 ? refused.errors : own
  const fields = {
    hostname,
    message: refused.message,
    rejected: errors.slice(0, MOST_REJECTED).map((error) => objectionOf(text, error))
  }
  return mode === "replace" ? new ReplaceConfigException(fields) : new MergeConfigException(fields)
}

/** Whether an answer to a load says that all of it was loaded. */
const isLoaded = (answer: Element): boolean => {
  const [results] = findAll(answer, "load-configuration-results")
  const said = results ?? answer
  const faults = findAll(said, "load-error-count").some(({ text }) => numberIn(text.trim()) !== 0)
  return !faults && said.children.some(({ name }) => name === "ok" || name === "load-success")
}

/** Such a device runs statements that no configuration shows, and that no rollback takes back. */
const runsOther = (willRun: string): boolean => saysInSystem(willRun, "configuration-database", "ephemeral")

const EPHEMERAL: RejectedLine = {
  lineNumber: null,
  path: "[edit system configuration-database]",
  line: "",
  answer: "the device has an ephemeral database: it may run statements that its configuration does not show"
}

// The load.

const send = Effect.fnUntraced(function* (junos: Junos, request: LoadRequest) {
  const refuse = (refused: RpcRefused) => Effect.fail(rejected(junos.target.hostname, request, refused))
  const body = loading(request.text, request.mode, notationOf(request.text))
  const reply = yield* junos
    .rpc("load-configuration", body, junos.timeouts.load)
    .pipe(Effect.catchTag("RpcRefused", refuse))
  if (isLoaded(reply.element)) return reply.warnings
  return yield* unexpected(junos, "load-configuration", "it says neither that the candidate was loaded nor why not")
})

/**
 * Has the candidate checked, which would confirm a commit that waits. So it is done only under the lock, after the history has shown
 * that none does.
 */
const check = (junos: Junos, request: LoadRequest) =>
  junos.rpc("commit-configuration check", commitCheck, junos.timeouts.commit).pipe(
    Effect.map(({ warnings }) => warnings),
    Effect.catchTag("RpcRefused", (refused) => Effect.fail(rejected(junos.target.hostname, request, refused)))
  )

/** Looks under the lock whether a commit waits: one of another user is in the way. Gives whether certainly none does. */
const lookBefore = Effect.fnUntraced(function* (junos: Junos, own: OwnCandidate, { despiteTimer }: LoadRequest) {
  const entries = yield* history(junos)
  own.before = entries[0]
  const pending = entries.find(({ isPending }) => isPending)
  if (pending !== undefined && pending.log !== despiteTimer) {
    const { hostname } = junos.target
    return yield* new SessionLockedException({ hostname, session: nameOf(pending), message: TIMER_OF_OTHERS })
  }
  if (despiteTimer !== undefined) return false
  return (yield* timer(junos, entries, { name: null, wasSeen: false }))._tag === "none"
})

/** The device's own difference is asked for only where it can contradict what it says that will run. */
const difference = (junos: Junos, { runs }: LoadRequest, willRun: string) =>
  runs === undefined || runs === willRun ? compare(junos) : Effect.succeed("")

/** See `DriverSession.load`. `inParts` has no effect: the candidate is one message. */
export const load = (junos: Junos, own: OwnCandidate, foreign: ForeignSessions): DriverSession["load"] =>
  Effect.fnUntraced(function* (request): Effect.fn.Return<LoadResult, LoadError> {
    const { hostname, removed } = junos.target
    const { mode, name, text } = request
    const scene = {
      hostname,
      removed,
      foreign,
      sessions: sessions(junos, own),
      discard: (wanted: string) => (own.name === wanted ? giveBack(junos, own) : Effect.void)
    }
    const otherSessions = yield* clearForLoad(scene, request)
    if (mode === "replace" && notationOf(text) === "set") {
      const message = "a whole configuration must be in braces: set lines say nothing of what is not in them"
      return yield* new ReplaceConfigException({ hostname, message, rejected: [], unsent: true })
    }
    yield* lock(junos, own)
    return yield* Effect.gen(function* () {
      const mayCheck = yield* lookBefore(junos, own, request)
      const warnings = yield* send(junos, request)
      own.name = name
      const willRun = yield* readConfiguration(junos, "candidate")
      own.willRun = willRun
      const diff = yield* difference(junos, request, willRun)
      const more = mayCheck ? yield* check(junos, request) : []
      const said = [...warnings, ...more].slice(0, MOST_REMARKS).map((warning) => objectionOf(text, warning))
      return { diff, willRun, remarks: runsOther(willRun) ? [EPHEMERAL, ...said] : said, ...otherSessions }
    }).pipe(Effect.tapError(() => giveBackRefused(junos, own)))
  })
