/**
 * Job `device_drift`: reads the running configurations of devices and compares each with the one that was proved last. A device
 * that differs becomes unsynchronized with the cause `drift`, and the difference is kept in the job's record. Nothing is pushed.
 * Configuration sessions of this server that no job uses any more are recorded for the doctor.
 */
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { callErrorText, DeviceEntity, patiently } from "../../devices/DeviceCalls.ts"
import type { Device } from "../../domain/Device.ts"
import { type DeviceResult, deviceResult, JobFailure, taskFailed, taskOk } from "../../domain/Job.ts"
import { isManageable, UnmanageableDevice, unmanageableText } from "../../domain/platforms/Platforms.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { ChangeStore } from "../../store/ChangeStore.ts"
import { DeviceStore, SyncEventStore } from "../../store/DeviceStore.ts"
import { IdentityStore } from "../../store/IdentityStore.ts"
import { JobStore } from "../../store/JobStore.ts"
import { makeAbandonedSessions } from "../../store/UnfinishedChanges.ts"
import {
  askedTogether,
  handle,
  inTransaction,
  type JobRun,
  notStarted,
  type RunningJob,
  untilAborted
} from "../engine/JobHandler.ts"
import { DeviceDrift } from "../../domain/jobs/ChangeJobs.ts"
import { manageableOf, selectDevices, skippedPart } from "../requests/JobSubjects.ts"
import { ConfigStore } from "../../store/ConfigStore.ts"

const TASK = "device_drift"

/** How often a device is read again because its proof changed meanwhile. */
const READS = 3

/** The result of the comparison. */
type Finding =
  | { readonly _tag: "Same" }
  | { readonly _tag: "Differs"; readonly diff: string; readonly since: string; readonly hash: string }
  | { readonly _tag: "Unproved" }
  | { readonly _tag: "NotCompared"; readonly why: string }
  | { readonly _tag: "Unread"; readonly text: string }

const DIFFERS = "The device does not run what it was last proved to run"

/** A sentence about changes after the backup from which the database was restored. */
const sinceBackup = (backupOf: string, jobs: ReadonlyArray<number>): string => {
  const since = `the backup of ${backupOf}, from which the database was restored`
  const [one, ...others] = jobs
  if (one === undefined) return `. It was changed after ${since}, or by somebody else`
  return others.length === 0
    ? `. Job ${one} changed it after ${since}`
    : `. Jobs ${jobs.join(", ")} changed it after ${since}`
}

const resultOf = (finding: Finding): DeviceResult => {
  switch (finding._tag) {
    case "Same":
      return deviceResult([taskOk(TASK)])
    case "Differs":
      return deviceResult([taskOk(TASK, `${DIFFERS}${finding.since}`, finding.diff)])
    case "Unproved":
      return deviceResult([taskOk(TASK, "Nothing was proved yet on this device")])
    case "NotCompared":
      return deviceResult([taskOk(TASK, finding.why)])
    default:
      return deviceResult([taskFailed(TASK, finding.text)])
  }
}

/** Whether the device has been checked after a restore: it was compared, or there is nothing to compare it with. */
const isSeen = ({ _tag }: Finding, device: Device): boolean =>
  _tag === "Same" || _tag === "Differs" || _tag === "Unproved" || !isManageable(device)

/** A change that is running or was proved between the two reads would look like drift. */
const compare = Effect.fnUntraced(function* (job: RunningJob, device: Device, backup: Option.Option<string>) {
  const changes = yield* ChangeStore
  const { proved: provedConfigs } = yield* ConfigStore
  const { unseen } = yield* DeviceStore
  const left = yield* makeAbandonedSessions
  const actorOf = yield* DeviceEntity.client

  if (!isManageable(device)) {
    return { _tag: "Unread", text: unmanageableText(new UnmanageableDevice(device)) } satisfies Finding
  }
  for (let read = 0; read < READS; read += 1) {
    const proved = yield* provedConfigs.of(device.id)
    if (Option.isNone(proved)) {
      return { _tag: "Unproved" } satisfies Finding
    }
    const { config: text, hash } = proved.value
    const answer = yield* Effect.result(
      patiently(actorOf(String(device.id)).ReadDrift({ config: text, hash, withJobs: Option.isSome(backup) }))
    )
    if (answer._tag === "Failure") {
      const error = answer.failure
      const said = callErrorText(error)
      return { _tag: "Unread", text: said } satisfies Finding
    }
    const { diff, hash: found, jobs: seen = [], sessions } = answer.success
    if (sessions !== undefined) yield* left.saw({ job_id: job.id, device_id: device.id, sessions })
    const now = yield* provedConfigs.of(device.id)
    const unfinished = yield* changes.unfinishedJobsOf(device.id)
    if (unfinished.length > 0) {
      return { _tag: "NotCompared", why: `Job ${unfinished[0]} is changing the device` } satisfies Finding
    }
    if (Option.isNone(now) || now.value.hash !== hash) continue
    // lines that the device writes on its own change the hash but make no difference
    if (found === hash || diff === "") return { _tag: "Same" } satisfies Finding
    const since = Option.isNone(backup) ? "" : sinceBackup(backup.value, yield* unseen.unrecorded(device.id, seen))
    return { _tag: "Differs", diff, since, hash: found } satisfies Finding
  }
  return { _tag: "NotCompared", why: "The device was changed while it was read" } satisfies Finding
})

