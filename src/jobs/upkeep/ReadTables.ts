/**
 * Job `read_tables`: reads which machines managed devices have learnt, and stores them for `find` (docs/jobs.md#read_tables). Old
 * entries are deleted first, including those of devices that are no longer read.
 */
import { Effect, Option } from "effect"
import { callErrorText, DeviceEntity, patiently } from "../../devices/DeviceCalls.ts"
import type { Device } from "../../domain/Device.ts"
import { deviceResult, JobFailure, taskFailed, taskOk } from "../../domain/Job.ts"
import { isManageable, UnmanageableDevice, unmanageableText } from "../../domain/platforms/Platforms.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { JobStore } from "../../store/JobStore.ts"
import {
  askedTogether,
  deviceRows,
  handle,
  type JobRun,
  notStarted,
  type RunningJob,
  untilAborted
} from "../engine/JobHandler.ts"
import { manageableOf, selectDevices, skippedPart } from "../requests/JobSubjects.ts"
import { makeStations } from "../../store/InterfaceStore.ts"
import { ReadTables } from "../../domain/jobs/UpkeepJobs.ts"

const TASK = "read_tables"

/** Tables of large switches have megabytes. */
const CONCURRENCY = 50

const read = Effect.fnUntraced(function* (device: Device) {
  const { MAC_ENTRIES } = yield* ServerConfig
  const stations = yield* makeStations
  const actorOf = yield* DeviceEntity.client

  if (!isManageable(device)) {
    return deviceResult([taskFailed(TASK, unmanageableText(new UnmanageableDevice(device)))])
  }
  const answer = yield* Effect.result(patiently(actorOf(String(device.id)).ReadTables()))
  if (answer._tag === "Failure") return deviceResult([taskFailed(TASK, callErrorText(answer.failure))])
  const { arps, macs } = answer.success
  yield* stations.write(device.id, answer.success, MAC_ENTRIES)
  return deviceResult([taskOk(TASK, `${macs.entries.length} MAC addresses, ${arps.length} IP addresses`)])
})

const lookAfter = Effect.fn("ReadTables.device")(function* (job: RunningJob, device: Device) {
  const jobs = yield* JobStore

  const found = yield* untilAborted(job, read(device))
  const result = Option.getOrElse(found, () => notStarted({ aborted: true, message: "The job was aborted" }, TASK))
  const row = { hostname: device.hostname, result, reachedEnd: !result.failed, changed: false, score: null }
  yield* jobs.addDevice(job.id, row)
})

const handler = Effect.fn("ReadTables")(function* (job: JobRun<typeof ReadTables>) {
  const { MAC_DAYS, SYNC_CONCURRENCY } = yield* ServerConfig
  const jobs = yield* JobStore
  const stations = yield* makeStations

  const done = new Set((yield* jobs.devices(job.id)).map(({ hostname }) => hostname))
  const selected = yield* selectDevices({ ...job.args, resync: true }).pipe(
    Effect.mapError((error) =>
      error._tag === "SqlError" ? error : new JobFailure({ type: "ValueError", message: error.message })
    )
  )
  const { devices, skipped } = manageableOf(job.args, selected)
  yield* stations.forget(MAC_DAYS)
  const together = yield* askedTogether(job)
  yield* Effect.forEach(
    devices.filter(({ hostname }) => !done.has(hostname)),
    (device) => lookAfter(together, device),
    { concurrency: Math.min(CONCURRENCY, SYNC_CONCURRENCY), discard: true }
  )
  const own = { ...(devices.length === 0 ? { devices: {} } : {}), ...skippedPart(skipped) }
  return Object.keys(own).length === 0 ? deviceRows : { result: own, change_score: null }
})

export const job = handle(ReadTables, handler)
