/**
 * What stands before endpoints that take a body or parameters with rules: the body is read within bounds, both are decoded with
 * the endpoint's schemas (`domain/fields`), and what breaks a rule is refused in the words that clients know.
 */
import { HttpApiMiddleware } from "effect/http-api"
import {
  BadRequest,
  Forbidden,
  PayloadTooLarge,
  RequestTimeout,
  ServiceUnavailable,
  UnsupportedMediaType
} from "./Failures.ts"

/** On every endpoint with a payload; `Authorization` has asked before whether the caller may call it, and here which fields they may write. */
export class RequestBody extends HttpApiMiddleware.Service<RequestBody>()("switchyard/api/RequestBody", {
  error: [BadRequest, Forbidden, RequestTimeout, PayloadTooLarge, UnsupportedMediaType, ServiceUnavailable]
}) {}

/** On endpoints without a payload whose path or query has rules. */
export class RequestParameters extends HttpApiMiddleware.Service<RequestParameters>()(
  "switchyard/api/RequestParameters",
  { error: BadRequest }
) {}
