/**
 * A value that somebody else has, kept here and renewed: in the background once it is older than `fresh`, and in front of a request only
 * when there is none that is younger than `usable`. Between two attempts lies a while, whoever asks for them. All times in milliseconds.
 */
import { Clock, Effect, Semaphore } from "effect"

export interface KeptTimes {
  readonly fresh: number
  readonly usable: number
  readonly between: number
}

export interface Kept<A, E> {
  /** The value. Fails as the last attempt did when there is none that may be used. */
  readonly get: Effect.Effect<A, E>
  /** The value after an attempt to renew it, or as it is when the last attempt was a moment ago. Fails when that went wrong. */
  readonly renewed: Effect.Effect<A, E>
}

/** Keeps what `fetch` yields. Renewing in the background ends with the scope. */
export const makeKept = Effect.fnUntraced(function* <A, E>(fetch: Effect.Effect<A, E>, times: KeptTimes) {
  const scope = yield* Effect.scope
  const turn = Semaphore.makeUnsafe(1)
  let known: { readonly value: A; readonly at: number } | undefined
  let failed: { readonly error: E } | undefined
  let triedAt = Number.NEGATIVE_INFINITY

  const renew = turn.withPermits(1)(
    Effect.gen(function* () {
      if ((yield* Clock.currentTimeMillis) - triedAt < times.between) return
      const result = yield* Effect.result(fetch)
      triedAt = yield* Clock.currentTimeMillis
      if (result._tag === "Failure") {
        failed = { error: result.failure }
        return
      }
      known = { value: result.success, at: triedAt }
      failed = undefined
    })
  )

  const usable = Effect.map(Clock.currentTimeMillis, (now) =>
    known !== undefined && now - known.at < times.usable
      ? { value: known.value, isOld: now - known.at >= times.fresh }
      : null
  )

  const orFailure = Effect.suspend((): Effect.Effect<A, E> => {
    if (failed !== undefined) return Effect.fail(failed.error)
    return known === undefined
      ? Effect.die(new Error("nothing was fetched, and nothing went wrong"))
      : Effect.succeed(known.value)
  })

  const get = Effect.gen(function* () {
    const found = yield* usable
    if (found?.isOld === true) yield* Effect.forkIn(renew, scope)
    if (found !== null) return found.value
    yield* renew
    const after = yield* usable
    return after === null ? yield* orFailure : after.value
  })

  return { get, renewed: Effect.andThen(renew, orFailure) } satisfies Kept<A, E>
})
