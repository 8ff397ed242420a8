/**
 * Handlers of work on devices other than their configuration: live reads, bouncing ports, updates of facts and ports; also the routes of
 * host keys and certificates.
 */
import { Clock, Effect, Record, Result, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { answered, asCaller } from "../core/HandlerErrors.ts"
import { makeAuthority, makeCertificates, makeRenewal } from "./Certificates.ts"
import { makeHostKeys } from "./HostKeys.ts"
import type { UpdateInterfacesRequest } from "../../domain/requests/OperationRequests.ts"
import { JobRequests } from "../../jobs/requests/JobRequests.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { NotPermitted, permitted, wantsApproval } from "../../access/Permit.ts"
import { type DeviceUnread, LiveDevices } from "../../devices/LiveDevices.ts"
import { EventStore } from "../../store/EventStore.ts"
import { InterfaceStore } from "../../store/InterfaceStore.ts"
import { makeSecretSight } from "../../access/SecretSight.ts"
import { makeDeviceLookup } from "../core/Permits.ts"
import { maskSecrets } from "../../drivers/SecretMask.ts"
import { platformOf, readsOf, requireManageable } from "../../domain/platforms/Platforms.ts"
import type { NeighbourDetails, Neighbours } from "../../drivers/Driver.ts"
import type { Device } from "../../domain/Device.ts"
import { type LogSeverity, PingQuestion, type Question, type ReadingKind } from "../../domain/checks/Readings.ts"
import { indented } from "../../domain/platforms/Platform.ts"
import { BadRequest, enveloped, InternalError, jobStartedOnDevices } from "../../api/Answers.ts"
import { UpdateFacts } from "../../domain/jobs/UpkeepJobs.ts"
import { UpdateInterfaces } from "../../domain/jobs/InitJobs.ts"
import { Caller } from "../../api/Requests.ts"

// The lines of one interface in a running configuration (docs/api.md#live-reads). Pure.

const depthOf = (line: string): number => line.length - line.trimStart().length

/** In braces a mark may stand before a heading: the interface is there, and inactive. */
const MARKS = /^(\s*)(?:(?:inactive|protect): )+/

/**
 * The lines below the heading of the interface, without the indentation of the first one, joined by newlines. Empty if the interface does
 * not exist or has no lines.
 */
export const interfaceLines = (config: string, name: string, platform: string): string => {
  const { interfaceHeading } = platformOf(platform)?.configuration ?? indented
  const heading = interfaceHeading.replace("{name}", () => name)
  const lines = config.split("\n")
  const start = lines.findIndex((line) => line === heading || line.replace(MARKS, "$1") === heading)
  if (start < 0) return ""
  const below = lines.slice(start + 1)
  const end = below.findIndex((line) => depthOf(line) <= depthOf(heading))
  const section = end < 0 ? below : below.slice(0, end)
  const indentation = depthOf(section[0] ?? "")
  return section.map((line) => line.slice(Math.min(indentation, depthOf(line)))).join("\n")
}

// Routes that read a device while the client waits (docs/api.md#live-reads).

const exception = ({ message, type }: DeviceUnread) => new InternalError({ message: `Exception: ${type}: ${message}` })

const neighbourFailure = (error: DeviceUnread) =>
  error.silent ? new InternalError({ message: "Failed to get LLDP neighbors" }) : exception(error)

/** Neighbours announce these texts themselves, so their secrets are hidden from every caller. */
const maskedNeighbours = (neighbours: Neighbours): Neighbours =>
  Record.map(neighbours, (all) =>
    all.map(({ hostname, port }) => ({ hostname: maskSecrets(hostname), port: maskSecrets(port) }))
  )

const maskedDetails = (neighbours: NeighbourDetails): NeighbourDetails =>
  Record.map(neighbours, (all) =>
    all.map((one) => ({
      ...one,
      remote_port: maskSecrets(one.remote_port),
      remote_port_description: maskSecrets(one.remote_port_description),
      remote_system_name: maskSecrets(one.remote_system_name),
      remote_system_description: maskSecrets(one.remote_system_description)
    }))
  )

// The state of a device, as a check of a change sees it (docs/switch-dialogues.md#readings).

interface StateQuery {
  readonly reads: ReadonlyArray<ReadingKind>
  readonly severity?: LogSeverity
  readonly seconds?: number
  readonly to?: string
  readonly source?: string
  readonly vrf?: string
  readonly count?: number
}

const HOUR = 3600
const USUAL_COUNT = 5

/** The questions of a query, or why there are none; `now` in epoch milliseconds. */
const questionsOf = (query: StateQuery, now: number): Result.Result<ReadonlyArray<Question>, string> => {
  const { count = USUAL_COUNT, seconds = HOUR, severity = "error", source, to, vrf } = query
  const questions: Array<Question> = []
  for (const reads of query.reads) {
    if (reads === "log") questions.push({ reads, severity, since: now - seconds * 1000 })
    else if (reads !== "ping") questions.push({ reads })
    else if (to === undefined) return Result.fail("ping needs the address in to")
    else {
      const from = { ...(source === undefined ? {} : { source }), ...(vrf === undefined ? {} : { vrf }) }
      const ping = Schema.decodeUnknownResult(PingQuestion)({ reads, to, count, ...from })
      if (Result.isFailure(ping)) return Result.fail(ping.failure.message.replaceAll(/\s+/g, " "))
      questions.push(ping.success)
    }
  }
  return Result.succeed(questions)
}

/** Kinds that the platform of a device does not have, as a sentence; null if it has all of them. */
const missingKinds = (device: Device, reads: ReadonlyArray<ReadingKind>): string | null => {
  const offered = readsOf(device)
  const missing = reads.filter((kind) => !offered.includes(kind))
  if (missing.length === 0) return null
  const only = offered.length === 0 ? "" : ` (only: ${offered.join(", ")})`
  return `Platform ${device.platform ?? "None"} has no readings of ${missing.join(", ")}${only}`
}

const makeDeviceReads = Effect.gen(function* () {
  const live = yield* LiveDevices
  const devices = yield* DeviceStore
  const sight = yield* makeSecretSight
  const { byHostname } = yield* makeDeviceLookup
  const readable = (hostname: string) => Effect.tap(byHostname(hostname), requireManageable)

  return {
    runningConfig: Effect.fn("DeviceReads.runningConfig")(function* (hostname: string, name: string | undefined) {
      const device = yield* byHostname(hostname)
      if (device.state !== "MANAGED") {
        return yield* new BadRequest({ message: `Hostname '${hostname}' not found or is not a managed device` })
      }
      yield* requireManageable(device)
      const text = yield* Effect.mapError(live.runningConfig(device), exception)
      const wanted = name === undefined ? text : interfaceLines(text, name, device.platform ?? "")
      return enveloped({
        config: yield* sight.config(yield* Caller, { what: "running_config", hostname }, wanted)
      })
    }),
    neighbours: Effect.fn("DeviceReads.neighbours")(function* (hostname: string) {
      const neighbours = yield* Effect.mapError(live.neighbours(yield* readable(hostname)), neighbourFailure)
      return enveloped({ lldp_neighbors: maskedNeighbours(neighbours) })
    }),
    neighbourDetails: Effect.fn("DeviceReads.neighbourDetails")(function* (hostname: string) {
      const neighbours = yield* Effect.mapError(live.neighbourDetails(yield* readable(hostname)), neighbourFailure)
      return enveloped({ lldp_neighbors_detail: maskedDetails(neighbours) })
    }),
    optics: Effect.fn("DeviceReads.optics")(function* (hostname: string) {
      const device = yield* byHostname(hostname)
      if (device.state !== "MANAGED") {
        return yield* new BadRequest({ message: `${hostname} is ${device.state}: only a managed device is read` })
      }
      yield* requireManageable(device)
      return enveloped({ optics: yield* Effect.mapError(live.optics(device), exception) })
    }),
    state: Effect.fn("DeviceReads.state")(function* (hostname: string, query: StateQuery) {
      const device = yield* byHostname(hostname)
      if (device.state !== "MANAGED") {
        return yield* new BadRequest({ message: `${hostname} is ${device.state}: only a managed device is read` })
      }
      yield* requireManageable(device)
      const missing = missingKinds(device, query.reads)
      if (missing !== null) return yield* new BadRequest({ message: missing })
      const questions = questionsOf(query, yield* Clock.currentTimeMillis)
      if (Result.isFailure(questions)) return yield* new BadRequest({ message: questions.failure })
      return enveloped({ readings: yield* Effect.mapError(live.state(device, questions.success), exception) })
    }),
    interfaceStatus: Effect.fn("DeviceReads.interfaceStatus")(function* (hostname: string) {
      const refuse = (reason: string) => new BadRequest({ message: `Could not get interface states, ${reason}` })
      const unknown = () => refuse(`invalid input: Hostname ${hostname} not found in inventory`)
      const device = yield* Effect.catchTag(devices.getByHostname(hostname), "DeviceNotFound", () =>
        Effect.fail(unknown())
      )
      if (device.state !== "MANAGED") return yield* unknown()
      yield* requireManageable(device)
      const shown = yield* Effect.mapError(live.interfaces(device), ({ message, type }) =>
        refuse(`unknown exception: ${type}: ${message}`)
      )
      const states = Object.entries(shown).map(([name, state]) => [
        name,
        {
          ...state,
          description: maskSecrets(state.description),
          speed: state.speed === null ? null : Math.round(state.speed)
        }
      ])
      return enveloped({ interface_status: Object.fromEntries(states) })
    })
  }
})

// PUT interface_status: takes ports down and up within the request (docs/api.md#bouncing-ports).

const refuse = (message: string) => new BadRequest({ message })

/** Bounces ports of a device. All conditions are checked before a command is sent. */
const makeBouncing = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const interfaces = yield* InterfaceStore
  const live = yield* LiveDevices
  const events = yield* EventStore

  const accessSwitch = Effect.fnUntraced(function* (hostname: string) {
    const device = yield* Effect.catchTag(devices.getByHostname(hostname), "DeviceNotFound", () =>
      Effect.fail(refuse(`Hostname ${hostname} not found in database`))
    )
    if (device.device_type === "ACCESS" && device.state === "MANAGED") return device
    return yield* refuse(`Hostname ${hostname} is not of type ACCESS or not in state MANAGED`)
  })

  return Effect.fn("Bouncing.bounce")(function* (hostname: string, ports: ReadonlyArray<string>) {
    const device = yield* accessSwitch(hostname)
    yield* requireManageable(device)
    const allowed = yield* permitted({ live: true, ports: ports.map((port) => ({ hostname, port })) })
    if (allowed !== null && wantsApproval(allowed)) {
      const rule = `role ${allowed.role}, approval: true, and a bounce is done at once`
      return yield* new NotPermitted({ rule, roles: [] })
    }
    const rows = yield* interfaces.ofDevice(device.id)
    const uplink = rows.find(({ configtype, name }) => configtype === "ACCESS_UPLINK" && ports.includes(name))
    if (uplink !== undefined) return yield* refuse(`Can't bounce UPLINK port ${uplink.name} for device ${hostname}`)
    const list = ports.join(", ")
    const nothing = enveloped(`No error, but no interfaces changed state: ${list}`)
    if (ports.length === 0) return nothing
    const about = { deviceId: device.id, hostname, data: { ports } }
    yield* events.append({ kind: "interface", action: "bounced", isAudit: true, ...about })
    const bounced = yield* Effect.catchTag(live.bounce(device, ports), "DeviceUnread", ({ message, type }) =>
      Effect.fail(
        new InternalError({
          message:
            type === "BounceIncomplete"
              ? message
              : `Could not bounce ports of device ${hostname}: ${type === "WrongDevice" ? "WrongDevice: " : ""}${message}`
        })
      )
    )
    if (bounced.refused !== null) return yield* refuse(bounced.refused)
    return bounced.changed ? enveloped(`Bounced interfaces: ${list}`) : nothing
  })
})

