/**
 * Job `device_drift`: reads what devices run and compares it with what each was last proved to run. A device that differs
 * becomes unsynchronized with the cause `drift`, and the difference is kept in the job's record. Nothing is pushed.
 */
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { DeviceEntity } from "../../devices/DeviceCalls.ts"
import { patiently } from "../../devices/PatientCall.ts"
import type { Device } from "../../domain/Device.ts"
import { type DeviceResult, deviceResult, JobFailure, taskFailed, taskOk } from "../../domain/Job.ts"
import { DeviceDrift } from "../../domain/jobs/DeviceDrift.ts"
import { isManageable } from "../../domain/platforms/Platforms.ts"
import { UnmanageableDevice, unmanageableText } from "../../domain/platforms/Unmanageable.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { ChangeStore } from "../../store/ChangeStore.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { JobStore } from "../../store/JobStore.ts"
import { SyncEventStore } from "../../store/SyncEventStore.ts"
import { callErrorText } from "../engine/CallErrorText.ts"
import { DeviceSelection } from "../sync/DeviceSelection.ts"
import { handle, type JobHandler, type RunningJob } from "../engine/JobHandler.ts"
import { notStarted } from "../sync/SyncTasks.ts"

export const TASK = "device_drift"

/** How often a device is read again because its proof changed meanwhile. */
const READS = 3

/** What the comparison came to. */
type Finding =
  | { readonly _tag: "Same" }
  | { readonly _tag: "Differs"; readonly diff: string }
  | { readonly _tag: "NotCompared"; readonly why: string }
  | { readonly _tag: "Unread"; readonly text: string }

const resultOf = (finding: Finding): DeviceResult => {
  switch (finding._tag) {
    case "Same":
      return deviceResult([taskOk(TASK)])
    case "Differs":
      return deviceResult([taskOk(TASK, "The device does not run what it was last proved to run", finding.diff)])
    case "NotCompared":
      return deviceResult([taskOk(TASK, finding.why)])
    default:
      return deviceResult([taskFailed(TASK, finding.text)])
  }
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const config = yield* ServerConfig
  const jobs = yield* JobStore
  const changes = yield* ChangeStore
  const devices = yield* DeviceStore
  const events = yield* SyncEventStore
  const selection = yield* DeviceSelection
  const actorOf = yield* DeviceEntity.client

  /** A change that is under way or was proved between two looks would be taken for drift. */
  const compare = Effect.fnUntraced(function* (device: Device) {
    if (!isManageable(device)) {
      return { _tag: "Unread", text: unmanageableText(new UnmanageableDevice(device)) } satisfies Finding
    }
    for (let read = 0; read < READS; read += 1) {
      const proved = yield* changes.proved(device.id)
      if (Option.isNone(proved)) {
        return { _tag: "NotCompared", why: "Nothing was proved yet on this device" } satisfies Finding
      }
      const { config: text, hash } = proved.value
      const answer = yield* Effect.result(patiently(actorOf(String(device.id)).ReadDrift({ config: text, hash })))
      if (answer._tag === "Failure") {
        const error = answer.failure
        const said = callErrorText(error)
        return { _tag: "Unread", text: said } satisfies Finding
      }
      const now = yield* changes.proved(device.id)
      const unfinished = yield* changes.unfinishedJobsOf(device.id)
      if (unfinished.length > 0) {
        return { _tag: "NotCompared", why: `Job ${unfinished[0]} is changing the device` } satisfies Finding
      }
      if (Option.isNone(now) || now.value.hash !== hash) continue
      const { diff, hash: found } = answer.success
      return found === hash ? ({ _tag: "Same" } satisfies Finding) : ({ _tag: "Differs", diff } satisfies Finding)
    }
    return { _tag: "NotCompared", why: "The device was changed while it was read" } satisfies Finding
  })

  /** One event for a drift that goes on over several looks. */
  const mark = Effect.fnUntraced(function* (job: RunningJob, { hostname, id }: Device) {
    yield* sql`select 1 from device where id = ${id} for update`
    const known = yield* sql`select 1 from sync_event where hostname = ${hostname} and cause = 'drift' limit 1`
    if (known.length > 0) return yield* devices.markUnsynchronized([id])
    yield* events.unsynchronize([{ id, hostname }], { cause: "drift", by: job.user, job_id: job.id })
  })

  const lookAt = Effect.fn("DeviceDrift.device")(function* (job: RunningJob, device: Device) {
    const { hostname } = device
    if (yield* job.aborting) {
      const result = notStarted({ aborted: true, message: "The job was aborted" }, TASK)
      return yield* jobs.addDevice(job.id, { hostname, result, reachedEnd: false, changed: false, score: null })
    }
    const finding = yield* compare(device)
    const differs = finding._tag === "Differs"
    const row = { hostname, result: resultOf(finding), reachedEnd: finding._tag !== "Unread", changed: differs }
    yield* sql.withTransaction(
      Effect.andThen(jobs.addDevice(job.id, { ...row, score: null }), differs ? mark(job, device) : Effect.void)
    )
  })

  const handler: JobHandler<typeof DeviceDrift> = Effect.fn("DeviceDrift")(function* (job) {
    const done = new Set((yield* jobs.devices(job.id)).map(({ hostname }) => hostname))
    const selected = yield* selection
      .select({ ...job.args, resync: true })
      .pipe(
        Effect.mapError((error) =>
          error._tag === "SqlError" ? error : new JobFailure({ type: "ValueError", message: error.message })
        )
      )
    const rest = selected.filter(({ hostname }) => !done.has(hostname))
    yield* Effect.forEach(rest, (device) => lookAt(job, device), {
      concurrency: config.SYNC_CONCURRENCY,
      discard: true
    })
    return { result: selected.length === 0 ? { devices: {} } : null, change_score: null }
  })
  return handler
})

export const job = handle(DeviceDrift, make)
