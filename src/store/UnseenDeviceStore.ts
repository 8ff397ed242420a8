/**
 * Devices that nobody has looked at since the database was restored (docs/operations.md#restore). What is recorded of them is as old as the
 * backup, so nothing may be pushed to them before they were read.
 */
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { UnseenDevice } from "../domain/DeviceIdentity.ts"
import type { SyncCause } from "../domain/SyncCause.ts"
import { BackgroundWork } from "../runtime/BackgroundWork.ts"
import { grouping, makeGroupedFind } from "./GroupedStatement.ts"

/** Why devices are not synchronized that were when the backup was made. */
export const RESTORED: SyncCause = "restored"

interface UnseenRow {
  readonly id: number
  readonly hostname: string
  readonly backup_of: string
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const find = makeGroupedFind(
    yield* grouping,
    (ids) =>
      sql<UnseenRow>`select device.id, hostname, iso_time(restore.backup_of) as backup_of
        from device cross join (select backup_of from restore order by id desc limit 1) restore
        where device.id = any(${ids}::integer[]) and unseen_since is not null and state = 'MANAGED'`,
    ({ id }) => id
  )

  return UnseenDeviceStore.of({
    requireSeen: Effect.fn("UnseenDeviceStore.requireSeen")(function* (deviceId: number) {
      const found = yield* find(deviceId)
      if (Option.isNone(found)) return
      const { backup_of: backupOf, hostname } = found.value
      return yield* new UnseenDevice({ hostname, backupOf })
    }),
    backupOf: Effect.fn("UnseenDeviceStore.backupOf")((deviceId: number) =>
      Effect.map(find(deviceId), (found) => Option.map(found, ({ backup_of }) => backup_of))
    ),
    hostnames: Effect.map(
      sql<{
        hostname: string
      }>`select hostname from device where unseen_since is not null and state = 'MANAGED' order by hostname`,
      (rows) => rows.map(({ hostname }) => hostname)
    ),
    unrecorded: Effect.fn("UnseenDeviceStore.unrecorded")(function* (deviceId: number, jobs: ReadonlyArray<number>) {
      if (jobs.length === 0) return []
      const rows = yield* sql<{ job: number }>`select job from unnest(${jobs}::integer[]) as job
        where not exists (select from config_change where device_id = ${deviceId} and job_id = job
          and phase in ('confirmed', 'reverted', 'unchanged', 'discarded'))
        and job > (select coalesce(max(job_id), 0) from config_change where device_id = ${deviceId} and phase = 'confirmed')
        order by job`
      return rows.map(({ job }) => job)
    }),
    seen: Effect.fn("UnseenDeviceStore.seen")(function* (deviceId: number, isAsProved: boolean) {
      const seen = yield* sql<{ hostname: string }>`update device set unseen_since = null
        where id = ${deviceId} and unseen_since is not null returning hostname`
      const [device] = seen
      if (device === undefined || !isAsProved) return
      // it was synchronized when the backup was made, and nothing else has happened to it since
      const { hostname } = device
      const marks = yield* sql`delete from sync_event where hostname = ${hostname} and cause = ${RESTORED} returning id`
      if (marks.length === 0) return
      yield* sql`update device set synchronized = true where id = ${deviceId}
        and not exists (select from sync_event where hostname = ${hostname})`
    }, sql.withTransaction)
  })
})

/** Devices that nobody has looked at since a restore. */
export class UnseenDeviceStore extends Context.Service<
  UnseenDeviceStore,
  {
    /** Fails for a device that nobody has looked at since. */
    readonly requireSeen: (deviceId: number) => Effect.Effect<void, UnseenDevice | SqlError.SqlError>
    /** When the backup was made (ISO 8601) since which nobody has looked at the device; none for one that was looked at. */
    readonly backupOf: (deviceId: number) => Effect.Effect<Option.Option<string>, SqlError.SqlError>
    /** Names of all devices that nobody has looked at since. */
    readonly hostnames: Effect.Effect<ReadonlyArray<string>, SqlError.SqlError>
    /** Which of these jobs have left a candidate on the device that no record tells of: they came after the backup. */
    readonly unrecorded: (
      deviceId: number,
      jobs: ReadonlyArray<number>
    ) => Effect.Effect<ReadonlyArray<number>, SqlError.SqlError>
    /** The device was read; `isAsProved` when it runs what it was last proved to run. Then it is synchronized again if it was. */
    readonly seen: (deviceId: number, isAsProved: boolean) => Effect.Effect<void, SqlError.SqlError>
  }
>()("switchyard/store/UnseenDeviceStore") {
  static readonly layer = Layer.effect(UnseenDeviceStore, make).pipe(Layer.provide(BackgroundWork.layer))
}
