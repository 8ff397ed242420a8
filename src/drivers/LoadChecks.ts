/**
 * The checks before a load, on every platform: other people's sessions are not in the way, our abandoned candidates are removed,
 * and the candidate holds nothing but configuration.
 */
import { Clock, Context, Effect, Layer, Option } from "effect"
import { jobOf, selects } from "./Candidate.ts"
import { type ConfigSession, type DriverSession, type DriverTarget, type LoadRequest } from "./Driver.ts"
import {
  type LoadError,
  MergeConfigException,
  type RejectedLine,
  ReplaceConfigException,
  SessionLockedException
} from "./DriverErrors.ts"
import { cutRefusal, loginsCut } from "../domain/BraceGate.ts"
import { refusalText, refusedLines } from "../domain/CandidateGate.ts"
import type { Platform } from "../domain/platforms/Platform.ts"
import { maskSecrets } from "./SecretMask.ts"

// Other people's open sessions (docs/switch-dialogues.md#other-peoples-sessions). Management platforms leave sessions open for ever, so
// by default a load waits only for one that may be in use: one that was first seen a short while ago, unless the switch shows
// that it is older or that it is empty.

/** `wait`: every open session is in the way. `ignore-old`: only those that may be in use. */
export type ForeignSessionRule = "ignore-old" | "wait"

/** How long a session may be in use after it was first seen, in milliseconds. */
const IN_USE = 120_000

export interface ForeignSessions {
  /** Those of the open sessions on a device that are in the way now, in epoch milliseconds. */
  readonly inTheWay: (hostname: string, open: ReadonlyArray<ConfigSession>, now: number) => ReadonlyArray<ConfigSession>
}

/** Remembers in memory when a session was seen first: a device is served by one process. */
export const makeForeignSessions = (rule: ForeignSessionRule): ForeignSessions => {
  const firstSeen = new Map<string, ReadonlyMap<string, number>>()

  const see = (hostname: string, open: ReadonlyArray<ConfigSession>, now: number): ReadonlyMap<string, number> => {
    const before = firstSeen.get(hostname)
    const seen = new Map(open.map(({ name }) => [name, before?.get(name) ?? now]))
    if (seen.size === 0) firstSeen.delete(hostname)
    else firstSeen.set(hostname, seen)
    return seen
  }

  return {
    inTheWay: (hostname, open, now) => {
      if (rule === "wait") return open
      const seen = see(hostname, open, now)
      const isOld = ({ attended, name, since }: ConfigSession): boolean =>
        attended === false || now - Math.min(since ?? now, seen.get(name) ?? now) >= IN_USE
      // a session of an unfinished job is never old
      return open.filter((session) => jobOf(session.name) !== null || !isOld(session))
    }
  }
}

/** The rule and the memory of this process. */
export const ForeignSessions = Context.Reference<ForeignSessions>("switchyard/drivers/ForeignSessions", {
  defaultValue: () => makeForeignSessions("ignore-old")
})

/** The memory of a process with this rule. */
export const foreignSessionsLayer = (rule: ForeignSessionRule): Layer.Layer<never> =>
  Layer.sync(ForeignSessions, () => makeForeignSessions(rule))

// Before a load, on every platform alike: no commit of another user may wait for its confirmation, our abandoned candidates are
// removed, and the load waits for other people's open candidates that may be in use
// (docs/switch-dialogues.md#other-peoples-sessions).

const foreignSeconds = 10
const pollSeconds = 1

/** The device, and the two verbs that it takes. */
export interface LoadScene extends Pick<DriverSession, "sessions" | "discard"> {
  readonly hostname: string
  readonly foreign: ForeignSessions
  /** See `DriverTarget`. */
  readonly removed: DriverTarget["removed"]
}

/** A commit of another user waits for its confirmation. */
export const TIMER_OF_OTHERS = "Pending commit confirm already in process!"

const lockedBy = ({ hostname }: LoadScene, session: string, message: string): SessionLockedException =>
  new SessionLockedException({ hostname, session, message })

const leftBehind = ({ mayAbort }: LoadRequest, name: string): boolean => {
  const job = jobOf(name)
  return job !== null && mayAbort !== undefined && selects(mayAbort, job)
}

/** Our open candidates that no job works on any more, and an earlier attempt at this load. */
const isAbandoned = (request: LoadRequest, { name, state }: ConfigSession): boolean =>
  state === "open" && (name === request.name || leftBehind(request, name))

