/**
 * Answers with job records. What a job did on a thousand devices is tens of megabytes of JSON, so it goes from the database
 * to the client as text: to read and write it here would keep everybody else waiting.
 */
import { Effect, Option, Schema } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { SqlError } from "effect/sql"
import { functionOf, type Job } from "../../domain/Job.ts"
import { JobStore } from "../../store/JobStore.ts"
import { makeSharedRead } from "../../store/SharedRead.ts"
import { withUpgradeShapes } from "../firmware/UpgradeResult.ts"
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

/** Makes the answer with these records, which have only their own part of the result, for the current request. */
export const makeJobAnswer = Effect.gen(function* () {
  const store = yield* JobStore
  const shared = makeSharedRead<ReadonlyMap<number, string>, SqlError.SqlError>()

  return Effect.fn("JobAnswer.make")(function* (
    jobs: ReadonlyArray<Job>,
    headers: Readonly<Record<string, string>> = {}
  ) {
    const dropped = droppedTasks(first(yield* HttpServerRequest.ParsedSearchParams, "filter_jobresult"))
    const read = (of: ReadonlyArray<Job>, without: typeof dropped) => {
      const ids = of.map(({ id }) => id)
      return ids.length === 0
        ? Effect.succeed(new Map<number, string>())
        : shared(`${without.join()} ${ids.join()}`, store.deviceResults(ids, without))
    }
    const syncs = yield* read(jobs.filter(isSync), dropped)
    const others = yield* read(
      jobs.filter((job) => !isSync(job)),
      []
    )
    const records = jobs.map((job) => written(job, syncs.get(job.id) ?? others.get(job.id), dropped))
    return HttpServerResponse.text(`{"status":"success","data":{"jobs":[${records.join(",")}]}}`, {
      contentType: "application/json",
      headers
    })
  })
})
