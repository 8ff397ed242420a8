/**
 * Starts the job `renew_cert` for managed devices whose certificates end within CERTIFICATE_RENEW_DAYS, every
 * CERTIFICATE_RENEW_INTERVAL seconds (0: never). Which replica does it does not matter, as with `DriftSchedule.ts`; a device whose renewal
 * failed is tried again with the next one.
 */
import { Duration, Effect, Layer, Predicate, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { ServerConfig } from "../../ServerConfig.ts"
import { RenewCert } from "../../domain/jobs/RenewCert.ts"
import { CertificateStore } from "../../store/CertificateStore.ts"
import { JOB_UNFINISHED } from "../../store/JobStatusSql.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { JobWindows } from "../engine/JobWindows.ts"
import { JobEngine } from "../engine/JobEngine.ts"

/** The longest time between two looks at the clock, in seconds. */
const LONGEST_PAUSE = 60

/** Who starts it. */
const SCHEDULER = "scheduler"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const engine = yield* JobEngine
  const devices = yield* DeviceStore
  const windows = yield* JobWindows
  const certificates = yield* CertificateStore
  const { CERTIFICATE_RENEW_DAYS, CERTIFICATE_RENEW_INTERVAL } = yield* ServerConfig
  if (CERTIFICATE_RENEW_INTERVAL === 0) return

  /** The others are looked at again when their windows may be open. */
  const withinWindows = Effect.fnUntraced(function* (hostnames: ReadonlyArray<string>) {
    const rows = yield* devices.byHostnames(hostnames)
    const open = yield* Effect.filter(rows, (device) => Effect.map(windows.closed({}, device), Predicate.isNull))
    return open.map(({ hostname }) => hostname)
  })

  const startWhenDue = Effect.gen(function* () {
    yield* sql`select pg_advisory_xact_lock(hashtext('renew_cert'))`
    const recent = yield* sql`select 1 from job where function_name = ${RenewCert.name} and scheduled_by = ${SCHEDULER}
      and (status in ${sql.literal(JOB_UNFINISHED)}
        or scheduled_time > now() - make_interval(secs => ${CERTIFICATE_RENEW_INTERVAL})) limit 1`
    if (recent.length > 0) return
    const ending = yield* certificates.ending(CERTIFICATE_RENEW_DAYS)
    const hostnames = (yield* windows.areThere) ? yield* withinWindows(ending) : ending
    if (hostnames.length === 0) return
    yield* engine.start(RenewCert, { hostnames }, { user: SCHEDULER, delaySeconds: 0 })
  }).pipe(sql.withTransaction)

  yield* startWhenDue.pipe(
    Effect.tapCause((cause) => Effect.logWarning("The renewal of certificates could not be started", cause)),
    Effect.ignore,
    Effect.repeat(Schedule.spaced(Duration.seconds(Math.min(CERTIFICATE_RENEW_INTERVAL, LONGEST_PAUSE)))),
    Effect.forkScoped
  )
})

/** The schedule, for as long as the server runs. */
export const layer = Layer.effectDiscard(make)
