/** What browsers are told about pages of other origins (docs/security.md#web-pages). */
import type { HttpServerRequest } from "effect/http"
import type { ServerSettings } from "../../ServerConfig.ts"

const EXPOSED =
  "Authorization, Content-Disposition, Content-Type, Cookie, Link, Retry-After, Set-Cookie, X-Matching-Count, X-Total-Count"
const METHODS = "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT"

type Request = HttpServerRequest.HttpServerRequest
type Headers = Readonly<Record<string, string>>

const NONE: Headers = {}

const preflightHeaders = ({ headers, method }: Request): Headers => {
  if (method !== "OPTIONS" || headers["access-control-request-method"] === undefined) return NONE
  const wanted = headers["access-control-request-headers"]
  return {
    "access-control-allow-methods": METHODS,
    ...(wanted === undefined ? {} : { "access-control-allow-headers": wanted })
  }
}

/** A function that yields the headers for a request: any origin without credentials, or those that are allowed with them. */
export const makeCorsHeaders = ({ ALLOWED_ORIGINS }: Pick<ServerSettings, "ALLOWED_ORIGINS">) => {
  const allowed = new Set(ALLOWED_ORIGINS)
  return (request: Request): Headers => {
    const { origin } = request.headers
    if (origin === undefined || !request.url.startsWith("/api/")) return NONE
    if (allowed.size > 0 && !allowed.has(origin)) return { vary: "Origin" }
    return {
      "access-control-allow-origin": origin,
      ...(allowed.size > 0 ? { "access-control-allow-credentials": "true" } : {}),
      "access-control-expose-headers": EXPOSED,
      vary: "Origin",
      ...preflightHeaders(request)
    }
  }
}

/** More are nobody's own pages. */
const MAX_NOTICED = 20

/**
 * A function that yields, once for each origin, what an operator should know: a browser asks for a page of another origin
 * whether it may POST, and does not send it when credentials go with it.
 */
export const makeOriginNotice = ({ ALLOWED_ORIGINS }: Pick<ServerSettings, "ALLOWED_ORIGINS">) => {
  const noticed = new Set<string>()
  return ({ headers, method }: Request): string | undefined => {
    const { "access-control-request-method": wanted, origin } = headers
    if (ALLOWED_ORIGINS.length > 0 || method !== "OPTIONS" || wanted !== "POST" || origin === undefined)
      return undefined
    if (noticed.size >= MAX_NOTICED || noticed.has(origin)) return undefined
    noticed.add(origin)
    return `A page of ${origin.slice(0, 255)} calls. If it sends cookies with its requests, browsers refuse them until ALLOWED_ORIGINS names it`
  }
}
