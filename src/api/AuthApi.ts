/** Who the caller is and what they may do (docs/roles.md). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Permission } from "../domain/access/PermissionRule.ts"
import * as Parameter from "../domain/fields/Parameter.ts"
import { Authentication, RequestBody } from "./Requests.ts"
import { documented, shown } from "./Documented.ts"
import { BadRequest, Conflict, Enveloped, Forbidden, NotFound, TooManyRequests, Unauthorized } from "./Answers.ts"
import {
  admitPerson,
  changeUser,
  createToken,
  createUser,
  listPersons,
  listTokens,
  listUsers,
  login,
  removeUser,
  revokeToken,
  withdrawPerson
} from "./AccountEndpoints.ts"
import { DecisionRequest } from "../domain/requests/OperationRequests.ts"

// Which ways in this server has, for whoever has not come in yet (docs/sign-on.md).

const Provider = Schema.Struct({
  /** Host of the provider, as people know it. */
  name: Schema.String,
  /** Where a browser goes to sign on there. */
  path: Schema.String
})

const Ways = Schema.Struct({
  /** False where everybody may call everything: there is nothing to sign on to. */
  needed: Schema.Boolean,
  password: Schema.Boolean,
  provider: Schema.NullOr(Provider),
  token: Schema.Boolean
})

const ways = HttpApiEndpoint.get("ways", "/auth/ways", { success: Enveloped(Ways) }).annotateMerge(
  documented({
    summary: "Ask how to sign on",
    description:
      "Without a token. `needed` is false where JWT_ENABLED is; `password` is LOCAL_USERS, `provider` is there with OIDC_ENABLED.",
    example: {
      response: {
        status: "success",
        data: {
          needed: true,
          password: true,
          provider: { name: "login.example.org", path: "/api/v1.0/auth/login" },
          token: true
        }
      }
    }
  })
)

// Signing on at the identity provider of the site, and in the page (docs/sign-on.md).

const error = [Unauthorized, NotFound, TooManyRequests]

