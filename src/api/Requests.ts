/**
 * The middleware of endpoints: who calls and what they may call, and bodies and parameters that are read within bounds, decoded with the
 * endpoint's schemas (`domain/fields`) and refused in the words that clients know.
 */
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import {
  BadRequest,
  Forbidden,
  PayloadTooLarge,
  RequestTimeout,
  ServiceUnavailable,
  Unauthorized,
  UnsupportedMediaType
} from "./Answers.ts"
import { Context } from "effect"
import type { Identity } from "../domain/access/Identity.ts"
import * as Parameter from "../domain/fields/Parameter.ts"

/** On every endpoint with a payload; `Authorization` has asked before whether the caller may call it, and here which fields they may write. */
export class RequestBody extends HttpApiMiddleware.Service<RequestBody>()("switchyard/api/RequestBody", {
  error: [BadRequest, Forbidden, RequestTimeout, PayloadTooLarge, UnsupportedMediaType, ServiceUnavailable]
}) {}

/** On endpoints without a payload whose path or query has rules. */
export class RequestParameters extends HttpApiMiddleware.Service<RequestParameters>()(
  "switchyard/api/RequestParameters",
  { error: BadRequest }
) {}

// Who calls: the middleware that checks the token (docs/api.md#tokens) and the name that it finds.

/** Who calls; `admin` when tokens are off. */
export class Caller extends Context.Service<Caller, Identity>()("switchyard/api/Caller") {}

const security = { bearer: HttpApiSecurity.bearer }

/** Requires a good token when tokens are on; for what everybody may ask. */
export class Authentication extends HttpApiMiddleware.Service<Authentication, { provides: Caller }>()(
  "switchyard/api/Authentication",
  { security, error: [Unauthorized, ServiceUnavailable] }
) {}

/** Requires a good token when tokens are on, and a role that allows the call where there are roles. */
export class Authorization extends HttpApiMiddleware.Service<Authorization, { provides: Caller }>()(
  "switchyard/api/Authorization",
  { security, error: [Unauthorized, Forbidden, ServiceUnavailable] }
) {}

/** As `Authorization`, and open without a token for the addresses of METRICS_NETWORKS (docs/monitoring.md#access). */
export class ScrapeAuthorization extends HttpApiMiddleware.Service<ScrapeAuthorization, { provides: Caller }>()(
  "switchyard/api/ScrapeAuthorization",
  { security, error: [Unauthorized, Forbidden, ServiceUnavailable] }
) {}

/** Behind `Authentication`, for calls about users and tokens: requires that the caller may handle them. */
export class HandlingOfCallers extends HttpApiMiddleware.Service<HandlingOfCallers, { requires: Caller }>()(
  "switchyard/api/HandlingOfCallers",
  { error: Forbidden }
) {}

/** A database that is away becomes 503; on every endpoint. */
export class Availability extends HttpApiMiddleware.Service<Availability>()("switchyard/api/Availability", {
  error: ServiceUnavailable
}) {}

// Parameters in paths that more than one group has.

/** The device of a path by its hostname. */
export const hostname = { hostname: Parameter.hostname("Invalid hostname specified") }
