/** The differences of a job's devices. Equal ones are put together by the database, so that a thousand equal ones are read once. */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql"
import type { SharedDiff } from "../domain/DiffGroups.ts"

/** Characters of all differences that are read; what is beyond is left out, the longest first. */
const MOST_CHARACTERS = 20_000_000

/** What was found. */
export interface FoundDiffs {
  readonly diffs: ReadonlyArray<SharedDiff>
  readonly unchanged: number
  readonly failed: number
  readonly left_out: number
}

type Row = SharedDiff & { readonly is_failed: boolean; readonly is_read: boolean }

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const of = Effect.fn("JobDiffStore.of")((jobId: number) =>
    Effect.map(
      sql<Row>`
        with each as (select hostname, score, failed,
            coalesce(jsonb_path_query_first(job_tasks, '$[*] ? (@.task_name == "Sync device config").diff') #>> '{}', '') as diff
          from job_device where job_id = ${jobId}),
        shared as (select md5(diff) as hash, failed and diff = '' as is_failed, min(length(diff)) as long, min(hostname) as one,
            jsonb_agg(hostname order by hostname) as hostnames, max(score) as score
          from each group by 1, 2),
        counted as (select *, sum(long) over (order by long, hash, is_failed) <= ${MOST_CHARACTERS} as is_read from shared)
        select case when c.is_read then each.diff else '' end as diff, c.hostnames, c.score, c.is_failed, c.is_read
        from counted c join each on each.hostname = c.one order by c.one`,
      (rows): FoundDiffs => {
        const count = (matches: (row: Row) => boolean) =>
          rows.filter(matches).reduce((sum, { hostnames }) => sum + hostnames.length, 0)
        return {
          diffs: rows.filter(({ diff }) => diff !== ""),
          failed: count(({ is_failed }) => is_failed),
          unchanged: count(({ diff, is_failed, is_read }) => diff === "" && is_read && !is_failed),
          left_out: count(({ is_read }) => !is_read)
        }
      }
    )
  )
  return JobDiffStore.of({ of })
})

interface JobDiffShape {
  readonly of: (jobId: number) => Effect.Effect<FoundDiffs, SqlError.SqlError>
}

export class JobDiffStore extends Context.Service<JobDiffStore, JobDiffShape>()("switchyard/store/JobDiffStore") {
  static readonly layer = Layer.effect(JobDiffStore, make)
}
