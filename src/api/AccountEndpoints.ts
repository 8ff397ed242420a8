/** Users with a password, and API tokens (docs/security.md). */
import * as Parameter from "../domain/fields/Parameter.ts"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import { NewTokenRequest, NewUserRequest, PersonRequest, UserChangeRequest } from "../domain/requests/SignOnRequests.ts"
import { HandlingOfCallers, RequestBody } from "./Requests.ts"
import { documented } from "./Documented.ts"
import { BadRequest, Conflict, Enveloped, Forbidden, NotFound, TooManyRequests, Unauthorized } from "./Answers.ts"

const User = Schema.Struct({
  name: Schema.String,
  roles: Schema.Array(Schema.String),
  break_glass: Schema.Boolean,
  enabled: Schema.Boolean
}).annotate({ identifier: "User" })
const named = { name: Schema.String }
const example = { name: "maria", roles: ["operator"], break_glass: false, enabled: true }

export const login = HttpApiEndpoint.post("login", "/auth", {
  success: Schema.Struct({ access_token: Schema.String }),
  error: [Unauthorized, NotFound, TooManyRequests]
}).annotateMerge(
  documented({
    name: "login",
    summary: "Log in with a name and a password",
    description:
      "HTTP Basic, no body; the answer has no envelope. The token is valid for twelve hours, but ends with the password. 404 unless LOCAL_USERS is true.",
    example: { response: { access_token: "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhZG1pbiJ9.c2ln" } }
  })
)

export const listUsers = HttpApiEndpoint.get("users", "/auth/users", {
  success: Enveloped(Schema.Struct({ users: Schema.Array(User) })),
  error: Forbidden
})
  .middleware(HandlingOfCallers)
  .annotateMerge(
    documented({
      name: "listUsers",
      summary: "List the users with passwords",
      description:
        "For administrators, like all calls about users; this one also with the [right `audit`](roles.md#permissions).",
      example: { response: { status: "success", data: { users: [example] } } }
    })
  )

export const createUser = HttpApiEndpoint.post("createUser", "/auth/users", {
  payload: NewUserRequest.schema,
  success: Enveloped(Schema.Struct({ added_user: User })).pipe(HttpApiSchema.status(201)),
  error: [BadRequest, Forbidden, Conflict]
})
  .middleware(RequestBody)
  .middleware(HandlingOfCallers)
  .annotateMerge(
    documented({
      name: "createUser",
      summary: "Add a user with a password",
      description: "The password has at least 12 characters. Each login of a `break_glass` user raises an alarm.",
      example: {
        request: { name: "maria", roles: ["operator"], password: "seven green bicycles" },
        response: { status: "success", data: { added_user: example } }
      }
    })
  )

export const changeUser = HttpApiEndpoint.put("changeUser", "/auth/users/:name", {
  params: named,
  payload: UserChangeRequest.schema,
  success: Enveloped(Schema.Struct({ updated_user: User })),
  error: [BadRequest, Forbidden, NotFound, Conflict]
})
  .middleware(RequestBody)
  .middleware(HandlingOfCallers)
  .annotateMerge(
    documented({
      name: "updateUser",
      summary: "Change a user's roles or password, or whether they may log in",
      description:
        "New roles apply immediately. With another password all sessions of the user end; with `enabled: false` sessions and API tokens end immediately and permanently. The last user with all permissions keeps them.",
      example: {
        request: { roles: ["operator"] },
        response: { status: "success", data: { updated_user: example } }
      }
    })
  )

export const removeUser = HttpApiEndpoint.delete("removeUser", "/auth/users/:name", {
  params: named,
  success: Enveloped(Schema.Struct({ deleted_user: User })),
  error: [Forbidden, NotFound, Conflict]
})
  .middleware(RequestBody)
  .middleware(HandlingOfCallers)
  .annotateMerge(
    documented({
      name: "deleteUser",
      summary: "Remove a user",
      description:
        "All tokens from logins with the user's password end. The last user with all permissions cannot be removed.",
      example: { response: { status: "success", data: { deleted_user: example } } }
    })
  )