// Starts jobs that read facts or the ports of a device into the database (docs/jobs.md#update_facts and
// docs/jobs.md#update_interfacedb).

const makeUpdates = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const requests = yield* JobRequests

  /** The MANAGED or UNMANAGED device of this name. */
  const find = Effect.fnUntraced(function* (hostname: string) {
    const invalid = refuse(`Hostname '${hostname}' not found or is in invalid state`)
    const device = yield* Effect.catchTag(devices.getByHostname(hostname), "DeviceNotFound", () => Effect.fail(invalid))
    return device.state === "MANAGED" || device.state === "UNMANAGED" ? device : yield* invalid
  })

  const findAccess = Effect.fnUntraced(function* (hostname: string) {
    const device = yield* find(hostname)
    if (device.device_type === "ACCESS") return device
    return yield* refuse("Only devices of type ACCESS has interface database to update")
  })

  return {
    facts: Effect.fn("Updates.facts")(function* (hostname: string, user: string) {
      yield* find(hostname)
      const job = yield* requests.start(UpdateFacts, { hostname }, { user })
      return jobStartedOnDevices(`Scheduled job to update facts for ${hostname}`, job, 1)
    }),
    interfaces: Effect.fn("Updates.interfaces")(function* (request: UpdateInterfacesRequest, user: string) {
      const { delete_all, hostname, mlag_peer_hostname = null, replace } = request
      yield* findAccess(hostname)
      if (mlag_peer_hostname !== null) yield* findAccess(mlag_peer_hostname)
      const args = { replace, delete_all, mlag_peer_hostname, hostname }
      const job = yield* requests.start(UpdateInterfaces, args, { user })
      return jobStartedOnDevices(`Scheduled job to update interfaces for ${hostname}`, job, 1)
    })
  }
})

