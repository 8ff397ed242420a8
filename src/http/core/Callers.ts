/** Who stands behind a token, whichever kind it is of: a token of a program, one that a password brought, or another JSON Web Token, of the identity provider where there is one (docs/api.md#tokens). */
import { Context, Effect, Layer, Option } from "effect"
import { ApiTokens, identityOf, isApiToken } from "../../access/ApiTokens.ts"
import { isPageToken, PageSessions } from "../../access/PageSessions.ts"
import { isOfLocalUser, PasswordLogin } from "../../access/PasswordLogin.ts"
import { ServiceUnavailable, Unauthorized } from "../../api/Failures.ts"
import { everybody, type Identity } from "../../domain/access/Identity.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { ProviderTokens } from "../oidc/ProviderTokens.ts"
import { Tokens } from "./Tokens.ts"
import { refuseOrDie } from "./Unavailable.ts"
import { failWhenAway } from "../../store/DatabaseAway.ts"

/** A token that was good once, or one that nobody here has made: the latter counts as a guess. */
const refusedToken = ({ isForged }: { readonly isForged: boolean }) =>
  isForged
    ? new Unauthorized({ message: "Could not decode JWT token" })
    : new Unauthorized({ message: "The JWT token is expired", errorCode: "auth_expired" })

const make = Effect.gen(function* () {
  const pages = yield* PageSessions
  const tokens = yield* Tokens
  const apiTokens = yield* ApiTokens
  const logins = yield* PasswordLogin
  const provider = yield* ProviderTokens
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
    return identityOf(found.value)
  })

  const ofPerson = Effect.fnUntraced(function* (token: string) {
    return yield* failWhenAway(logins.check(token)).pipe(
      Effect.catchTag("SqlError", refuseOrDie),
      Effect.catchTag("LocalTokenRefused", (refused) => Effect.fail(refusedToken(refused)))
    )
  })

  const behindItself = (token: string) => {
    if (isApiToken(token)) return ofProgram(token)
    return LOCAL_USERS && isOfLocalUser(token) ? ofPerson(token) : ofOthers(token)
  }

  const ofPage = Effect.fnUntraced(function* (token: string) {
    const held = yield* failWhenAway(pages.check(token)).pipe(
      Effect.catchTag("SqlError", refuseOrDie),
      Effect.catchTag("PageTokenRefused", (refused) => Effect.fail(refusedToken(refused)))
    )
    // what the session came in with was good once, whatever became of it
    return yield* Effect.mapError(behindItself(held), (error) =>
      error instanceof Unauthorized ? refusedToken({ isForged: false }) : error
    )
  })

  return Callers.of({
    required: tokens.required,
    everybody,
    behind: Effect.fn("Callers.behind")((token) => (isPageToken(token) ? ofPage(token) : behindItself(token)))
  })
})

/** Turns tokens into callers. */
export class Callers extends Context.Service<
  Callers,
  {
    /** False when everybody may call, as `everybody`. */
    readonly required: boolean
    readonly everybody: Identity
    /** Whom a good token stands for. */
    readonly behind: (token: string) => Effect.Effect<Identity, Unauthorized | ServiceUnavailable>
  }
>()("switchyard/http/Callers") {
  static readonly layer = Layer.effect(Callers, make)
}
