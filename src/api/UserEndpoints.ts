/** People with passwords, and how they log in (docs/security.md#local-users). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import { NewUserRequest, UserChangeRequest } from "../domain/requests/SignOnRequests.ts"
import { HandlingOfCallers } from "./Authorization.ts"
import { documented } from "./Documented.ts"
import { Enveloped } from "./Envelope.ts"
import { BadRequest, Conflict, Forbidden, NotFound, TooManyRequests, Unauthorized } from "./Failures.ts"
import { RequestBody } from "./Requests.ts"

const User = Schema.Struct({ name: Schema.String, roles: Schema.Array(Schema.String), break_glass: Schema.Boolean })
const named = { name: Schema.String }
const example = { name: "maria", roles: ["operator"], break_glass: false }

export const login = HttpApiEndpoint.post("login", "/auth", {
  success: Schema.Struct({ access_token: Schema.String }),
  error: [Unauthorized, NotFound, TooManyRequests]
}).annotateMerge(
  documented({
    summary: "Log in with a name and a password",
    description:
      "HTTP Basic, no body; the answer has no envelope. The token is valid for twelve hours, and as long as the password is. 404 unless LOCAL_USERS is true.",
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
      summary: "List the users with passwords",
      description: "For administrators, as all calls about users.",
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
      summary: "Change a user's roles or password",
      description:
        "Roles count at once. With another password all tokens of the user end. The last user who may do everything keeps that.",
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
  .middleware(HandlingOfCallers)
  .annotateMerge(
    documented({
      summary: "Remove a user",
      description: "All tokens that the user's password brought end. The last user who may do everything stays.",
      example: { response: { status: "success", data: { deleted_user: example } } }
    })
  )
