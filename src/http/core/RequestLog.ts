/**
 * One log line per request: who, what, and how it was answered (docs/api.md#surroundings). Tokens in the query are masked, and
 * so is every value in a body whose key sounds like a secret; settings that are only checked are not logged at all.
 */
import { Effect } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import { recall } from "./RequestNotes.ts"

const SECRET_KEY = /pass|secret|token|jwt|key|community|credential|config/i
const SECRET_NAMES: ReadonlySet<string> = new Set(["jwt", "token", "access_token", "code", "id_token", "refresh_token"])
const MASK = "***"
const MAX_BODY = 1000
const MAX_URL = 500

/** A parameter's name however it is spelt: `%6Awt`, `JWT`, `jwt[]`. What cannot be decoded is no name of ours, and masked. */
const isSecretName = (spelt: string): boolean => {
  try {
    const name = decodeURIComponent(decodeURIComponent(spelt.replaceAll("+", " ")))
    return SECRET_NAMES.has(name.replace(/\[.*$/s, "").trim().toLowerCase())
  } catch {
    return true
  }
}

const maskParameter = (whole: string, before: string, name: string): string =>
  isSecretName(name) ? `${before}${name}=${MASK}` : whole

/** The URL with the values of token parameters masked, whatever separates them, cut to 500 characters. */
export const maskUrl = (url: string): string =>
  url.replaceAll(/([?&;#])([^=&;?#]*)=([^&;#]*)/g, maskParameter).slice(0, MAX_URL)

/** The body as JSON with secrets masked, cut to 1000 characters. */
export const maskBody = (body: Readonly<Record<string, unknown>>): string =>
  JSON.stringify(body, (key, value: unknown) =>
    SECRET_KEY.test(key) && key !== "" && value !== null ? MASK : value
  ).slice(0, MAX_BODY)

const isProbe = (url: string) => url.startsWith("/api/health")
const hidesBody = (url: string) => url.includes("/settings/model")

/** The line of one request. */
export const line = (request: HttpServerRequest.HttpServerRequest, status: number): string => {
  const { body, caller } = recall(request)
  const url = request.url
  const sent = body === undefined || hidesBody(url) || Object.keys(body).length === 0 ? "" : `, JSON: ${maskBody(body)}`
  return `User: ${caller ?? "unknown"}, Method: ${request.method}, Status: ${status}, URL: ${maskUrl(url)}${sent}`
}

/** Logs an answer on its way out; those to probes only in detail. */
export const logged = (
  request: HttpServerRequest.HttpServerRequest,
  response: HttpServerResponse.HttpServerResponse
) => {
  const text = line(request, response.status)
  return Effect.as(isProbe(request.url) ? Effect.logDebug(text) : Effect.logInfo(text), response)
}
