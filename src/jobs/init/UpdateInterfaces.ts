/**
 * Job `update_interfacedb`: fills the interface database of an access switch from the ports that it shows and the links that
 * are stored (docs/provisioning.md#ports-of-an-access-switch and docs/jobs.md#update_interfacedb).
 */
import { Effect, Result } from "effect"
import { DeviceEntity, patiently } from "../../devices/DeviceCalls.ts"
import type { Device } from "../../domain/Device.ts"
import { requireManageable } from "../../domain/platforms/Platforms.ts"
import type { Interface } from "../../domain/Interface.ts"
import { JobFailure } from "../../domain/Job.ts"
import {
  cabledPorts,
  deleteAllInterfaces,
  type InterfacePlan,
  physicalInterfaces,
  planInterfaces,
  trustsStoredUplinks,
  uplinkPorts
} from "../../provisioning/InterfaceDatabase.ts"
import { DeviceStore, SyncEventStore } from "../../store/DeviceStore.ts"
import { InterfaceStore } from "../../store/InterfaceStore.ts"
import { JobStore } from "../../store/JobStore.ts"
import { handle, inTransaction, type JobRun, refusedAsFailure } from "../engine/JobHandler.ts"
import { portsIn } from "../../domain/DeviceReadings.ts"
import { UpdateInterfaces } from "../../domain/jobs/InitJobs.ts"
import { NetworkStore } from "../../store/NetworkStore.ts"

type Update = JobRun<typeof UpdateInterfaces>

const failure = (message: string) => new JobFailure({ type: "ValueError", message })

const find = Effect.fnUntraced(function* (hostname: string) {
  const devices = yield* DeviceStore

  const device = yield* Effect.catchTag(devices.getByHostname(hostname), "DeviceNotFound", () =>
    Effect.fail(failure(`Hostname ${hostname} not found in database`))
  )
  // the route takes UNMANAGED devices, so the job does
  if (device.state !== "MANAGED" && device.state !== "UNMANAGED") {
    return yield* failure(`Hostname ${hostname} is not a managed device`)
  }
  if (device.device_type === "ACCESS") return device
  return yield* failure("This function currently only supports access devices")
})

/** Ports of the device, physical ones only. */
const portsOf = Effect.fnUntraced(function* ({ hostname, id, platform }: Device) {
  const actorOf = yield* DeviceEntity.client

  yield* requireManageable({ hostname, platform })
  const unread = (reason: string) => failure(`Could not get facts from device ${hostname}: ${reason}`)
  const facts = yield* Effect.mapError(patiently(actorOf(String(id)).ReadFacts({ login: {} })), ({ message }) =>
    unread(message)
  )
  const shown = yield* Effect.fromResult(Result.mapError(portsIn(facts), unread))
  return yield* Effect.fromResult(physicalInterfaces(platform ?? "", hostname, shown))
})

/** Ports that follow the stored links; uplinks that are known already are trusted unless all is replaced. */
const cabled = Effect.fnUntraced(function* (
  { id }: Device,
  stored: ReadonlyArray<Interface>,
  replace: boolean,
  peerId: number | null
) {
  const devices = yield* DeviceStore
  const { links } = yield* NetworkStore

  const own = yield* links.ofDevice(id)
  const far = yield* devices.byIds(own.flatMap((link) => [link.device_a_id, link.device_b_id]))
  const found = cabledPorts(id, own, new Map(far.map((device) => [device.id, device])), peerId)
  return trustsStoredUplinks(stored, replace) ? { ...found, uplinks: uplinkPorts(stored) } : found
})

const write = Effect.fnUntraced(function* (job: Update, { hostname, id }: Device, plan: InterfacePlan) {
  const interfaces = yield* InterfaceStore
  const events = yield* SyncEventStore
  const jobs = yield* JobStore

  for (const { configtype, data, name } of plan.write) yield* interfaces.put(id, name, configtype, data)
  yield* interfaces.remove(id, plan.remove)
  if (plan.write.length > 0) {
    yield* events.unsynchronize([{ id, hostname }], { cause: "update_interfacedb", by: job.user, job_id: job.id })
  }
  const result = { interfaces: plan.write }
  yield* jobs.update(job.id, { result })
  return { result, change_score: null }
})

const update = Effect.fnUntraced(function* (
  job: Update,
  device: Device,
  ports: ReadonlyArray<string> | null,
  peerId: number | null
) {
  const devices = yield* DeviceStore
  const interfaces = yield* InterfaceStore

  const { replace } = job.args
  yield* devices.lock(device.id)
  const stored = yield* interfaces.ofDevice(device.id)
  if (ports === null) return yield* write(job, device, deleteAllInterfaces(stored))
  const survey = {
    deviceId: device.id,
    ports,
    stored,
    cabled: yield* cabled(device, stored, replace, peerId),
    replace
  }
  const plan = planInterfaces(survey)
  if (plan.missing.length > 0) {
    yield* Effect.logWarning("The device does not show ports that lead to other switches; they are kept", {
      device: device.hostname,
      ports: plan.missing
    })
  }
  return yield* write(job, device, plan)
}, inTransaction)

const handler = Effect.fn("UpdateInterfaces")(function* (job: JobRun<typeof UpdateInterfaces>) {
  const jobs = yield* JobStore

  const { args } = job
  // rows that were added before a restart do not count as new
  const before = yield* jobs.get(job.id)
  if (before.result !== null) return { result: before.result, change_score: null }
  const device = yield* find(args.hostname)
  const peer = args.mlag_peer_hostname === null ? null : yield* find(args.mlag_peer_hostname)
  const ports = args.delete_all ? null : yield* portsOf(device)
  return yield* update(job, device, ports, peer?.id ?? null)
}, refusedAsFailure)

export const job = handle(UpdateInterfaces, handler)
