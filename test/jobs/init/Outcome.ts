/** Assertions of the provisioning tests about jobs, rows and switches. */
import { assert } from "@effect/vitest"
import { Effect, Option, Schema } from "effect"
import { DeviceResult, type Job } from "../../../src/domain/Job.ts"
import { checkInit } from "../../../src/jobs/init/Check.ts"
import type { Fault } from "../../../src/lab/Faults.ts"
import { Lab, type LabShape } from "../../../src/lab/Lab.ts"
import { initArguments } from "../../../src/provisioning/Init.ts"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import { InterfaceStore } from "../../../src/store/InterfaceStore.ts"
import { JobStore } from "../../../src/store/JobStore.ts"
import * as Campus from "../../support/ProvisioningLab.ts"
import { NetworkStore } from "../../../src/store/NetworkStore.ts"
import { InitRequest } from "../../../src/domain/requests/InitRequests.ts"

/** Runs step 1 of an access switch and what follows it. */
export const init = (device_id: number, new_hostname: string, more: Readonly<Record<string, unknown>> = {}) =>
  Campus.runChain("init_access_device_step1", { device_id, new_hostname, ...more })

/** Discovers a blank switch and initialises it; yields its jobs and its row afterwards. */
export const join = Effect.fnUntraced(function* (name: string, hostname: string) {
  const { id } = yield* Campus.discover(name)
  const jobs = yield* init(id, hostname)
  return { id, jobs, device: yield* (yield* DeviceStore).get(id), running: yield* Campus.runningOf(name) }
})

/** Ports that are not plain access ports, by name. */
export const rolesOf = Effect.fnUntraced(function* (id: number) {
  const rows = yield* (yield* InterfaceStore).ofDevice(id)
  const special = rows.filter(({ configtype }) => configtype !== "ACCESS_AUTO")
  return Object.fromEntries(special.map(({ configtype, data, name }) => [name, { configtype, data }]))
})

export const uplink = (neighbor: string) => ({ configtype: "ACCESS_UPLINK" as const, data: { neighbor } })
export const mlag = (neighbor_id: number) => ({ configtype: "MLAG_PEER" as const, data: { neighbor_id } })

/** Port, far port and network of every link of a device. */
export const linksOf = Effect.fnUntraced(function* (id: number) {
  const links = yield* (yield* NetworkStore).links.ofDevice(id)
  return links
    .map(({ device_a_port, device_b_port, ipv4_network }) => [device_a_port, device_b_port, ipv4_network])
    .toSorted()
})

/** The result of a drift check of newly initialised devices, by hostname: empty if the configuration is known. */
export const driftOf = (hostnames: ReadonlyArray<string>) =>
  Effect.map(Campus.runJob("device_drift", { hostnames }), (job) =>
    Object.fromEntries(
      Object.entries(devicesOf(job)).map(([hostname, { job_tasks }]) => [
        hostname,
        job_tasks.map(({ diff, result }) => `${typeof result === "string" ? result : ""}${diff}`).join("")
      ])
    )
  )

/** Status, exception type and message of a job. */
export const endOf = ({ exception, status }: Job) => [status, exception?.type, exception?.message]

const Progress = Schema.Struct({ progress: Schema.Array(Schema.Struct({ step: Schema.String })) })

/** The steps that the job reports, as soon as it has reached this one. */
export const progressUntil = Effect.fnUntraced(function* (jobId: number, step: string) {
  const jobs = yield* JobStore
  for (;;) {
    const { result } = yield* jobs.get(jobId)
    const found = Schema.decodeUnknownOption(Progress)(result)
    const steps = Option.isSome(found) ? found.value.progress.map((entry) => entry.step) : []
    if (steps.includes(step)) return steps
    yield* Effect.sleep("10 millis")
  }
})

const Result = Schema.Struct({ devices: Schema.Record(Schema.String, DeviceResult) })

/** The devices of a job whose result has exactly the usual shape. */
export const devicesOf = ({ result }: Job) => {
  assert.deepStrictEqual(Object.keys(Object(result)), ["devices"])
  return Schema.decodeUnknownSync(Result)(result).devices
}

/** The answer of device_initcheck about a device, an access switch unless the body says otherwise. */
export const check = Effect.fnUntraced(function* (id: number, body: Readonly<Record<string, unknown>>) {
  const request = yield* Effect.orDie(Effect.fromResult(InitRequest.check({ device_type: "ACCESS", ...body }).complete))
  return yield* checkInit(initArguments(id, request))
})

/** Status and text of a check that cannot be made. */
export const impossible = (id: number, body: Readonly<Record<string, unknown>>) =>
  Effect.flip(check(id, body)).pipe(
    Effect.map((error) => (error._tag === "InitCheckImpossible" ? [error.status, error.message] : [error._tag]))
  )

/** Waits until the device is in this state. */
export const untilState = Effect.fnUntraced(function* (id: number, state: string) {
  const devices = yield* DeviceStore
  while ((yield* devices.get(id)).state !== state) yield* Effect.sleep("50 millis")
  return yield* devices.get(id)
})

/** Arms a fault on a switch of the lab. */
export const withFault = Effect.fnUntraced(function* (name: string, fault: Fault) {
  const lab: LabShape = yield* Lab
  ;(yield* lab.get(name)).setFault(fault)
})

export const withoutFaults = Effect.fnUntraced(function* (name: string) {
  const lab: LabShape = yield* Lab
  ;(yield* lab.get(name)).clearFaults()
})
