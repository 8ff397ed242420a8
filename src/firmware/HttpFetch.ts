/**
 * One HTTP request whose answer is read as a stream: with or without a check of the certificate, following a few redirects,
 * each to a host that may be fetched from. Used for images and for an external image server.
 */
import { Effect, type Scope } from "effect"
import * as http from "node:http"
import * as https from "node:https"
import { type FirmwareError, FirmwareRefused, FirmwareUnreachable } from "./FirmwareErrors.ts"
import { lookup } from "../runtime/NameLookup.ts"
import { ownFault } from "../runtime/SystemErrors.ts"
import { isLocalLiteral, LocalAddressRefused, lookupForeign } from "./ForeignHosts.ts"

const REDIRECTS = 5

/** What to ask. `allowLocal` permits hosts of this machine; `idleSeconds` is the longest silence. */
export interface FetchOptions {
  readonly method?: "GET" | "POST" | "DELETE"
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly verifyTls: boolean
  readonly allowLocal: boolean
  readonly idleSeconds: number
}

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error))
const unreachable = (error: unknown) => new FirmwareUnreachable({ message: reason(error) })
const refused = (message: string) => new FirmwareRefused({ message: `Could not download firmware: ${message}` })

/** A certificate that is not accepted now will not be accepted in a moment. */
const isCertificateError = (error: Error): boolean =>
  "code" in error && typeof error.code === "string" && /CERT|VERIFY_LEAF/.test(error.code)

const failure = (error: Error): FirmwareError =>
  error instanceof LocalAddressRefused || isCertificateError(error) ? refused(error.message) : unreachable(error)

const once = (url: URL, options: FetchOptions) =>
  Effect.callback<http.IncomingMessage, FirmwareError>((resume) => {
    if (!options.allowLocal && isLocalLiteral(url)) {
      return resume(Effect.fail(failure(new LocalAddressRefused(url.hostname))))
    }
    const request = (url.protocol === "https:" ? https : http).request(url, {
      method: options.method ?? "GET",
      headers: { ...options.headers },
      timeout: options.idleSeconds * 1000,
      agent: false,
      rejectUnauthorized: options.verifyTls,
      lookup: options.allowLocal ? lookup : lookupForeign
    })
    request.on("response", (response) => resume(Effect.succeed(response)))
    request.on("timeout", () => request.destroy(new Error(`no answer in ${options.idleSeconds} s`)))
    request.on("error", (error) => {
      // a name server that is silent says nothing about the image server: the job waits (`JobExecution.ts`)
      const fault = ownFault(error, "connection", `${url.host} is not asked`)
      resume(fault === undefined ? Effect.fail(failure(error)) : Effect.die(fault))
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
 * The answer, its body still to be read; the connection ends with the scope. `url` must be an HTTP URL. Fails with
 * FirmwareUnreachable, or with FirmwareRefused for a host that may not be fetched from, a certificate that is not good or a
 * redirect that is not followed. Only a GET follows redirects.
 */
export const open = Effect.fn("HttpFetch.open")(function* (
  url: string,
  options: FetchOptions
): Effect.fn.Return<http.IncomingMessage, FirmwareError, Scope.Scope> {
  let next = yield* Effect.try({ try: () => new URL(url), catch: unreachable })
  for (let hops = 0; hops <= REDIRECTS; hops++) {
    const response = yield* Effect.acquireRelease(
      once(next, options),
      (opened) => Effect.sync(() => opened.destroy()),
      {
        interruptible: true
      }
    )
    if (!isRedirect(response.statusCode) || (options.method ?? "GET") !== "GET") return response
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
