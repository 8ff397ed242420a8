/** Access from web pages of other origins, with credentials (docs/api.md#surroundings). */
import { Effect } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"

const EXPOSED = "Authorization, Content-Type, Cookie, Link, Set-Cookie, X-Matching-Count, X-Total-Count"
const METHODS = "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT"

const isPreflight = ({ headers, method }: HttpServerRequest.HttpServerRequest): boolean =>
  method === "OPTIONS" && headers["access-control-request-method"] !== undefined

/** Headers for a request from this origin. */
export const corsHeaders = (request: HttpServerRequest.HttpServerRequest): Record<string, string> => {
  const { origin } = request.headers
  if (origin === undefined || !request.url.startsWith("/api/")) return {}
  const wanted = request.headers["access-control-request-headers"]
  return {
    "access-control-allow-origin": origin,
    "access-control-allow-credentials": "true",
    "access-control-expose-headers": EXPOSED,
    vary: "Origin",
    ...(isPreflight(request) ? { "access-control-allow-methods": METHODS } : {}),
    ...(isPreflight(request) && wanted !== undefined ? { "access-control-allow-headers": wanted } : {})
  }
}

/** Adds the headers to an answer, whatever it is. */
export const withCors = (
  request: HttpServerRequest.HttpServerRequest,
  response: HttpServerResponse.HttpServerResponse
) => Effect.succeed(HttpServerResponse.setHeaders(response, corsHeaders(request)))
