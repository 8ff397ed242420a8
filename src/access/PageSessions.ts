/**
 * Sessions of the page (docs/sign-on.md#the-page). The token that the user signed on with stays here, sealed; the browser has a cookie that
 * scripts cannot read, and the page a token for a quarter of an hour, which it keeps in memory. Each exchange of the cookie yields a new
 * cookie, and a reused older one ends the session, because it was copied. A session that has ended here is invalid at once.
 */
import { Cache, Clock, Context, Effect, Layer, Option, Redacted, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { decodeProtectedHeader, EncryptJWT, errors, jwtDecrypt, jwtVerify, SignJWT } from "jose"
import { randomUUID, timingSafeEqual } from "node:crypto"
import { SecretKey } from "../runtime/SecretKey.ts"

/** The token with which a user has signed on. */
const Held = Schema.Struct({
  /** A token of any kind that is valid without the session. */
  token: Schema.String,
  /** The provider's refresh token; null without one. */
  refresh: Schema.NullOr(Schema.String),
  /** When the token ends, in epoch seconds; null if unknown. */
  until: Schema.NullOr(Schema.Finite)
})
export type Held = typeof Held.Type

const readHeld = Schema.decodeUnknownOption(Held)

/** The cookie belongs to no session; `isGuess` unless the session has only ended. */
export class NoSession extends Schema.TaggedError<NoSession>()("NoSession", {
  reason: Schema.String,
  isGuess: Schema.Boolean
}) {}

/** A token of the page that is invalid now, or always was. */
export class PageTokenRefused extends Schema.TaggedError<PageTokenRefused>()("PageTokenRefused", {
  isForged: Schema.Boolean
}) {}

/** The session of a cookie. */
export interface OpenSession {
  readonly id: string
  readonly held: Held
}

/** The cookie and the token for a browser. */
export interface Handed {
  readonly cookie: string
  /** Seconds. */
  readonly cookieSeconds: number
  readonly token: Redacted.Redacted
  readonly tokenSeconds: number
}

const KEY_ID = "switchyard-page"
const ISSUER = "switchyard"
const TOKEN_SECONDS = 15 * 60
/** Seconds for which the previous cookie stays valid: the answer with the newest may be lost. */
const GRACE = 30
/** After this time this replica knows of a session that was ended at another replica. */
const KEPT = "500 millis"
const MAX_REMEMBERED = 2000
const COOKIE = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.(\d{1,9})\.([\w-]{43})$/

/** Whether a token claims to be one of these; its signature is not checked here. */
export const isPageToken = (token: string): boolean => {
  try {
    return decodeProtectedHeader(token).kid === KEY_ID
  } catch {
    return false
  }
}

const isSame = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))

const unknownCookie = () => new NoSession({ reason: "the cookie of the page is not ours", isGuess: true })
const ended = () => new NoSession({ reason: "the session has ended", isGuess: false })

const makeSealing = (key: Uint8Array) => ({
  seal: (held: Held) =>
    Effect.promise(() => new EncryptJWT({ ...held }).setProtectedHeader({ alg: "dir", enc: "A256GCM" }).encrypt(key)),
  open: (sealed: string) =>
    Effect.map(
      Effect.option(
        Effect.tryPromise(() =>
          jwtDecrypt(sealed, key, { keyManagementAlgorithms: ["dir"], contentEncryptionAlgorithms: ["A256GCM"] })
        )
      ),
      Option.flatMap(({ payload }) => readHeld(payload))
    )
})

const makeTokens = (key: Uint8Array) => ({
  sign: Effect.fnUntraced(function* (id: string) {
    const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
    const token = new SignJWT({ sid: id, type: "access" })
      .setProtectedHeader({ alg: "HS256", kid: KEY_ID, typ: "JWT" })
      .setIssuer(ISSUER)
      .setJti(randomUUID())
      .setIssuedAt(now)
      .setExpirationTime(now + TOKEN_SECONDS)
    return Redacted.make(yield* Effect.promise(() => token.sign(key)))
  }),
  verify: Effect.fnUntraced(function* (token: string) {
    const currentDate = new Date(yield* Clock.currentTimeMillis)
    const { payload } = yield* Effect.tryPromise({
      try: () => jwtVerify(token, key, { algorithms: ["HS256"], issuer: ISSUER, currentDate, requiredClaims: ["exp"] }),
      catch: (error) => new PageTokenRefused({ isForged: !(error instanceof errors.JWTExpired) })
    })
    const sid = payload["sid"]
    return typeof sid === "string" ? sid : yield* new PageTokenRefused({ isForged: true })
  })
})

interface Row {
  readonly sealed: string
  readonly generation: number
  readonly isFresh: boolean
  readonly seconds: number
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const keys = yield* SecretKey
  const { open, seal } = makeSealing(Redacted.value(keys.keyFor("sessions of the page")))
  const tokens = makeTokens(Redacted.value(keys.keyFor("tokens of the page")))
  const proofOf = keys.digester("cookies of the page")
  const cookieOf = (id: string, generation: number) => `${id}.${generation}.${proofOf(`${id}.${generation}`)}`

