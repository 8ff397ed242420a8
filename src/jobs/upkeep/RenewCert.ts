/**
 * Job `renew_cert`: gives managed devices new keys and certificates (docs/security.md#certificate-authority and
 * docs/api.md#certificates).
 */
import { Effect } from "effect"
import type { Device } from "../../domain/Device.ts"
import { type DeviceResult, deviceResult, JobFailure, subtaskFailed, taskFailed, taskOk } from "../../domain/Job.ts"
import type { ArgsOf } from "../../domain/jobs/JobDefinition.ts"
import { resultNames } from "../../domain/platforms/Platforms.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { JobStore } from "../../store/JobStore.ts"
import { deviceRows, handle, type JobRun, notStarted } from "../engine/JobHandler.ts"
import { RenewCert } from "../../domain/jobs/UpkeepJobs.ts"
import { certificateObstacle, giveCertificate, type NotInstalled } from "../../devices/Operations.ts"
import { JobWindows, outsideWindow } from "../requests/JobWindows.ts"
import { selectDevices } from "../requests/JobSubjects.ts"

const TASK = "renew_cert_task"
const COPY = resultNames.copyCertificate

/** Keys are made and certificates signed here, so more at once would only wait for each other. */
const CONCURRENCY = 10

type Renewal = JobRun<typeof RenewCert>

const failure = (message: string) => new JobFailure({ type: "ValueError", message })

const failedResult = ({ step, text }: NotInstalled): DeviceResult =>
  step === "generate"
    ? deviceResult([taskFailed(TASK, text)])
    : deviceResult([taskFailed(TASK, subtaskFailed(COPY)), taskFailed(COPY, text)])

const renewed = (hostname: string): DeviceResult =>
  deviceResult([taskOk(TASK, `Certificate renew success for device ${hostname}`), taskOk(COPY, "Cert copy successful")])

const select = Effect.fnUntraced(function* ({ group, hostname, hostnames }: ArgsOf<typeof RenewCert>) {
  const names = hostname === undefined ? hostnames : [hostname]
  if (names === undefined && group === undefined) {
    return yield* failure("Neither hostname nor group specified for renew_cert")
  }
  const selector = names === undefined ? (group === undefined ? {} : { group }) : { hostnames: names }
  const selected = yield* Effect.mapError(selectDevices({ ...selector, resync: true }), (error) =>
    error._tag === "SqlError" ? error : failure(error.message)
  )
  for (const device of selected) {
    const obstacle = yield* certificateObstacle(device)
    if (obstacle !== null) return yield* failure(obstacle)
  }
  return selected
})

const renew = Effect.fnUntraced(function* (job: Renewal, device: Device) {
  const windows = yield* JobWindows

  const { hostname, id, management_ip } = device
  const closed = yield* windows.closedBefore(job, device)
  if (closed !== null) return outsideWindow(closed, TASK)
  if (management_ip === null) {
    return deviceResult([taskFailed(TASK, `ValueError: Device ${hostname} has no management_ip\n`)])
  }
  const holder = { jobId: job.id, deviceId: id, hostname, address: management_ip, discoveredAt: null }
  return yield* giveCertificate(holder).pipe(
    Effect.as(renewed(hostname)),
    Effect.catchTag("NotInstalled", (failed) => Effect.succeed(failedResult(failed)))
  )
})

const lookAfter = Effect.fn("RenewCert.device")(function* (job: Renewal, device: Device) {
  const jobs = yield* JobStore

  const aborted = yield* job.aborting
  const result = aborted
    ? notStarted({ aborted: true, message: "The job was aborted" }, TASK)
    : yield* renew(job, device)
  const done = !result.failed
  const row = { hostname: device.hostname, result, reachedEnd: done, changed: done, score: null }
  yield* jobs.addDevice(job.id, row)
})

const handler = Effect.fn("RenewCert")(function* (job: JobRun<typeof RenewCert>) {
  const jobs = yield* JobStore
  const { SYNC_CONCURRENCY } = yield* ServerConfig

  const selected = yield* select(job.args)
  const done = new Set((yield* jobs.devices(job.id)).map(({ hostname }) => hostname))
  yield* Effect.forEach(
    selected.filter(({ hostname }) => !done.has(hostname)),
    (device) => lookAfter(job, device),
    { concurrency: Math.min(CONCURRENCY, SYNC_CONCURRENCY), discard: true }
  )
  return selected.length === 0 ? { result: { devices: {} }, change_score: null } : deviceRows
})

export const job = handle(RenewCert, handler)
