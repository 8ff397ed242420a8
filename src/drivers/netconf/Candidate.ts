/**
 * The candidate of a NETCONF server, which all of its users share: it is locked, filled, read back, and committed with a timer that
 * another login can confirm by name. It ends with the login that has filled it. Nothing of another user's is thrown away or
 * committed: the candidate is emptied only under our lock, and a timer is confirmed or cancelled only by our name.
 */
import { Effect, Option } from "effect"
import type { ConfigSessions, ConfirmAnswer } from "../Driver.ts"
import { listSessions } from "../DriverDefinition.ts"
import {
  CommandRejected,
  CommitError,
  type ExchangeError,
  MergeConfigException,
  type ReadError,
  type RejectedLine,
  ReplaceConfigException,
  SessionLockedException,
  UnexpectedAnswer
} from "../DriverErrors.ts"
import { describe, isOk, NAMESPACE, offers, type RpcError, type RpcRefused } from "./Messages.ts"
import type { NetconfSession, RpcFailure } from "./Session.ts"
import { child, type Element, escape, render } from "./Xml.ts"

/** The deadlines that it needs, in seconds. */
export interface CandidateTimeouts {
  readonly runningConfig: number
  readonly load: number
  readonly commit: number
  readonly save: number
}

/** A configuration to load: elements of the server's own models. */
export interface CandidateConfig {
  readonly name: string
  readonly mode: "replace" | "merge"
  readonly elements: ReadonlyArray<Element>
}

/** What the server says to a load, before it is committed. */
export interface LoadedCandidate {
  /** The whole candidate, as the server shows it. */
  readonly elements: ReadonlyArray<Element>
  readonly remarks: ReadonlyArray<RejectedLine>
}

export type Datastore = "running" | "candidate"

export interface SharedCandidate {
  readonly read: (datastore: Datastore) => Effect.Effect<ReadonlyArray<Element>, ReadError>
  /** Our open candidate and the timer. `name`: our commit that may wait; no server says whose timer it is. */
  readonly sessions: (name?: string) => Effect.Effect<ConfigSessions, ReadError>
  readonly load: (
    config: CandidateConfig
  ) => Effect.Effect<
    LoadedCandidate,
    ReadError | SessionLockedException | ReplaceConfigException | MergeConfigException
  >
  readonly commit: (name: string) => Effect.Effect<void, ReadError | CommitError>
  readonly commitTimed: (name: string, seconds: number) => Effect.Effect<void, ReadError | CommitError>
  readonly confirm: (name: string) => Effect.Effect<ConfirmAnswer, ReadError | CommitError>
  readonly discard: (name: string) => Effect.Effect<void, ReadError>
  readonly save: Effect.Effect<void, ExchangeError | CommandRejected>
}

/** At most so many errors of a load are kept. */
const MOST_REJECTED = 20

/** An id that no commit has. */
const NOBODY = "switchyard-asks-whether-a-commit-waits"
/** The name of a timer whose owner is unknown. */
export const SOMEBODY = "a confirmed commit"

/** What the server objects to, by its path; it knows no lines. */
const objectionOf = (error: RpcError): RejectedLine => ({
  lineNumber: null,
  path: error.path,
  line: "",
  answer: describe(error)
})

const candidateLock = (verb: "lock" | "unlock") => `<${verb}><target><candidate/></target></${verb}>`
const persistId = (name: string) => `<persist-id>${escape(name)}</persist-id>`
const cancelCommit = (name: string) => `<cancel-commit>${persistId(name)}</cancel-commit>`

/** The tags with which a server says that it cannot lock because of somebody else. */
const inTheWay: ReadonlySet<string> = new Set(["lock-denied", "in-use", "resource-denied"])

/** The tags with which a server says that no commit waits under this id. */
const notPending: ReadonlySet<string> = new Set(["operation-failed", "invalid-value"])

const isOnly = ({ errors }: RpcRefused, tags: ReadonlySet<string>): boolean => errors.every(({ tag }) => tags.has(tag))

