/** The caller's identity and permissions (docs/roles.md). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Permission } from "../domain/access/PermissionRule.ts"
import * as Parameter from "../domain/fields/Parameter.ts"
import { Authentication, HandlingOfCallers, RequestBody } from "./Requests.ts"
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

// The login methods of this server, for callers without a token (docs/sign-on.md).

const Provider = Schema.Struct({
  /** Host of the provider, as people know it. */
  name: Schema.String,
  /** Path at which a browser starts the login there. */
  path: Schema.String
}).annotate({ identifier: "LoginProvider" })

const Ways = Schema.Struct({
  /** False where every call is allowed without a login. */
  needed: Schema.Boolean,
  password: Schema.Boolean,
  provider: Schema.NullOr(Provider),
  token: Schema.Boolean,
  /** SITE_NAME; null if it is not set. */
  site: Schema.NullOr(Schema.String),
  /** Nobody has an account yet: the first administrator is made on the machine of the server. */
  is_new: Schema.Boolean
}).annotate({ identifier: "LoginMethods" })

const ways = HttpApiEndpoint.get("ways", "/auth/ways", { success: Enveloped(Ways) }).annotateMerge(
  documented({
    name: "listLoginMethods",
    summary: "List the login methods",
    description:
      "Without a token. `needed` is false where JWT_ENABLED is; `password` is LOCAL_USERS, `provider` exists with OIDC_ENABLED, `site` is SITE_NAME, `is_new` is true until the [first start](installing.md#first-start).",
    example: {
      response: {
        status: "success",
        data: {
          needed: true,
          password: true,
          provider: { name: "login.example.org", path: "/api/v1.0/auth/login" },
          token: true,
          site: "Lindhaven campus",
          is_new: false
        }
      }
    }
  })
)

// Sign-on at the identity provider of the site, and in the page (docs/sign-on.md).

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
    name: "beginLogin",
    summary: "Open the provider's login page",
    description: "For browsers. 404 unless OIDC_ENABLED is true, like all sign-on routes.",
    example: { response: undefined }
  })
)

const endLogin = HttpApiEndpoint.get("endLogin", "/auth/auth", {
  success: HttpApiSchema.Empty(302),
  error
}).annotateMerge(
  documented({
    name: "endLogin",
    summary: "Return from the provider's login page",
    description:
      "The provider sends browsers here with `code` and `state`, once. Redirects to the page of Switchyard, with a cookie and no token in the address, when the login was started there; else to FRONTEND_CALLBACK_URL with `token` and, where known, `username`, and with the cookie REFRESH_TOKEN where the provider issues a refresh token. After a refusal the browser gets an error page.",
    example: { response: undefined }
  })
)

const Renewed = Schema.StructWithRest(
  Schema.Struct({
    access_token: Schema.String,
    token_type: Schema.optionalKey(Schema.String),
    expires_in: Schema.optionalKey(Schema.Finite),
    id_token: Schema.optionalKey(Schema.String)
  }).annotate({ identifier: "RenewedLogin" }),
  [Schema.Record(Schema.String, Schema.Unknown)]
)

const refreshLogin = HttpApiEndpoint.post("refreshLogin", "/auth/refresh", {
  success: Enveloped(Renewed),
  error: [...error, Forbidden]
}).annotateMerge(
  documented({
    name: "refreshLogin",
    summary: "Get a new token",
    description:
      "Needs the cookie REFRESH_TOKEN and any `Authorization` header; the body is ignored. Returns the provider's answer without the refresh token, which is put into the cookie.",
    example: {
      response: { status: "success", data: { access_token: "eyJ…", expires_in: 3600, token_type: "Bearer" } }
    }
  })
)

const Ended = Schema.Struct({ revoked: Schema.Boolean, end_session_url: Schema.NullOr(Schema.String) }).annotate({
  identifier: "EndedSession"
})

const logout = HttpApiEndpoint.post("logout", "/auth/logout", {
  success: Enveloped(Ended),
  error: [NotFound, Forbidden]
}).annotateMerge(
  documented({
    name: "logout",
    summary: "Log out",
    description:
      "Revokes the refresh token at the provider and removes the cookies. `revoked` is false when the provider cannot do that, or does not answer. `end_session_url` is the page that ends the session at the provider itself; null if it has none.",
    example: {
      response: {
        status: "success",
        data: { revoked: true, end_session_url: "https://id.example.org/session/end?client_id=switchyard" }
      }
    }
  })
)

