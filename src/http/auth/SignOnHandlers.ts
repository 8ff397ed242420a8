/** Handlers of the ways in (docs/security.md#local-users, docs/sign-on.md). */
import { Effect, Option, Redacted } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { LocalUsers } from "../../access/LocalUsers.ts"
import { PasswordLogin } from "../../access/PasswordLogin.ts"
import { Api, BASE } from "../../api/Api.ts"
import { enveloped, NotFound, Unauthorized } from "../../api/Answers.ts"
import { isText } from "../../domain/Text.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { clientOf } from "../core/Client.ts"
import { answered } from "../core/Unavailable.ts"
import { makeOidcRequests } from "./OidcRequests.ts"
import { makePageRequests } from "./PageRequests.ts"

const MAX_CREDENTIALS = 512

/** Name and password of a header for HTTP Basic. */
const credentialsIn = (header: string | undefined) => {
  const [, encoded] = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(header ?? "") ?? []
  const text = Buffer.from(encoded ?? "", "base64").toString("utf8")
  const colon = text.indexOf(":")
  return colon < 1 || text.length > MAX_CREDENTIALS || !isText(text, "secret")
    ? Option.none()
    : Option.some({ name: text.slice(0, colon), password: Redacted.make(text.slice(colon + 1)) })
}

const FIRST = "Nobody can log in with a password yet. Make an administrator: switchyard setup"

/** Handlers of `SignOnGroup`. */
export const SignOnLive = HttpApiBuilder.group(Api, "signOn", (handlers) =>
  Effect.gen(function* () {
    const { JWT_ENABLED, LOCAL_USERS, OIDC_CONF_WELL_KNOWN_URL, OIDC_ENABLED, SECURE_DEFAULTS } = yield* ServerConfig
    const logins = yield* PasswordLogin
    const users = yield* LocalUsers
    const isOn = LOCAL_USERS && JWT_ENABLED
    // a new installation says it on its screen
    if (isOn && !SECURE_DEFAULTS && (yield* users.all).length === 0) yield* Effect.logWarning(FIRST)

    const byPassword = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
      if (!isOn) return yield* new NotFound({ message: "Not Found" })
      const sent = credentialsIn(request.headers["authorization"])
      if (Option.isNone(sent))
        return yield* new Unauthorized({ message: "Expected 'Authorization: Basic <name:password>'" })
      const { name, password } = sent.value
      return yield* Effect.catchTag(
        logins.login(name, password, clientOf(request).address),
        "LoginRefused",
        ({ message }) => Effect.fail(new Unauthorized({ message }))
      )
    })

    const login = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      return { access_token: Redacted.value(yield* byPassword(request)) }
    })
    const oidc = yield* makeOidcRequests
    const pages = yield* makePageRequests(byPassword)
    // a server whose provider has no address does not start
    const provider = OIDC_ENABLED
      ? Option.map(OIDC_CONF_WELL_KNOWN_URL, (url) => ({
          name: new URL(url).hostname,
          path: `${BASE}/auth/login?page=ui`
        }))
      : Option.none()
    const ways = enveloped({
      needed: JWT_ENABLED,
      password: isOn,
      provider: Option.getOrNull(provider),
      token: JWT_ENABLED
    })
    return handlers
      .handle("ways", () => Effect.succeed(ways))
      .handle("login", () => answered(login))
      .handle("beginLogin", ({ query }) => answered(oidc.begin(query.page === "ui")))
      .handle("endLogin", () => answered(oidc.end))
      .handle("refreshLogin", () => answered(oidc.refresh))
      .handle("logout", () => answered(oidc.logout))
      .handle("openPage", () => answered(pages.open))
      .handle("closePage", () => answered(pages.close))
  })
)