/** The candidate as this session sees it. */
export const sharedCandidate = (session: NetconfSession, timeouts: CandidateTimeouts): SharedCandidate => {
  const { hello, target } = session
  const { hostname, username } = target
  const hasTimer = offers(hello, "confirmed-commit:1.1")
  /** The name of what we have loaded; its lock is ours for as long. */
  let loaded: string | null = null
  let isLocked = false

  const refusedAs =
    (label: string) =>
    ({ message }: RpcRefused) =>
      new CommandRejected({ hostname, command: label, message })
  const asked = <A>(label: string, exchange: Effect.Effect<A, RpcFailure>): Effect.Effect<A, ReadError> =>
    Effect.catchTag(exchange, "RpcRefused", (refused) => Effect.fail(refusedAs(label)(refused)))

  /** Fails unless the server says that it is done. */
  const done = Effect.fnUntraced(function* (label: string, body: string, seconds?: number) {
    const reply = yield* session.rpc(label, body, seconds)
    if (isOk(reply)) return reply
    return yield* new UnexpectedAnswer({ hostname, command: label, message: "the answer is neither ok nor an error" })
  })

  const read = (datastore: Datastore) =>
    Effect.gen(function* () {
      const label = `netconf get-config ${datastore}`
      const body = `<get-config><source><${datastore}/></source></get-config>`
      const data = child((yield* asked(label, session.rpc(label, body, timeouts.runningConfig))).element, "data")
      if (data !== undefined) return data.children
      return yield* new UnexpectedAnswer({ hostname, command: label, message: "the answer has no data" })
    })

  const lock = Effect.gen(function* () {
    yield* done("netconf lock", candidateLock("lock"))
    isLocked = true
  }).pipe(
    Effect.catchTag("RpcRefused", (refused): Effect.Effect<never, CommandRejected | SessionLockedException> => {
      if (!isOnly(refused, inTheWay)) return Effect.fail(refusedAs("netconf lock")(refused))
      const holder = refused.errors.find(({ sessionId }) => sessionId !== "")?.sessionId ?? ""
      const held = { hostname, session: holder, message: refused.message, unopened: true }
      return Effect.fail(new SessionLockedException(held))
    })
  )

  /** Gives the candidate back as it was; only what is under our lock is ours to empty. */
  const giveBack: Effect.Effect<void, ReadError> = Effect.suspend(() => {
    if (!isLocked) return Effect.void
    return asked("netconf discard-changes", done("netconf discard-changes", "<discard-changes/>")).pipe(
      Effect.andThen(unlock)
    )
  })

  /** The same after a refusal, which counts more than what comes after it; the end of the session gives the rest back. */
  const giveBackRefused = Effect.catch(giveBack, ({ message }) =>
    Effect.logDebug("the refused candidate could not be given back", message)
  )

  const unlock: Effect.Effect<void, ExchangeError> = Effect.suspend(() => {
    isLocked = false
    loaded = null
    return done("netconf unlock", candidateLock("unlock")).pipe(
      Effect.asVoid,
      // some give a lock back with the session only, while a commit waits
      Effect.catchTag(["RpcRefused", "UnexpectedAnswer"], ({ message }) =>
        Effect.logDebug("the candidate could not be unlocked", message)
      )
    )
  })

  const rejected = (mode: CandidateConfig["mode"], errors: ReadonlyArray<RpcError>, message: string) => {
    const fields = { hostname, message, rejected: errors.slice(0, MOST_REJECTED).map(objectionOf) }
    return mode === "replace" ? new ReplaceConfigException(fields) : new MergeConfigException(fields)
  }

  const load: SharedCandidate["load"] = Effect.fnUntraced(function* ({ elements, mode, name }) {
    yield* lock
    loaded = name
    const whole = offers(hello, "rollback-on-error:1.0") ? "<error-option>rollback-on-error</error-option>" : ""
    const config = `<config xmlns="${NAMESPACE}">${render(elements, NAMESPACE)}</config>`
    const options = `<default-operation>${mode}</default-operation>${whole}`
    const body = `<edit-config><target><candidate/></target>${options}${config}</edit-config>`
    return yield* Effect.gen(function* () {
      // what stands in it is nobody's: a lock is refused while another user has changed something
      yield* asked("netconf discard-changes", done("netconf discard-changes", "<discard-changes/>"))
      const { warnings } = yield* done("netconf edit-config", body, timeouts.load).pipe(
        Effect.catchTag("RpcRefused", ({ errors, message }) => Effect.fail(rejected(mode, errors, message)))
      )
      return { elements: yield* read("candidate"), remarks: warnings.map(objectionOf) }
    }).pipe(Effect.tapError(() => giveBackRefused))
  })

  const notOurs = (name: string) =>
    new CommitError({
      hostname,
      session: name,
      message: "the candidate has ended with the login that has loaded it, so there is nothing to commit"
    })

  const commitWith = Effect.fnUntraced(function* (name: string, options: string) {
    if (loaded !== name) return yield* notOurs(name)
    yield* done("netconf commit", `<commit>${options}</commit>`, timeouts.commit).pipe(
      Effect.catchTag("RpcRefused", ({ message }) =>
        Effect.andThen(giveBackRefused, Effect.fail(new CommitError({ hostname, session: name, message })))
      )
    )
    yield* unlock
  })

  const commitTimed: SharedCandidate["commitTimed"] = Effect.fnUntraced(function* (name, seconds) {
    if (!hasTimer) {
      // a timer of the older form ends with its login, and only that login can confirm
      const message = "the switch has no confirmed commit that another login can confirm"
      return yield* new CommitError({ hostname, session: name, message })
    }
    const timer = `<confirmed/><confirm-timeout>${Math.ceil(seconds)}</confirm-timeout>`
    yield* commitWith(name, `${timer}<persist>${escape(name)}</persist>`)
  })

  const confirm: SharedCandidate["confirm"] = Effect.fnUntraced(function* (name) {
    // a confirmation commits what stands in the candidate, and while a timer runs nobody can lock it
    if (render(yield* read("candidate")) !== render(yield* read("running"))) {
      const message = "the candidate holds changes of another user, which a confirmation would commit"
      return yield* new CommitError({ hostname, session: name, message })
    }
    yield* done("netconf confirm", `<commit>${persistId(name)}</commit>`, timeouts.commit).pipe(
      Effect.catchTag("RpcRefused", ({ message }) =>
        Effect.fail(new CommitError({ hostname, session: name, message: `${message} (${name})` }))
      )
    )
    return "seen" as const
  })

  const discard: SharedCandidate["discard"] = Effect.fnUntraced(function* (name) {
    if (loaded === name) return yield* giveBack
    if (!hasTimer) return
    const label = "netconf cancel-commit"
    yield* done(label, cancelCommit(name), timeouts.commit).pipe(
      Effect.catchTag("RpcRefused", (refused) =>
        // none of this name waits, so there is nothing to take back
        isOnly(refused, notPending) ? Effect.void : Effect.fail(refusedAs(label)(refused))
      )
    )
  })

  /** Whether a timer runs: a server objects to the id while one does, and to the request while none does. */
  const timer = hasTimer
    ? session.rpc("netconf cancel-commit", cancelCommit(NOBODY)).pipe(
        Effect.as("unknown" as const),
        Effect.catchTag("RpcRefused", ({ errors }) => {
          const tags = new Set(errors.map(({ tag }) => tag))
          if (tags.size !== 1) return Effect.succeed("unknown" as const)
          if (tags.has("invalid-value")) return Effect.succeed("running" as const)
          return Effect.succeed(tags.has("operation-failed") ? ("none" as const) : ("unknown" as const))
        })
      )
    : Effect.succeed("none" as const)

  const sessions: SharedCandidate["sessions"] = (name = SOMEBODY) =>
    Effect.map(timer, (found) => {
      const open = loaded === null ? [] : [{ name: loaded, state: "open" as const, user: username }]
      const limits = { maxOpen: 1, maxSaved: 0, mergesAtCommit: null, savesAtCommit: !offers(hello, "startup:1.0") }
      const timed = found === "running" ? [{ name, state: "timed" as const, user: "" }] : []
      const list = listSessions([...open, ...timed], limits)
      return found === "unknown" ? { ...list, pending: Option.none(), timer: { _tag: "unknown" as const } } : list
    })

  const save = Effect.suspend(() => {
    if (!offers(hello, "startup:1.0")) return Effect.void
    const label = "netconf copy-config"
    const body = "<copy-config><target><startup/></target><source><running/></source></copy-config>"
    return done(label, body, timeouts.save).pipe(
      Effect.asVoid,
      Effect.catchTag(["RpcRefused", "UnexpectedAnswer"], ({ message }) =>
        Effect.fail(new CommandRejected({ hostname, command: label, message }))
      )
    )
  })

  return { read, sessions, load, commit: (name) => commitWith(name, ""), commitTimed, confirm, discard, save }
}