/** One event for a drift that lasts over several checks. */
const mark = Effect.fnUntraced(function* (job: RunningJob, { hostname, id }: Device) {
  const sql = yield* SqlClient.SqlClient
  const devices = yield* DeviceStore
  const events = yield* SyncEventStore

  yield* sql`select 1 from device where id = ${id} for update`
  const known = yield* sql`select 1 from sync_event where hostname = ${hostname} and cause = 'drift' limit 1`
  if (known.length > 0) return yield* devices.markUnsynchronized([id])
  yield* events.unsynchronize([{ id, hostname }], { cause: "drift", by: job.user, job_id: job.id })
})

const lookAt = Effect.fn("DeviceDrift.device")(function* (job: RunningJob, device: Device) {
  const sql = yield* SqlClient.SqlClient
  const jobs = yield* JobStore
  const identities = yield* IdentityStore
  const { unseen } = yield* DeviceStore

  const { hostname } = device
  const backup = yield* unseen.backupOf(device.id)
  // a check changes nothing, and may wait for the server's machine
  const looked = yield* untilAborted(job, compare(job, device, backup))
  if (Option.isNone(looked)) {
    const result = notStarted({ aborted: true, message: "The job was aborted" }, TASK)
    return yield* jobs.addDevice(job.id, { hostname, result, reachedEnd: false, changed: false, score: null })
  }
  const finding = looked.value
  const differs = finding._tag === "Differs"
  const others = finding._tag === "Differs" ? yield* identities.othersWith(device.id, finding.hash) : []
  const row = { hostname, result: resultOf(finding), reachedEnd: finding._tag !== "Unread", changed: differs }
  yield* Effect.gen(function* () {
    yield* jobs.addDevice(job.id, { ...row, score: null })
    // two devices that run each other's configuration are found at the same time
    if (others.length > 0)
      yield* sql`select 1 from device where ${sql.in("id", [device.id, ...others])} order by id for update`
    if (differs) yield* mark(job, device)
    if (others.length > 0) yield* identities.mark(others, job.id)
    if (Option.isSome(backup) && isSeen(finding, device)) yield* unseen.seen(device.id, finding._tag === "Same")
  }).pipe(inTransaction)
})

const handler = Effect.fn("DeviceDrift")(function* (job: JobRun<typeof DeviceDrift>) {
  const config = yield* ServerConfig
  const jobs = yield* JobStore

  const done = new Set((yield* jobs.devices(job.id)).map(({ hostname }) => hostname))
  const selected = yield* selectDevices({ ...job.args, resync: true }).pipe(
    Effect.mapError((error) =>
      error._tag === "SqlError" ? error : new JobFailure({ type: "ValueError", message: error.message })
    )
  )
  const { devices: asked, skipped } = manageableOf(job.args, selected)
  const rest = asked.filter(({ hostname }) => !done.has(hostname))
  const together = yield* askedTogether(job)
  yield* Effect.forEach(rest, (device) => lookAt(together, device), {
    concurrency: config.SYNC_CONCURRENCY,
    discard: true
  })
  const own = { ...(asked.length === 0 ? { devices: {} } : {}), ...skippedPart(skipped) }
  return { result: Object.keys(own).length === 0 ? null : own, change_score: null }
})

export const job = handle(DeviceDrift, handler)
