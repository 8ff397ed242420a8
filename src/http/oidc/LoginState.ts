/**
 * What has to be known again when somebody comes back from the provider: it lies sealed in a cookie of their browser, so that any replica can
 * go on. It counts for ten minutes, and once.
 */
import { Clock, Effect, Option, Redacted, Schema } from "effect"
import { EncryptJWT, jwtDecrypt } from "jose"
import { SecretKey } from "../../runtime/SecretKey.ts"

const State = Schema.Struct({
  state: Schema.String,
  nonce: Schema.String,
  verifier: Schema.String,
  /** Where the provider sends them back to. */
  redirect: Schema.String,
  /** It was begun in the page of Switchyard, and ends there. */
  isOfPage: Schema.Boolean
})
export type LoginState = typeof State.Type

const read = Schema.decodeUnknownOption(State)

/** Seconds. */
export const LIFETIME = 600
const MAX_USED = 10_000

/** Seals states and opens them. */
export const makeLoginStates = Effect.gen(function* () {
  const key = Redacted.value((yield* SecretKey).keyFor("logins at an identity provider"))
  /** States by when they end; what is not in here any more has ended. */
  const used = new Map<string, number>()

  const use = Effect.fnUntraced(function* ({ state }: LoginState) {
    const now = (yield* Clock.currentTimeMillis) / 1000
    if (used.has(state)) return false
    used.set(state, now + LIFETIME)
    // the oldest come first; the provider takes a code once, too
    for (const [known, end] of used) {
      if (end >= now && used.size <= MAX_USED) break
      used.delete(known)
    }
    return true
  })

  return {
    seal: Effect.fnUntraced(function* (state: LoginState) {
      const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
      const sealed = new EncryptJWT({ ...state })
        .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
        .setIssuedAt(now)
        .setExpirationTime(now + LIFETIME)
      return yield* Effect.promise(() => sealed.encrypt(key))
    }),
    /** What was sealed; none for what is not ours, has ended, or was opened before. */
    open: Effect.fnUntraced(function* (text: string) {
      const currentDate = new Date(yield* Clock.currentTimeMillis)
      const options = { keyManagementAlgorithms: ["dir"], contentEncryptionAlgorithms: ["A256GCM"], currentDate }
      const opened = yield* Effect.option(Effect.tryPromise(() => jwtDecrypt(text, key, options)))
      const found = Option.flatMap(opened, ({ payload }) => read(payload))
      return Option.isSome(found) && (yield* use(found.value)) ? found : Option.none<LoginState>()
    }),
    /** The provider did not answer, so that the same address may be tried again. */
    release: ({ state }: LoginState) => Effect.sync(() => void used.delete(state))
  }
})
