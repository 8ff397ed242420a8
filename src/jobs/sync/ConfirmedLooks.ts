/**
 * Looks once more at devices that have confirmed a change and only leave its commit timer out of their list, as soon as the timer must
 * have ended: one that has ignored the confirmation and hidden the timer has gone back by then (docs/changes.md#timers-that-are-not-seen,
 * promise 5). A device that does not run what was proved becomes unsynchronized. Nothing is pushed. A device that does not answer is
 * tried again. Any replica can do it: a look is claimed in the row of its change.
 */
import { Effect, Layer, Option, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { EXPIRY_MARGIN_SECONDS } from "../../../machines/change/ChangeDecision.ts"
import { DeviceEntity, patiently } from "../../devices/DeviceCalls.ts"
import { SCHEDULER } from "../../domain/Job.ts"
import { ChangeStore } from "../../store/ChangeStore.ts"
import { ConfigStore } from "../../store/ConfigStore.ts"
import { SyncEventStore } from "../../store/DeviceStore.ts"
import { inTransaction } from "../engine/JobHandler.ts"

const INTERVAL = "15 seconds"

/** Looks begin while no job runs, because no person waits for them, or when they are so late. */
const LATE = "10 minutes"

/** A device that has not answered by then is left to the checks for drift. */
const GIVEN_UP = "2 hours"

/** Seconds after which a look that has not ended is claimed again, and until which it must have ended. */
const CLAIMED_FOR = 300
const LONGEST_LOOK = "4 minutes"

/** Only so many of the newest changes are searched, by their ids: no index covers the time of a change. */
const NEWEST = 20_000

const MOST_AT_ONCE = 200
const CONCURRENCY = 10

/** A confirmed change whose timer must have ended. */
interface DueLook {
  readonly id: number
  readonly device_id: number
  readonly hostname: string
  readonly job_id: number
  readonly old_hash: string | null
}

const claimDue = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<DueLook>`
    update config_change c set protocol = jsonb_set(c.protocol, '{lookAgain}', to_jsonb(extract(epoch from now())))
    from device where device.id = c.device_id and c.id in (
      select due.id from config_change due
      cross join lateral (select due.updated_at
        + make_interval(secs => (due.protocol ->> 'timerSeconds')::float8 + ${EXPIRY_MARGIN_SECONDS}) as at) timer
      where due.id > (select coalesce(max(id), 0) - ${NEWEST}::integer from config_change)
        and due.updated_at > now() - ${GIVEN_UP}::interval and due.phase = 'confirmed' and due.protocol ? 'lookAgain'
        and timer.at < now()
        and (timer.at < now() - ${LATE}::interval or not exists (select 1 from job where status = 'RUNNING'))
        and case jsonb_typeof(due.protocol -> 'lookAgain') when 'number'
          then (due.protocol ->> 'lookAgain')::float8 < extract(epoch from now()) - ${CLAIMED_FOR}::float8 else true end
      order by due.id limit ${MOST_AT_ONCE} for update of due skip locked)
    returning c.id, c.device_id, device.hostname, c.job_id, c.protocol ->> 'oldHash' as old_hash`
})

/** The hash that the device runs instead of what was proved; none if it runs that, or a later change has begun. */
const runsInstead = Effect.fnUntraced(function* ({ device_id, id }: DueLook) {
  const { live, unfinishedJobsOf } = yield* ChangeStore
  const { proved } = yield* ConfigStore
  const actorOf = yield* DeviceEntity.client
  const expected = yield* proved.of(device_id)
  if (Option.isNone(expected)) return Option.none<string>()
  const { config, hash } = expected.value
  const read = yield* patiently(actorOf(String(device_id)).ReadDrift({ config, hash })).pipe(
    Effect.timeout(LONGEST_LOOK)
  )
  if (read.hash === hash || read.diff === "") return Option.none<string>()
  const newest = yield* live.newest(device_id)
  const isLatest =
    Option.exists(newest, (change) => change.id === id) && (yield* unfinishedJobsOf(device_id)).length === 0
  return isLatest ? Option.some(read.hash) : Option.none<string>()
})

const look = Effect.fn("ConfirmedLooks.device")(
  function* (due: DueLook) {
    const sql = yield* SqlClient.SqlClient
    const events = yield* SyncEventStore
    const { device_id, hostname, id, job_id, old_hash } = due
    const found = yield* runsInstead(due)
    yield* Effect.gen(function* () {
      yield* sql`update config_change set protocol = protocol - 'lookAgain' where id = ${id}`
      if (Option.isNone(found)) return
      const cause = found.value === old_hash ? "commit_confirm_failed" : "drift"
      yield* events.unsynchronize([{ id: device_id, hostname }], { cause, by: SCHEDULER, job_id })
      yield* Effect.logWarning("A device does not run the change that it had confirmed", {
        hostname,
        job: job_id,
        cause
      })
    }).pipe(inTransaction)
  },
  (work, { hostname }) =>
    Effect.catchCause(work, (cause) =>
      Effect.logDebug(
        "A device could not be looked at again after its change; it will be tried again",
        { hostname },
        cause
      )
    )
)

const make = claimDue.pipe(
  Effect.flatMap((due) => Effect.forEach(due, look, { concurrency: CONCURRENCY, discard: true })),
  Effect.catchCause((cause) => Effect.logWarning("Confirmed changes could not be looked for", cause)),
  Effect.repeat(Schedule.spaced(INTERVAL)),
  Effect.forkScoped
)

/** Runs for as long as the server runs. */
export const layer = Layer.effectDiscard(make)
