/** HTTP requests of plugins to other systems: bounded in time, with errors that name the system and hold no token. */
import { Effect, Schema } from "effect"
import { HttpClient, type HttpClientRequest, type HttpClientResponse } from "effect/http"
import { PluginError } from "./Plugin.ts"

const TIMEOUT = "20 seconds"

/** Sends the request; anything but the expected status is an error. */
export const send = (
  plugin: string,
  request: HttpClientRequest.HttpClientRequest,
  expected: number
): Effect.Effect<HttpClientResponse.HttpClientResponse, PluginError, HttpClient.HttpClient> =>
  HttpClient.execute(request).pipe(
    Effect.timeout(TIMEOUT),
    Effect.mapError((error) => new PluginError({ plugin, message: `the request failed (${error._tag})` })),
    Effect.filterOrFail(
      (response) => response.status === expected,
      ({ status }) => new PluginError({ plugin, message: `the answer has status ${status} instead of ${expected}` })
    )
  )

/** The body of an answer as JSON of this form. */
export const body =
  <A, I>(plugin: string, schema: Schema.Codec<A, I>) =>
  (response: HttpClientResponse.HttpClientResponse) =>
    response.json.pipe(
      Effect.flatMap(Schema.decodeUnknownEffect(schema)),
      Effect.mapError(() => new PluginError({ plugin, message: "the answer is not what was expected" }))
    )
