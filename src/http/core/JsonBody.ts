/**
 * Reads request bodies as the contract wants them (api-rest.md §1.1, §13): an empty body is `{}`, anything but a JSON object
 * is refused, and so is what the database could not keep (NUL characters, halves of surrogate pairs) or what is nested
 * beyond reason. Rules about fields are left to the routes, which collect errors in their own words.
 */
import { ByteSize, Effect } from "effect"
import { HttpIncomingMessage, type HttpServerError, type HttpServerRequest } from "effect/http"
import { BadRequest, PayloadTooLarge, UnsupportedMediaType } from "../../api/Failures.ts"
import { rememberBody } from "./RequestNotes.ts"
import { isObject, isStorable, type JsonObject } from "./Values.ts"

export type { JsonObject }

/** The largest body that is read, in bytes. */
export const MAX_BODY_BYTES = 10 * 1024 * 1024
const MAX_DEPTH = 100
/** Larger bodies are no help in a log. */
const MAX_LOGGED_BYTES = 16 * 1024

const isJsonType = (contentType: string | undefined): boolean => {
  const type = (contentType ?? "application/json").split(";", 1)[0]?.trim().toLowerCase() ?? ""
  return type === "application/json" || (type.startsWith("application/") && type.endsWith("+json"))
}

/** True when every text in the value can be stored and nothing is nested too deep. */
const isAcceptable = (value: unknown, depth = 0): boolean => {
  if (typeof value === "string") return isStorable(value)
  if (typeof value === "number") return Number.isFinite(value)
  if (typeof value !== "object" || value === null) return true
  if (depth >= MAX_DEPTH) return false
  return Array.isArray(value)
    ? value.every((element) => isAcceptable(element, depth + 1))
    : Object.entries(value).every(([key, element]) => isStorable(key) && isAcceptable(element, depth + 1))
}

const decoder = new TextDecoder("utf-8", { fatal: true })
const badRequest = () => new BadRequest({ message: "Bad Request" })

const parse = (bytes: ArrayBuffer) =>
  Effect.try({
    try: (): unknown => {
      const text = decoder.decode(bytes)
      return text.trim() === "" ? {} : JSON.parse(text)
    },
    catch: badRequest
  }).pipe(Effect.filterOrFail((value): value is JsonObject => isObject(value) && isAcceptable(value), badRequest))

const unreadable = ({ reason }: HttpServerError.HttpServerError) =>
  reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge"
    ? new PayloadTooLarge({ message: "Request Entity Too Large" })
    : badRequest()

/**
 * The body as an object. Fails with 400 `Bad Request`, 413, or 415 `Unsupported Media Type`; a body of no bytes has no
 * content type to be wrong.
 */
export const readBody = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
  const bytes = yield* request.arrayBuffer.pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(MAX_BODY_BYTES)),
    Effect.mapError(unreadable)
  )
  if (bytes.byteLength > 0 && !isJsonType(request.headers["content-type"])) {
    return yield* new UnsupportedMediaType({ message: "Unsupported Media Type" })
  }
  const body = yield* parse(bytes)
  if (bytes.byteLength <= MAX_LOGGED_BYTES) rememberBody(request, body)
  return body
})
