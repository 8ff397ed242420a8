/** What every answer gets on its way out, in this order: the envelope, when to come again, headers, and its line in the log. */
import { Effect } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { ServerConfig } from "../../ServerConfig.ts"
import { clientOf } from "./Client.ts"
import { makeCorsHeaders, makeOriginNotice } from "./Cors.ts"
import { enveloped } from "./ErrorEnvelope.ts"
import { logged } from "./RequestLog.ts"
import { withRetryAfter } from "./RetryAfter.ts"
import { safeHeaders } from "./SafeHeaders.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

const dressed = (request: Request, response: Response, more: Readonly<Record<string, string>>): Response =>
  HttpServerResponse.setHeaders(response, {
    ...safeHeaders(request, response, clientOf(request).isEncrypted),
    ...more
  })

/** The handler for answers of the API. */
export const makeAnswering = Effect.map(ServerConfig, (config) => {
  const corsHeaders = makeCorsHeaders(config)
  const originNotice = makeOriginNotice(config)
  return (request: Request, response: Response) => {
    const told = withRetryAfter(enveloped(request, response))
    const answering = logged(request, dressed(request, told, corsHeaders(request)))
    const notice = originNotice(request)
    return notice === undefined ? answering : Effect.andThen(Effect.logWarning(notice), answering)
  }
})

/** The handler for files on the listener of the switches. */
export const answeringFiles = (request: Request, response: Response) =>
  logged(request, dressed(request, withRetryAfter(response), {}))
