/** Job `update_facts`: reads the facts of a device and writes the changed ones (docs/jobs.md#update_facts). */
import { Effect, Option } from "effect"
import { PgClient } from "@effect/sql-pg"
import { callErrorText, DeviceEntity, patiently } from "../../devices/DeviceCalls.ts"
import type { Device, DeviceFields } from "../../domain/Device.ts"
import { deviceResult, JobFailure, taskFailed } from "../../domain/Job.ts"
import { cutText } from "../../domain/Text.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { JobStore } from "../../store/JobStore.ts"
import {
  deviceRows,
  handle,
  inTransaction,
  type JobRun,
  notStarted,
  refusedAsFailure,
  type RunningJob,
  untilAborted
} from "../engine/JobHandler.ts"
import { requireManageable } from "../../domain/platforms/Platforms.ts"
import { type Facts, FACTS_TASK } from "../../domain/DeviceReadings.ts"
import { UpdateFacts } from "../../domain/jobs/UpkeepJobs.ts"

/** Columns hold this many characters. */
const WIDTH = 64

const columns = ["vendor", "model", "os_version", "serial"] as const
type Column = (typeof columns)[number]
type Difference = Partial<Record<Column, { readonly old: string | null; readonly new: string }>>

/** The facts that are not empty and differ from the row. */
export const factsDifference = (device: Pick<Device, Column>, facts: Facts): Difference => {
  const read = {
    vendor: facts.vendor,
    model: facts.model,
    os_version: facts.os_version,
    serial: facts.serial_number
  } satisfies Record<Column, string | null>
  const found: Difference = {}
  for (const column of columns) {
    const value = cutText((read[column] ?? "").trim(), WIDTH).trim()
    if (value !== "" && value !== device[column]) found[column] = { old: device[column], new: value }
  }
  return found
}

const newFields = (difference: Difference): Partial<Pick<DeviceFields, Column>> =>
  Object.fromEntries(columns.flatMap((column) => (difference[column] ? [[column, difference[column].new]] : [])))

const find = Effect.fnUntraced(function* (hostname: string) {
  const devices = yield* DeviceStore

  const device = yield* Effect.catchTag(devices.getByHostname(hostname), "DeviceNotFound", () =>
    Effect.fail(new JobFailure({ type: "ValueError", message: `Device with hostname ${hostname} not found` }))
  )
  if (device.state !== "MANAGED" && device.state !== "UNMANAGED") {
    const message = `Device with hostname ${hostname} is in incorrect state: ${device.state}`
    return yield* new JobFailure({ type: "ValueError", message })
  }
  yield* requireManageable(device)
  return device
})

const write = Effect.fnUntraced(function* (job: RunningJob, { id }: Device, facts: Facts) {
  const sql = yield* PgClient.PgClient
  const devices = yield* DeviceStore
  const jobs = yield* JobStore

  const diff = factsDifference(yield* devices.lock(id), facts)
  yield* devices.update(id, newFields(diff))
  yield* sql`update device set last_seen = now() where id = ${id}`
  const result = facts.remarks === undefined ? { diff } : { diff, remarks: facts.remarks }
  yield* jobs.update(job.id, { result })
  return { result, change_score: null }
}, inTransaction)

/** LLDP neighbours are facts too, but no platform must report them. */
const keepNeighbours = Effect.fnUntraced(function* ({ id }: Device) {
  const { neighbours } = yield* DeviceStore
  const actorOf = yield* DeviceEntity.client

  const ports = yield* Effect.result(patiently(actorOf(String(id)).ReadNeighbours({ login: {} })))
  if (ports._tag === "Success") yield* neighbours.keep(id, ports.success)
})

const handler = Effect.fn("UpdateFacts")(function* (job: JobRun<typeof UpdateFacts>) {
  const jobs = yield* JobStore
  const actorOf = yield* DeviceEntity.client

  const { hostname } = job.args
  // facts that were written before a restart no longer differ
  const before = yield* jobs.get(job.id)
  if (before.result !== null) return { result: before.result, change_score: null }
  const device = yield* find(hostname)
  const asked = yield* untilAborted(job, Effect.result(patiently(actorOf(String(device.id)).ReadFacts({ login: {} }))))
  if (Option.isNone(asked)) {
    const result = notStarted({ aborted: true, message: "The job was aborted" }, FACTS_TASK)
    yield* jobs.addDevice(job.id, { hostname, result, reachedEnd: false, changed: false, score: null })
    return deviceRows
  }
  const read = asked.value
  if (read._tag === "Success") {
    yield* keepNeighbours(device)
    return yield* write(job, device, read.success)
  }
  const error = read.failure
  const text = callErrorText(error)
  const result = deviceResult([taskFailed(FACTS_TASK, text)])
  yield* jobs.addDevice(job.id, { hostname, result, reachedEnd: false, changed: false, score: null })
  return deviceRows
}, refusedAsFailure)

export const job = handle(UpdateFacts, handler)
