/** The success envelope (docs/api.md#answers), as schemas for endpoints and as the values that handlers answer with. */
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"

const success = Schema.Literal("success")

/** `{ status: "success", data }`. */
export const Enveloped = <S extends Schema.Top>(data: S) => Schema.Struct({ status: success, data })

/** The answer of a route that started a job: a sentence, and the id beside it. */
export const JobStarted = Schema.Struct({ status: success, data: Schema.String, job_id: Schema.Int })

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