const beginLogin = HttpApiEndpoint.get("beginLogin", "/auth/login", {
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

const endLogin = HttpApiEndpoint.get("endLogin", "/auth/auth", {
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

const refreshLogin = HttpApiEndpoint.post("refreshLogin", "/auth/refresh", {
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

const logout = HttpApiEndpoint.post("logout", "/auth/logout", {
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

const openPage = HttpApiEndpoint.post("openPage", "/auth/session", {
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

const closePage = HttpApiEndpoint.delete("closePage", "/auth/session", {
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

// Requests that wait for another person because they would undermine approvals (docs/security.md#four-eyes).

const RequestApproval = Schema.Struct({
  id: Schema.Int,
  operation: Schema.String,
  method: Schema.String,
  path: Schema.String,
  /** The body, with secrets masked. */
  body: Schema.NullOr(Schema.Unknown),
  asked_by: Schema.String,
  asked_at: Schema.String,
  expires_at: Schema.String,
  /** `approved`, `rejected`, `expired`; null while it waits. */
  decision: Schema.NullOr(Schema.String),
  decided_by: Schema.NullOr(Schema.String),
  decided_at: Schema.NullOr(Schema.String),
  comment: Schema.NullOr(Schema.String),
  /** How the request was answered when it was carried out. */
  answer: Schema.NullOr(Schema.Struct({ status: Schema.Int, message: Schema.NullOr(Schema.Unknown) }))
})

const waiting = {
  id: 4,
  operation: "the SSH host key of a device",
  method: "POST",
  path: "/device/lhv-acc1/hostkey/approve",
  body: { fingerprint: "SHA256:1fW2gZ0y3o0E0bU2cH6m9qg8nT8m3cQn0q3V0s2kQ1c" },
  asked_by: "maria",
  asked_at: "2026-11-22T13:59:05Z",
  expires_at: "2026-11-23T13:59:05Z",
  decision: null,
  decided_by: null,
  decided_at: null,
  comment: null,
  answer: null
}
const decided = { decided_by: "kim", decided_at: "2026-11-22T14:10:00Z", comment: "as agreed in CHG-7" }

const listApprovals = HttpApiEndpoint.get("approvals", "/approvals", {
  success: Enveloped(Schema.Struct({ approvals: Schema.Array(RequestApproval) }))
}).annotateMerge(
  documented({
    summary: "List requests that wait for another person",
    description:
      "With `approval: {security: true}` in permissions.yml: yours, and those that you could have made yourself; the newest first, with those that were decided, at most 200.",
    example: { response: { status: "success", data: { approvals: [waiting] } } }
  })
)

const decision = (
  name: "approveRequest" | "rejectRequest",
  verb: "approve" | "reject",
  [summary, description]: readonly [summary: string, description: string],
  after: Readonly<Record<string, unknown>>
) =>
  HttpApiEndpoint.post(name, `/approvals/:id(^\\d+$)/${verb}`, {
    params: { id: Schema.String },
    payload: DecisionRequest.schema,
    success: Enveloped(Schema.Struct({ approval: RequestApproval })),
    error: [BadRequest, Forbidden, NotFound, Conflict]
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        summary,
        description,
        example: {
          request: { comment: decided.comment },
          response: { status: "success", data: { approval: { ...waiting, ...decided, ...after } } }
        }
      })
    )

const approveRequest = decision(
  "approveRequest",
  "approve",
  [
    "Approve a request",
    "Carries it out exactly as it was asked, in the name of who asked, with all checks made again. It takes another person, who could make the request themselves. 409 when it cannot be carried out any more."
  ],
  { decision: "approved", answer: { status: 200, message: null } }
)

const rejectRequest = decision(
  "rejectRequest",
  "reject",
  ["Reject a request", "Nothing is done. Who has asked may take a request back in the same way."],
  { decision: "rejected" }
)

const Explanation = Schema.Struct({
  allowed: Schema.Boolean,
  /** Why, as a sentence. */
  reason: Schema.String,
  /** Roles of the caller. */
  roles: Schema.Array(Schema.String),
  /** Roles that allow it. */
  allowed_by: Schema.Array(Schema.String)
})

const Role = Schema.Struct({
  name: Schema.String,
  /** One that every site has, as it comes. */
  is_ready: Schema.Boolean,
  /** The caller has it. */
  is_held: Schema.Boolean,
  permissions: Schema.Array(Permission)
})

const asked = (description: string, example: string) => Schema.optionalKey(Parameter.text(shown(description, example)))

/** What is asked about; what is missing is the handler's to say. */
const question = {
  method: asked("method of the call", "POST"),
  path: asked("path behind /api/v1.0", "/device_syncto"),
  device: asked("hostname of a device that it would be about", "lhv-a1")
}

const auth = HttpApiGroup.make("auth").add(
  HttpApiEndpoint.get("identity", "/auth/identity", { success: Schema.String }).annotateMerge(
    documented({
      summary: "Read who you are",
      description: "The name that jobs and events keep, without an envelope.",
      example: { response: "admin" }
    })
  ),
  HttpApiEndpoint.get("permissions", "/auth/permissions", { success: Schema.Array(Permission) }).annotateMerge(
    documented({
      summary: "Read what you may do",
      description:
        "The permissions of all roles of the caller, without an envelope; one that allows everything where there are no roles.",
      example: { response: [{ methods: ["*"], endpoints: ["*"], pages: ["*"], rights: ["*"] }] }
    })
  ),
  HttpApiEndpoint.get("explain", "/auth/explain", {
    query: question,
    success: Enveloped(Explanation),
    error: [BadRequest, NotFound]
  }).annotateMerge(
    documented({
      summary: "Ask whether you may do something",
      description:
        "Nothing is done. `path` is the one behind /api/v1.0, `device` a hostname that the call would be about. Says which rule refuses and which roles would allow.",
      example: {
        response: {
          status: "success",
          data: { allowed: true, reason: "there are no roles: everything is allowed", roles: [], allowed_by: [] }
        }
      }
    })
  ),
  HttpApiEndpoint.get("roles", "/auth/roles", {
    success: Enveloped(Schema.Struct({ roles: Schema.Array(Role), remark: Schema.NullOr(Schema.String) }))
  }).annotateMerge(
    documented({
      summary: "List the roles",
      description:
        "All that can be given to people and tokens: those of permissions.yml and the ready ones, with what they allow. `remark` says why roles do not count, or what is wrong with the file that was read last. Who has a role by a group of the provider is not told.",
      example: {
        response: {
          status: "success",
          data: {
            roles: [
              {
                name: "dhcp-hook",
                is_ready: true,
                is_held: false,
                permissions: [{ methods: ["GET"], endpoints: ["/devices"] }]
              }
            ],
            remark: null
          }
        }
      }
    })
  ),
  listTokens,
  createToken,
  revokeToken,
  listUsers,
  createUser,
  changeUser,
  removeUser,
  listPersons,
  withdrawPerson,
  admitPerson,
  listApprovals,
  approveRequest,
  rejectRequest
)

/** Endpoints about the caller: with a token, and with any role or none. */
export class AuthGroup extends auth.middleware(Authentication) {}

const signOn = HttpApiGroup.make("signOn").add(
  ways,
  login,
  beginLogin,
  endLogin,
  refreshLogin,
  logout,
  openPage,
  closePage
)

/** Ways in: without a token. */
export class SignOnGroup extends signOn {}
