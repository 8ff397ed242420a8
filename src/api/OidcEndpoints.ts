/** Signing on at the identity provider of the site, and in the page (docs/sign-on.md). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import * as Parameter from "../domain/fields/Parameter.ts"
import { documented, shown } from "./Documented.ts"
import { Enveloped } from "./Envelope.ts"
import { Forbidden, NotFound, TooManyRequests, Unauthorized } from "./Failures.ts"

const error = [Unauthorized, NotFound, TooManyRequests]

export const beginLogin = HttpApiEndpoint.get("beginLogin", "/auth/login", {
  query: {
    page: Schema.optionalKey(
      Parameter.text(shown("`ui` for the page of Switchyard, which gets no token in its address", "ui"))
    )
  },
  success: HttpApiSchema.Empty(302),
  error: NotFound
}).annotateMerge(
  documented({
    summary: "Go to the provider's login page",
    description: "For browsers. 404 unless OIDC_ENABLED is true, as all of these.",
    example: { response: undefined }
  })
)

export const endLogin = HttpApiEndpoint.get("endLogin", "/auth/auth", {
  success: HttpApiSchema.Empty(302),
  error
}).annotateMerge(
  documented({
    summary: "Come back from the provider's login page",
    description:
      "The provider sends browsers here with `code` and `state`, once. Goes on to the page of Switchyard, with a cookie and no token in the address, when the login was begun there; else to FRONTEND_CALLBACK_URL with `token` and, where it is known, `username`, and with the cookie REFRESH_TOKEN where the provider gives a refresh token. A browser that is refused gets a page.",
    example: { response: undefined }
  })
)

const Renewed = Schema.StructWithRest(
  Schema.Struct({
    access_token: Schema.String,
    token_type: Schema.optionalKey(Schema.String),
    expires_in: Schema.optionalKey(Schema.Finite),
    id_token: Schema.optionalKey(Schema.String)
  }),
  [Schema.Record(Schema.String, Schema.Unknown)]
)

export const refreshLogin = HttpApiEndpoint.post("refreshLogin", "/auth/refresh", {
  success: Enveloped(Renewed),
  error: [...error, Forbidden]
}).annotateMerge(
  documented({
    summary: "Get a new token",
    description:
      "Needs the cookie REFRESH_TOKEN and any `Authorization` header; the body is ignored. What the provider answers, without the refresh token, which goes into the cookie.",
    example: {
      response: { status: "success", data: { access_token: "eyJ…", expires_in: 3600, token_type: "Bearer" } }
    }
  })
)

const Ended = Schema.Struct({ revoked: Schema.Boolean, end_session_url: Schema.NullOr(Schema.String) })

export const logout = HttpApiEndpoint.post("logout", "/auth/logout", {
  success: Enveloped(Ended),
  error: [NotFound, Forbidden]
}).annotateMerge(
  documented({
    summary: "Log out",
    description:
      "Revokes the refresh token at the provider and removes the cookies. `revoked` is false where the provider cannot do that, or does not answer. `end_session_url` is the page that ends the session at the provider itself; null where it has none.",
    example: {
      response: {
        status: "success",
        data: { revoked: true, end_session_url: "https://id.example.org/session/end?client_id=switchyard" }
      }
    }
  })
)

const Opened = Schema.Struct({ access_token: Schema.String, expires_in: Schema.Int })

export const openPage = HttpApiEndpoint.post("openPage", "/auth/session", {
  success: Enveloped(Opened),
  error: [Unauthorized, NotFound, TooManyRequests, Forbidden]
}).annotateMerge(
  documented({
    summary: "Sign on in the page",
    description:
      "For the page of Switchyard alone. With HTTP Basic or a token it begins a session and sets its cookie; without `Authorization` it exchanges the cookie for another one and a new token. The token counts for a quarter of an hour, and as long as the session.",
    example: { response: { status: "success", data: { access_token: "eyJ…", expires_in: 900 } } }
  })
)

export const closePage = HttpApiEndpoint.delete("closePage", "/auth/session", {
  success: Enveloped(Ended),
  error: [Unauthorized, Forbidden]
}).annotateMerge(
  documented({
    summary: "Sign off in the page",
    description:
      "Ends the session of the cookie: its tokens count no more. Revokes the refresh token where the session is one of the provider; `end_session_url` as above.",
    example: { response: { status: "success", data: { revoked: false, end_session_url: null } } }
  })
)
