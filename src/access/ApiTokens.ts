/**
 * Tokens of programs (docs/api.md#api-tokens): `swy_` and 32 random bytes, which whoever makes one sees once. A token counts until it expires
 * or is revoked; what is known of one is asked anew after a second.
 */
import { Cache, Context, Effect, Layer, Option, Redacted, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { createHash, randomBytes } from "node:crypto"
import type { Identity } from "../domain/access/Identity.ts"
import { type ApiToken, ApiTokenStore, type ShownToken } from "../store/ApiTokenStore.ts"

const PREFIX = "swy_"
const BYTES = 32
const MAX_REMEMBERED = 1000

/** Whether a text is meant as a token of ours; a JSON Web Token has dots and begins otherwise. */
export const isApiToken = (text: string): boolean => text.startsWith(PREFIX)

const digest = (token: string): string => createHash("sha256").update(token).digest("hex")

/** The name is that of a token that is in force. */
export class TokenNameTaken extends Schema.TaggedError<TokenNameTaken>()("TokenNameTaken", { name: Schema.String }) {
  override get message() {
    return `There is a token ${this.name} already: revoke it first, or choose another name`
  }
  get httpStatus() {
    return 409 as const
  }
}

/** There is no such token that could be revoked. */
export class TokenNotFound extends Schema.TaggedError<TokenNotFound>()("TokenNotFound", {}) {
  override get message() {
    return "Token not found"
  }
  get httpStatus() {
    return 404 as const
  }
}

export interface TokenOrder {
  readonly name: string
  readonly roles: ReadonlyArray<string>
  readonly days: number
  readonly createdBy: string
}

/** After so long a token that was revoked at another replica is worth nothing here. */
const KEPT = "500 millis"

const make = Effect.gen(function* () {
  const store = yield* ApiTokenStore
  const sql = yield* SqlClient.SqlClient

  const remembered = yield* Cache.make({
    capacity: MAX_REMEMBERED,
    timeToLive: KEPT,
    lookup: (hash: string) => store.shown(hash)
  })

  return ApiTokens.of({
    create: Effect.fn("ApiTokens.create")(function* ({ createdBy, days, name, roles }: TokenOrder) {
      const secret = `${PREFIX}${randomBytes(BYTES).toString("base64url")}`
      const created = yield* store.create({ name, hash: digest(secret), roles, createdBy, days })
      if (Option.isNone(created)) return yield* new TokenNameTaken({ name })
      return { record: created.value, secret: Redacted.make(secret) }
    }, sql.withTransaction),
    all: store.all,
    find: (id) =>
      Effect.flatMap(store.find(id), (found) => Effect.mapError(Effect.fromOption(found), () => new TokenNotFound())),
    revoke: Effect.fn("ApiTokens.revoke")(function* (id: number) {
      return yield* Effect.mapError(Effect.fromOption(yield* store.revoke(id)), () => new TokenNotFound())
    }, sql.withTransaction),
    shown: (token) => Cache.get(remembered, digest(token))
  })
})

/** Tokens of programs. */
export class ApiTokens extends Context.Service<
  ApiTokens,
  {
    readonly create: (
      order: TokenOrder
    ) => Effect.Effect<
      { readonly record: ApiToken; readonly secret: Redacted.Redacted },
      TokenNameTaken | SqlError.SqlError
    >
    readonly all: Effect.Effect<ReadonlyArray<ApiToken>, SqlError.SqlError>
    readonly find: (id: number) => Effect.Effect<ApiToken, TokenNotFound | SqlError.SqlError>
    readonly revoke: (id: number) => Effect.Effect<ApiToken, TokenNotFound | SqlError.SqlError>
    /** What a token is worth now; none for one that nobody has made. */
    readonly shown: (token: string) => Effect.Effect<Option.Option<ShownToken>, SqlError.SqlError>
  }
>()("switchyard/access/ApiTokens") {
  static readonly layer = Layer.effect(ApiTokens, make).pipe(Layer.provide(ApiTokenStore.layer))
}

/** The caller that a token in force stands for. */
export const identityOf = ({ name, roles }: ShownToken): Identity => ({ name, way: "token", roles, attributes: {} })
