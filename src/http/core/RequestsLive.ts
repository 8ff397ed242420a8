/**
 * Reads bodies and refuses what breaks a rule, before any handler sees a request. The framework decodes with the endpoint's
 * schemas, but only a body that was read within bounds (`JsonBody.ts`) and is a JSON object whose texts may travel (`domain/Text.ts`).
 */
import { Effect, Layer } from "effect"
import { Headers, HttpServerRequest } from "effect/http"
import { type HttpApiEndpoint, HttpApiError } from "effect/http-api"
import { AskedDevices } from "../../access/AskedDevices.ts"
import { Permit, permittedFields } from "../../access/Permit.ts"
import { BASE } from "../../api/Api.ts"
import { BadRequest, Forbidden, ServiceUnavailable } from "../../api/Answers.ts"
import { RequestBody, RequestParameters } from "../../api/Requests.ts"
import { subjectOf } from "../../api/Calls.ts"
import { isForSomeDevices } from "../../domain/access/PermissionRule.ts"
import { refusalOf } from "../../domain/fields/Body.ts"
import type { JsonObject } from "../../domain/fields/Values.ts"
import { makeReadJson } from "./JsonBody.ts"
import { faultsOfBody, fieldsOfBody, unacceptableField } from "./JsonText.ts"
import { refuseOrDie } from "./Unavailable.ts"

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

const texts = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  return Array.isArray(value) ? value.flatMap(texts) : []
}

/** The devices that a body names, for an endpoint that is about these. */
const namedIn = ({ method, path }: HttpApiEndpoint.Top, fields: JsonObject): ReadonlyArray<string> =>
  subjectOf(method, path.slice(BASE.length)) === "asked"
    ? ["hostname", "hostnames", "mlag_peer_hostname"].flatMap((key) => texts(fields[key]))
    : []

/**
 * Asks whether the caller may write these fields, and work on the devices that they name, whatever else is wrong with the body. Yields the
 * permit for the rest. To a caller of some devices others are as those that are not there.
 */
const makeMayWrite = Effect.gen(function* () {
  const { known } = yield* AskedDevices
  return Effect.fnUntraced(function* (endpoint: HttpApiEndpoint.Top, text: string) {
    const permit = yield* Permit
    if (permit === null) return null
    const fields = fieldsOfBody(text)
    const names = permit.held.every(({ permission }) => isForSomeDevices(permission)) ? namedIn(endpoint, fields) : []
    const devices = names.length === 0 ? {} : { devices: yield* known(names) }
    return yield* permittedFields({ ...devices, fields })
  })
})

const makeRequestBody = Effect.gen(function* () {
  const readJson = yield* makeReadJson
  const mayWrite = yield* makeMayWrite
  return RequestBody.of((httpEffect, { endpoint }) =>
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const text = yield* readJson(request)
      const permit = yield* mayWrite(endpoint, text).pipe(
        Effect.catchTags({
          NotPermitted: ({ message }) => new Forbidden({ message }),
          NoSettings: ({ message }) => new ServiceUnavailable({ message }),
          SettingsInvalid: ({ message }) => new ServiceUnavailable({ message }),
          SqlError: refuseOrDie
        })
      )
      const [fault] = faultsOfBody(text)
      if (fault !== undefined) return yield* new BadRequest({ message: fault })
      const read = withText(request, text)
      const handled = Effect.provideService(httpEffect, HttpServerRequest.HttpServerRequest, read)
      return yield* refused(Effect.provideService(handled, Permit, permit), text)
    })
  )
})

/** Both middlewares; needs the memory for bodies. */
export const RequestsLive = Layer.merge(
  Layer.effect(RequestBody, makeRequestBody),
  Layer.succeed(
    RequestParameters,
    RequestParameters.of((httpEffect) => refused(httpEffect))
  )
)
