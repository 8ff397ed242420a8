/** What requests cost in points of RATE_LIMIT, by what they take of the server (docs/security.md#limits). */
import type { HttpServerRequest } from "effect/http"

/** Probes, and questions of browsers what they may ask: refused to nobody. */
const FREE = /^\/api\/health/

/** By method and path: they log in to a device, render templates, fetch a repository, make keys, read the whole audit, look at a password or ask the identity provider. */
const EXPENSIVE: ReadonlyArray<readonly [methods: RegExp, path: RegExp]> = [
  [
    /^(?:GET|POST)$/,
    /\/(?:generate_config|config_diff|config_blame|variables|render|running_config|interface_status|optics|apply_config|auth\/auth|auth\/refresh|auth\/session|audit\/chain)(?:[?;]|$)/
  ],
  [/^(?:PUT|POST)$/, /\/(?:repository\/|settings\/model|certificate_authority|auth(?:[?;]|$))/]
]

const COST = { free: 0, read: 1, write: 10, expensive: 50 } as const

/** What no request exceeds. */
export const MAX_COST = COST.expensive

/** The points of a request; 0 for one that no limit is for. */
export const costOf = ({ method, url }: Pick<HttpServerRequest.HttpServerRequest, "method" | "url">): number => {
  if (method === "OPTIONS" || FREE.test(url)) return COST.free
  if (EXPENSIVE.some(([methods, path]) => methods.test(method) && path.test(url))) return COST.expensive
  return method === "GET" || method === "HEAD" ? COST.read : COST.write
}
