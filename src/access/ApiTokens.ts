/**
 * Tokens of programs (docs/api.md#api-tokens): `swy_` and 32 random bytes, which their maker sees once. A token is valid until it expires
 * or is revoked; its state is read again after a second.
 */
import { Cache, Context, Effect, Layer, Option, Redacted, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { createHash, randomBytes } from "node:crypto"
import { type Identity, machinePerson, namedPerson } from "../domain/access/Identity.ts"
import { ServerConfig } from "../ServerConfig.ts"
import { type ApiToken, ApiTokenStore, type ShownToken } from "../store/ApiTokenStore.ts"

const PREFIX = "swy_"
const BYTES = 32
const MAX_REMEMBERED = 1000

/** Whether a text has the form of one of our tokens; a JSON Web Token has dots and another beginning. */
export const isApiToken = (text: string): boolean => text.startsWith(PREFIX)

const digest = (token: string): string => createHash("sha256").update(token).digest("hex")

/** A valid token has this name already. */
export class TokenNameTaken extends Schema.TaggedError<TokenNameTaken>()("TokenNameTaken", { name: Schema.String }) {
  override get message() {
    return `There is a token ${this.name} already: revoke it first, or choose another name`
  }
  get httpStatus() {
    return 409 as const
  }
}

/** The person has the highest allowed number of tokens. */
export class TooManyTokens extends Schema.TaggedError<TooManyTokens>()("TooManyTokens", { most: Schema.Int }) {
  override get message() {
    return `You have ${this.most} tokens already (API_TOKENS_PER_PERSON): revoke one that is not used any more`
  }
  get httpStatus() {
    return 409 as const
  }
}

/** The token would be valid for longer than this server allows. */
export class TokenTooLong extends Schema.TaggedError<TokenTooLong>()("TokenTooLong", { most: Schema.Int }) {
  override get message() {
    return `days: should be at most ${this.most} (API_TOKEN_DAYS)`
  }
  get httpStatus() {
    return 400 as const
  }
}

/** There is no such valid token. */
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
  /** The longest validity of tokens, without it. */
  readonly days: number | undefined
  readonly createdBy: string
  /** The key of the owning person; null for a machine with an account of its own, which has the token's name. */
  readonly owner: string | null
}

/** The validity of a token without a stated one. */
const USUAL_DAYS = 365

/** After this time a token that was revoked at another replica is invalid here. */
const KEPT = "500 millis"

const make = Effect.gen(function* () {
  const store = yield* ApiTokenStore
  const sql = yield* SqlClient.SqlClient
  const { API_TOKEN_DAYS, API_TOKENS_PER_PERSON, TOKEN_OWNER_DAYS } = yield* ServerConfig

  const remembered = yield* Cache.make({
    capacity: MAX_REMEMBERED,
    timeToLive: KEPT,
    lookup: (hash: string) => store.shown(hash, TOKEN_OWNER_DAYS)
  })

  return ApiTokens.of({
    create: Effect.fn("ApiTokens.create")(function* ({ createdBy, days: wanted, name, owner, roles }: TokenOrder) {
      const days = wanted ?? Math.min(USUAL_DAYS, API_TOKEN_DAYS)
      if (days > API_TOKEN_DAYS) return yield* new TokenTooLong({ most: API_TOKEN_DAYS })
      const count = owner === null ? 0 : yield* store.countOf(owner, createdBy)
      if (count >= API_TOKENS_PER_PERSON) return yield* new TooManyTokens({ most: API_TOKENS_PER_PERSON })
      const secret = `${PREFIX}${randomBytes(BYTES).toString("base64url")}`
      const created = yield* store.create({ name, hash: digest(secret), roles, createdBy, owner, days })
      if (Option.isNone(created)) return yield* new TokenNameTaken({ name })
      return { record: created.value, secret: Redacted.make(secret) }
    }, sql.withTransaction),
    all: store.all,
    find: (id) =>
      Effect.flatMap(store.find(id), (found) => Effect.mapError(Effect.fromOption(found), () => new TokenNotFound())),
    revoke: Effect.fn("ApiTokens.revoke")(function* (id: number) {
      return yield* Effect.mapError(Effect.fromOption(yield* store.revoke(id)), () => new TokenNotFound())
    }, sql.withTransaction),
    state: (id) => store.state(id, TOKEN_OWNER_DAYS),
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
      TokenNameTaken | TooManyTokens | TokenTooLong | SqlError.SqlError
    >
    readonly all: Effect.Effect<ReadonlyArray<ApiToken>, SqlError.SqlError>
    readonly find: (id: number) => Effect.Effect<ApiToken, TokenNotFound | SqlError.SqlError>
    readonly revoke: (id: number) => Effect.Effect<ApiToken, TokenNotFound | SqlError.SqlError>
    /** The present state of a token, by its id. */
    readonly state: (id: number) => Effect.Effect<Option.Option<ShownToken>, SqlError.SqlError>
    /** The present state of a token; none for an unknown one. */
    readonly shown: (token: string) => Effect.Effect<Option.Option<ShownToken>, SqlError.SqlError>
  }
>()("switchyard/access/ApiTokens") {
  static readonly layer = Layer.effect(ApiTokens, make).pipe(Layer.provide(ApiTokenStore.layer))
}

/** The caller behind a valid token: its name, with those of its roles that it may use, on behalf of its owner. */
export const identityOf = (
  { created_by, is_machine, name, owner }: ShownToken,
  roles: ReadonlyArray<string>
): Identity => ({
  name,
  way: "token",
  person: is_machine ? machinePerson(name) : (owner ?? namedPerson(created_by)),
  roles,
  attributes: {}
})
