/** Handlers of who the caller is and what they may do. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Permissions } from "../../access/Permissions.ts"
import { Api } from "../../api/Api.ts"
import { Caller } from "../../api/Requests.ts"
import { enveloped } from "../../api/Answers.ts"
import type { Permission } from "../../domain/access/PermissionRule.ts"
import { readyRoles } from "../../domain/access/PermissionFile.ts"
import { answered } from "../core/Unavailable.ts"
import { makeExplanation } from "./Explanation.ts"
import { makeRequestDecisions } from "./RequestDecisions.ts"
import { makeTokenRequests } from "./TokenRequests.ts"
import { makeUserRequests } from "./UserRequests.ts"

const EVERYTHING: Permission = { methods: ["*"], endpoints: ["*"], pages: ["*"], rights: ["*"] }

/** The four lists are always there, because existing clients read them without asking. */
const shown = (permission: Permission): Permission => ({
  methods: [],
  endpoints: [],
  pages: [],
  rights: [],
  ...permission
})

/** Handlers of `AuthGroup`. */
export const AuthLive = HttpApiBuilder.group(Api, "auth", (handlers) =>
  Effect.gen(function* () {
    const { heldBy, remark, roles } = yield* Permissions
    const explain = yield* makeExplanation
    const tokens = yield* makeTokenRequests
    const users = yield* makeUserRequests
    const decisions = yield* makeRequestDecisions
    const listRoles = Effect.gen(function* () {
      const held = (yield* heldBy(yield* Caller)) ?? []
      const own = new Set(held.map(({ role }) => role))
      const all = [...(yield* roles)].map(([name, permissions]) => ({
        name,
        is_ready: readyRoles.get(name) === permissions,
        is_held: own.has(name),
        permissions
      }))
      return enveloped({ roles: all, remark: yield* remark })
    })
    return handlers
      .handle("identity", () => Effect.map(Effect.service(Caller), ({ name }) => name))
      .handle("permissions", () =>
        Effect.map(Effect.flatMap(Effect.service(Caller), heldBy), (held) =>
          held === null ? [EVERYTHING] : held.map(({ permission }) => shown(permission))
        )
      )
      .handle("explain", ({ query }) => answered(Effect.map(explain(query), enveloped)))
      .handle("roles", () => listRoles)
      .handle("tokens", () => answered(tokens.list))
      .handle("createToken", ({ payload }) => answered(tokens.create(payload)))
      .handle("revokeToken", ({ params }) => answered(tokens.revoke(params.id)))
      .handle("users", () => answered(users.list))
      .handle("createUser", ({ payload }) => answered(users.create(payload)))
      .handle("changeUser", ({ params, payload }) => answered(users.change(params.name, payload)))
      .handle("removeUser", ({ params }) => answered(users.remove(params.name)))
      .handle("persons", () => answered(users.persons))
      .handle("withdrawPerson", ({ payload }) => answered(users.withdraw(payload.person)))
      .handle("admitPerson", ({ payload }) => answered(users.admit(payload.person)))
      .handle("approvals", () => answered(decisions.list))
      .handle("approveRequest", ({ params, payload }) => answered(decisions.approve(params.id, payload)))
      .handle("rejectRequest", ({ params, payload }) => answered(decisions.reject(params.id, payload)))
  })
)
