/**
 * Jobs that the server starts regularly. Any replica can do it: the time of the last one is in the job table, and only one replica
 * at a time reads it.
 */
import { Duration, Effect, Layer, Predicate, Schedule } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { SCHEDULER } from "../../domain/Job.ts"
import { JOB_UNFINISHED } from "../../store/StatusConditions.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { ReadTables, RenewCert } from "../../domain/jobs/UpkeepJobs.ts"
import { CertificateStore } from "../../store/CertificateStore.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { JobWindows } from "../requests/JobWindows.ts"
import { JobEngine } from "../engine/JobEngine.ts"
import { DeviceDrift } from "../../domain/jobs/ChangeJobs.ts"
import { DeviceEntity, patiently } from "../../devices/DeviceCalls.ts"
import { OperationStore } from "../../store/OperationStore.ts"

/** The longest time between two looks at the clock, in seconds. */
const LONGEST_PAUSE = 30

interface RegularJob {
  /** The name of its function. */
  readonly name: string
  /** Seconds between two starts; 0: never. */
  readonly interval: number
  /** Jobs of other users count as well: their work need not be repeated. */
  readonly countsOthers: boolean
  /** Starts it, unless there is nothing to do. */
  readonly start: Effect.Effect<void, SqlError.SqlError>
}

/** Starts the job whenever it is due, for as long as the scope is open. */
const startRegularly = Effect.fnUntraced(function* ({ countsOthers, interval, name, start }: RegularJob) {
  const sql = yield* SqlClient.SqlClient
  if (interval === 0) return
  const whose = countsOthers ? sql`true` : sql`scheduled_by = ${SCHEDULER}`

  const startWhenDue = Effect.gen(function* () {
    yield* sql`select pg_advisory_xact_lock(hashtext(${name}))`
    const recent = yield* sql`select 1 from job where function_name = ${name} and ${whose}
      and (status in ${sql.literal(JOB_UNFINISHED)}
        or scheduled_time > now() - make_interval(secs => ${interval})) limit 1`
    if (recent.length === 0) yield* start
  }).pipe(sql.withTransaction)

  yield* startWhenDue.pipe(
    Effect.tapCause((cause) => Effect.logWarning(`The job ${name} could not be started`, cause)),
    Effect.ignore,
    Effect.repeat(Schedule.spaced(Duration.seconds(Math.min(interval, LONGEST_PAUSE)))),
    Effect.forkScoped
  )
})

// Starts the job `renew_cert` for managed devices whose certificates end within CERTIFICATE_RENEW_DAYS, every
// CERTIFICATE_RENEW_INTERVAL seconds (0: never). A device whose renewal failed is tried again with the next one.

const makeCertificateSchedule = Effect.gen(function* () {
  const engine = yield* JobEngine
  const devices = yield* DeviceStore
  const windows = yield* JobWindows
  const certificates = yield* CertificateStore
  const { CERTIFICATE_RENEW_DAYS, CERTIFICATE_RENEW_INTERVAL } = yield* ServerConfig

  /** The others are checked again when their windows may be open. */
  const withinWindows = Effect.fnUntraced(function* (hostnames: ReadonlyArray<string>) {
    const rows = yield* devices.byHostnames(hostnames)
    const open = yield* Effect.filter(rows, (device) => Effect.map(windows.closed({}, device), Predicate.isNull))
    return open.map(({ hostname }) => hostname)
  })

  const start = Effect.gen(function* () {
    const ending = yield* certificates.ending(CERTIFICATE_RENEW_DAYS)
    const hostnames = (yield* windows.areThere) ? yield* withinWindows(ending) : ending
    if (hostnames.length === 0) return
    yield* engine.start(RenewCert, { hostnames }, { user: SCHEDULER, delaySeconds: 0 })
  })

  // a manual renewal of one device does not renew the others
  const interval = CERTIFICATE_RENEW_INTERVAL
  yield* startRegularly({ name: RenewCert.name, interval, countsOthers: false, start })
})

const certificates = Layer.effectDiscard(makeCertificateSchedule)

// Starts the job `device_drift` every DRIFT_INTERVAL seconds (0: never).

const makeDriftSchedule = Effect.gen(function* () {
  const engine = yield* JobEngine
  const { DRIFT_INTERVAL } = yield* ServerConfig
  yield* startRegularly({
    name: DeviceDrift.name,
    interval: DRIFT_INTERVAL,
    countsOthers: true,
    start: Effect.asVoid(engine.start(DeviceDrift, {}, { user: SCHEDULER, delaySeconds: 0 }))
  })
})

const drift = Layer.effectDiscard(makeDriftSchedule)

// Starts the job `read_tables` every MAC_INTERVAL seconds (0: never).

const makeTablesSchedule = Effect.gen(function* () {
  const engine = yield* JobEngine
  const { MAC_INTERVAL } = yield* ServerConfig
  yield* startRegularly({
    name: ReadTables.name,
    interval: MAC_INTERVAL,
    // a job of a user may have read one switch only
    countsOthers: false,
    start: Effect.asVoid(engine.start(ReadTables, {}, { user: SCHEDULER, delaySeconds: 0 }))
  })
})

const tables = Layer.effectDiscard(makeTablesSchedule)

// Reads devices that were not read since the database was restored, repeatedly until each has answered.

/** Seconds between two attempts at those that have not answered. */
const RESTORED_INTERVAL = 300

const makeRestoredLook = Effect.gen(function* () {
  const engine = yield* JobEngine
  const { unseen } = yield* DeviceStore
  const start = Effect.gen(function* () {
    const hostnames = yield* unseen.hostnames
    if (hostnames.length > 0) yield* engine.start(DeviceDrift, { hostnames }, { user: SCHEDULER, delaySeconds: 0 })
  })
  yield* startRegularly({ name: DeviceDrift.name, interval: RESTORED_INTERVAL, countsOthers: true, start })
})

const restoredDevices = Layer.effectDiscard(makeRestoredLook)

// Brings up ports that stayed down in an interrupted bounce, because its server was killed or its switch was lost: at the start and
// once a minute, until they are up. Any replica can do it: the device's actor does one at a time.

const BOUNCES_INTERVAL = "1 minute"
const CONCURRENCY = 10

const makeInterruptedBounces = Effect.gen(function* () {
  const operations = yield* OperationStore
  const actorOf = yield* DeviceEntity.client

  const finish = (device: number) =>
    Effect.matchEffect(patiently(actorOf(String(device)).FinishBounce()), {
      onSuccess: ({ ports }) =>
        ports.length === 0
          ? Effect.void
          : Effect.logWarning("Ports that an interrupted bounce had left down are up again", { device, ports }),
      onFailure: ({ message }) =>
        Effect.logError("Ports may be down since a bounce that was interrupted", { device, error: message })
    })

  yield* operations.unfinished("bounce").pipe(
    Effect.flatMap((left) =>
      Effect.forEach(new Set(left.map(({ device_id }) => device_id)), finish, {
        concurrency: CONCURRENCY,
        discard: true
      })
    ),
    Effect.catchCause((cause) => Effect.logWarning("Interrupted bounces could not be looked for", cause)),
    Effect.repeat(Schedule.spaced(BOUNCES_INTERVAL)),
    Effect.forkScoped
  )
})

const interruptedBounces = Layer.effectDiscard(makeInterruptedBounces)

/** All schedules, for as long as the server runs. */
export const layer = Layer.mergeAll(drift, restoredDevices, tables, certificates, interruptedBounces)
