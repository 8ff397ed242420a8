/**
 * Reads bodies and refuses what breaks a rule, before any handler sees a request (docs/api.md#requests and docs/api.md#errors): an empty body is
 * `{}`, anything but a JSON object is refused. The framework decodes with the endpoint's schemas, but only a body that was read within bounds
 * and whose texts may travel (`domain/Text.ts`).
 */
import { Context, Deferred, Duration, Effect, Layer, type Scope, Stream } from "effect"
import { Headers, HttpRouter, HttpServerRequest } from "effect/http"
import { type HttpApiEndpoint, HttpApiError } from "effect/http-api"
import { CallerDevices } from "../../access/CallerDevices.ts"
import { Permit, permittedFields } from "../../access/Permit.ts"
import { BASE } from "../../api/Api.ts"
import { RequestBody, RequestParameters } from "../../api/Requests.ts"
import { isForSomeDevices } from "../../domain/access/PermissionRule.ts"
import { type CheckedBody, missingParameter, refusalOf } from "../../domain/fields/Body.ts"
import type { JsonObject } from "../../domain/fields/Values.ts"
import { faultsOfBody, fieldsOfBody, jsonOf, parseJsonObject, unacceptableField } from "./JsonText.ts"
import { refuseOrDie } from "./HandlerErrors.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { maskSecrets } from "../../drivers/SecretMask.ts"
import { rememberBody, rememberText } from "./Client.ts"
import { knownBody } from "./UnknownNames.ts"
import {
  BadRequest,
  Forbidden,
  PayloadTooLarge,
  RequestTimeout,
  ServiceUnavailable,
  UnsupportedMediaType
} from "../../api/Answers.ts"
import { subjectOf } from "../../domain/access/CallSubjects.ts"

// The memory of all request bodies together. A body takes its share while it arrives and returns it when its request has been answered.
// When the memory is full, the largest body that is still arriving is refused, so that large bodies do not block small ones. Callers
// without a token have a part of their own.

/** The sender of a body: a caller with a token, or any client. */
export type Sender = "caller" | "anybody"

/** One body's share of the memory. */
interface BodyShare {
  /** Takes more bytes; fails if none are left and no larger body is arriving. */
  readonly grow: (bytes: number) => Effect.Effect<void, ServiceUnavailable>
  /** Fails when the body must make room for smaller ones. */
  readonly refused: Effect.Effect<never, ServiceUnavailable>
  /** The whole body has arrived and is not refused any more. */
  readonly arrived: Effect.Effect<void>
}

/** The part of the memory for senders without a token. */
const ANYBODYS_PART = 1 / 8

const refusal = () => new ServiceUnavailable({ message: "Too many large requests are being sent, try again later" })

interface Allocation {
  bytes: number
  readonly mustGo: Deferred.Deferred<never, ServiceUnavailable>
}

const makePart = (limit: number) => {
  const arriving = new Set<Allocation>()
  let total = 0

  const release = (allocation: Allocation): void => {
    arriving.delete(allocation)
    total -= allocation.bytes
    allocation.bytes = 0
  }

  const largestBut = (own: Allocation): Allocation | undefined =>
    [...arriving].reduce<Allocation | undefined>(
      (best, allocation) => (allocation !== own && allocation.bytes > (best?.bytes ?? 0) ? allocation : best),
      undefined
    )

  const grow = Effect.fnUntraced(function* (own: Allocation, bytes: number) {
    const hasRoom = () => total + bytes <= limit
    while (!hasRoom()) {
      const largest = largestBut(own)
      if (largest === undefined || largest.bytes < own.bytes + bytes) {
        release(own)
        return yield* refusal()
      }
      release(largest)
      yield* Deferred.fail(largest.mustGo, refusal())
    }
    own.bytes += bytes
    total += bytes
  })

  const share: Effect.Effect<BodyShare, never, Scope.Scope> = Effect.gen(function* () {
    const allocation: Allocation = { bytes: 0, mustGo: yield* Deferred.make<never, ServiceUnavailable>() }
    arriving.add(allocation)
    yield* Effect.addFinalizer(() => Effect.sync(() => release(allocation)))
    return {
      grow: (bytes) => grow(allocation, bytes),
      refused: Deferred.await(allocation.mustGo),
      arrived: Effect.sync(() => void arriving.delete(allocation))
    }
  })
  return share
}

// Reading is bounded in size for each body, for all together, and in time.

