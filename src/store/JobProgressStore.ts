/** How far a job is with each of its devices: what it has selected, the phase of each change, what failed, and the timers that run. */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql"
import type { ChangePhase, ChangeReason } from "../../machines/change/ChangeRow.ts"
import type { JobTask } from "../domain/Job.ts"

/** A device of a job. */
export interface DeviceProgress {
  readonly hostname: string
  /** Where its change stands; null for a job that changes no configuration, and before the change was planned. */
  readonly phase: ChangePhase | null
  readonly reason: ChangeReason | null
  /** Null until the job has a result for it. */
  readonly failed: boolean | null
  readonly changed: boolean
  readonly score: number | null
  /** Moment at which the switch takes its commit back by itself, ISO 8601 without a zone, UTC; null when no timer is known to run. */
  readonly timer_until: string | null
  /** The failed tasks without their differences, each text cut to some thousand characters. */
  readonly failures: ReadonlyArray<Pick<JobTask, "task_name" | "result">>
}

/** Characters of a text that are shown. */
const LONGEST = 4000

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const of = Effect.fn("JobProgressStore.of")(
    (jobId: number) => sql<DeviceProgress>`
      with changes as (select device.hostname, c.phase, c.protocol from config_change c
          join device on device.id = c.device_id where c.job_id = ${jobId}),
      names as (select jsonb_array_elements_text(case when jsonb_typeof(memo -> 'hostnames') = 'array' then memo -> 'hostnames' else '[]' end) as hostname
          from job where id = ${jobId}
        union select hostname from job_device where job_id = ${jobId}
        union select hostname from changes)
      select names.hostname, c.phase, c.protocol ->> 'reason' as reason, d.failed, coalesce(d.changed, false) as changed, d.score,
        case when c.phase in ('committing', 'committed', 'proved', 'confirming', 'outlasting', 'looking', 'withdrawing', 'expiring')
          then iso_time(to_timestamp(((c.protocol ->> 'committedAt')::double precision) / 1000)
            + make_interval(secs => (c.protocol ->> 'timerSeconds')::double precision)) end as timer_until,
        coalesce((select jsonb_agg(jsonb_build_object('task_name', task ->> 'task_name',
            'result', left(task ->> 'result', ${LONGEST})) order by place)
          from jsonb_array_elements(d.job_tasks) with ordinality listed (task, place)
          where d.failed and (task ->> 'failed')::boolean), '[]') as failures
      from names left join changes c using (hostname)
        left join job_device d on d.job_id = ${jobId} and d.hostname = names.hostname
      order by names.hostname`
  )
  return JobProgressStore.of({ of })
})

interface JobProgressShape {
  /** The devices of a job by name; empty for a job that has selected none. */
  readonly of: (jobId: number) => Effect.Effect<ReadonlyArray<DeviceProgress>, SqlError.SqlError>
}

export class JobProgressStore extends Context.Service<JobProgressStore, JobProgressShape>()(
  "switchyard/store/JobProgressStore"
) {
  static readonly layer = Layer.effect(JobProgressStore, make)
}
