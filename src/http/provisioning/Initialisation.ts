/** Starts discovery and initialisation of devices (contract api-devices.md §5). */
import { Effect, Option } from "effect"
import { enveloped, jobStarted } from "../../api/Envelope.ts"
import { BadRequest, InternalError } from "../../api/Failures.ts"
import { normalizeMac } from "../../domain/Hostname.ts"
import type { StartArguments } from "../../domain/Job.ts"
import { JobEngine } from "../../jobs/engine/JobEngine.ts"
import { type InitArguments, parseInitArguments } from "../../provisioning/InitArguments.ts"
import { forItsType, type InitJob, initJob } from "../../provisioning/InitStart.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { UnknownDeviceStore } from "../../store/UnknownDeviceStore.ts"
import type { JsonObject } from "../core/JsonBody.ts"
import { has, isAddress, own, toId } from "../../domain/fields/Values.ts"
import { makeDeviceLookup } from "../devices/DeviceLookup.ts"
import { makeDiscoveryBound } from "../devices/Registration.ts"
import { InitCheck } from "../../jobs/init/InitCheck.ts"

const refuse = (message: string) => new BadRequest({ message })

/** Starts the first attempt to discover the device that a body names. */
export const makeDiscovery = Effect.gen(function* () {
  const engine = yield* JobEngine
  const { DISCOVERY_DELAYS } = yield* ServerConfig
  const bound = yield* makeDiscoveryBound
  const unknown = yield* UnknownDeviceStore
  return Effect.fn("Initialisation.discover")(function* (body: JsonObject, user: string) {
    for (const key of ["ztp_mac", "dhcp_ip"]) {
      if (!has(body, key)) return yield* refuse(`POST data must include '${key}'`)
    }
    const mac = own(body, "ztp_mac")
    const ztp_mac = Option.getOrUndefined(typeof mac === "string" ? normalizeMac(mac) : Option.none())
    const dhcp_ip = own(body, "dhcp_ip")
    if (ztp_mac === undefined) return yield* refuse("Invalid device ztp_mac received.")
    if (!isAddress(dhcp_ip)) return yield* refuse("Invalid dhcp_ip received. Must be a valid IP address.")
    yield* bound
    yield* unknown.leased(ztp_mac)
    const job = yield* engine.start({
      function: "discover_device",
      args: { ztp_mac, dhcp_ip, iteration: 1 },
      user,
      delaySeconds: DISCOVERY_DELAYS[0] ?? 0
    })
    return jobStarted(`Scheduled job to discover device for ztp_mac ${ztp_mac}`, job)
  })
})

const argumentsOf = (job: InitJob, args: InitArguments): StartArguments => {
  if (job === "init_device_step2") return { device_id: args.device_id, iteration: 1 }
  if (job === "init_fabric_device_step1") return { ...args }
  const { device_type: _type, neighbors: _neighbors, ...rest } = args
  return rest
}

/** Starts the initialisation of a device, or its second step again. */
export const makeInitialisation = Effect.gen(function* () {
  const engine = yield* JobEngine
  const lookup = yield* makeDeviceLookup
  return Effect.fn("Initialisation.start")(function* (digits: string, body: JsonObject, user: string) {
    const id = toId(digits)
    const parsed = parseInitArguments(
      Option.getOrElse(id, () => 0),
      body
    )
    const args = yield* Effect.mapError(Effect.fromResult(parsed), (error) => refuse(error.message))
    const device = yield* lookup.byId(digits)
    const job = yield* Effect.mapError(Effect.fromResult(initJob(device, args)), (error) => refuse(error.message))
    const jobId = yield* engine.start({ function: job, args: argumentsOf(job, args), user })
    return job === "init_device_step2"
      ? jobStarted(`Re-scheduled init step 2 for device_id ${digits}`, jobId)
      : jobStarted(`Scheduled job to initialize device_id ${digits}`, jobId)
  })
})

/** Checks a device before its initialisation. */
export const makeInitCheck = Effect.gen(function* () {
  const check = yield* InitCheck
  return Effect.fn("Initialisation.check")(function* (digits: string, body: JsonObject) {
    const id = toId(digits)
    const parsed = parseInitArguments(
      Option.getOrElse(id, () => 0),
      body
    )
    const unusable = (message: string) => refuse(`Error parsing arguments: ${message}`)
    const args = yield* Effect.mapError(Effect.fromResult(parsed), (error) => unusable(error.message))
    if (args.device_type === "UNKNOWN") return yield* unusable("Invalid 'device_type' provided")
    yield* Effect.mapError(Effect.fromResult(forItsType(args)), (error) => unusable(error.message))
    if (Option.isNone(id)) return yield* refuse(`ValueError in pre_init_checks: No device with id ${digits} found`)
    const outcome = yield* check
      .check(args)
      .pipe(
        Effect.catchTag("InitCheckImpossible", ({ message, status }) =>
          Effect.fail(status === 400 ? refuse(message) : new InternalError({ message }))
        )
      )
    return enveloped({ ...outcome })
  })
})
