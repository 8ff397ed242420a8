/** The answers of endpoints: the envelope of a success, and the errors with their status (docs/api.md#errors). */
import { Effect, Schema } from "effect"
import { CommitEffects } from "../domain/CommitEffects.ts"
import { Remark } from "../domain/Repository.ts"
import { HttpApiSchema } from "effect/http-api"

/** The message of an error, in the form that the route's clients read. */
export const FailureMessage = Schema.Union([
  Schema.String,
  Schema.Array(Schema.String),
  Schema.Struct({
    errors: Schema.Array(Schema.String),
    updated: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
  })
]).annotate({ identifier: "FailureMessage" })
export type FailureMessage = typeof FailureMessage.Type

const body = {
  status: Schema.Literal("error").pipe(Schema.withConstructorDefault(Effect.succeed("error" as const))),
  message: FailureMessage
}

/** Mistakes in the content of a repository, each with its place; only a refresh has them. */
const problems = Schema.optionalKey(Schema.Array(Remark))

/** The effects of a commit that waits for a confirmation; only a refresh has them. */
const effects = Schema.optionalKey(CommitEffects)

/** 400: the request is invalid; nothing was changed unless `message.updated` says so. */
export class BadRequest extends Schema.Error<BadRequest>("BadRequest")({ ...body, problems }, { httpApiStatus: 400 }) {}

/** 401: no token, or an unacceptable one. `errorCode` is `auth_expired` for a token that has expired. */
export class Unauthorized extends Schema.Error<Unauthorized>("Unauthorized")(
  { ...body, errorCode: Schema.optionalKey(Schema.Literal("auth_expired")) },
  { httpApiStatus: 401 }
) {}

/** 403: the caller has no role that allows it; the message names the rule that refuses and the roles that would allow it. */
export class Forbidden extends Schema.Error<Forbidden>("Forbidden")(body, { httpApiStatus: 403 }) {}

/** 404: the object or path does not exist. */
export class NotFound extends Schema.Error<NotFound>("NotFound")(body, { httpApiStatus: 404 }) {}

/** 408: the client began the request and did not finish it; a retry can help. */
export class RequestTimeout extends Schema.Error<RequestTimeout>("RequestTimeout")(body, { httpApiStatus: 408 }) {}

/** 409: the object is in use; the same request can succeed later. */
export class Conflict extends Schema.Error<Conflict>("Conflict")({ ...body, effects }, { httpApiStatus: 409 }) {}

/** 412: the object has changed since the caller read it; nothing was changed. */
export class PreconditionFailed extends Schema.Error<PreconditionFailed>("PreconditionFailed")(body, {
  httpApiStatus: 412
}) {}

/** 413: the body is larger than the server reads. */
export class PayloadTooLarge extends Schema.Error<PayloadTooLarge>("PayloadTooLarge")(body, { httpApiStatus: 413 }) {}

/** 415: the body is not JSON by its content type. */
export class UnsupportedMediaType extends Schema.Error<UnsupportedMediaType>("UnsupportedMediaType")(body, {
  httpApiStatus: 415
}) {}

/** 429: too many such requests in a short time; the same request can succeed later. */
export class TooManyRequests extends Schema.Error<TooManyRequests>("TooManyRequests")(body, { httpApiStatus: 429 }) {}

/** 500 of an endpoint: the request was valid, something behind the API failed. */
export class InternalError extends Schema.Error<InternalError>("InternalError")(
  { ...body, problems },
  { httpApiStatus: 500 }
) {}

/** 503: a database or a lock is not available; a retry can help. */
export class ServiceUnavailable extends Schema.Error<ServiceUnavailable>("ServiceUnavailable")(body, {
  httpApiStatus: 503
}) {}

/** The errors that can happen while a request body is read. */
export const bodyFailures = [BadRequest, RequestTimeout, PayloadTooLarge, UnsupportedMediaType] as const

// The success envelope (docs/api.md#answers), as schemas for endpoints and as the values that handlers return.

const success = Schema.Literal("success")

/** Names in the request that had no effect (docs/api.md#unknown-keys-and-parameters); added on the way out. */
const warnings = Schema.optionalKey(Schema.Array(Schema.String))

/** `{ status: "success", data }`. */
export const Enveloped = <S extends Schema.Top>(data: S) => Schema.Struct({ status: success, data, warnings })

/** The answer of a route that started a job: a sentence, and the id next to it. */
export const JobStarted = Schema.Struct({
  status: success,
  data: Schema.String,
  job_id: Schema.Int,
  warnings
}).annotate({
  identifier: "JobStarted"
})

const total = { "x-total-count": Schema.optionalKey(Schema.String) }

/** A started job with the number of selected devices; the header is left out when none is selected. */
export const JobStartedOnDevices = HttpApiSchema.WithHeaders(JobStarted, total)

/** One page of a list with the headers of paging. */
export const Page = <S extends Schema.Top>(data: S) =>
  HttpApiSchema.WithHeaders(Enveloped(data), {
    "x-total-count": Schema.String,
    "x-matching-count": Schema.String,
    link: Schema.optionalKey(Schema.String)
  })

/** The value of `Enveloped`. */
export const enveloped = <A>(data: A) => ({ status: "success" as const, data })

/** The value of `JobStarted`. */
export const jobStarted = (data: string, job_id: number) => ({ status: "success" as const, data, job_id })

/** The value of `JobStartedOnDevices`: the total is left out when no device is selected. */
export const jobStartedOnDevices = (data: string, job_id: number, devices: number) =>
  HttpApiSchema.withHeaders({
    body: jobStarted(data, job_id),
    headers: devices === 0 ? {} : { "x-total-count": String(devices) }
  })
