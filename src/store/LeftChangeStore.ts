/**
 * Changes of jobs that have ended which still want something: they have not come to their end, or the record of the job does
 * not say what they came to. A healthy server leaves none; faults of the database or of processes do.
 */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql"
import type { ChangePhase } from "../../machines/change/ChangeRow.ts"
import { JOB_ENDED } from "./JobStatusSql.ts"
import { UNFINISHED } from "./UnfinishedChange.ts"

export interface LeftChange {
  readonly id: number
  readonly job_id: number
  readonly device_id: number
  readonly phase: ChangePhase
}

/** Records are looked at for so long after the end of their job: a missing one is found within seconds of a fault. */
const LOOKED_AT = "6 hours"

/** A record that is missing, waits, or says otherwise than the change. */
const UNRECORDED = `(r.job_id is null or r.waiting
  or (r.failed and c.phase in ('confirmed', 'unchanged')) or (not r.failed and c.phase in ('reverted', 'unknown'))
  or (r.failed and c.phase <> 'unknown' and strpos(r.job_tasks::text, $broken$) > 0))`

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const unfinished = sql.literal(UNFINISHED)
  const from = sql.literal(`from config_change c join job on job.id = c.job_id join device on device.id = c.device_id
    left join job_device r on r.job_id = c.job_id and r.hostname = device.hostname`)
  const hasEnded = sql.literal(`job.status in ${JOB_ENDED}`)

  const unrecorded = (broken: string) => {
    const [before = "", after = ""] = UNRECORDED.split("$broken$")
    return sql`${sql.literal(before)}${broken}${sql.literal(after)}`
  }

  return LeftChangeStore.of({
    find: Effect.fn("LeftChangeStore.find")(
      (broken: string) => sql<LeftChange>`
        select c.id, c.job_id, c.device_id, c.phase ${from} where ${hasEnded} and c.${unfinished}
        union
        select c.id, c.job_id, c.device_id, c.phase ${from} where ${hasEnded}
          and job.finish_time > now() - ${LOOKED_AT}::interval and not (c.${unfinished})
          and ${unrecorded(broken)} order by id`
    ),
    isUnrecorded: Effect.fn("LeftChangeStore.isUnrecorded")(function* (id: number, broken: string) {
      const rows = yield* sql`select 1 ${from} where c.id = ${id} and ${unrecorded(broken)}`
      return rows.length > 0
    }),
    isNewest: Effect.fn("LeftChangeStore.isNewest")(function* ({ device_id, id }: LeftChange) {
      const later = yield* sql`select 1 from config_change where device_id = ${device_id} and id > ${id} limit 1`
      return later.length === 0
    })
  })
})

/** What faults have left of changes. */
export class LeftChangeStore extends Context.Service<
  LeftChangeStore,
  {
    /** All of them; `broken` is what a record holds that was written without knowing what became of the change. */
    readonly find: (broken: string) => Effect.Effect<ReadonlyArray<LeftChange>, SqlError.SqlError>
    /** Whether the record does not say yet what the change came to. */
    readonly isUnrecorded: (id: number, broken: string) => Effect.Effect<boolean, SqlError.SqlError>
    /** Whether no later change was begun on its device, about which the older one says nothing. */
    readonly isNewest: (change: LeftChange) => Effect.Effect<boolean, SqlError.SqlError>
  }
>()("switchyard/store/LeftChangeStore") {
  static readonly layer = Layer.effect(LeftChangeStore, make)
}
