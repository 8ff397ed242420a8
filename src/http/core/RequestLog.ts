/**
 * One log line for each request: caller, request and status (docs/api.md#surroundings). Masked are tokens in the address, values of keys
 * that sound like a secret, secrets in texts, and credentials in URLs. Settings that are only checked are not logged.
 */
import { Clock, Effect } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import { clientOf, recall } from "./Client.ts"
import { maskSecrets } from "../../drivers/SecretMask.ts"
import { maskUrl } from "../../runtime/Logging.ts"
import { Acting, type Identity } from "../../domain/access/Identity.ts"
import { EventStore } from "../../store/EventStore.ts"

/** SSH host keys of devices are not secret: the approver must see them. */
const SECRET_KEY = /pass|secret|token|jwt|(?<!^host_)key|community|credential|config(?!type$)/i
const MASK = "***"
const MAX_BODY = 1000

/** Name and password in a URL. */
const IN_URL = /([a-z][a-z0-9+.-]*:\/\/)[^\s/@]*(?:@[^\s/@]*)*@/gi

const maskValue = (key: string, value: unknown): unknown => {
  if (SECRET_KEY.test(key) && value !== null) return MASK
  return typeof value === "string" ? maskSecrets(value.replaceAll(IN_URL, `$1${MASK}@`)) : value
}

/** The body with secrets masked, for the approver; null if it is not JSON. */
export const maskText = (text: string): unknown => {
  try {
    const body: unknown = JSON.parse(text)
    return JSON.parse(JSON.stringify(body, maskValue))
  } catch {
    return null
  }
}

/** The body as JSON with secrets masked, cut to 1000 characters. */
export const maskBody = (body: Readonly<Record<string, unknown>>): string =>
  JSON.stringify(body, maskValue).slice(0, MAX_BODY)

export const isProbe = (url: string) => url.startsWith("/api/health")
const hidesBody = (url: string) => url.includes("/settings/model")

/** The line of one request. */
const line = (request: HttpServerRequest.HttpServerRequest, status: number): string => {
  const { body, caller } = recall(request)
  const url = request.url
  const sent = body === undefined || hidesBody(url) || Object.keys(body).length === 0 ? "" : `, JSON: ${maskBody(body)}`
  return `User: ${caller ?? "unknown"}, Method: ${request.method}, Status: ${status}, URL: ${maskUrl(url)}${sent}`
}

/** Logs an answer with the client's address; answers to probes at debug level. */
export const logged = (
  request: HttpServerRequest.HttpServerRequest,
  response: HttpServerResponse.HttpServerResponse
) => {
  const text = line(request, response.status)
  const { address } = clientOf(request)
  return Effect.as(
    isProbe(request.url) ? Effect.logDebug(text, { address }) : Effect.logInfo(text, { address }),
    response
  )
}

// Refused tokens and refused calls are noted in the audit (docs/security.md#audit), a limited number for each address, so that refusals
// cannot fill the database. The answer does not wait for it.

/** Noted refusals of one address in a minute, and addresses that are counted. */
const MAX_NOTED = 20
const MAX_ADDRESSES = 1000
const MINUTE = 60_000

type Request = HttpServerRequest.HttpServerRequest

/** The path without the query, which may contain a token, and with tokens in the path masked. */
const pathOf = ({ url }: Request): string => maskUrl(url.split(/[?;]/)[0] ?? "")

/** Notes refusals: of an invalid token, and of a caller without permission. */
export const makeRefusalAudit = Effect.gen(function* () {
  const events = yield* EventStore
  let minute = 0
  const counts = new Map<string, number>()

  const isCounted = (address: string, now: number): boolean => {
    const current = Math.floor(now / MINUTE)
    if (current !== minute) counts.clear()
    minute = current
    const count = (counts.get(address) ?? 0) + 1
    if (count > MAX_NOTED || (count === 1 && counts.size >= MAX_ADDRESSES)) return false
    counts.set(address, count)
    return true
  }

  const note = Effect.fnUntraced(function* (
    request: Request,
    who: Pick<Acting, "name" | "way">,
    kind: "login" | "call",
    reason: string
  ) {
    const { address } = clientOf(request)
    if (!isCounted(address ?? "", yield* Clock.currentTimeMillis)) return
    const { method } = request
    yield* events
      .append({ kind, action: "refused", isAudit: true, data: { method, path: pathOf(request), reason } })
      .pipe(
        Effect.provideService(Acting, { ...who, address, job: null }),
        Effect.catchCause((cause) => Effect.logDebug("A refusal could not be noted", cause)),
        Effect.forkDetach
      )
  })

  return {
    stranger: (request: Request, reason: string) => note(request, { name: "unknown", way: "none" }, "login", reason),
    caller: (request: Request, { name, way }: Identity, reason: string) => note(request, { name, way }, "call", reason)
  }
})
