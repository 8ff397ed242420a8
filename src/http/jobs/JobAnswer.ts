/**
 * Answers with job records. What a job did on a thousand devices is tens of megabytes of JSON, so it goes from the database
 * to the client as text: to read and write it here would keep everybody else waiting. Those who ask the same at the same time,
 * as pages that show the newest jobs do, share one answer to the last byte. An answer that is too long to be held as a whole is
 * written device by device, as fast as each of them reads it.
 */
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { SqlError } from "effect/sql"
import type { BadRequest, NotFound } from "../../api/Answers.ts"
import type { NotPermitted } from "../../access/Permit.ts"
import type { SettingsUnavailable } from "../../settings/SettingsView.ts"
import { makeVisible } from "../core/Visible.ts"
import { isObject } from "../../domain/fields/Values.ts"
import type { Job } from "../../domain/Job.ts"
import { JobStore } from "../../store/JobStore.ts"
import { keyOfWithin } from "../../store/Listing.ts"
import { makeSharedRead } from "../../store/SharedRead.ts"
import { baseUrlOf } from "../core/Client.ts"
import { first } from "../listing/ListRequest.ts"
import { BEGIN, type Dropped, END, makeJobPieces, record } from "./JobRecord.ts"
import { droppedTasks, isSync } from "./ResultFilter.ts"

/** Records, which have only their own part of the result, with the headers of their page. */
interface Records {
  readonly rows: ReadonlyArray<Job>
  readonly headers: Readonly<Record<string, string>>
}

type RecordsError = SqlError.SqlError | BadRequest | NotFound | NotPermitted | SettingsUnavailable

/** The most bytes of results in an answer that is held as a whole. */
const WHOLE = 8 * 1024 * 1024

/** The answer to a question: as a whole, or the records of which each who asks has it written. */
type JobBody = Pick<Records, "headers"> &
  ({ readonly body: Uint8Array } | (Pick<Records, "rows"> & { readonly worked: ReadonlySet<number> }))

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

/** Something of each of these jobs by its id; tasks are left out of the results of synchronizations alone. */
const ofEach = <A>(
  jobs: ReadonlyArray<Job>,
  dropped: Dropped,
  read: (ids: ReadonlyArray<number>, without: Dropped) => Effect.Effect<ReadonlyMap<number, A>, SqlError.SqlError>
) => {
  const part = (of: ReadonlyArray<Job>, without: Dropped) =>
    of.length === 0
      ? Effect.succeed(new Map<number, A>())
      : read(
          of.map(({ id }) => id),
          without
        )
  const parts = [
    part(jobs.filter(isSync), dropped),
    part(
      jobs.filter((job) => !isSync(job)),
      []
    )
  ]
  return Effect.map(Effect.all(parts), (found) => new Map(found.flatMap((one) => [...one])))
}

/** Makes the answer to a request whose records are read by `records`, which has to be the same for the same question. */
export const makeJobAnswer = Effect.gen(function* () {
  const store = yield* JobStore
  const shared = makeSharedRead<JobBody, RecordsError>()
  const visible = yield* makeVisible
  const inPieces = makeJobPieces(store)

  const whole = Effect.fnUntraced(function* ({ rows: jobs }: Records, dropped: Dropped) {
    const texts = yield* ofEach(jobs, dropped, store.deviceResults)
    const records = jobs.map((job) => record(job, texts.get(job.id), dropped))
    return encoder.encode(`${BEGIN}${records.join(",")}${END}`)
  })

  /** Records whose results are too long stay what they are. */
  const held = Effect.fnUntraced(function* (records: Records, dropped: Dropped) {
    const bytes = yield* ofEach(records.rows, dropped, store.textBytes)
    const length = [...bytes.values()].reduce((sum, one) => sum + one, 0)
    if (length > WHOLE) return { ...records, worked: new Set(bytes.keys()) }
    return { headers: records.headers, body: yield* whole(records, dropped) }
  })

  /** One job with the secrets in its results of those devices whose secrets are `seen`; `shown` is done before there are any. */
  const reveal = Effect.fn("JobAnswer.reveal")(function* (
    job: Job,
    seen: (hostnames: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>, SqlError.SqlError>,
    shown: Effect.Effect<void, SqlError.SqlError>
  ) {
    const body = yield* whole({ rows: [job], headers: {} }, [])
    const all = yield* store.sealedTasks(job.id)
    const hostnames = yield* seen([...all.keys()])
    const sealed = new Map([...all].filter(([hostname]) => hostnames.has(hostname)))
    if (sealed.size > 0) yield* shown
    return HttpServerResponse.uint8Array(encoder.encode(revealed(new TextDecoder().decode(body), sealed)), {
      contentType: "application/json"
    })
  })

  const make = Effect.fn("JobAnswer.make")(function* <R>(
    request: HttpServerRequest.HttpServerRequest,
    records: Effect.Effect<Records, RecordsError, R>
  ) {
    const dropped = droppedTasks(first(yield* HttpServerRequest.ParsedSearchParams, "filter_jobresult"))
    const reading = Effect.flatMap(records, (found) => held(found, dropped))
    const context = yield* Effect.context<R>()
    // callers with other limits get other answers to the same question
    const question = `${questionOf(request)} ${keyOfWithin((yield* visible).within)}`
    const answer = yield* shared(question, Effect.provideContext(reading, context))
    const options = { contentType: "application/json", headers: answer.headers }
    return "body" in answer
      ? HttpServerResponse.uint8Array(answer.body, options)
      : HttpServerResponse.stream(inPieces(answer.rows, answer.worked, dropped), options)
  })
  return { make, reveal }
})