/** The largest body that is read, in bytes. */
export const MAX_BODY_BYTES = 10 * 1024 * 1024
/** Larger bodies are not logged. */
const MAX_LOGGED_BYTES = 16 * 1024

const isJsonType = (contentType: string | undefined): boolean => {
  const type = (contentType ?? "application/json").split(";", 1)[0]?.trim().toLowerCase() ?? ""
  return type === "application/json" || (type.startsWith("application/") && type.endsWith("+json"))
}

const badRequest = () => new BadRequest({ message: "Bad Request" })

/** The sender, the largest size, and the sentence for a larger body. */
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

/** Top-level keys whose texts are for users and not for devices. */
const REMARK = /"(?:comment|ticket_ref|description|reason|abort_reason)"\s*:/
const REMARKS = ["comment", "ticket_ref", "description", "reason", "abort_reason"]

/** The body with secrets in its remarks masked, because every user may read remarks. */
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

const make = Effect.map(ServerConfig, ({ BODY_MEMORY, BODY_TIMEOUT }) => {
  const parts = {
    caller: makePart(BODY_MEMORY * (1 - ANYBODYS_PART)),
    anybody: makePart(BODY_MEMORY * ANYBODYS_PART)
  }

  const read = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, reading: Reading) {
    const coding = request.headers["content-encoding"]?.trim().toLowerCase() ?? "identity"
    if (coding !== "identity") {
      const message = "Content-Encoding must be identity: send the body without compression"
      return yield* new UnsupportedMediaType({ message })
    }
    const share = yield* parts[reading.sender]
    const bytes = yield* bytesOf(request, share, reading).pipe(
      Effect.timeoutOrElse({
        duration: Duration.seconds(BODY_TIMEOUT),
        orElse: () => new RequestTimeout({ message: `The request was not sent within ${BODY_TIMEOUT} seconds` })
      })
    )
    return { bytes, share }
  })

  const readText = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, reading: Reading) {
    const { bytes, share } = yield* read(request, reading)
    if (bytes.byteLength > 0 && !isJsonType(request.headers["content-type"])) {
      return yield* new UnsupportedMediaType({ message: "Unsupported Media Type" })
    }
    return { text: yield* decode(bytes), size: bytes.byteLength, share }
  })

  const readJson = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
    const { size, text } = yield* readText(request, { sender: "caller", maxBytes: MAX_BODY_BYTES })
    const taken = withoutSecretRemarks(text)
    const body = size <= MAX_LOGGED_BYTES ? parseJsonObject(taken) : undefined
    if (body !== undefined) rememberBody(request, body)
    rememberText(request, taken)
    return jsonOf(taken)
  })

  return RequestBodies.of({
    bytes: (request, reading) => Effect.scoped(Effect.map(read(request, reading), ({ bytes }) => bytes)),
    text: readText,
    json: readJson
  })
})

type ReadingRefused = BadRequest | PayloadTooLarge | RequestTimeout | ServiceUnavailable | UnsupportedMediaType

/**
 * Reads bodies. A reading fails with 408 for a body that does not arrive, 413, 415 for a compressed one, and 503 when bodies take too much
 * memory. `text` and `json` also fail with 400 `Bad Request` for bytes that are no UTF-8, and with 415 `Unsupported Media Type` (an empty
 * body needs no content type).
 */
export class RequestBodies extends Context.Service<
  RequestBodies,
  {
    /** The body of a form, whose content type the caller checks. */
    readonly bytes: (
      request: HttpServerRequest.HttpServerRequest,
      reading: Reading
    ) => Effect.Effect<Uint8Array, ReadingRefused>
    /** The body as text; its memory is given back when the scope closes. */
    readonly text: (
      request: HttpServerRequest.HttpServerRequest,
      reading: Reading
    ) => Effect.Effect<
      { readonly text: string; readonly size: number; readonly share: BodyShare },
      ReadingRefused,
      Scope.Scope
    >
    /** The body of a caller with a token as text of JSON; a small one is noted for the log. */
    readonly json: (request: HttpServerRequest.HttpServerRequest) => Effect.Effect<string, ReadingRefused, Scope.Scope>
  }
>()("switchyard/http/core/RequestBodies") {
  static readonly layer = Layer.effect(RequestBodies, make)
}

// Refusals of a body that its handler checks further (`domain/fields/Body.ts`).

/** 400 with a list of sentences. */
export const refuse = (...message: ReadonlyArray<string>) => new BadRequest({ message })

