/** Says when to come again in every answer that asks for it: 503, 429 and 408. */
import { HttpServerResponse } from "effect/http"

const STATUSES: ReadonlySet<number> = new Set([408, 429, 503])
const SECONDS = "5"

/** Adds `Retry-After` where it is missing. */
export const withRetryAfter = (
  response: HttpServerResponse.HttpServerResponse
): HttpServerResponse.HttpServerResponse =>
  STATUSES.has(response.status) && response.headers["retry-after"] === undefined
    ? HttpServerResponse.setHeader(response, "retry-after", SECONDS)
    : response