const Person = Schema.Struct({
  person: Schema.String,
  way: Schema.String,
  name: Schema.String,
  roles: Schema.Array(Schema.String),
  tokens: Schema.Int,
  seen_at: Schema.NullOr(Schema.String),
  withdrawn_at: Schema.NullOr(Schema.String),
  withdrawn_by: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Person" })
const person = {
  person: "oidc:https://sso.example.org 7f3a",
  way: "oidc",
  name: "maria@example.org",
  roles: ["operator"],
  tokens: 2,
  seen_at: "2026-11-22T13:59:05Z",
  withdrawn_at: null,
  withdrawn_by: null
}
const withdrawnPerson = { ...person, tokens: 0, withdrawn_at: "2026-11-23T08:00:00Z", withdrawn_by: "admin" }

export const listPersons = HttpApiEndpoint.get("persons", "/auth/persons", {
  success: Enveloped(Schema.Struct({ persons: Schema.Array(Person) })),
  error: Forbidden
})
  .middleware(HandlingOfCallers)
  .annotateMerge(
    documented({
      name: "listPersons",
      summary: "List the persons",
      description:
        "All callers of the API so far, local users and machine accounts, each with the number of their valid tokens; at most 1000. For administrators, and with the [right `audit`](roles.md#permissions).",
      example: { response: { status: "success", data: { persons: [person] } } }
    })
  )

export const withdrawPerson = HttpApiEndpoint.post("withdrawPerson", "/auth/persons/withdraw", {
  payload: PersonRequest.schema,
  success: Enveloped(Schema.Struct({ withdrawn_person: Person, ended_tokens: Schema.Int })),
  error: [BadRequest, Forbidden, NotFound, Conflict]
})
  .middleware(RequestBody)
  .middleware(HandlingOfCallers)
  .annotateMerge(
    documented({
      name: "withdrawPerson",
      summary: "Withdraw a person",
      description:
        "Ends all their API tokens, sessions, streams and connections within a second; they cannot log in again. For administrators.",
      example: {
        request: { person: person.person },
        response: { status: "success", data: { withdrawn_person: withdrawnPerson, ended_tokens: 2 } }
      }
    })
  )

export const admitPerson = HttpApiEndpoint.post("admitPerson", "/auth/persons/admit", {
  payload: PersonRequest.schema,
  success: Enveloped(Schema.Struct({ admitted_person: Person })),
  error: [BadRequest, Forbidden, NotFound]
})
  .middleware(RequestBody)
  .middleware(HandlingOfCallers)
  .annotateMerge(
    documented({
      name: "admitPerson",
      summary: "Admit a person again",
      description:
        "A withdrawn person may sign on again. Their old tokens and sessions stay invalid. For administrators.",
      example: {
        request: { person: person.person },
        response: { status: "success", data: { admitted_person: { ...person, tokens: 0 } } }
      }
    })
  )

// Tokens of programs (docs/api.md#api-tokens).

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
}).annotate({ identifier: "ApiToken" })

const addedToken = {
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
    name: "listTokens",
    summary: "List tokens of programs",
    description:
      "Tokens that you have made; administrators and callers with the [right `audit`](roles.md#permissions) see all. The tokens themselves are not stored.",
    example: { response: { status: "success", data: { tokens: [addedToken] } } }
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
      name: "createToken",
      summary: "Create a token for a program",
      description:
        "`token` is shown once. It is valid for `days` (default 365; at most API_TOKEN_DAYS). You own it and it ends with you; at each call it has those of its roles that you could then assign. Administrators can assign roles that they do not have themselves, and create the account of a machine (`is_machine`), which has no owner and is named after the token.",
      example: {
        request: { name: "dhcp", roles: ["dhcp-hook"], days: 365, is_machine: true },
        response: {
          status: "success",
          data: { token: "swy_nFm0YyqWJm3pSb3yT0aQ1m8l0lB6cX2u5kT4vZ7eR9A", added_token: addedToken }
        }
      }
    })
  )

export const revokeToken = HttpApiEndpoint.delete("revokeToken", "/auth/tokens/:id(^\\d+$)", {
  params: { id: Parameter.id },
  success: Enveloped(Schema.Struct({ revoked_token: ApiToken })),
  error: NotFound
})
  .middleware(RequestBody)
  .annotateMerge(
    documented({
      name: "revokeToken",
      summary: "Revoke a token",
      description:
        "The server refuses it within a second. You can revoke your own tokens; administrators can revoke any.",
      example: {
        response: { status: "success", data: { revoked_token: { ...addedToken, revoked_at: "2026-11-23T08:00:00Z" } } }
      }
    })
  )
