/**
 * A value that somebody else has, kept here and renewed: in the background once it is older than `fresh`, and in front of a request only
 * when there is none that is younger than `usable`. Between two attempts lies a while, whoever asks for them. All times in milliseconds.
 */
import { Clock, Effect, Result, Semaphore } from "effect"

export interface RefreshTimes {
  readonly fresh: number
  readonly usable: number
  readonly between: number
}

export interface RefreshedValue<A, E> {
  /** The value. Fails as the last attempt did when there is none that may be used. */
  readonly get: Effect.Effect<A, E>
  /** The value after an attempt to renew it that begins after this was asked for. Fails when that goes wrong. */
  readonly renewed: Effect.Effect<A, E>
}

/** Keeps what `fetch` yields. Renewing in the background ends with the scope. */
export const makeRefreshedValue = Effect.fnUntraced(function* <A, E>(fetch: Effect.Effect<A, E>, times: RefreshTimes) {
  const scope = yield* Effect.scope
  const turn = Semaphore.makeUnsafe(1)
  let known: { readonly value: A; readonly at: number } | undefined
  let failed: { readonly error: E } | undefined
  let triedAt = Number.NEGATIVE_INFINITY

  const attempt = Effect.gen(function* () {
    const result = yield* Effect.result(fetch)
    triedAt = yield* Clock.currentTimeMillis
    if (Result.isFailure(result)) {
      failed = { error: result.failure }
      return
    }
    known = { value: result.success, at: triedAt }
    failed = undefined
  })

  const renew = turn.withPermits(1)(
    Effect.gen(function* () {
      if ((yield* Clock.currentTimeMillis) - triedAt >= times.between) yield* attempt
    })
  )

  /** What has changed a moment after the last attempt is not known from it: this waits until there may be another. */
  const renewLater = Effect.flatMap(Clock.currentTimeMillis, (asked) =>
    turn.withPermits(1)(
      Effect.gen(function* () {
        if (triedAt > asked) return
        yield* Effect.sleep(Math.max(0, triedAt + times.between - asked))
        yield* attempt
      })
    )
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

  return { get, renewed: Effect.andThen(renewLater, orFailure) } satisfies RefreshedValue<A, E>
})
