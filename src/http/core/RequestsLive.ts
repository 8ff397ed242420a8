/**
 * Reads bodies and refuses what breaks a rule, before any handler sees a request. The framework decodes with the endpoint's
 * schemas, but only a body that was read within bounds (`JsonBody.ts`) and is a JSON object whose texts may travel (`domain/Text.ts`).
 */
import { Effect, Layer } from "effect"
import { Headers, HttpServerRequest } from "effect/http"
import { HttpApiError } from "effect/http-api"
import { Permit, permittedFields } from "../../access/Permit.ts"
import { BadRequest, Forbidden } from "../../api/Failures.ts"
import { RequestBody, RequestParameters } from "../../api/Requests.ts"
import { refusalOf } from "../../domain/fields/Body.ts"
import { makeReadJson } from "./JsonBody.ts"
import { faultsOfBody, fieldsOfBody, unacceptableField } from "./JsonText.ts"

/** Parts of a request that clients write. */
const FROM_CLIENT: ReadonlySet<string> = new Set(["Params", "Query", "Payload"])

/** A request whose body is this text of JSON, whatever its content type was. */
const withText = (request: HttpServerRequest.HttpServerRequest, text: string) =>
  Object.defineProperty(
    request.modify({ headers: Headers.set(request.headers, "content-type", "application/json") }),
    "text",
    { value: Effect.succeed(text) }
  )

/** What cannot be decoded becomes the answer: the sentences of a rule that was broken, else what the framework says. */
const refused = <A, E, R>(effect: Effect.Effect<A, E, R>, body = "{}"): Effect.Effect<A, E | BadRequest, R> =>
  Effect.catch(effect, (error): Effect.Effect<never, E | BadRequest> => {
    if (!HttpApiError.HttpApiSchemaError.is(error) || !FROM_CLIENT.has(error.kind)) return Effect.fail(error)
    return Effect.fail(
      new BadRequest({ message: refusalOf(error.cause.issue) ?? unacceptableField(body) ?? "Bad Request" })
    )
  })

/** Asks whether the caller may write these fields with these values; whether a value can be stored is asked later. */
const mayWrite = Effect.fnUntraced(function* (text: string) {
  if ((yield* Permit) === null) return null
  const asked = permittedFields(fieldsOfBody(text))
  return yield* Effect.catchTag(asked, "NotPermitted", ({ message }) => new Forbidden({ message }))
})

const makeRequestBody = Effect.map(makeReadJson, (readJson) =>
  RequestBody.of((httpEffect) =>
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const text = yield* readJson(request)
      const permit = yield* mayWrite(text)
      const [fault] = faultsOfBody(text)
      if (fault !== undefined) return yield* new BadRequest({ message: fault })
      const read = withText(request, text)
      const handled = Effect.provideService(httpEffect, HttpServerRequest.HttpServerRequest, read)
      return yield* refused(Effect.provideService(handled, Permit, permit), text)
    })
  )
)

/** Both middlewares; needs the memory for bodies. */
export const RequestsLive = Layer.merge(
  Layer.effect(RequestBody, makeRequestBody),
  Layer.succeed(
    RequestParameters,
    RequestParameters.of((httpEffect) => refused(httpEffect))
  )
)