const clear = Effect.fnUntraced(function* (
  way: LoadScene,
  request: LoadRequest,
  patience: number
): Effect.fn.Return<ReadonlyArray<string>, LoadError> {
  const { pending, sessions } = request.seen ?? (yield* way.sessions)
  if (Option.isSome(pending) && pending.value.name !== request.despiteTimer) {
    return yield* lockedBy(way, pending.value.name, TIMER_OF_OTHERS)
  }
  for (const { name } of sessions.filter((session) => isAbandoned(request, session))) {
    yield* way.discard(name)
    if (way.removed !== undefined) yield* way.removed(name)
  }
  const others = sessions.filter((session) => session.state === "open" && !isAbandoned(request, session))
  const otherSessions = others.map(({ name }) => name)
  if (request.foreignSessions === "ignore") return otherSessions
  const [other] = way.foreign.inTheWay(way.hostname, others, yield* Clock.currentTimeMillis)
  if (other === undefined) return otherSessions
  if (patience <= 0) return yield* lockedBy(way, other.name, "Session is already in use")
  yield* Effect.sleep(`${pollSeconds} seconds`)
  const { seen: _, ...later } = request
  return yield* clear(way, later, patience - pollSeconds)
})

/**
 * Removes our abandoned candidates and waits for other people's as long as the request says; gives the part of a `LoadResult` about
 * candidates that stay open. Fails with SessionLockedException if something stays in the way.
 */
export const clearForLoad = (
  way: LoadScene,
  request: LoadRequest
): Effect.Effect<{ readonly otherSessions?: ReadonlyArray<string> }, LoadError> =>
  Effect.map(
    clear(way, request, request.foreignSessions === "ignore" ? 0 : (request.foreignSessions ?? foreignSeconds)),
    (otherSessions) => (otherSessions.length === 0 ? {} : { otherSessions })
  )

// The gate in front of every driver (`domain/CandidateGate.ts`): every text is judged before its first byte is sent. A caller that
// makes a candidate calls it as well, before any login; a session judges again, with the aliases of the configuration that it has
// read. Keeps promise 9: a dry run changes nothing, whatever a template or a port contains.

/** A candidate before it is sent. */
export interface GatedCandidate extends Pick<LoadRequest, "text" | "mode"> {
  readonly hostname: string
  readonly platform: Platform
  /** The device's running configuration, if it is known. */
  readonly running?: string
  /** Where a line comes from, such as `the port Ethernet5 (cli_append_str)`. */
  readonly originOf?: (line: string) => string | undefined
}

const originText = (origin: string | undefined): string => (origin === undefined ? "" : `; it comes from ${origin}`)

/** What a whole configuration in braces lacks of the ways to log in that the device has. */
const cutsOf = ({ mode, platform, running, text }: GatedCandidate): ReadonlyArray<RejectedLine> =>
  mode === "replace" && platform.configuration.sections === "braces" && running !== undefined
    ? loginsCut(text, running).map((path) => ({
        lineNumber: null,
        line: "",
        path: `[edit ${path}]`,
        answer: cutRefusal(path)
      }))
    : []

/** Fails with the lines of a candidate that are no configuration, or with the ways to log in that it takes away. */
export const passGate = (
  candidate: GatedCandidate
): Effect.Effect<void, ReplaceConfigException | MergeConfigException> =>
  Effect.suspend(() => {
    const { hostname, mode, originOf, platform, running = "", text } = candidate
    const refused = refusedLines(platform, text, { running }).map((one): RejectedLine => {
      const line = maskSecrets(one.line)
      const answer = `${maskSecrets(refusalText(one, line))}${originText(originOf?.(one.line))}`
      return { lineNumber: one.lineNumber, line, answer }
    })
    const [first, ...others] = [...refused, ...cutsOf(candidate)]
    if (first === undefined) return Effect.void
    const fields = { hostname, rejected: [first, ...others], message: first.answer, unsent: true }
    return Effect.fail(mode === "replace" ? new ReplaceConfigException(fields) : new MergeConfigException(fields))
  })

/** The session behind the gate. The running configuration is read for its aliases, unless it was read before. */
export const gatedSession = (platform: Platform, hostname: string, session: DriverSession): DriverSession => {
  let seen: string | undefined
  const runningConfig = Effect.tap(session.runningConfig, (text) => Effect.sync(() => (seen = text)))
  const { ports } = session
  const pass = Effect.fnUntraced(function* ({ mode, text }: Pick<LoadRequest, "text" | "mode">) {
    const candidate = { hostname, platform, mode, text }
    const mayHaveAliases = (platform.commands?.alias ?? null) !== null
    if (seen === undefined && mayHaveAliases) {
      yield* passGate(candidate)
      yield* runningConfig
    }
    yield* passGate({ ...candidate, ...(seen === undefined ? {} : { running: seen }) })
  })
  return {
    ...session,
    runningConfig,
    load: (request) => Effect.andThen(pass(request), session.load(request)),
    ports:
      ports === null
        ? null
        : { apply: (lines, claim) => Effect.andThen(pass({ ...lines, mode: "merge" }), ports.apply(lines, claim)) }
  }
}