/** The body; fails with 400 and all sentences against it. */
export const complete = <A>(checked: CheckedBody<A>): Effect.Effect<A, BadRequest> =>
  Effect.mapError(Effect.fromResult(checked.complete), (message) => new BadRequest({ message }))

/** The parts of a request that come from the client. */
const FROM_CLIENT: ReadonlySet<string> = new Set(["Params", "Query", "Payload"])

/** A request whose body is this text of JSON, whatever its content type was. */
const withText = (request: HttpServerRequest.HttpServerRequest, text: string) =>
  Object.defineProperty(
    request.modify({ headers: Headers.set(request.headers, "content-type", "application/json") }),
    "text",
    { value: Effect.succeed(text) }
  )

/** A decoding error becomes the answer: the sentences of the broken rules, else those of the framework. */
const refused = <A, E, R>(effect: Effect.Effect<A, E, R>, body = "{}"): Effect.Effect<A, E | BadRequest, R> =>
  Effect.catch(effect, (error): Effect.Effect<never, E | BadRequest> => {
    if (!HttpApiError.HttpApiSchemaError.is(error) || !FROM_CLIENT.has(error.kind)) return Effect.fail(error)
    const { issue } = error.cause
    const missing = error.kind === "Payload" ? undefined : missingParameter(issue)
    const said = refusalOf(issue) ?? (missing === undefined ? unacceptableField(body) : `${missing} must be given`)
    return Effect.fail(new BadRequest({ message: said ?? "Bad Request" }))
  })

const texts = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  return Array.isArray(value) ? value.flatMap(texts) : []
}

/** The devices that a body names, if the endpoint is about them. */
const namedIn = ({ method, path }: HttpApiEndpoint.Top, fields: JsonObject): ReadonlyArray<string> =>
  subjectOf(method, path.slice(BASE.length)) === "asked"
    ? ["hostname", "hostnames", "mlag_peer_hostname"].flatMap((key) => texts(fields[key]))
    : []

/**
 * Checks that the caller may write these fields and work on the devices that they name, before any other rule. Yields the permit for the
 * rest. A caller of some devices gets the same answer for others as for unknown ones.
 */
const makeMayWrite = Effect.gen(function* () {
  const { known } = yield* CallerDevices
  return Effect.fnUntraced(function* (endpoint: HttpApiEndpoint.Top, fields: JsonObject) {
    const permit = yield* Permit
    if (permit === null) return null
    const names = permit.held.every(({ permission }) => isForSomeDevices(permission)) ? namedIn(endpoint, fields) : []
    const devices = names.length === 0 ? {} : { devices: yield* known(names) }
    return yield* permittedFields({ ...devices, fields })
  })
})

const makeRequestBody = Effect.gen(function* () {
  const bodies = yield* RequestBodies
  const mayWrite = yield* makeMayWrite

  /** The permit for the rest, and the text for the handler. The parsed body is not kept while the handler works. */
  const checked = Effect.fnUntraced(function* (
    request: HttpServerRequest.HttpServerRequest,
    endpoint: HttpApiEndpoint.Top,
    text: string
  ) {
    const fields = fieldsOfBody(text)
    const permit = yield* mayWrite(endpoint, fields).pipe(
      Effect.catchTags({
        NotPermitted: ({ message }) => new Forbidden({ message }),
        NoSettings: ({ message }) => new ServiceUnavailable({ message }),
        SettingsInvalid: ({ message }) => new ServiceUnavailable({ message }),
        SqlError: refuseOrDie
      })
    )
    const [fault] = faultsOfBody(text)
    if (fault !== undefined) return yield* new BadRequest({ message: fault })
    const known = knownBody(request, endpoint, yield* HttpRouter.params, text, fields)
    if (known.fault !== undefined) return yield* new BadRequest({ message: known.fault })
    return { permit, text: known.text }
  })

  return RequestBody.of((httpEffect, { endpoint }) =>
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const { permit, text } = yield* checked(request, endpoint, yield* bodies.json(request))
      const handled = Effect.provideService(httpEffect, HttpServerRequest.HttpServerRequest, withText(request, text))
      return yield* refused(Effect.provideService(handled, Permit, permit), text)
    })
  )
})

/** The middlewares of endpoints with a body, and with parameters alone. */
export const RequestMiddlewareLive = Layer.merge(
  Layer.effect(RequestBody, makeRequestBody),
  Layer.succeed(
    RequestParameters,
    RequestParameters.of((httpEffect) => refused(httpEffect))
  )
)
