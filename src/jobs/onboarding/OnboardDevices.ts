/**
 * Job `onboard_devices`: reads switches that exist already: identity, facts, ports, neighbours and the running configuration (docs/jobs.md). It
 * sends nothing but reads. A switch that is another one than its record says is not read further, and nothing of it is stored.
 */
import { Effect, Option, Result } from "effect"
import { callErrorText, DeviceEntity, patiently } from "../../devices/DeviceCalls.ts"
import type { Device, DeviceFields } from "../../domain/Device.ts"
import { firstDifference } from "../../domain/DeviceIdentity.ts"
import type { Facts } from "../../domain/DeviceReadings.ts"
import { deviceResult, taskFailed, taskOk } from "../../domain/Job.ts"
import { OnboardDevices } from "../../domain/jobs/OnboardingJobs.ts"
import type { OnboardedFacts } from "../../domain/Onboarding.ts"
import { isManageable, platformOf, UnmanageableDevice, unmanageableText } from "../../domain/platforms/Platforms.ts"
import { cutText } from "../../domain/Text.ts"
import { physicalInterfaces, planInterfaces } from "../../provisioning/InterfaceDatabase.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { InterfaceStore } from "../../store/InterfaceStore.ts"
import { JobStore } from "../../store/JobStore.ts"
import { makeOnboarding } from "../../store/OnboardingStore.ts"
import {
  askedTogether,
  deviceRows,
  handle,
  inTransaction,
  type JobRun,
  notStarted,
  type RunningJob,
  untilAborted
} from "../engine/JobHandler.ts"

const TASK = "onboard_device"

/** Columns hold this many characters. */
const WIDTH = 64

/** The readings of one switch. */
interface Readings {
  readonly facts: Facts
  readonly mac: string | null
  readonly neighbours: number
  readonly config: string
}

const readSwitch = Effect.fnUntraced(function* (device: Device) {
  const { neighbours } = yield* DeviceStore
  const actorOf = yield* DeviceEntity.client
  const actor = actorOf(String(device.id))

  const facts = yield* patiently(actor.ReadFacts({ login: {} }))
  const shown = { serial: facts.serial_number, model: facts.model, hostname: facts.hostname }
  const difference = firstDifference(device, shown)
  if (difference !== null) return yield* Effect.fail(wrongSwitch(device, difference.shown))
  const running = yield* patiently(actor.ReadRunningConfig({ login: {} }))
  const states = yield* Effect.result(patiently(actor.ReadInterfaces()))
  const heard = yield* Effect.result(patiently(actor.ReadNeighbours({ login: {} })))
  if (Result.isSuccess(heard)) yield* neighbours.keep(device.id, heard.success)
  const macs = Result.isSuccess(states)
    ? Object.values(states.success).flatMap(({ mac_address }) => (mac_address === "" ? [] : [mac_address]))
    : []
  return {
    facts,
    mac: macs.toSorted()[0] ?? null,
    neighbours: Result.isSuccess(heard) ? Object.values(heard.success).flat().length : 0,
    config: running.config
  } satisfies Readings
})

const wrongSwitch = ({ hostname, management_ip }: Device, shown: string) => ({
  _tag: "WrongDevice" as const,
  message: `${hostname} at ${management_ip} shows the hostname ${shown}: correct its name or its address`
})

const shortened = (text: string | null): string | null => {
  const cut = cutText((text ?? "").trim(), WIDTH).trim()
  return cut === "" ? null : cut
}

/** The fields of the record that the switch itself shows. Containers share the serial number of their host. */
const fieldsOf = (device: Device, facts: Facts): Partial<DeviceFields> => {
  const sharesSerials = platformOf(device.platform)?.sharesSerials === true
  const found = {
    vendor: shortened(facts.vendor),
    model: shortened(facts.model),
    os_version: shortened(facts.os_version),
    serial: sharesSerials || device.serial !== null ? null : shortened(facts.serial_number)
  }
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== null))
}

/** Ports of an access switch, each automatic until somebody says what it is for. */
const writePorts = Effect.fnUntraced(function* (device: Device, names: ReadonlyArray<string>) {
  const interfaces = yield* InterfaceStore
  if (device.device_type !== "ACCESS") return
  const ports = Result.getOrElse(physicalInterfaces(device.platform ?? "", device.hostname, names), () => [])
  const stored = yield* interfaces.ofDevice(device.id)
  const cabled = { uplinks: new Map<string, string>(), mlagPeers: new Map<string, number>() }
  const plan = planInterfaces({ deviceId: device.id, ports, stored, cabled, replace: false })
  for (const { configtype, data, name } of plan.write) yield* interfaces.put(device.id, name, configtype, data)
})

const write = Effect.fnUntraced(function* (device: Device, { config, facts, mac, neighbours }: Readings) {
  const devices = yield* DeviceStore
  const store = yield* makeOnboarding

  const locked = yield* devices.lock(device.id)
  yield* devices.update(device.id, fieldsOf(locked, facts))
  const ports = facts.interface_list ?? []
  yield* writePorts(locked, ports)
  const shown: OnboardedFacts = {
    hostname: shortened(facts.hostname),
    serial: shortened(facts.serial_number),
    model: shortened(facts.model),
    os_version: shortened(facts.os_version),
    mac,
    ports: ports.length,
    neighbours
  }
  yield* store.read(device.id, shown, config)
  return shown
}, inTransaction)

const read = Effect.fnUntraced(function* (device: Device) {
  const store = yield* makeOnboarding

  if (!isManageable(device)) {
    const text = unmanageableText(new UnmanageableDevice(device))
    yield* store.failed(device.id, text.trim())
    return deviceResult([taskFailed(TASK, text)])
  }
  const found = yield* Effect.result(Effect.flatMap(readSwitch(device), (readings) => write(device, readings)))
  if (Result.isFailure(found)) {
    const text = callErrorText(found.failure)
    yield* store.failed(device.id, text.trim())
    return deviceResult([taskFailed(TASK, text)])
  }
  const { model, neighbours, ports, serial } = found.success
  return deviceResult([
    taskOk(TASK, `${model ?? "unknown model"}, serial ${serial ?? "unknown"}, ${ports} ports, ${neighbours} neighbours`)
  ])
})

const lookAt = Effect.fn("OnboardDevices.device")(function* (job: RunningJob, device: Device) {
  const jobs = yield* JobStore
  const found = yield* untilAborted(job, read(device))
  const result = Option.getOrElse(found, () => notStarted({ aborted: true, message: "The job was aborted" }, TASK))
  const row = { hostname: device.hostname, result, reachedEnd: !result.failed, changed: false, score: null }
  yield* jobs.addDevice(job.id, row)
})

const handler = Effect.fn("OnboardDevices")(function* (job: JobRun<typeof OnboardDevices>) {
  const { SYNC_CONCURRENCY } = yield* ServerConfig
  const devices = yield* DeviceStore
  const jobs = yield* JobStore

  const done = new Set((yield* jobs.devices(job.id)).map(({ hostname }) => hostname))
  const asked = yield* devices.byHostnames(job.args.hostnames)
  const together = yield* askedTogether(job)
  yield* Effect.forEach(
    asked.filter(({ hostname }) => !done.has(hostname)),
    (device) => lookAt(together, device),
    { concurrency: SYNC_CONCURRENCY, discard: true }
  )
  return asked.length === 0 ? { result: { devices: {} }, change_score: null } : deviceRows
})

export const job = handle(OnboardDevices, handler)
