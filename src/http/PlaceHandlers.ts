/**
 * Handlers of new switches and the topology. They only read the database; discovery, surveys and live reads store what switches announce.
 */
import { Effect, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { SqlClient } from "effect/sql"
import { Api } from "../api/Api.ts"
import { answered, asCaller } from "./core/HandlerErrors.ts"
import { Caller } from "../api/Requests.ts"
import { CallerDevices } from "../access/CallerDevices.ts"
import type { Device } from "../domain/Device.ts"
import { isManageable, platforms } from "../domain/platforms/Platforms.ts"
import { requiringSettings, SettingsView } from "../settings/SettingsView.ts"
import { DeviceStore } from "../store/DeviceStore.ts"
import { EventStore } from "../store/EventStore.ts"
import { makeDeviceLookup, makeVisible } from "./core/Permits.ts"
import { makeInitialisation } from "./provisioning/Initialisation.ts"
import { edgesOf, placesOf, replacedBy } from "../domain/Topology.ts"
import { makePlaceRows, type WaitingRow } from "../store/FleetViews.ts"
import { BadRequest, enveloped } from "../api/Answers.ts"
import { type IgnoreRequest, type InitLine, type InitListRequest, onLine } from "../domain/requests/InitRequests.ts"
import { initArguments, initJob } from "../provisioning/Init.ts"
import { NetworkStore } from "../store/NetworkStore.ts"

// Where switches are, from the database alone, so that it is quick.

const managed = platforms.filter(({ capabilities }) => capabilities !== null).map(({ name }) => name)

const problemsOf = (device: WaitingRow): ReadonlyArray<string> => [
  ...(device.state === "DHCP_BOOT" ? ["It has not been discovered yet: nobody has logged in to it"] : []),
  ...(isManageable(device)
    ? []
    : [`There is no driver for platform ${device.platform ?? "None"} (only for ${managed.join(", ")})`])
]

const makePlaces = Effect.gen(function* () {
  const places = yield* makePlaceRows
  const { neighbours } = yield* DeviceStore
  const { links } = yield* NetworkStore
  const devices = yield* DeviceStore
  const settings = yield* SettingsView
  const visible = yield* makeVisible
  const lookup = yield* makeDeviceLookup
  const events = yield* EventStore
  const sql = yield* SqlClient.SqlClient

  const newDevices = Effect.gen(function* () {
    const { within } = yield* visible
    const rows = yield* places.waiting(within)
    if (rows.length === 0) return enveloped({ devices: [] })
    const seen = within === undefined ? undefined : new Set(within.hostnames)
    const all = (yield* devices.all).filter(({ hostname }) => seen?.has(hostname) ?? true)
    const announced = yield* neighbours.ofKnown
    const stored = yield* links.all
    return enveloped({
      devices: rows.map((row) => {
        const found = placesOf(row, all, stored, announced)
        return { ...row, places: found, replaces: replacedBy(found), problems: problemsOf(row) }
      })
    })
  })

  const topology = Effect.gen(function* () {
    const { within } = yield* visible
    const rows = yield* places.nodes(within)
    const seen = new Set(rows.map(({ hostname }) => hostname))
    const found = (yield* devices.all).filter(({ hostname }) => seen.has(hostname))
    const names = yield* settings.primaryGroups(found)
    const groups = new Map(found.map(({ id }, index) => [id, names[index] ?? "DEFAULT"]))
    const edges = edgesOf(rows, yield* links.all, yield* neighbours.ofKnown)
    const nodes = rows.map(({ platform: _platform, ...row }) => ({
      ...row,
      primary_group: groups.get(row.id) ?? "DEFAULT"
    }))
    return enveloped({ nodes, edges })
  })

  const ignore = Effect.fn("Places.ignore")(
    function* (digits: string, { comment, ignored }: IgnoreRequest) {
      const { hostname, id, state } = yield* lookup.byId(digits)
      if (ignored && state !== "DHCP_BOOT" && state !== "DISCOVERED")
        return yield* new BadRequest({ message: `Only a new switch can be ignored, ${hostname} is ${state}` })
      const { name } = yield* Caller
      const said = comment?.trim() ?? ""
      const isChanged = ignored
        ? yield* Effect.as(places.ignore(id, name, said === "" ? null : said), true)
        : yield* places.unignore(id)
      const action = ignored ? "ignored" : "no longer ignored"
      const data = said === "" ? {} : { comment: said }
      if (isChanged) yield* events.append({ kind: "device", action, isAudit: true, deviceId: id, hostname, data })
      return enveloped({ ignored })
    },
    (work) => sql.withTransaction(work)
  )

  return { newDevices, topology, ignore }
})

// Initialises the switches of a list (docs/provisioning.md#several-at-once): all lines are checked first, and either all are started or
// none.

const requestOf = ({ device_type, hostname, replace_hostname }: InitLine) => ({
  hostname,
  device_type,
  neighbors: null,
  ...(replace_hostname ? { replace_hostname } : {})
})

/** The switch that a line names, or why there is none. */
const switchOf = ({ mac, serial }: InitLine, all: ReadonlyArray<Device>): Result.Result<Device, [string, string]> => {
  const found = all.filter(
    (device) => (mac === null || device.ztp_mac === mac) && (serial === null || device.serial === serial)
  )
  const [device] = found
  const [field, value] = mac === null ? ["serial", serial] : ["mac", mac]
  if (device === undefined) return Result.fail([field, `No device has ${field} ${value}`])
  return found.length > 1 ? Result.fail([field, `Several devices have ${field} ${value}`]) : Result.succeed(device)
}

/** The faults of a line that can be found without a login to the switch. */
const faultsOf = (line: InitLine, device: Device, all: ReadonlyArray<Device>): ReadonlyArray<[string, string]> => {
  const holder = all.find(({ hostname }) => hostname === line.hostname)
  const field = line.mac === null ? "serial" : "mac"
  const faults: Array<[string, string]> = []
  if (device.state !== "DISCOVERED") {
    faults.push([field, `Device must be in state DISCOVERED to begin init, ${device.hostname} is ${device.state}`])
  }
  if (!isManageable(device)) faults.push([field, `There is no driver for platform ${device.platform ?? "None"}`])
  if (line.replace_hostname && holder?.state !== "UNMANAGED") {
    const why = holder === undefined ? "not found" : "not in UNMANAGED state"
    faults.push(["replace_hostname", `Device ${line.hostname} ${why}`])
  }
  if (!line.replace_hostname && holder !== undefined && holder.id !== device.id) {
    faults.push(["hostname", `Another device has the hostname ${line.hostname}`])
  }
  const job = initJob(device, initArguments(device.id, requestOf(line)))
  if (Result.isFailure(job)) faults.push(["device_type", job.failure.message])
  return faults
}

/** The handler. */
const makeSeveralInits = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const { permit } = yield* CallerDevices
  const visible = yield* makeVisible
  const initialise = yield* makeInitialisation
  return Effect.fn("SeveralInits.start")(function* ({ devices: lines }: InitListRequest, user: string) {
    const all = yield* devices.all
    const { within } = yield* visible
    // a switch that the caller may not see is treated as unknown
    const seen = within === undefined ? all : all.filter(({ hostname }) => within.names.has(hostname))
    const found = lines.map((line, index) => {
      const device = switchOf(line, seen)
      const faults = Result.isFailure(device) ? [device.failure] : faultsOf(line, device.success, seen)
      return { line, device, faults: faults.map(([field, sentence]) => onLine(index, field, sentence)) }
    })
    const meant = found.flatMap(({ device }) => (Result.isSuccess(device) ? [device.success] : []))
    const later = found.flatMap(({ device, line: { device_type, hostname } }) =>
      Result.isSuccess(device) ? [{ ...device.success, hostname, device_type }] : []
    )
    const old = seen.filter(({ hostname }) => lines.some((line) => line.replace_hostname && line.hostname === hostname))
    yield* requiringSettings(permit([...meant, ...later, ...old], {}))
    const wrong = found.flatMap(({ faults }) => faults)
    const repeated = lines.flatMap((line, index) => {
      const first = meant.findIndex(({ id }) => id === meant[index]?.id)
      return wrong.length > 0 || first === index
        ? []
        : [onLine(index, line.mac === null ? "serial" : "mac", `The same device as on line ${first + 1}`)]
    })
    if (wrong.length + repeated.length > 0) return yield* new BadRequest({ message: [...wrong, ...repeated] })
    const started = yield* Effect.forEach(found, ({ device, line }) =>
      Effect.gen(function* () {
        const { id } = yield* Effect.fromResult(device).pipe(Effect.orDie)
        const { job_id } = yield* initialise(String(id), requestOf(line), user)
        return { hostname: line.hostname, device_id: id, job_id }
      })
    )
    return enveloped({ started })
  })
})

/** Handlers of `PlacesGroup`. */
export const PlacesLive = HttpApiBuilder.group(Api, "places", (handlers) =>
  Effect.gen(function* () {
    const places = yield* makePlaces
    const start = yield* makeSeveralInits
    return handlers
      .handle("newDevices", () => answered(places.newDevices))
      .handle("ignoreDevice", ({ params, payload }) => answered(places.ignore(params.id, payload)))
      .handle("initDevices", ({ payload }) => asCaller((user) => start(payload, user)))
      .handle("topology", () => answered(places.topology))
  })
)
