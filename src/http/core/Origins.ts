/**
 * Which web pages may call, and with what (docs/security.md#web-pages). A page of another origin is answered without
 * credentials unless ALLOWED_ORIGINS names it; what a cookie guards is done for no page but our own and those. With tokens
 * off nothing but this machine may call: a page that gives its own name our address (DNS rebinding) still sends that name.
 */
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { ServerConfig } from "../../ServerConfig.ts"
import { clientOf } from "./Client.ts"
import { hostOf, isLoopback } from "./Loopback.ts"

type Request = HttpServerRequest.HttpServerRequest

const parse = (origin: string): URL | undefined => {
  try {
    return new URL(origin)
  } catch {
    return undefined
  }
}

/** Whether a page comes from this server, as its client sees it. A proxy may not say that it speaks TLS, so `https` may be. */
const isOwn = (request: Request, origin: string): boolean => {
  const page = parse(origin)
  if (page === undefined) return false
  const { host, scheme } = clientOf(request)
  const own = parse(`${page.protocol}//${host}`)
  return own !== undefined && own.host === page.host && (page.protocol === "https:" || scheme === "http")
}

const trusting =
  (allowed: ReadonlySet<string>) =>
  (request: Request): boolean => {
    const { origin, "sec-fetch-site": site } = request.headers
    if (origin !== undefined) return site === "same-origin" || allowed.has(origin) || isOwn(request, origin)
    return site === undefined || site === "same-origin" || site === "none"
  }

/**
 * A check for requests that a cookie stands for, such as `POST /auth/refresh`: true when no page of another site sends it.
 * Programs send no `Origin`; every browser does with a POST, and `Sec-Fetch-Site` as well.
 */
export const makeIsTrustedOrigin = Effect.map(ServerConfig, ({ ALLOWED_ORIGINS }) => trusting(new Set(ALLOWED_ORIGINS)))

/** The same for what the page of Switchyard alone asks for. */
export const isOwnPage = trusting(new Set())

/** Whether the browser of a request speaks TLS, also where a proxy does not say so. */
export const isOverTls = (request: Request): boolean =>
  clientOf(request).scheme === "https" || request.headers["origin"]?.startsWith("https:") === true

/** Paths that need no token although tokens are on: they stay open to everybody. */
const OPEN = /^\/(?:api\/health|firmware\/|templates\/)/

const refusal = (what: string, name: string): string =>
  `${what} is ${name.slice(0, 255)}, which is not this machine: while JWT_ENABLED is false, only this machine may call, as http://127.0.0.1 or http://localhost. Set JWT_ENABLED=true, or ALLOW_OPEN_API=true if everybody may call`

/** A check for servers without tokens: why a request is refused, or undefined. */
export const makeRefusalOfForeign = Effect.map(ServerConfig, ({ ALLOW_OPEN_API, JWT_ENABLED }) => {
  if (JWT_ENABLED || ALLOW_OPEN_API) return () => undefined
  return (request: Request): string | undefined => {
    if (OPEN.test(request.url)) return undefined
    const { host, origin } = request.headers
    const forwarded = clientOf(request).host
    if (host !== undefined && !isLoopback(hostOf(host))) return refusal("Host", host)
    if (!isLoopback(hostOf(forwarded))) return refusal("X-Forwarded-Host", forwarded)
    if (origin === undefined) return undefined
    const page = parse(origin)
    return page !== undefined && isLoopback(hostOf(page.host)) ? undefined : refusal("Origin", origin)
  }
})
