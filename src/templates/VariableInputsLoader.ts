/**
 * Reads the inputs of many devices' variables from the database. The number of queries is constant, except for one more of each kind per
 * 5,000 devices; the memory is not, so thousands of devices should be loaded in slices of some hundred.
 */
import { Array as Arr, Effect, Result } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { type Device, isFabricType } from "../domain/Device.ts"
import type { Interface } from "../domain/Interface.ts"
import { endOf, type Linknet } from "../domain/Linknet.ts"
import type { MgmtDomain } from "../domain/MgmtDomain.ts"
import type { StackMember } from "../domain/DeviceFields.ts"
import { ServerConfig } from "../ServerConfig.ts"
import type { SettingsTarget } from "../settings/Layering.ts"
import type { Settings } from "../settings/SettingsModel.ts"
import type { SettingsSnapshot } from "../settings/SettingsSnapshot.ts"
import { DeviceStore } from "../store/DeviceStore.ts"
import { InterfaceStore } from "../store/InterfaceStore.ts"
import {
  type DeviceLink,
  type InitInputs,
  type MirrorSource,
  type Neighbour,
  type SiteInputs,
  type VariableInputs,
  VariablesError
} from "./VariableInputs.ts"
import { NetworkStore } from "../store/NetworkStore.ts"

/** A device whose variables are wanted; with `init` for its first configuration. */
export interface VariableRequest {
  readonly device: Device
  readonly init?: InitInputs
}

/** The loaded inputs: those that all devices share, and those of each device by its id; a consumer may remove a device's. */
export interface LoadedInputs {
  readonly site: SiteInputs
  readonly byDevice: Map<number, Result.Result<VariableInputs, VariablesError>>
}

/** PostgreSQL takes 65,535 parameters, and a query for links needs two for each device. */
const IDS_PER_QUERY = 5_000
const DEVICES_PER_STEP = 100

const inChunks = <Key, A>(
  keys: ReadonlyArray<Key>,
  read: (keys: ReadonlyArray<Key>) => Effect.Effect<ReadonlyArray<A>, SqlError.SqlError>
): Effect.Effect<ReadonlyArray<A>, SqlError.SqlError> =>
  Effect.map(Effect.forEach(Arr.chunksOf(keys, IDS_PER_QUERY), read), Arr.flatten)

const typeOf = ({ device, init }: VariableRequest): Device["device_type"] => init?.device_type ?? device.device_type

const isFabric = (request: VariableRequest): boolean => isFabricType(typeOf(request))

interface StackMemberRow extends StackMember {
  readonly device_id: number
}

/** All rows, arranged by device. */
interface Rows {
  readonly devices: ReadonlyMap<number, Device>
  readonly links: ReadonlyMap<number, ReadonlyArray<Linknet>>
  readonly interfaces: ReadonlyMap<number, ReadonlyArray<Interface>>
  readonly stackMembers: ReadonlyMap<number, ReadonlyArray<StackMember>>
  readonly mgmtDomains: ReadonlyArray<MgmtDomain>
}

const grouped = <A extends { readonly device_id: number }>(rows: ReadonlyArray<A>) =>
  new Map(Map.groupBy(rows, ({ device_id }) => device_id))

const linksByDevice = (links: ReadonlyArray<Linknet>): ReadonlyMap<number, ReadonlyArray<Linknet>> => {
  const byDevice = new Map<number, Array<Linknet>>()
  for (const link of links) {
    for (const id of new Set([link.device_a_id, link.device_b_id])) {
      const own = byDevice.get(id)
      if (own === undefined) byDevice.set(id, [link])
      else own.push(link)
    }
  }
  return byDevice
}

const byId = (a: { readonly id: number }, b: { readonly id: number }): number => a.id - b.id

const readLinks = Effect.fnUntraced(function* (ids: ReadonlyArray<number>) {
  const found = yield* inChunks(ids, (yield* NetworkStore).links.ofDevices)
  // A link between devices of two chunks is read twice.
  return [...new Map(found.map((link) => [link.id, link])).values()].toSorted(byId)
})

const readStackMembers = Effect.fnUntraced(function* (ids: ReadonlyArray<number>) {
  const sql = yield* SqlClient.SqlClient
  return yield* inChunks(
    ids,
    (some) => sql<StackMemberRow>`select device_id, member_no, hardware_id, priority from stackmember
      where device_id in ${sql.in(some)} order by device_id, member_no nulls last, id`
  )
})

/** The requested devices, and all at the other ends of their cables and domains. */
const readDevices = Effect.fnUntraced(function* (
  requests: ReadonlyArray<VariableRequest>,
  pairs: ReadonlyArray<Pick<Linknet, "device_a_id" | "device_b_id">>
) {
  const known = new Map(requests.map(({ device }) => [device.id, device]))
  const others = new Set(pairs.flatMap(({ device_a_id, device_b_id }) => [device_a_id, device_b_id]))
  const missing = [...others].filter((id) => !known.has(id))
  for (const device of yield* inChunks(missing, (yield* DeviceStore).byIds)) known.set(device.id, device)
  return known
})

const readRows = Effect.fnUntraced(function* (requests: ReadonlyArray<VariableRequest>) {
  const ids = Arr.dedupe(requests.map(({ device }) => device.id))
  const access = requests.filter((request) => typeOf(request) === "ACCESS").map(({ device }) => device.id)
  const linknets = yield* readLinks(ids)
  const mgmtDomains = yield* (yield* NetworkStore).domains.all
  const rows: Rows = {
    devices: yield* readDevices(requests, [...linknets, ...(requests.some(isFabric) ? mgmtDomains : [])]),
    links: linksByDevice(linknets),
    interfaces: grouped(yield* inChunks(access, (yield* InterfaceStore).ofDevices)),
    stackMembers: grouped(yield* readStackMembers(ids)),
    mgmtDomains
  }
  return rows
})

