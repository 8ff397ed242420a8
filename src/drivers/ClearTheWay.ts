/**
 * Before a load, on every platform alike: nobody else's commit may wait for its confirmation, what is ours and was left behind is
 * removed, and other people's open candidates that may be in use are waited for (docs/switch-dialogues.md#other-peoples-sessions).
 */
import { Clock, Effect, Option } from "effect"
import { jobOf } from "./Candidate.ts"
import type { ConfigSession, DriverSession, DriverTarget, LoadRequest } from "./Driver.ts"
import { selects } from "./Driver.ts"
import { type LoadError, SessionLockedException } from "./DriverErrors.ts"
import type { ForeignSessions } from "./ForeignSessions.ts"

const foreignSeconds = 10
const pollSeconds = 1

/** The device, and the two verbs that it takes. */
export interface Way extends Pick<DriverSession, "sessions" | "discard"> {
  readonly hostname: string
  readonly foreign: ForeignSessions
  /** See `DriverTarget`. */
  readonly removed: DriverTarget["removed"]
}

const locked = ({ hostname }: Way, session: string, message: string): SessionLockedException =>
  new SessionLockedException({ hostname, session, message })

const leftBehind = ({ mayAbort }: LoadRequest, name: string): boolean => {
  const job = jobOf(name)
  return job !== null && mayAbort !== undefined && selects(mayAbort, job)
}

/** Our own open candidates that nobody works on any more, and a former try of this very load. */
const isAbandoned = (request: LoadRequest, { name, state }: ConfigSession): boolean =>
  state === "open" && (name === request.name || leftBehind(request, name))

const clear = Effect.fnUntraced(function* (
  way: Way,
  request: LoadRequest,
  patience: number
): Effect.fn.Return<ReadonlyArray<string>, LoadError> {
  const { pending, sessions } = request.seen ?? (yield* way.sessions)
  if (Option.isSome(pending) && pending.value.name !== request.besideTimer) {
    return yield* locked(way, pending.value.name, "Pending commit confirm already in process!")
  }
  for (const { name } of sessions.filter((session) => isAbandoned(request, session))) {
    yield* way.discard(name)
    if (way.removed !== undefined) yield* way.removed(name)
  }
  const others = sessions.filter((session) => session.state === "open" && !isAbandoned(request, session))
  const beside = others.map(({ name }) => name)
  if (request.foreignSessions === "ignore") return beside
  const [other] = way.foreign.inTheWay(way.hostname, others, yield* Clock.currentTimeMillis)
  if (other === undefined) return beside
  if (patience <= 0) return yield* locked(way, other.name, "Session is already in use")
  yield* Effect.sleep(`${pollSeconds} seconds`)
  const { seen: _, ...later } = request
  return yield* clear(way, later, patience - pollSeconds)
})

/**
 * Removes what is ours and waits for others, as long as the request says; gives what a `LoadResult` says of candidates that stay
 * open beside ours. Fails with SessionLockedException when something stays in the way.
 */
export const clearTheWay = (
  way: Way,
  request: LoadRequest
): Effect.Effect<{ readonly beside?: ReadonlyArray<string> }, LoadError> =>
  Effect.map(
    clear(way, request, request.foreignSessions === "ignore" ? 0 : (request.foreignSessions ?? foreignSeconds)),
    (beside) => (beside.length === 0 ? {} : { beside })
  )