/** Handlers of `OperationsGroup`. */
export const OperationsLive = HttpApiBuilder.group(Api, "operations", (handlers) =>
  Effect.gen(function* () {
    const reads = yield* makeDeviceReads
    const bounce = yield* makeBouncing
    const updates = yield* makeUpdates
    const hostKeys = yield* makeHostKeys
    const renew = yield* makeRenewal
    const authority = yield* makeAuthority
    const certificates = yield* makeCertificates
    return handlers
      .handle("runningConfig", ({ params, query }) => answered(reads.runningConfig(params.hostname, query.interface)))
      .handle("neighbours", ({ params }) => answered(reads.neighbours(params.hostname)))
      .handle("neighbourDetails", ({ params }) => answered(reads.neighbourDetails(params.hostname)))
      .handle("interfaceStatus", ({ params }) => answered(reads.interfaceStatus(params.hostname)))
      .handle("optics", ({ params }) => answered(reads.optics(params.hostname)))
      .handle("state", ({ params, query }) => answered(reads.state(params.hostname, query)))
      .handle("bounce", ({ params, payload }) => answered(bounce(params.hostname, payload.bounce_interfaces)))
      .handle("updateFacts", ({ payload }) => asCaller((user) => updates.facts(payload.hostname, user)))
      .handle("updateInterfaces", ({ payload }) => asCaller((user) => updates.interfaces(payload, user)))
      .handle("hostKey", ({ params }) => answered(hostKeys.get(params.hostname)))
      .handle("pinHostKey", ({ params, payload }) => asCaller((user) => hostKeys.put(params.hostname, payload, user)))
      .handle("approveHostKey", ({ params, payload }) =>
        asCaller((user) => hostKeys.approve(params.hostname, payload.fingerprint, user))
      )
      .handle("waitingHostKeys", () => answered(hostKeys.waiting))
      .handle("approveHostKeys", ({ payload }) => asCaller((user) => hostKeys.approveAll(payload.host_keys, user)))
      .handle("trustDevice", ({ params, payload }) =>
        asCaller((user) => hostKeys.accept(params.hostname, payload, user))
      )
      .handle("renewCertificates", ({ payload }) => asCaller((user) => renew(payload, user)))
      .handle("authority", () => answered(authority.show))
      .handle("certificates", ({ query }) => answered(certificates.list(query.hostname)))
      .handle("revokeCertificate", ({ params, payload }) =>
        asCaller((user) => certificates.revoke(params.serial, payload.reason, user))
      )
      .handle("createAuthority", ({ payload }) => asCaller((user) => authority.create(payload.common_name, user)))
  })
)
