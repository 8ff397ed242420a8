/** Who calls: the middleware that checks the token (docs/api.md#tokens) and the name that it finds. */
import { Context } from "effect"
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import type { Identity } from "../domain/access/Identity.ts"
import { ServiceUnavailable, Unauthorized } from "./Failures.ts"

/** Who calls; `admin` when tokens are off. */
export class Caller extends Context.Service<Caller, Identity>()("switchyard/api/Caller") {}

/** Requires a good token when tokens are on. */
export class Authorization extends HttpApiMiddleware.Service<Authorization, { provides: Caller }>()(
  "switchyard/api/Authorization",
  { security: { bearer: HttpApiSecurity.bearer }, error: Unauthorized }
) {}

/** A database that is away becomes 503; on every endpoint. */
export class Availability extends HttpApiMiddleware.Service<Availability>()("switchyard/api/Availability", {
  error: ServiceUnavailable
}) {}
