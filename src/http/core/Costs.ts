/** What requests cost in points of RATE_LIMIT, by what they take of the server (docs/security.md#limits). */
import type { HttpServerRequest } from "effect/http"

/** Probes, and questions of browsers what they may ask: refused to nobody. */
const FREE = /^\/api\/health/
/** They log in to a device, render templates, fetch a repository, make keys or look at a password. */
const EXPENSIVE =
  /\/(?:generate_config|running_config|interface_status|apply_config|settings\/model|certificate_authority|auth)(?:[/?;]|$)|\/repository\//

const COST = { free: 0, read: 1, write: 10, expensive: 50 } as const

/** The points of a request; 0 for one that no limit is for. */
export const costOf = ({ method, url }: Pick<HttpServerRequest.HttpServerRequest, "method" | "url">): number => {
  if (method === "OPTIONS" || FREE.test(url)) return COST.free
  if (EXPENSIVE.test(url) && !(method === "GET" && url.includes("/settings/model"))) return COST.expensive
  return method === "GET" || method === "HEAD" ? COST.read : COST.write
}

/** What no request exceeds. */
export const MAX_COST = COST.expensive
