/**
 * Reads request bodies by the rules of all routes (docs/api.md#requests and docs/api.md#errors): an empty body is `{}`,
 * anything but a JSON object is refused. How much is read is bounded for each body, for all together (`BodyMemory.ts`) and in
 * time. Rules about fields are those of the endpoints' schemas.
 */
import { Duration, Effect, Stream } from "effect"
import type { HttpServerRequest } from "effect/http"
import { BadRequest, PayloadTooLarge, RequestTimeout, UnsupportedMediaType } from "../../api/Answers.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { BodyMemory, type BodyShare, type Sender } from "./BodyMemory.ts"
import { maskSecrets } from "../../drivers/SecretMask.ts"
import { jsonOf, parseJsonObject } from "./JsonText.ts"
import { rememberBody, rememberText } from "./RequestNotes.ts"

/** The largest body that is read, in bytes. */
export const MAX_BODY_BYTES = 10 * 1024 * 1024
/** Larger bodies are no help in a log. */
const MAX_LOGGED_BYTES = 16 * 1024

const isJsonType = (contentType: string | undefined): boolean => {
  const type = (contentType ?? "application/json").split(";", 1)[0]?.trim().toLowerCase() ?? ""
  return type === "application/json" || (type.startsWith("application/") && type.endsWith("+json"))
}

const badRequest = () => new BadRequest({ message: "Bad Request" })

/** Who sends the body, how large it may be, and what is said when it is larger. */
interface Reading {
  readonly sender: Sender
  readonly maxBytes: number
  readonly tooLarge?: string
}

const bytesOf = (
  request: HttpServerRequest.HttpServerRequest,
  share: BodyShare,
  { maxBytes, tooLarge = "Request Entity Too Large" }: Reading
) =>
  Effect.gen(function* () {
    const refusal = new PayloadTooLarge({ message: tooLarge })
    if (Number(request.headers["content-length"] ?? 0) > maxBytes) return yield* refusal
    const parts: Array<Uint8Array> = []
    let size = 0
    yield* Stream.runForEach(Stream.mapError(request.stream, badRequest), (part) => {
      size += part.length
      if (size > maxBytes) return Effect.fail(refusal)
      parts.push(part)
      return share.grow(part.length)
    })
    yield* share.arrived
    return Buffer.concat(parts)
  }).pipe(Effect.raceFirst(share.refused))

const decode = (bytes: Uint8Array) =>
  Effect.try({ try: () => new TextDecoder("utf-8", { fatal: true }).decode(bytes), catch: badRequest })

/** Reads bodies. A reading fails with 408 for a body that does not come, 413, 415 for a compressed one, or 503 when bodies take too much memory. */
const makeReadShare = Effect.gen(function* () {
  const { BODY_TIMEOUT } = yield* ServerConfig
  const memory = yield* BodyMemory
  return Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, reading: Reading) {
    const coding = request.headers["content-encoding"]?.trim().toLowerCase() ?? "identity"
    if (coding !== "identity") {
      const message = "Content-Encoding must be identity: send the body without compression"
      return yield* new UnsupportedMediaType({ message })
    }
    const share = yield* memory.share(reading.sender)
    const bytes = yield* bytesOf(request, share, reading).pipe(
      Effect.timeoutOrElse({
        duration: Duration.seconds(BODY_TIMEOUT),
        orElse: () => new RequestTimeout({ message: `The request was not sent within ${BODY_TIMEOUT} seconds` })
      })
    )
    return { bytes, share }
  })
})

/** Reads bodies of forms, whose content type is the caller's matter. */
export const makeReadBytes = Effect.map(
  makeReadShare,
  (read) => (request: HttpServerRequest.HttpServerRequest, reading: Reading) =>
    Effect.scoped(Effect.map(read(request, reading), ({ bytes }) => bytes))
)

/**
 * Reads bodies as text. Fails as a reading does, with 400 `Bad Request`, and with 415 `Unsupported Media Type` (a body of no bytes has no
 * content type to be wrong).
 */
export const makeReadText = Effect.map(makeReadShare, (read) =>
  Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, reading: Reading) {
    const { bytes, share } = yield* read(request, reading)
    if (bytes.byteLength > 0 && !isJsonType(request.headers["content-type"])) {
      return yield* new UnsupportedMediaType({ message: "Unsupported Media Type" })
    }
    return { text: yield* decode(bytes), size: bytes.byteLength, share }
  })
)

/** Keys of a body, but not of what is in it, whose texts are for people and for no device. */
const REMARK = /"(?:comment|ticket_ref|description|reason|abort_reason)"\s*:/
const REMARKS = ["comment", "ticket_ref", "description", "reason", "abort_reason"]

/** The body with asterisks in the place of each secret in its remarks: they go to everybody, so none is kept in them. */
const withoutSecretRemarks = (text: string): string => {
  if (!REMARK.test(text) || maskSecrets(text) === text) return text
  const body = parseJsonObject(text)
  if (body === undefined) return text
  const masked = REMARKS.flatMap((key) => {
    const remark = Object.hasOwn(body, key) ? body[key] : undefined
    const shown = typeof remark === "string" ? maskSecrets(remark) : remark
    return shown === remark ? [] : [[key, shown] as const]
  })
  return masked.length === 0 ? text : JSON.stringify({ ...body, ...Object.fromEntries(masked) })
}

/** Reads the body of a caller with a token as text of JSON, and notes a small one for the log. Fails as a reading does. */
export const makeReadJson = Effect.map(makeReadText, (readText) =>
  Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
    const { size, text } = yield* readText(request, { sender: "caller", maxBytes: MAX_BODY_BYTES })
    const taken = withoutSecretRemarks(text)
    const body = size <= MAX_LOGGED_BYTES ? parseJsonObject(taken) : undefined
    if (body !== undefined) rememberBody(request, body)
    rememberText(request, taken)
    return jsonOf(taken)
  })
)
