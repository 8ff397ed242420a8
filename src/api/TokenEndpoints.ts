/** Tokens of programs (docs/api.md#api-tokens). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import { NewTokenRequest } from "../domain/requests/SignOnRequests.ts"
import { HandlingOfCallers } from "./Authorization.ts"
import { documented } from "./Documented.ts"
import { Enveloped } from "./Envelope.ts"
import { BadRequest, Conflict, Forbidden, NotFound } from "./Failures.ts"
import { RequestBody } from "./Requests.ts"

const ApiToken = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  roles: Schema.Array(Schema.String),
  created_by: Schema.String,
  owner: Schema.NullOr(Schema.String),
  is_machine: Schema.Boolean,
  created_at: Schema.String,
  expires_at: Schema.String,
  last_used: Schema.NullOr(Schema.String),
  revoked_at: Schema.NullOr(Schema.String)
})

const example = {
  id: 1,
  name: "dhcp",
  roles: ["dhcp-hook"],
  created_by: "admin",
  owner: "machine:dhcp",
  is_machine: true,
  created_at: "2026-11-22T13:59:05Z",
  expires_at: "2027-11-22T13:59:05Z",
  last_used: null,
  revoked_at: null
}

export const listTokens = HttpApiEndpoint.get("tokens", "/auth/tokens", {
  success: Enveloped(Schema.Struct({ tokens: Schema.Array(ApiToken) }))
}).annotateMerge(
  documented({
    summary: "List tokens of programs",
    description: "Those that you have made; all of them for administrators. The tokens themselves are not kept.",
    example: { response: { status: "success", data: { tokens: [example] } } }
  })
)

export const createToken = HttpApiEndpoint.post("createToken", "/auth/tokens", {
  payload: NewTokenRequest.schema,
  success: Enveloped(Schema.Struct({ token: Schema.String, added_token: ApiToken })).pipe(HttpApiSchema.status(201)),
  error: [BadRequest, Forbidden, Conflict]
})
  .middleware(RequestBody)
  .middleware(HandlingOfCallers)
  .annotateMerge(
    documented({
      summary: "Make a token for a program",
      description:
        "`token` is shown once. It is valid for `days` (365; API_TOKEN_DAYS is the most). It is yours, ends with you, and has of its roles those that you could give at the time of a call. Administrators give roles that they do not have themselves, and make the account of a machine (`is_machine`), which is nobody's and has the token's name.",
      example: {
        request: { name: "dhcp", roles: ["dhcp-hook"], days: 365, is_machine: true },
        response: {
          status: "success",
          data: { token: "swy_nFm0YyqWJm3pSb3yT0aQ1m8l0lB6cX2u5kT4vZ7eR9A", added_token: example }
        }
      }
    })
  )

export const revokeToken = HttpApiEndpoint.delete("revokeToken", "/auth/tokens/:id(^\\d+$)", {
  params: { id: Schema.String },
  success: Enveloped(Schema.Struct({ revoked_token: ApiToken })),
  error: NotFound
}).annotateMerge(
  documented({
    summary: "Revoke a token",
    description: "It is refused within a second. Yours; any for administrators.",
    example: {
      response: { status: "success", data: { revoked_token: { ...example, revoked_at: "2026-11-23T08:00:00Z" } } }
    }
  })
)