const Opened = Schema.Struct({ access_token: Schema.String, expires_in: Schema.Int }).annotate({
  identifier: "OpenedSession"
})

const openPage = HttpApiEndpoint.post("openPage", "/auth/session", {
  success: Enveloped(Opened),
  error: [Unauthorized, NotFound, TooManyRequests, Forbidden]
}).annotateMerge(
  documented({
    name: "openSession",
    summary: "Sign on in the page",
    description:
      "For the page of Switchyard only. With HTTP Basic or a token it begins a session and sets its cookie; without `Authorization` it exchanges the cookie for another one and a new token. The token is valid for a quarter of an hour, but ends with the session.",
    example: { response: { status: "success", data: { access_token: "eyJ…", expires_in: 900 } } }
  })
)

const closePage = HttpApiEndpoint.delete("closePage", "/auth/session", {
  success: Enveloped(Ended),
  error: [Unauthorized, Forbidden]
}).annotateMerge(
  documented({
    name: "closeSession",
    summary: "Sign off in the page",
    description:
      "Ends the session of the cookie and invalidates its tokens. Revokes the refresh token of a session from the provider; `end_session_url` as above.",
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
  body: Schema.Unknown,
  asked_by: Schema.String,
  asked_at: Schema.String,
  expires_at: Schema.String,
  /** `approved`, `rejected`, `expired`; null while it waits. */
  decision: Schema.NullOr(Schema.String),
  decided_by: Schema.NullOr(Schema.String),
  decided_at: Schema.NullOr(Schema.String),
  comment: Schema.NullOr(Schema.String),
  /** The answer to the request after it was carried out. */
  answer: Schema.NullOr(
    Schema.Struct({ status: Schema.Int, message: Schema.Unknown }).annotate({
      identifier: "ApprovalAnswer"
    })
  )
}).annotate({ identifier: "RequestApproval" })

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
    name: "listApprovals",
    summary: "List requests that wait for another person",
    description:
      "With `approval: {security: true}` in permissions.yml: your own requests, and those that you could have made yourself; the newest first, with decided ones, at most 200.",
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
    params: { id: Parameter.id },
    payload: DecisionRequest.schema,
    success: Enveloped(Schema.Struct({ approval: RequestApproval })),
    error: [BadRequest, Forbidden, NotFound, Conflict]
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        name,
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
  ["Reject a request", "The request is not carried out. Its author can withdraw it in the same way."],
  { decision: "rejected" }
)

const HeldRole = Schema.Struct({
  role: Schema.String,
  /** A sentence without its end. */
  because: Schema.String,
  /** The line that gives it; null if it was given elsewhere. */
  line: Schema.NullOr(Schema.Int)
}).annotate({ identifier: "HeldRole" })

const Explanation = Schema.Struct({
  allowed: Schema.Boolean,
  /** The reason, with the rule as the file has it, as a sentence without its end. */
  reason: Schema.String,
  /** The same for people, without the words of the file. */
  in_words: Schema.String,
  /** Roles of the caller. */
  roles: Schema.Array(Schema.String),
  /** Roles that allow it. */
  allowed_by: Schema.Array(Schema.String),
  /** The role that allows it, or that comes closest; null without one. */
  role: Schema.NullOr(Schema.String),
  /** The file with the roles; null for what only ready roles and given ones decide. */
  file: Schema.NullOr(Schema.String),
  /** The line of the permission. */
  line: Schema.NullOr(Schema.Int),
  /** Why the person has each role. */
  held: Schema.Array(HeldRole)
}).annotate({ identifier: "Explanation" })

/** Whether a person may make the call, and why. */
const PersonAnswer = Schema.Struct({
  person: Schema.String,
  name: Schema.String,
  ...Explanation.fields
}).annotate({ identifier: "PersonExplanation" })

const WhoMay = Enveloped(
  Schema.Struct({
    persons: Schema.Array(PersonAnswer),
    /** All roles that allow it, also those that nobody has. */
    allowed_by: Schema.Array(Schema.String)
  })
)

