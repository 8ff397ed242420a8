/**
 * Logins by name and password (docs/security.md#local-users). A login counts as failed before it is tried, so that many at once cannot
 * avoid the delays. An admitted user gets a token for twelve hours, signed with a key that is derived from the server's own; it is valid as
 * long as the password stays the same, with the roles that the user has now.
 */
import { Cache, Clock, Context, Effect, Layer, Option, Redacted, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { decodeProtectedHeader, errors, jwtVerify, SignJWT } from "jose"
import { createECDH, createPrivateKey, createPublicKey, randomUUID } from "node:crypto"
import { Acting, type Identity, localPerson } from "../domain/access/Identity.ts"
import { makeContains } from "../domain/access/HostLists.ts"
import type { PlacesFull } from "../runtime/FairPlaces.ts"
import { SecretKey } from "../runtime/SecretKey.ts"
import { ServerConfig } from "../ServerConfig.ts"
import { EventStore } from "../store/EventStore.ts"
import { LocalUsers } from "./LocalUsers.ts"
import { type AttemptLimit, PersonStore } from "../store/AccountStore.ts"

/** The name or the password is wrong. */
export class LoginRefused extends Schema.TaggedError<LoginRefused>()("LoginRefused", {}) {
  override get message() {
    return "The name or the password is wrong"
  }
}

/** Too many logins failed. */
export class LoginDelayed extends Schema.TaggedError<LoginDelayed>()("LoginDelayed", { seconds: Schema.Int }) {
  override get message() {
    return `Too many logins went wrong: try again in ${this.seconds} seconds`
  }
  get httpStatus() {
    return 429 as const
  }
}

/** A token that is invalid now; or always was, if its signature is not ours. */
export class LocalTokenRefused extends Schema.TaggedError<LocalTokenRefused>()("LocalTokenRefused", {
  isForged: Schema.Boolean
}) {}

const PER_NAME: AttemptLimit = { free: 5, longest: 300 }
/** Many people may share one address. */
const PER_ADDRESS: AttemptLimit = { free: 50, longest: 60 }

const KEY_ID = "switchyard-local-users"
const ISSUER = "switchyard"
const LIFETIME = 12 * 60 * 60
const MAX_REMEMBERED = 1000

/** The P-256 key of this secret: equal for equal secrets. */
const keyPair = (secret: Uint8Array) => {
  const curve = createECDH("prime256v1")
  curve.setPrivateKey(secret)
  const point = curve.getPublicKey()
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64url")
  const jwk = { kty: "EC", crv: "P-256", x: text(point.subarray(1, 33)), y: text(point.subarray(33)), d: text(secret) }
  const privateKey = createPrivateKey({ key: jwk, format: "jwk" })
  return { privateKey, publicKey: createPublicKey(privateKey) }
}

/** Whether a token claims to be one of these; its signature is not checked here. */
export const isOfLocalUser = (token: string): boolean => {
  try {
    return decodeProtectedHeader(token).kid === KEY_ID
  } catch {
    return false
  }
}

/** After this time this replica knows of a user who was changed or removed at another replica. */
const KEPT = "500 millis"

const make = Effect.gen(function* () {
  const { LOGIN_ALWAYS_FROM } = yield* ServerConfig
  const isAlwaysLetTry = makeContains(LOGIN_ALWAYS_FROM)
  const users = yield* LocalUsers
  const { localUsers: store } = yield* PersonStore
  const events = yield* EventStore
  const { privateKey, publicKey } = keyPair(Redacted.value((yield* SecretKey).keyFor("tokens of local users")))

  const remembered = yield* Cache.make({
    capacity: MAX_REMEMBERED,
    timeToLive: KEPT,
    lookup: (name: string) => store.find(name)
  })

  const attempt = Effect.fnUntraced(function* (subject: string, limit: AttemptLimit) {
    const seconds = yield* store.attempt(subject, limit)
    if (seconds > 0) return yield* new LoginDelayed({ seconds })
  })

  const note = (action: string, name: string, address: string | null, isProven: boolean) =>
    Effect.provideService(events.append({ kind: "login", action, isAudit: true, data: { name } }), Acting, {
      name: isProven ? name : "unknown",
      way: "password",
      address,
      job: null
    })

  const signed = Effect.fnUntraced(function* (name: string, session: string) {
    const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
    const token = new SignJWT({ session, type: "access" })
      .setProtectedHeader({ alg: "ES256", kid: KEY_ID, typ: "JWT" })
      .setIssuer(ISSUER)
      .setSubject(name)
      .setJti(randomUUID())
      .setIssuedAt(now)
      .setExpirationTime(now + LIFETIME)
    return Redacted.make(yield* Effect.promise(() => token.sign(privateKey)))
  })

  const verified = Effect.fnUntraced(function* (token: string) {
    const currentDate = new Date(yield* Clock.currentTimeMillis)
    const options = { algorithms: ["ES256"], issuer: ISSUER, currentDate, clockTolerance: 30, requiredClaims: ["exp"] }
    const { payload } = yield* Effect.tryPromise({
      try: () => jwtVerify(token, publicKey, options),
      catch: (error) => new LocalTokenRefused({ isForged: !(error instanceof errors.JWTExpired) })
    })
    return payload
  })

  return PasswordLogin.of({
    login: Effect.fn("PasswordLogin.login")(function* (name, password, address) {
      const from = `address ${address ?? ""}`
      const isUrgent = address !== null && isAlwaysLetTry(address)
      // failures from other addresses are counted apart, so that they lock out no user here
      const who = isUrgent ? `always ${name}` : `name ${name}`
      yield* attempt(from, PER_ADDRESS)
      yield* attempt(who, PER_NAME)
      const found = yield* users.proven(name, password, isUrgent)
      if (Option.isNone(found)) {
        yield* note("refused", name, address, false)
        return yield* new LoginRefused()
      }
      yield* store.forgive(who)
      yield* store.takeBack(from)
      if (found.value.break_glass) {
        yield* Effect.logError("ALARM: the account for emergencies was used", { name, address })
      }
      yield* note(found.value.break_glass ? "break_glass" : "accepted", name, address, true)
      return yield* signed(name, found.value.session)
    }),
    check: Effect.fn("PasswordLogin.check")(function* (token) {
      const { session, sub } = yield* verified(token)
      const user = sub === undefined ? Option.none() : yield* Cache.get(remembered, sub)
      if (Option.isNone(user) || user.value.session !== session || !user.value.enabled)
        return yield* new LocalTokenRefused({ isForged: false })
      const { name, roles } = user.value
      return { name, way: "password", person: localPerson(name), roles, attributes: {} } satisfies Identity
    })
  })
})

/** Logins by password. */
export class PasswordLogin extends Context.Service<
  PasswordLogin,
  {
    /** Yields a token. Notes everything except delayed logins in the audit. */
    readonly login: (
      name: string,
      password: Redacted.Redacted,
      address: string | null
    ) => Effect.Effect<Redacted.Redacted, LoginRefused | LoginDelayed | PlacesFull | SqlError.SqlError>
    /**
     * The identity behind one of our tokens. Refused if it is expired, its user has another password or no longer exists, or it is not
     * ours.
     */
    readonly check: (token: string) => Effect.Effect<Identity, LocalTokenRefused | SqlError.SqlError>
  }
>()("switchyard/access/PasswordLogin") {
  static readonly layer = Layer.effect(PasswordLogin, make).pipe(Layer.provide([PersonStore.layer, SecretKey.layer]))
}
