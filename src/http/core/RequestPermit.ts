/**
 * What the caller of a request may do: the permissions of theirs that speak of its method and path, or a refusal
 * (docs/roles.md#how-a-call-is-judged). Where these are only for some devices, the device in the path is looked up here, and the rest is
 * asked by the handlers, which know what the request is about.
 */
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { Permissions } from "../../access/Permissions.ts"
import { judge, NotPermitted, type Permit } from "../../access/Permit.ts"
import { BASE } from "../../api/Api.ts"
import type { Identity } from "../../domain/access/Identity.ts"
import { isWhole, speaksOf } from "../../domain/access/PermissionRule.ts"

/** The path behind the base, without the query. */
const pathOf = (url: string): string => {
  const [path = ""] = url.split("?")
  return path.startsWith(BASE) ? path.slice(BASE.length) : path
}

/** Yields the permit of a request; null when everything is allowed. Fails with NotPermitted. */
export const makePermitOf = Effect.gen(function* () {
  const { allowedBy, heldBy, rules } = yield* Permissions
  return Effect.fnUntraced(function* (
    request: HttpServerRequest.HttpServerRequest,
    caller: Identity,
    _endpoint: HttpApiEndpoint.Top
  ): Effect.fn.Return<Permit | null, NotPermitted> {
    const all = yield* heldBy(caller)
    const known = yield* rules
    if (all === null || known === null) return null
    const asked = { method: request.method, path: pathOf(request.url) }
    const held = all.filter(({ permission }) => speaksOf(permission, asked.method, asked.path))
    if (held.length === 0) {
      const found = judge(all, asked)
      const rule = found.allowed === null ? found.rule : "nothing allows it"
      return yield* new NotPermitted({ rule, roles: allowedBy(known, asked) })
    }
    if (held.some(({ permission }) => isWhole(permission))) return null
    return { ...asked, held, allowedBy: (more) => allowedBy(known, more) }
  })
})