  const rowOf = Effect.fnUntraced(function* (id: string) {
    const [row] =
      yield* sql<Row>`select sealed, generation, rotated_at > now() - make_interval(secs => ${GRACE}) as "isFresh",
      greatest(ceil(extract(epoch from ends_at - now())), 0)::integer as seconds
      from page_session where id = ${id}::uuid and ends_at > now()`
    return Option.fromUndefinedOr(row)
  })

  const heldIn = Effect.fnUntraced(function* (id: string) {
    const row = yield* rowOf(id)
    return Option.isNone(row) ? Option.none<Held>() : yield* open(row.value.sealed)
  })
  const remembered = yield* Cache.make({ capacity: MAX_REMEMBERED, timeToLive: KEPT, lookup: heldIn })

  const remove = (id: string) =>
    Effect.andThen(sql`delete from page_session where id = ${id}::uuid`, Cache.invalidate(remembered, id))

  const handed = Effect.fnUntraced(function* (id: string, generation: number, seconds: number) {
    return {
      cookie: cookieOf(id, generation),
      cookieSeconds: seconds,
      token: yield* tokens.sign(id),
      tokenSeconds: TOKEN_SECONDS
    } satisfies Handed
  })

  const read = Effect.fnUntraced(function* (cookie: string) {
    const [, id = "", digits = "", proof = ""] = COOKIE.exec(cookie) ?? []
    const generation = Number(digits)
    if (id === "" || !isSame(proof, proofOf(`${id}.${digits}`))) return yield* unknownCookie()
    const row = Option.getOrUndefined(yield* rowOf(id))
    if (row === undefined) return yield* ended()
    const isKnown = generation === row.generation || (generation === row.generation - 1 && row.isFresh)
    if (isKnown) return { id, generation, row }
    yield* remove(id)
    yield* Effect.logWarning("SECURITY: a cookie of the page was used again: its session is ended")
    return yield* new NoSession({ reason: "a cookie of the page was used again: its session is ended", isGuess: true })
  })

  return PageSessions.of({
    begin: Effect.fn("PageSessions.begin")(function* (held, seconds) {
      const id = randomUUID()
      const sealed = yield* seal(held)
      yield* sql`delete from page_session where ends_at < now()`
      yield* sql`insert into page_session (id, sealed, ends_at)
        values (${id}::uuid, ${sealed}, now() + make_interval(secs => ${seconds}::integer))`
      return yield* handed(id, 0, seconds)
    }),
    open: Effect.fn("PageSessions.open")(function* (cookie) {
      const { id, row } = yield* read(cookie)
      const held = yield* open(row.sealed)
      if (Option.isSome(held)) return { id, held: held.value }
      yield* remove(id)
      return yield* ended()
    }),
    replace: Effect.fn("PageSessions.replace")(function* (id, held) {
      const sealed = yield* seal(held)
      yield* sql`update page_session set sealed = ${sealed} where id = ${id}::uuid`
      yield* Cache.invalidate(remembered, id)
    }),
    exchange: Effect.fn("PageSessions.exchange")(function* (cookie) {
      const { generation, id, row } = yield* read(cookie)
      if (generation === row.generation) {
        yield* sql`update page_session set generation = generation + 1, rotated_at = now()
          where id = ${id}::uuid and generation = ${generation}`
      }
      const now = Option.getOrUndefined(yield* rowOf(id))
      return now === undefined ? yield* ended() : yield* handed(id, now.generation, now.seconds)
    }),
    end: Effect.fn("PageSessions.end")(remove),
    check: Effect.fn("PageSessions.check")(function* (token) {
      const id = yield* tokens.verify(token)
      const held = yield* Cache.get(remembered, id)
      return Option.isSome(held) ? held.value.token : yield* new PageTokenRefused({ isForged: false })
    })
  })
})

/** Sessions of the page. */
export class PageSessions extends Context.Service<
  PageSessions,
  {
    /** A session for so many seconds. */
    readonly begin: (held: Held, seconds: number) => Effect.Effect<Handed, SqlError.SqlError>
    /** The session of a cookie, which stays valid. */
    readonly open: (cookie: string) => Effect.Effect<OpenSession, NoSession | SqlError.SqlError>
    /** Stores the renewed token of a session. */
    readonly replace: (id: string, held: Held) => Effect.Effect<void, SqlError.SqlError>
    /** Exchanges a cookie for another one and a token; the old cookie becomes invalid. */
    readonly exchange: (cookie: string) => Effect.Effect<Handed, NoSession | SqlError.SqlError>
    readonly end: (id: string) => Effect.Effect<void, SqlError.SqlError>
    /** The token behind a page's token. */
    readonly check: (token: string) => Effect.Effect<string, PageTokenRefused | SqlError.SqlError>
  }
>()("switchyard/access/PageSessions") {
  static readonly layer = Layer.effect(PageSessions, make).pipe(Layer.provide(SecretKey.layer))
}
