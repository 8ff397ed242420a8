/**
 * HTTP requests to other systems, all bounded. `open` reads the answer as a stream: with or without a check of the certificate, following a
 * few redirects, each to an allowed host (`OutboundHosts.ts`); for images, an external image server, and receivers of alerts. `bounded` is
 * a `fetch` for short answers, also for libraries that accept one; for the identity provider and `switchyard doctor`.
 */
import { Effect, Schema, type Scope } from "effect"
import * as http from "node:http"
import * as https from "node:https"
import { askedFirst, lookup } from "./NameLookup.ts"
import { codeOf, type OwnFault, ownFault } from "./SystemErrors.ts"
import { HostRefused, type OutboundGuard } from "./OutboundHosts.ts"

/** The request can never work: the host is forbidden, its certificate is invalid, or it redirects to a place that cannot be followed. */
class OutboundRefused extends Schema.TaggedError<OutboundRefused>()("OutboundRefused", {
  message: Schema.String,
  /** The host itself is not allowed. */
  isHost: Schema.Boolean
}) {}

/** No answer came; trying again may help. */
class OutboundAway extends Schema.TaggedError<OutboundAway>()("OutboundAway", {
  message: Schema.String,
  /** The system's code, such as `ECONNREFUSED`. */
  code: Schema.NullOr(Schema.String)
}) {}

/** `OwnFault`: a fault of this server's machine, which says nothing about the host. */
export type OutboundError = OutboundRefused | OutboundAway | OwnFault

const REDIRECTS = 5

/**
 * The request. `guard` is null for hosts that the server's own settings name; `idleSeconds` is the longest silence; `redirects` is how many
 * are followed, and with 0 the redirect is the answer.
 */
interface FetchOptions {
  readonly redirects?: number
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly verifyTls: boolean
  readonly guard: OutboundGuard | null
  readonly idleSeconds: number
}

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error))
const unreachable = (error: unknown) => new OutboundAway({ message: reason(error), code: codeOf(error) ?? null })
const refused = (message: string, isHost = false) => new OutboundRefused({ message, isHost })

/** A certificate that is refused now will be refused again in a moment. */
const isCertificateError = (error: Error): boolean =>
  "code" in error && typeof error.code === "string" && /CERT|VERIFY_LEAF/.test(error.code)

const failure = (error: Error): OutboundError => {
  if (error instanceof HostRefused) return refused(error.message, true)
  return isCertificateError(error) ? refused(error.message) : unreachable(error)
}

const once = (url: URL, options: FetchOptions) =>
  Effect.callback<http.IncomingMessage, OutboundError>((resume) => {
    const refusal = options.guard?.refusalOf(url.hostname)
    if (refusal !== undefined) return resume(Effect.fail(refused(refusal, true)))
    const request = (url.protocol === "https:" ? https : http).request(url, {
      method: options.method ?? "GET",
      headers: { ...options.headers },
      timeout: options.idleSeconds * 1000,
      agent: false,
      rejectUnauthorized: options.verifyTls,
      lookup: options.guard === null ? lookup : options.guard.lookup
    })
    request.on("response", (response) => resume(Effect.succeed(response)))
    request.on("timeout", () => request.destroy(new Error(`no answer in ${options.idleSeconds} s`)))
    request.on("error", (error) => {
      const fault = ownFault(error, "connection", `${url.host} is not asked`)
      resume(Effect.fail(fault ?? failure(error)))
    })
    request.end(options.body)
    return Effect.sync(() => request.destroy())
  })

const isRedirect = (status: number | undefined) =>
  status === 301 || status === 302 || status === 303 || status === 307 || status === 308

const target = (location: string | undefined, from: URL) => {
  if (location === undefined || !URL.canParse(location, from.href)) return undefined
  const url = new URL(location, from)
  const isDowngrade = from.protocol === "https:" && url.protocol !== "https:"
  return /^https?:$/.test(url.protocol) && !isDowngrade ? url : undefined
}

/**
 * The answer, with a body that is not read yet; the connection ends with the scope. `url` must be an HTTP URL. Fails with OutboundAway, or
 * with OutboundRefused for a host that is not allowed, a certificate that is not valid or a redirect that is not followed. Only a GET
 * follows redirects.
 */
export const open = Effect.fn("OutboundFetch.open")(function* (
  url: string,
  options: FetchOptions
): Effect.fn.Return<http.IncomingMessage, OutboundError, Scope.Scope> {
  let next = yield* Effect.try({ try: () => new URL(url), catch: unreachable })
  const { redirects = REDIRECTS } = options
  for (let hops = 0; hops <= redirects; hops++) {
    const response = yield* Effect.acquireRelease(
      once(next, options),
      (opened) => Effect.sync(() => opened.destroy()),
      {
        interruptible: true
      }
    )
    if (redirects === 0 || !isRedirect(response.statusCode) || (options.method ?? "GET") !== "GET") return response
    const to = target(response.headers.location, next)
    if (to === undefined) return yield* refused("the server redirects to a place that cannot be followed")
    next = to
  }
  return yield* refused("the server redirects too often")
})

/** The body as text, at most `limit` bytes. */
export const textOf = (response: http.IncomingMessage, limit: number) =>
  Effect.tryPromise({
    try: async () => {
      const chunks: Array<Buffer> = []
      let size = 0
      for await (const chunk of response) {
        if (!Buffer.isBuffer(chunk)) continue
        size += chunk.length
        if (size > limit) throw new Error("the answer is too long")
        chunks.push(chunk)
      }
      return Buffer.concat(chunks).toString("utf8")
    },
    catch: unreachable
  })

/** The bounds of one call of `bounded`. */
export interface FetchBounds {
  /** For the request and its answer, unless the caller gives a signal. */
  readonly seconds: number
  /** The largest answer. */
  readonly bytes: number
}

/** The answer is larger than its bound. */
export class AnswerTooLarge extends Error {}

const boundedBody = async (response: Response, limit: number): Promise<Uint8Array<ArrayBuffer> | null> => {
  if (response.body === null) return null
  const chunks: Array<Uint8Array> = []
  let size = 0
  for await (const chunk of response.body) {
    size += chunk.length
    if (size > limit) throw new AnswerTooLarge("the answer is too large")
    chunks.push(chunk)
  }
  return size === 0 ? null : new Uint8Array(Buffer.concat(chunks))
}

/** `fetch` within bounds; redirects are not followed. Rejects as `fetch` does, and with AnswerTooLarge. */
export const bounded =
  ({ bytes, seconds }: FetchBounds) =>
  async (url: string, { body, headers, method, signal }: RequestInit = {}): Promise<Response> => {
    await askedFirst(url)
    const response = await fetch(url, {
      ...(method === undefined ? {} : { method }),
      ...(headers === undefined ? {} : { headers }),
      ...(body === undefined || body === null ? {} : { body }),
      redirect: "manual",
      signal: signal ?? AbortSignal.timeout(seconds * 1000)
    })
    const { headers: received, status, statusText } = response
    return new Response(await boundedBody(response, bytes), { status, statusText, headers: received })
  }
