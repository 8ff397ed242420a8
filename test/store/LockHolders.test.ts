/** The holder of a lock or a device, in any status of its job: no user may override it before the job has ended. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { jobStatuses } from "../../src/domain/Job.ts"
import { JobScheduleStore, makeHolders } from "../../src/store/JobScheduling.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

const ENDED = ["FINISHED", "EXCEPTION", "ABORTED"]

/** A job in this status without recent heartbeats, and a device. */
const scene = Effect.fnUntraced(function* (status: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from joblock`
  yield* sql`delete from job`
  yield* sql`delete from device`
  const [job] = yield* sql<{ id: number }>`insert into job (status, function_name, alive_at)
    values (${status}, 'sync_devices', now() - interval '1 minute') returning id`
  const [device] = yield* sql<{ id: number }>`insert into device (hostname, state, device_type, platform)
    values ('lhv-acc1', 'MANAGED', 'ACCESS', 'eos') returning id`
  return { sql, jobId: job?.id ?? 0, device: { id: device?.id ?? 0, hostname: "lhv-acc1" } }
})

/** The sentence of a refusal; null when there is none. */
const refusalOf = <A, E extends { readonly message: string }, R>(asked: Effect.Effect<A, E, R>) =>
  Effect.match(asked, { onSuccess: () => null, onFailure: ({ message }) => message })

/** The end of a refusal: how far the job is, and what somebody can do about it. */
const remainsOf = (status: string) =>
  ENDED.includes(status)
    ? `which has its result (${status}), but whose last work has not ended: try again in a minute`
    : `which is ${status}: wait until it ends, or abort it`

layer(TestDatabase)("A holder", (it) => {
  it.effect.each(jobStatuses)("that is %s keeps its lock until it has ended and no process works on it", (status) =>
    Effect.gen(function* () {
      const { jobId, sql } = yield* scene(status)
      const { clearLock } = yield* makeHolders
      const lock = sql`insert into joblock (job_id, name) values (${jobId}, 'devices')`
      const held = `The lock devices is held by job ${jobId} (sync_devices), ${remainsOf(status)}`
      yield* lock
      assert.strictEqual(yield* refusalOf(clearLock("devices")), ENDED.includes(status) ? null : held)
      assert.lengthOf(yield* sql`select from joblock`, ENDED.includes(status) ? 0 : 1)
      yield* sql`delete from joblock`
      yield* lock
      yield* sql`update job set alive_at = now()`
      assert.strictEqual(yield* refusalOf(clearLock("devices")), held)
      assert.lengthOf(yield* sql`select from joblock`, 1)
    })
  )

  it.effect.each(jobStatuses)("that is %s keeps a device while its change there is open", (status) =>
    Effect.gen(function* () {
      const { device, jobId, sql } = yield* scene(status)
      const { requireFree } = yield* makeHolders
      assert.isNull(yield* refusalOf(requireFree(device)))
      for (const phase of ["planned", "loading", "committed", "proved", "expiring"]) {
        yield* sql`insert into config_change (job_id, device_id, phase, epoch, protocol, candidate)
          values (${jobId}, ${device.id}, ${phase}, 1, '{}', '')`
        const held = `lhv-acc1 is held by job ${jobId} (sync_devices), ${remainsOf(status)}`
        assert.strictEqual(yield* refusalOf(requireFree(device)), held)
        assert.isNull(yield* refusalOf(requireFree(device, jobId)))
        yield* sql`delete from config_change`
      }
      yield* sql`insert into config_change (job_id, device_id, phase, epoch, protocol, candidate)
        values (${jobId}, ${device.id}, 'confirmed', 1, '{}', '')`
      assert.isNull(yield* refusalOf(requireFree(device)))
    })
  )

  it.effect("includes a job about one device that has begun, such as an initialisation", () =>
    Effect.gen(function* () {
      const { device, jobId, sql } = yield* scene("RUNNING")
      const { requireFree } = yield* makeHolders
      yield* sql`update job set start_arguments = jsonb_build_object('device_id', ${device.id}::integer)`
      assert.include(String(yield* refusalOf(requireFree(device))), `job ${jobId}`)
      yield* sql`update job set status = 'SCHEDULED'`
      assert.isNull(yield* refusalOf(requireFree(device)))
    })
  )

  it.effect("keeps its lock when a user clears it at the moment when it is taken", () =>
    Effect.gen(function* () {
      const { jobId, sql } = yield* scene("SCHEDULED")
      const { clearLock } = yield* makeHolders
      const { locks } = yield* JobScheduleStore
      for (let round = 0; round < 40; round += 1) {
        const clear = Effect.result(sql.withTransaction(clearLock("devices")))
        yield* Effect.all([clear, locks.acquire("devices", jobId), clear, clear], { concurrency: "unbounded" })
        assert.lengthOf(yield* sql`select from joblock where job_id = ${jobId}`, 1)
        yield* locks.release(jobId)
      }
    }).pipe(Effect.provide(JobScheduleStore.layer))
  )
})
