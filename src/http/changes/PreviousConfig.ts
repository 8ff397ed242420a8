/** Earlier configurations: reading them and starting the job that puts one back (docs/changes.md#earlier-configurations). */
import { DateTime, Effect, Option } from "effect"
import { HttpServerRequest } from "effect/http"
import { SecretSight } from "../../access/SecretSight.ts"
import { Caller } from "../../api/Authorization.ts"
import { enveloped, jobStarted } from "../../api/Envelope.ts"
import { BadRequest, InternalError, NotFound } from "../../api/Failures.ts"
import { toInteger } from "../../domain/fields/Values.ts"
import { ApplyConfig } from "../../domain/jobs/ApplyConfig.ts"
import type { RestoreRequest } from "../../domain/requests/ChangeRequests.ts"
import { windowArguments } from "../../domain/requests/RequestFields.ts"
import { JobRequests } from "../../jobs/requests/JobRequests.ts"
import { ConfigHistoryStore, type HistoryChoice } from "../../store/ConfigHistoryStore.ts"
import { first } from "../listing/ListRequest.ts"
import { makeDoor } from "./ChangeRequests.ts"

const refuse = (message: string) => Effect.fail(new BadRequest({ message }))
const newest: HistoryChoice = { _tag: "Previous", count: 0 }

const ISO = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/

/** The time in UTC; one without a zone is UTC. */
const toTime = (text: string): Option.Option<string> => {
  if (!ISO.test(text)) return Option.none()
  return Option.map(DateTime.make(/(?:Z|[+-]\d{2}:?\d{2})$/.test(text) ? text : utc(text)), DateTime.formatIso)
}
const utc = (text: string): string => (text.length === 10 ? `${text}T00:00:00Z` : `${text.replace(" ", "T")}Z`)

/** Which configuration the query asks for; 0 means the latest. */
const choose = Effect.fnUntraced(function* (query: Readonly<Record<string, string | ReadonlyArray<string>>>) {
  const jobId = first(query, "job_id")
  if (jobId !== undefined) {
    const id = toInteger(jobId)
    if (Option.isNone(id)) return yield* refuse("job_id must be an integer")
    return id.value === 0 ? newest : ({ _tag: "Job", id: id.value } satisfies HistoryChoice)
  }
  const previous = first(query, "previous")
  if (previous !== undefined) {
    const count = toInteger(previous)
    if (Option.isNone(count) || count.value < 0) return yield* refuse("previous must be an integer")
    return { _tag: "Previous", count: count.value } satisfies HistoryChoice
  }
  const before = first(query, "before")
  if (before === undefined) return newest
  const time = toTime(before)
  if (Option.isNone(time)) return yield* refuse("before must be a valid ISO format date time string")
  return { _tag: "Before", time: time.value } satisfies HistoryChoice
})

/** The two handlers. */
export const makePreviousConfig = Effect.gen(function* () {
  const history = yield* ConfigHistoryStore
  const requests = yield* JobRequests
  const sight = yield* SecretSight
  const door = yield* makeDoor

  const find = Effect.fnUntraced(function* (hostname: string, choice: HistoryChoice) {
    const found = yield* history.find(hostname, choice)
    return yield* Effect.mapError(Effect.fromOption(found), () => new NotFound({ message: "No matching job found" }))
  })

  const read = Effect.fn("PreviousConfig.read")(function* (hostname: string) {
    const { config, ...found } = yield* find(hostname, yield* choose(yield* HttpServerRequest.ParsedSearchParams))
    if (config === null) return enveloped(found)
    const { job_id: jobId } = found
    return enveloped({
      ...found,
      config: yield* sight.config(yield* Caller, { what: "previous_config", hostname, jobId }, config)
    })
  })

  const restore = Effect.fn("PreviousConfig.restore")(function* (
    hostname: string,
    request: RestoreRequest,
    user: string
  ) {
    const { dry_run, job_id } = request
    const { config, failed } = yield* find(hostname, { _tag: "Job", id: job_id })
    if (failed) return yield* refuse("The specified job_id has a failed status")
    if (config === null) return yield* new InternalError({ message: "No config found in this job" })
    yield* door(hostname, `The configuration of job ${job_id}`, config)
    const args = { hostname, dry_run, config, ...windowArguments(request) }
    const job = yield* requests.start(ApplyConfig, args, { user })
    return jobStarted(`Scheduled job to restore ${hostname}`, job)
  })

  return { read, restore }
})
