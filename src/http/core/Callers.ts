/** Who stands behind a token, whichever kind it is of: a token of a program, one that a password brought, or another JSON Web Token, of the identity provider where there is one (docs/api.md#tokens). */
import { Context, Effect, Layer, Option } from "effect"
import { ApiTokens, identityOf, isApiToken } from "../../access/ApiTokens.ts"
import { isOfLocalUser, PasswordLogin } from "../../access/PasswordLogin.ts"
import { ServiceUnavailable, Unauthorized } from "../../api/Failures.ts"
import { everybody, type Identity } from "../../domain/access/Identity.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { ProviderTokens } from "../oidc/ProviderTokens.ts"
import { Tokens } from "./Tokens.ts"
import { refuseOrDie } from "./Unavailable.ts"
import { failWhenAway } from "../../store/DatabaseAway.ts"

const make = Effect.gen(function* () {
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
    const found = yield* Effect.catchTag(failWhenAway(logins.check(token)), "SqlError", refuseOrDie)
    if (Option.isSome(found)) return found.value
    return yield* new Unauthorized({ message: "The JWT token is expired", errorCode: "auth_expired" })
  })

  return Callers.of({
    required: tokens.required,
    everybody,
    behind: Effect.fn("Callers.behind")((token) => {
      if (isApiToken(token)) return ofProgram(token)
      return LOCAL_USERS && isOfLocalUser(token) ? ofPerson(token) : ofOthers(token)
    })
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
