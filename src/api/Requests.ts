/**
 * The middleware of endpoints: authentication and authorization of the caller, and bodies and parameters that are read within
 * bounds, decoded with the endpoint's schemas (`domain/fields`) and refused in the words that clients know.
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

/**
 * On every endpoint with a payload; `Authorization` has already checked whether the caller may call it, and this one checks
 * which fields they may write.
 */
export class RequestBody extends HttpApiMiddleware.Service<RequestBody>()("switchyard/api/RequestBody", {
  error: [BadRequest, Forbidden, RequestTimeout, PayloadTooLarge, UnsupportedMediaType, ServiceUnavailable]
}) {}

/** On endpoints without a payload whose path or query has rules. */
export class RequestParameters extends HttpApiMiddleware.Service<RequestParameters>()(
  "switchyard/api/RequestParameters",
  { error: BadRequest }
) {}

// The caller: the middleware that checks the token (docs/api.md#tokens) and the identity that it finds.

/** The caller; `admin` when tokens are off. */
export class Caller extends Context.Service<Caller, Identity>()("switchyard/api/Caller") {}

const security = { bearer: HttpApiSecurity.bearer }

/** Requires a valid token when tokens are on; for calls that every caller may make. */
export class Authentication extends HttpApiMiddleware.Service<Authentication, { provides: Caller }>()(
  "switchyard/api/Authentication",
  { security, error: [Unauthorized, ServiceUnavailable] }
) {}

/** Requires a valid token when tokens are on, and a role that allows the call when roles exist. */
export class Authorization extends HttpApiMiddleware.Service<Authorization, { provides: Caller }>()(
  "switchyard/api/Authorization",
  { security, error: [Unauthorized, Forbidden, ServiceUnavailable] }
) {}

/** Like `Authorization`, but open without a token for the addresses of METRICS_NETWORKS (docs/monitoring.md#access). */
export class ScrapeAuthorization extends HttpApiMiddleware.Service<ScrapeAuthorization, { provides: Caller }>()(
  "switchyard/api/ScrapeAuthorization",
  { security, error: [Unauthorized, Forbidden, ServiceUnavailable] }
) {}

/** After `Authentication`, for calls about users and tokens: requires that the caller may handle them. */
export class HandlingOfCallers extends HttpApiMiddleware.Service<HandlingOfCallers, { requires: Caller }>()(
  "switchyard/api/HandlingOfCallers",
  { error: Forbidden }
) {}

/** Answers 503 while the database is unreachable; on every endpoint. */
export class Availability extends HttpApiMiddleware.Service<Availability>()("switchyard/api/Availability", {
  error: ServiceUnavailable
}) {}

// Parameters in paths that more than one group has.

/** The device of a path by its hostname. */
export const hostname = { hostname: Parameter.hostname("Invalid hostname specified") }
