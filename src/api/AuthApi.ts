/** Who the caller is and what they may do (docs/roles.md). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Permission } from "../domain/access/PermissionRule.ts"
import * as Parameter from "../domain/fields/Parameter.ts"
import { Authentication } from "./Authorization.ts"
import { documented, shown } from "./Documented.ts"
import { Enveloped } from "./Envelope.ts"
import { BadRequest, NotFound } from "./Failures.ts"
import { beginLogin, closePage, endLogin, logout, openPage, refreshLogin } from "./OidcEndpoints.ts"
import { approveRequest, listApprovals, rejectRequest } from "./ApprovalEndpoints.ts"
import {
  admitPerson,
  changeUser,
  createUser,
  listPersons,
  listUsers,
  login,
  removeUser,
  withdrawPerson
} from "./UserEndpoints.ts"
import { ways } from "./WaysEndpoint.ts"
import { createToken, listTokens, revokeToken } from "./TokenEndpoints.ts"

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
