/**
 * Answers with job records. What a job did on a thousand devices is tens of megabytes of JSON, so it goes from the database
 * to the client as text: to read and write it here would keep everybody else waiting. Those who ask the same at the same time,
 * as pages that show the newest jobs do, share one answer to the last byte.
 */
import { Effect, Option, Schema } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { SqlError } from "effect/sql"
import type { BadRequest, NotFound } from "../../api/Failures.ts"
import type { NotPermitted } from "../../access/Permit.ts"
import type { SettingsUnavailable } from "../../settings/SettingsView.ts"
import { makeVisible } from "../core/Visible.ts"
import { isObject } from "../../domain/fields/Values.ts"
import { functionOf, type Job } from "../../domain/Job.ts"
import { JobStore } from "../../store/JobStore.ts"
import { keyOfWithin } from "../../store/Listing.ts"
import { makeSharedRead } from "../../store/SharedRead.ts"
import { withUpgradeShapes } from "../firmware/UpgradeResult.ts"
import { baseUrlOf } from "../core/Client.ts"
import { first } from "../listing/ListRequest.ts"
import { droppedTasks, isSync, withoutTasks } from "./ResultFilter.ts"

const readJson = Schema.decodeOption(Schema.fromJsonString(Schema.Unknown))

/** The record as JSON; `text` is the result of a job that worked on devices. */
const written = (job: Job, text: string | undefined, dropped: ReadonlyArray<string>): string => {
  if (text === undefined) return JSON.stringify(withUpgradeShapes(withoutTasks(job, dropped)))
  if (functionOf(job.function_name) === "device_upgrade") {
    return JSON.stringify(withUpgradeShapes({ ...job, result: Option.getOrNull(readJson(text)) }))
  }
  const { result: _, ...record } = job
  return `${JSON.stringify(record).slice(0, -1)},"result":${text}}`
}

/** Records, which have only their own part of the result, with the headers of their page. */
interface Records {
  readonly rows: ReadonlyArray<Job>
  readonly headers: Readonly<Record<string, string>>
}

type RecordsError = SqlError.SqlError | BadRequest | NotFound | NotPermitted | SettingsUnavailable

interface JobBody {
  readonly body: Uint8Array
  readonly headers: Readonly<Record<string, string>>
}

const encoder = new TextEncoder()

/** What of a request may matter for the answer. */
const questionOf = (request: HttpServerRequest.HttpServerRequest): string => `${request.url} ${baseUrlOf(request)}`

/** The answer with the tasks of these devices in the place of those that have no secrets. */
const revealed = (text: string, sealed: ReadonlyMap<string, unknown>): string =>
  JSON.stringify(JSON.parse(text), (key, value: unknown) => {
    if (key !== "devices" || !isObject(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([hostname, device]) => {
        const job_tasks = sealed.get(hostname)
        return [hostname, isObject(device) && job_tasks !== undefined ? { ...device, job_tasks } : device]
      })
    )
  })

/** Makes the answer to a request whose records are read by `records`, which has to be the same for the same question. */
export const makeJobAnswer = Effect.gen(function* () {
  const store = yield* JobStore
  const shared = makeSharedRead<JobBody, RecordsError>()
  const visible = yield* makeVisible

  const write = Effect.fnUntraced(function* ({ headers, rows: jobs }: Records, filter: string | undefined) {
    const dropped = droppedTasks(filter)
    const read = (of: ReadonlyArray<Job>, without: typeof dropped) => {
      const ids = of.map(({ id }) => id)
      return ids.length === 0 ? Effect.succeed(new Map<number, string>()) : store.deviceResults(ids, without)
    }
    const syncs = yield* read(jobs.filter(isSync), dropped)
    const others = yield* read(
      jobs.filter((job) => !isSync(job)),
      []
    )
    const records = jobs.map((job) => written(job, syncs.get(job.id) ?? others.get(job.id), dropped))
    const body = encoder.encode(`{"status":"success","data":{"jobs":[${records.join(",")}]}}`)
    return { body, headers } satisfies JobBody
  })

  /** One job with the secrets in its results of those devices whose secrets are `seen`; `shown` is done before there are any. */
  const reveal = Effect.fn("JobAnswer.reveal")(function* (
    job: Job,
    seen: (hostnames: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>, SqlError.SqlError>,
    shown: Effect.Effect<void, SqlError.SqlError>
  ) {
    const { body, headers } = yield* write({ rows: [job], headers: {} }, undefined)
    const all = yield* store.sealedTasks(job.id)
    const hostnames = yield* seen([...all.keys()])
    const sealed = new Map([...all].filter(([hostname]) => hostnames.has(hostname)))
    if (sealed.size > 0) yield* shown
    return HttpServerResponse.uint8Array(encoder.encode(revealed(new TextDecoder().decode(body), sealed)), {
      contentType: "application/json",
      headers
    })
  })

  const make = Effect.fn("JobAnswer.make")(function* <R>(
    request: HttpServerRequest.HttpServerRequest,
    records: Effect.Effect<Records, RecordsError, R>
  ) {
    const filter = first(yield* HttpServerRequest.ParsedSearchParams, "filter_jobresult")
    const reading = Effect.flatMap(records, (found) => write(found, filter))
    const context = yield* Effect.context<R>()
    // callers with other limits get other answers to the same question
    const question = `${questionOf(request)} ${keyOfWithin((yield* visible).within)}`
    const { body, headers } = yield* shared(question, Effect.provideContext(reading, context))
    return HttpServerResponse.uint8Array(body, { contentType: "application/json", headers })
  })
  return { make, reveal }
})
