/**
 * Passwords as scrypt hashes: two are worked on at once, because each takes 32 MiB for about 0.1 s. Persons take turns, and who has not
 * logged in yet is the address that asks.
 */
import { Effect, Redacted, Semaphore } from "effect"
import * as FairPlaces from "../runtime/FairPlaces.ts"
import { randomBytes, scrypt, timingSafeEqual } from "node:crypto"

const COST = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 }
const BYTES = 32
const SALT_BYTES = 16
const AT_ONCE = 2
const WAITING = 500

const derive = (password: Redacted.Redacted, salt: Uint8Array) =>
  Effect.callback<Buffer>((resume) => {
    scrypt(Redacted.value(password).normalize("NFKC"), salt, BYTES, COST, (error, key) =>
      resume(error === null ? Effect.succeed(key) : Effect.die(error))
    )
  })

const written = (salt: Uint8Array, key: Uint8Array) =>
  ["scrypt", Buffer.from(salt).toString("base64url"), Buffer.from(key).toString("base64url")].join("$")

/** Hashing and comparing. */
export const makePasswords = Effect.gen(function* () {
  const places = FairPlaces.make({ what: "passwords", places: AT_ONCE, waiting: WAITING })
  const urgentPlace = yield* Semaphore.make(1)
  const hash = Effect.fnUntraced(function* (password: Redacted.Redacted) {
    const salt = randomBytes(SALT_BYTES)
    return written(salt, yield* derive(password, salt))
  })
  // compared with for names that there are not, so that these take as long
  const nobody = written(randomBytes(SALT_BYTES), randomBytes(BYTES))
  const isRight = Effect.fnUntraced(function* (password: Redacted.Redacted, stored: string | null) {
    const [, salt = "", key = ""] = (stored ?? nobody).split("$")
    const found = yield* derive(password, Buffer.from(salt, "base64url"))
    const wanted = Buffer.from(key, "base64url")
    return wanted.length === found.length && timingSafeEqual(wanted, found) && stored !== null
  })
  return {
    hash: (password: Redacted.Redacted) => places.within(hash(password)),
    /** `stored` is null for a name that there is not: false, after the same time. `isUrgent` has a place of its own. */
    isRight: (password: Redacted.Redacted, stored: string | null, isUrgent: boolean) =>
      isUrgent ? urgentPlace.withPermits(1)(isRight(password, stored)) : places.within(isRight(password, stored))
  }
})
