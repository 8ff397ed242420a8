/**
 * The caller behind a token: a token of a program, of a user with a password, of the page, or another JSON Web Token, from the identity
 * provider if there is one (docs/api.md#tokens).
 */
import { Context, Effect, Layer, Option, Result } from "effect"
import type { SqlError } from "effect/sql"
import { ApiTokens, identityOf, isApiToken } from "../../access/ApiTokens.ts"
import { Permissions } from "../../access/Permissions.ts"
import { LocalUsers } from "../../access/LocalUsers.ts"
import { isPageToken, PageSessions } from "../../access/PageSessions.ts"
import { isOfLocalUser, PasswordLogin } from "../../access/PasswordLogin.ts"
import { everybody, type Identity } from "../../domain/access/Identity.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { PersonStore } from "../../store/AccountStore.ts"
import { ProviderTokens } from "../oidc/ProviderTokens.ts"
import { failWhenAway } from "../../store/DatabaseErrors.ts"
import { HttpServerRequest } from "effect/http"
import { FirstStart } from "./FirstStart.ts"
import { Limits } from "./Limits.ts"
import { refuseOrDie } from "./HandlerErrors.ts"
import { ReplayedRequest } from "./RequestApproval.ts"
import { makeJsonWebTokens } from "./JsonWebTokens.ts"
import { ServiceUnavailable, Unauthorized } from "../../api/Answers.ts"

/** A token that was valid once, or one that this server never made: the latter counts as a guess. */
const refusedToken = ({ isForged }: { readonly isForged: boolean }) =>
  isForged
    ? new Unauthorized({ message: "Could not decode JWT token" })
    : new Unauthorized({ message: "The JWT token is expired", errorCode: "auth_expired" })

const make = Effect.gen(function* () {
  const pages = yield* PageSessions
  const tokens = yield* makeJsonWebTokens
  const apiTokens = yield* ApiTokens
  const logins = yield* PasswordLogin
  const provider = yield* ProviderTokens
  const persons = yield* PersonStore
  const users = yield* LocalUsers
  const { stillGiven } = yield* Permissions
  const { LOCAL_USERS } = yield* ServerConfig

  const ofOthers = (token: string) =>
    provider.check === null
      ? tokens.check(token)
      : Effect.catchTag(provider.check(token), "ProviderAway", ({ message }) =>
          Effect.fail(new ServiceUnavailable({ message }))
        )

  const ofProgram = Effect.fnUntraced(function* (token: string) {
    const found = yield* Effect.catchTag(failWhenAway(apiTokens.shown(token)), "SqlError", refuseOrDie)
    if (Option.isNone(found) || found.value.is_revoked) {
      return yield* new Unauthorized({ message: "The API token is unknown or was revoked" })
    }
    if (found.value.is_expired) {
      return yield* new Unauthorized({ message: "The API token is expired", errorCode: "auth_expired" })
    }
    const { ended, owned_by, roles } = found.value
    if (ended !== null) return yield* new Unauthorized({ message: `The API token has ended with its owner: ${ended}` })
    return identityOf(found.value, owned_by === null ? roles : yield* stillGiven(owned_by, roles))
  })

  const ofPerson = Effect.fnUntraced(function* (token: string) {
    return yield* failWhenAway(logins.check(token)).pipe(
      Effect.catchTag("SqlError", refuseOrDie),
      Effect.catchTag("LocalTokenRefused", (refused) => Effect.fail(refusedToken(refused)))
    )
  })

  const behindItself = Effect.fnUntraced(function* (token: string) {
    if (isApiToken(token)) return yield* ofProgram(token)
    const identity = yield* LOCAL_USERS && isOfLocalUser(token) ? ofPerson(token) : ofOthers(token)
    if (yield* persons.isWithdrawn(identity)) {
      return yield* new Unauthorized({
        message: `${identity.name} was withdrawn by an administrator`,
        errorCode: "auth_expired"
      })
    }
    return identity
  })

  const ofPage = Effect.fnUntraced(function* (token: string) {
    const held = yield* failWhenAway(pages.check(token)).pipe(
      Effect.catchTag("SqlError", refuseOrDie),
      Effect.catchTag("PageTokenRefused", (refused) => Effect.fail(refusedToken(refused)))
    )
    // the token of the session was valid once, so this is no guess
    return yield* Effect.mapError(behindItself(held), (error) =>
      error instanceof Unauthorized ? refusedToken({ isForged: false }) : error
    )
  })

  const refused = (message: string) => new Unauthorized({ message })

  const again = Effect.fnUntraced(function* (asked: Identity) {
    const { name, person, way } = asked
    if (way === "open") return asked
    if (way === "token") {
      const token = (yield* apiTokens.all).find((one) => one.name === name && one.revoked_at === null)
      const found = token === undefined ? Option.none() : yield* apiTokens.state(token.id)
      // another person may own a token of this name now
      if (Option.isNone(found) || found.value.is_expired || identityOf(found.value, []).person !== person) {
        return yield* refused(`The API token ${name} counts no more`)
      }
      const { ended, owned_by, roles } = found.value
      if (ended !== null) return yield* refused(`The API token ${name} has ended with its owner: ${ended}`)
      return { ...asked, roles: owned_by === null ? roles : yield* stillGiven(owned_by, roles) }
    }
    const known = yield* persons.find(person)
    if (Option.exists(known, ({ is_withdrawn }) => is_withdrawn)) {
      return yield* refused(`${name} was withdrawn by an administrator`)
    }
    if (way !== "password") {
      return Option.match(known, {
        onNone: () => asked,
        onSome: ({ attributes, roles }) => ({ ...asked, attributes, roles })
      })
    }
    const user = (yield* users.all).find((one) => one.name === name && one.enabled)
    if (user === undefined) return yield* refused(`There is no user ${name} any more`)
    return { ...asked, roles: user.roles }
  })

  return Callers.of({
    again: Effect.fn("Callers.again")(again),
    required: tokens.required,
    everybody,
    behind: Effect.fn("Callers.behind")((token) => (isPageToken(token) ? ofPage(token) : behindItself(token)))
  })
})

