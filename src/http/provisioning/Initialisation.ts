/** Starts discovery and initialisation of devices (docs/provisioning.md). */
import { Effect, Option } from "effect"
import { toId } from "../../domain/fields/Values.ts"
import { JobRequests } from "../../jobs/requests/JobRequests.ts"
import { type InitArguments, initArguments, type InitJob, initJob } from "../../provisioning/Init.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { makeDeviceLookup } from "../core/Permits.ts"
import { checkInit } from "../../jobs/init/Check.ts"
import { makePlaceRows } from "../../store/FleetViews.ts"
import { makeUnknownDevices, UniqueFieldStore } from "../../store/DeviceIdentifiers.ts"
import { BadRequest, enveloped, InternalError, jobStarted, TooManyRequests } from "../../api/Answers.ts"
import { DiscoverDevice, InitAccessStep1, InitFabricStep1, InitStep2 } from "../../domain/jobs/InitJobs.ts"
import type { DiscoverRequest, InitRequest } from "../../domain/requests/InitRequests.ts"
import { CallerDevices } from "../../access/CallerDevices.ts"
import { requiringSettings } from "../../settings/SettingsView.ts"

const refuse = (message: string) => new BadRequest({ message })

/** Refuses a discovery if as many are waiting as unknown devices are allowed. */
const makeDiscoveryBound = Effect.gen(function* () {
  const unknown = yield* makeUnknownDevices
  const { UNKNOWN_DEVICES_MAX } = yield* ServerConfig
  return Effect.gen(function* () {
    const count = yield* unknown.discoveries
    if (count < UNKNOWN_DEVICES_MAX) return
    return yield* new TooManyRequests({ message: `${count} discoveries wait or run, try again later` })
  })
})

/** Starts the first attempt to discover the device of a request. */
export const makeDiscovery = Effect.gen(function* () {
  const requests = yield* JobRequests
  const { DISCOVERY_DELAYS } = yield* ServerConfig
  const bound = yield* makeDiscoveryBound
  const unknown = yield* makeUnknownDevices
  const devices = yield* DeviceStore
  const { permit } = yield* CallerDevices
  return Effect.fn("Initialisation.discover")(function* ({ dhcp_ip, ztp_mac }: DiscoverRequest, user: string) {
    yield* requiringSettings(permit(Option.toArray(yield* devices.findByMac(ztp_mac)), {}))
    yield* bound
    yield* unknown.leased(ztp_mac)
    const job = yield* requests.start(
      DiscoverDevice,
      { ztp_mac, dhcp_ip, iteration: 1 },
      { user, delaySeconds: DISCOVERY_DELAYS[0] ?? 0 }
    )
    return jobStarted(`Scheduled job to discover device for ztp_mac ${ztp_mac}`, job)
  })
})

/** Starts the initialisation of a device, or repeats its second step. `digits` is the id in the path. */
export const makeInitialisation = Effect.gen(function* () {
  const requests = yield* JobRequests
  const devices = yield* DeviceStore
  const identities = yield* UniqueFieldStore
  const lookup = yield* makeDeviceLookup
  const { unignore } = yield* makePlaceRows
  const { permit } = yield* CallerDevices
  const startJob = (job: InitJob, args: InitArguments, user: string) => {
    if (job === "init_device_step2") {
      return requests.start(InitStep2, { device_id: args.device_id, iteration: 1 }, { user })
    }
    if (job === "init_fabric_device_step1") return requests.start(InitFabricStep1, { ...args }, { user })
    const { device_type: _type, neighbors: _neighbors, ...rest } = args
    return requests.start(InitAccessStep1, rest, { user })
  }
  return Effect.fn("Initialisation.start")(function* (digits: string, request: InitRequest, user: string) {
    const device = yield* lookup.byId(digits)
    const args = initArguments(device.id, request)
    const job = yield* Effect.fromResult(initJob(device, args))
    if (device.state === "DISCOVERED") yield* identities.requireIdle(device)
    const replaced = request.replace_hostname === true ? yield* devices.byHostnames([request.hostname]) : []
    // the permission is checked before anything is revealed about the replaced device
    yield* requiringSettings(permit(replaced, { whole: true }))
    yield* Effect.forEach(replaced, (old) => identities.requireIdle(old), { discard: true })
    const jobId = yield* startJob(job, args, user)
    yield* unignore(device.id)
    return job === "init_device_step2"
      ? jobStarted(`Re-scheduled init step 2 for device_id ${digits}`, jobId)
      : jobStarted(`Scheduled job to initialize device_id ${digits}`, jobId)
  })
})

/** Checks a device before its initialisation. `digits` is the id in the path. */
export const makeInitCheck = Effect.gen(function* () {
  const services = yield* Effect.context<Effect.Services<ReturnType<typeof checkInit>>>()
  const devices = yield* DeviceStore
  const { permit } = yield* CallerDevices
  return Effect.fn("Initialisation.check")(function* (digits: string, request: InitRequest) {
    const id = toId(digits)
    if (Option.isNone(id)) return yield* refuse(`ValueError in pre_init_checks: No device with id ${digits} found`)
    const { mlag_peer_id } = request
    if (mlag_peer_id !== undefined) {
      yield* requiringSettings(permit(yield* devices.byIds([mlag_peer_id]), {}))
    }
    const outcome = yield* checkInit(initArguments(id.value, request)).pipe(
      Effect.provideContext(services),
      Effect.catchTag("InitCheckImpossible", ({ message, status }) =>
        Effect.fail(status === 400 ? refuse(message) : new InternalError({ message }))
      )
    )
    return enveloped({ ...outcome })
  })
})
