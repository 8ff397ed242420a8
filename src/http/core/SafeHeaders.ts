/**
 * Headers that keep browsers from doing more with an answer than it is for (docs/security.md#headers): answers of the API are
 * data, so no page may be made of them, shown in a frame, or kept.
 */
import type { HttpServerRequest, HttpServerResponse } from "effect/http"

const EVERYWHERE = {
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer"
} as const

const DATA = { ...EVERYWHERE, "cache-control": "no-store" } as const

/** A year. */
const HSTS = { "strict-transport-security": "max-age=31536000" } as const

/** The headers that this answer has beside its own; what it says itself counts. */
export const safeHeaders = (
  { url }: HttpServerRequest.HttpServerRequest,
  { headers, status }: HttpServerResponse.HttpServerResponse,
  isEncrypted: boolean
): Readonly<Record<string, string>> => {
  // images do not change under their name, and proxies near the switches may keep them
  const isImage = url.startsWith("/firmware/") && status < 400
  return { ...(isImage ? EVERYWHERE : DATA), ...(isEncrypted ? HSTS : {}), ...headers }
}

/** Those of answers that are written by others. */
export const safeHeadersOfData: Readonly<Record<string, string>> = DATA

/** The same as lines, for what is answered without a response. */
export const safeLines: string = Object.entries(DATA)
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join("")
