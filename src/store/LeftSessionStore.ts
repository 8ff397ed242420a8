/**
 * Candidates of ours that a look found on a switch although nobody works on them any more (docs/operations.md#doctor). What was seen may
 * be gone a moment later, so only what cannot have been under way is kept: its job had ended before the look began, and no work on the
 * device has moved since. All else is left to the next look.
 */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql"
import type { OurSession } from "../domain/DeviceActivity.ts"
import { JOB_ENDED } from "./JobStatusSql.ts"
import { UNFINISHED } from "./UnfinishedChange.ts"

/** What a device showed. */
export interface SeenSessions {
  /** The job that looks: it began before the device was read. */
  readonly job_id: number
  readonly device_id: number
  /** All that are ours. */
  readonly sessions: ReadonlyArray<OurSession>
}

/** Nobody can have been at this session while the device was read. */
const IS_LEFT = `not exists (select from job where job.id = seen.job
    and (job.status not in ${JOB_ENDED} or job.finish_time is null or job.finish_time >= look.start_time))
  and not exists (select from config_change c where c.device_id = look.device_id
    and (c.${UNFINISHED} or c.updated_at >= look.start_time))
  and not exists (select from device_operation o where o.device_id = look.device_id
    and (o.phase <> 'done' or o.updated_at >= look.start_time))`

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient

  const forgetOthers = ({ device_id, sessions }: SeenSessions) => {
    const names = sessions.map(({ name }) => name)
    return sql`delete from left_session where device_id = ${device_id} and name <> all(${names}::text[])`
  }

  return LeftSessionStore.of({
    saw: Effect.fn("LeftSessionStore.saw")(function* (seen: SeenSessions) {
      yield* forgetOthers(seen)
      const { device_id, job_id, sessions } = seen
      if (sessions.length === 0) return
      yield* sql`insert into left_session (device_id, name, job_id, is_timed)
        select look.device_id, seen.name, seen.job, seen.state = 'timed'
        from jsonb_to_recordset(${sql.json(sessions)}) as seen (name text, job integer, state text)
        cross join (select start_time, ${device_id}::integer as device_id from job where id = ${job_id}) look
        where ${sql.literal(IS_LEFT)}
        on conflict (device_id, name) do update set is_timed = excluded.is_timed, last_seen = now()`
    }),
    forget: Effect.fn("LeftSessionStore.forget")((deviceId: number, name: string) =>
      Effect.asVoid(sql`delete from left_session where device_id = ${deviceId} and name = ${name}`)
    )
  })
})

/** Sessions that were left behind, as they were seen last. */
export class LeftSessionStore extends Context.Service<
  LeftSessionStore,
  {
    /** Keeps which of these were left behind, and forgets all others of the device. */
    readonly saw: (seen: SeenSessions) => Effect.Effect<void, SqlError.SqlError>
    /** It was removed. */
    readonly forget: (deviceId: number, name: string) => Effect.Effect<void, SqlError.SqlError>
  }
>()("switchyard/store/LeftSessionStore") {
  static readonly layer = Layer.effect(LeftSessionStore, make)
}