const explained = {
  allowed: true,
  reason: "role operator allows it",
  in_words: "the role operator allows it",
  roles: ["operator"],
  allowed_by: ["operator", "administrator"],
  role: "operator",
  file: "permissions.yml",
  line: null,
  held: [{ role: "operator", because: "groups campus-netops has the role operator", line: 9 }]
}

const Role = Schema.Struct({
  name: Schema.String,
  /** One of every site's ready roles, unchanged. */
  is_ready: Schema.Boolean,
  /** The caller has it. */
  is_held: Schema.Boolean,
  permissions: Schema.Array(Permission),
  /** The line of `permissions.yml` that defines it; null for a ready role. */
  line: Schema.NullOr(Schema.Int),
  /** The line of each permission. */
  lines: Schema.Array(Schema.NullOr(Schema.Int))
}).annotate({ identifier: "Role" })

const asked = (description: string, example: string) => Schema.optionalKey(Parameter.text(shown(description, example)))

/** The call in question; the handler reports missing fields. */
const question = {
  method: asked("method of the call", "POST"),
  path: asked("path behind /api/v1.0", "/device_syncto"),
  device: asked("hostname of a device that it would be about", "lhv-a1")
}

const ofPerson = {
  ...question,
  person: asked("key of a person; left out: the caller", "local:maria")
}

const auth = HttpApiGroup.make("auth").add(
  HttpApiEndpoint.get("identity", "/auth/identity", { success: Schema.String }).annotateMerge(
    documented({
      name: "getIdentity",
      summary: "Read your identity",
      description: "The name that jobs and events store, without an envelope.",
      example: { response: "admin" }
    })
  ),
  HttpApiEndpoint.get("permissions", "/auth/permissions", { success: Schema.Array(Permission) }).annotateMerge(
    documented({
      name: "listPermissions",
      summary: "Read your permissions",
      description:
        "The permissions of all roles of the caller, without an envelope; if no roles exist, one that allows everything.",
      example: { response: [{ methods: ["*"], endpoints: ["*"], pages: ["*"], rights: ["*"] }] }
    })
  ),
  HttpApiEndpoint.get("explain", "/auth/explain", {
    query: ofPerson,
    success: Enveloped(Explanation),
    error: [BadRequest, Forbidden, NotFound]
  }).annotateMerge(
    documented({
      name: "explainPermission",
      summary: "Check whether you or another person may make a call",
      description:
        "The call is not carried out. `path` is the part after /api/v1.0, `device` the hostname that the call would concern. The answer names the rule that refuses and the roles that would allow it, with their lines in permissions.yml. `person` needs the [right `audit`](roles.md#permissions).",
      example: { response: { status: "success", data: explained } }
    })
  ),
  HttpApiEndpoint.get("whoMay", "/auth/who_may", {
    query: question,
    success: WhoMay,
    error: [BadRequest, Forbidden, NotFound]
  })
    .middleware(HandlingOfCallers)
    .annotateMerge(
      documented({
        name: "listWhoMay",
        summary: "List who may make a call",
        description:
          "The persons of [`GET /auth/persons`](#identity), each with whether they may make the call and why; those who may come first. People of the provider who have never called are not known: see the roles. Needs the [right `audit`](roles.md#permissions).",
        example: {
          response: {
            status: "success",
            data: {
              persons: [{ person: "local:maria", name: "maria", ...explained }],
              allowed_by: explained.allowed_by
            }
          }
        }
      })
    ),
  HttpApiEndpoint.get("roles", "/auth/roles", {
    success: Enveloped(Schema.Struct({ roles: Schema.Array(Role), remark: Schema.NullOr(Schema.String) }))
  }).annotateMerge(
    documented({
      name: "listRoles",
      summary: "List the roles",
      description:
        "All roles that people and tokens can get: those of permissions.yml and the ready ones, with their permissions. `remark` says why roles are not in effect, or names the problem of the file that was read last. Members through a group of the provider are not listed.",
      example: {
        response: {
          status: "success",
          data: {
            roles: [
              {
                name: "dhcp-hook",
                is_ready: true,
                is_held: false,
                permissions: [{ methods: ["GET"], endpoints: ["/devices"] }],
                line: null,
                lines: [null]
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

/** Login methods: without a token. */
export class SignOnGroup extends signOn {}