/** Turns tokens into callers. */
export class Callers extends Context.Service<
  Callers,
  {
    /** False if every client may call, as `everybody`. */
    readonly required: boolean
    readonly everybody: Identity
    /** The same caller with their present roles. Fails if the caller would not be admitted any more. */
    readonly again: (asked: Identity) => Effect.Effect<Identity, Unauthorized | SqlError.SqlError>
    /** The identity behind a valid token. */
    readonly behind: (token: string) => Effect.Effect<Identity, Unauthorized | ServiceUnavailable>
  }
>()("switchyard/http/Callers") {
  static readonly layer = Layer.effect(Callers, make)
}

const MISSING = "JWT token missing?"
/** Before the first setup no token exists that could be sent. */
const NOT_SET_UP = `${MISSING} Nobody has set up this server yet: run \`switchyard setup\` on its machine (docs/installing.md#first-start)`
const MALFORMED = `Invalid header, ${MISSING} Bad Authorization header. Expected 'Authorization: Bearer <JWT>'`

/** Paths that clients open with a token in the address, because browsers cannot send headers there. */
const OPENED_BY_URL = ["/socket.io/"]

const IN_URL = `JWT token missing? Where there are roles, this call takes no token in its address: send 'Authorization: Bearer <JWT>'`

/**
 * One signature can be written in many ways, with white space, padding or other bits at its end. Only one spelling is valid, because a
 * token in another spelling would have limits of its own.
 */
const asWritten = (token: string): Result.Result<string, Unauthorized> => {
  // opaque tokens of a provider may contain dots
  const [, signature = ""] = /^ey[^.]*\.[^.]*\.([^.]*)$/.exec(token) ?? []
  const isOneWay = /^[\w.~+/=-]+$/.test(token) && spelled(signature) === signature
  return isOneWay ? Result.succeed(token) : Result.fail(new Unauthorized({ message: "Could not decode JWT token" }))
}

const spelled = (signature: string): string => Buffer.from(signature, "base64url").toString("base64url")

/** The token in the header, else in the query parameter `jwt`. */
export const findToken = (
  header: string | undefined,
  query: string | ReadonlyArray<string> | undefined
): Result.Result<string, Unauthorized> => {
  const [scheme, ...words] = (header ?? "").split(/ +/).filter((word) => word !== "")
  if (scheme === "Bearer") {
    const [token, ...more] = words
    return token === undefined || more.length > 0
      ? Result.fail(new Unauthorized({ message: MALFORMED }))
      : asWritten(token)
  }
  const jwt = typeof query === "string" ? query : query?.[0]
  return jwt === undefined || jwt === "" ? Result.fail(new Unauthorized({ message: MISSING })) : asWritten(jwt)
}

const isInUrl = (header: string | undefined): boolean => !/^ *Bearer(?: |$)/.test(header ?? "")

/** The caller of a request. Fails without a valid token. */
export const makeCallerOf = Effect.gen(function* () {
  const callers = yield* Callers
  const limits = yield* Limits
  const { rules } = yield* Permissions
  const { isOpen } = yield* FirstStart
  const notFound = (refused: Unauthorized) =>
    refused.message === MISSING
      ? Effect.flatMap(isOpen, (isFirst) => Effect.fail(isFirst ? new Unauthorized({ message: NOT_SET_UP }) : refused))
      : Effect.fail(refused)
  const takesUrl = (url: string) =>
    OPENED_BY_URL.some((path) => url.startsWith(path))
      ? Effect.succeed(true)
      : Effect.map(rules, (found) => found === null)

  return Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
    const replayed = yield* ReplayedRequest
    if (replayed !== null) return replayed.identity
    if (!callers.required) return callers.everybody
    const query = yield* HttpServerRequest.ParsedSearchParams
    const header = request.headers["authorization"]
    const token = yield* Effect.catch(Effect.fromResult(findToken(header, query["jwt"])), notFound)
    if (isInUrl(header) && !(yield* takesUrl(request.url))) return yield* new Unauthorized({ message: IN_URL })
    const caller = yield* callers.behind(token)
    limits.vouch(token, caller.person)
    return caller
  })
})

/** An expired token is no guess, and neither is a missing one. */
export const isGuess = ({ errorCode, message }: Unauthorized): boolean =>
  errorCode === undefined && message !== MISSING && message !== MALFORMED && message !== NOT_SET_UP