const linksOf = ({ devices, links }: Rows, { device }: VariableRequest): ReadonlyArray<DeviceLink> =>
  (links.get(device.id) ?? []).flatMap((linknet) => {
    const end = endOf(linknet, device.id)
    const peer = end === null ? undefined : devices.get(end.peerId)
    return end === null || peer === undefined ? [] : [{ ...end, peer }]
  })

const targetOf = ({ device, init }: VariableRequest): SettingsTarget =>
  init === undefined ? device : { ...device, hostname: init.hostname, device_type: init.device_type }

const settingsOf = (
  snapshot: SettingsSnapshot,
  target: SettingsTarget,
  downstream: ReadonlyArray<Device>
): Result.Result<Settings, VariablesError> =>
  Result.mapBoth(snapshot.layering.forDevice(target, downstream), {
    onFailure: ([{ message }]) => new VariablesError({ hostname: target.hostname, message }),
    onSuccess: ({ settings }) => settings
  })

/** The other member of the first management domain that the device belongs to. */
const partnerOf = ({ devices, mgmtDomains }: Rows, id: number): Device | undefined => {
  const partners = mgmtDomains.flatMap(({ device_a_id: a, device_b_id: b }) => (a === id ? [b] : b === id ? [a] : []))
  const partner = partners.find((other) => other !== id)
  return partner === undefined ? undefined : devices.get(partner)
}

const mirrorSourceOf = (
  snapshot: SettingsSnapshot,
  rows: Rows,
  { interfaces }: Settings,
  id: number
): Result.Result<MirrorSource | null, VariablesError> => {
  const partner = interfaces.some(({ ifclass }) => ifclass === "mirror") ? partnerOf(rows, id) : undefined
  if (partner === undefined) return Result.succeed(null)
  return Result.map(settingsOf(snapshot, partner, []), (settings) => ({
    hostname: partner.hostname,
    interfaces: settings.interfaces
  }))
}

const inputsOf = (
  snapshot: SettingsSnapshot,
  rows: Rows,
  request: VariableRequest
): Result.Result<VariableInputs, VariablesError> =>
  Result.gen(function* () {
    const { device, init } = request
    const links = linksOf(rows, request)
    const downstream = Arr.dedupe(links.map(({ peer }) => peer.id))
      .flatMap((id) => rows.devices.get(id) ?? [])
      .filter((peer) => peer.device_type === "ACCESS")
    const settings = yield* settingsOf(snapshot, targetOf(request), downstream)
    return {
      device,
      settings,
      links,
      interfaces: rows.interfaces.get(device.id) ?? [],
      stackMembers: rows.stackMembers.get(device.id) ?? [],
      mirrorSource: yield* mirrorSourceOf(snapshot, rows, settings, device.id),
      ...(init === undefined ? {} : { init })
    }
  })

/** The peers that any of these settings name, and all core switches; none if no fabric device is requested. */
const readPeers = Effect.fnUntraced(function* (requests: ReadonlyArray<VariableRequest>, settings: Iterable<Settings>) {
  if (!requests.some(isFabric)) return { coreDevices: [], evpnPeers: new Map<string, Neighbour>() }
  const sql = yield* SqlClient.SqlClient
  const names = new Set([...new Set(settings)].flatMap((one) => one.evpn_peers.map(({ hostname }) => hostname)))
  const named = yield* inChunks([...names], (yield* DeviceStore).byHostnames)
  const coreDevices = yield* sql<Neighbour>`select id, hostname, device_type, infra_ip from device
    where device_type = 'CORE' order by id`
  return { coreDevices, evpnPeers: new Map<string, Neighbour>(named.map((device) => [device.hostname, device])) }
})

/**
 * The inputs of all these devices under the settings of one snapshot. A device with invalid settings has a failure in its place, without
 * effect on the others.
 */
export const loadVariableInputs = Effect.fn("templates.loadVariableInputs")(function* (
  snapshot: SettingsSnapshot,
  requests: ReadonlyArray<VariableRequest>
): Effect.fn.Return<
  LoadedInputs,
  SqlError.SqlError,
  DeviceStore | NetworkStore | InterfaceStore | ServerConfig | SqlClient.SqlClient
> {
  const { SETTINGS_OVERRIDE, templateSecrets } = yield* ServerConfig
  const rows = yield* readRows(requests)
  const byDevice = new Map<number, Result.Result<VariableInputs, VariablesError>>()
  for (const [index, request] of requests.entries()) {
    if (index % DEVICES_PER_STEP === DEVICES_PER_STEP - 1) yield* Effect.yieldNow
    byDevice.set(request.device.id, inputsOf(snapshot, rows, request))
  }
  const fabric = requests.filter(isFabric).flatMap(({ device }) => byDevice.get(device.id) ?? [])
  const settings = fabric.flatMap((inputs) => (Result.isSuccess(inputs) ? [inputs.success.settings] : []))
  const peers = yield* readPeers(requests, settings)
  const site = { ...peers, mgmtDomains: rows.mgmtDomains, secrets: templateSecrets, override: SETTINGS_OVERRIDE }
  return { site, byDevice }
})
