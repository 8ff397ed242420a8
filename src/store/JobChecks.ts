/** The checks of a job on its devices (docs/checks.md#results). While a device is worked on they are those of its change. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Option, Schema } from "effect"
import type { DeviceChecks } from "../domain/checks/JobChecks.ts"
import { CheckResult, PlannedCheck } from "../domain/Job.ts"

interface StoredChecks {
  readonly hostname: string
  readonly results: unknown
  readonly planned: unknown
}

// What another release has stored in another form is left out.
const resultIn = Schema.decodeUnknownOption(CheckResult)
const plannedIn = Schema.decodeUnknownOption(PlannedCheck)

const listOf = <A>(stored: unknown, read: (one: unknown) => Option.Option<A>): ReadonlyArray<A> =>
  Array.isArray(stored) ? stored.flatMap((one: unknown) => Option.toArray(read(one))) : []

const checksIn = ({ hostname, planned, results }: StoredChecks): DeviceChecks => ({
  hostname,
  results: listOf(results, resultIn),
  planned: listOf(planned, plannedIn)
})

export const makeJobChecks = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const of = Effect.fn("JobCheckStore.of")((jobId: number) =>
    Effect.map(
      sql<StoredChecks>`
        select hostname, results, planned from (
          select hostname, jsonb_path_query_array(job_tasks, '$[*].checks[*]') as results,
              jsonb_path_query_array(job_tasks, '$[*].planned_checks[*]') as planned
            from job_device where job_id = ${jobId}
          union all
          select device.hostname, coalesce(c.protocol -> 'checking' -> 'results', '[]'), '[]'
            from config_change c join device on device.id = c.device_id
            where c.job_id = ${jobId} and not exists (
              select from job_device d where d.job_id = ${jobId} and d.hostname = device.hostname)
        ) as each where results <> '[]' or planned <> '[]' order by hostname`,
      (rows) => rows.map(checksIn)
    )
  )
  return {
    /** The devices of a job that have checks, by name. */
    of
  }
})
