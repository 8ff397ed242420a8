/**
 * Fills the interface database of an access switch from its interfaces and links (docs/provisioning.md#ports-of-an-access-switch
 * and docs/jobs.md#update_interfacedb): uplinks and MLAG ports follow the cables, every other port is an automatic access port
 * until an operator changes it.
 */
import { Result } from "effect"
import type { Device, DeviceType } from "../domain/Device.ts"
import type { ConfigType, Interface, InterfaceData } from "../domain/Interface.ts"
import type { NewLinknet } from "../domain/Linknet.ts"
import { platformOf } from "../domain/platforms/Platforms.ts"
import { DeviceStateError, InconsistentMlagPeer, NoPhysicalInterfaces } from "./ProvisioningErrors.ts"
import type { DeviceEvent } from "../../machines/device/DeviceEvents.ts"

/**
 * The physical ports among a device's interfaces, in their order. Fails with NoPhysicalInterfaces if there is none, or if the
 * platform is unknown.
 */
export const physicalInterfaces = (
  platform: string,
  hostname: string,
  names: ReadonlyArray<string>
): Result.Result<ReadonlyArray<string>, NoPhysicalInterfaces> => {
  const pattern = platformOf(platform)?.interfaces.physical
  const ports = pattern === undefined ? [] : names.filter((name) => pattern.test(name))
  const message = `Could not find any physical interfaces for device ${hostname}`
  return ports.length === 0 ? Result.fail(new NoPhysicalInterfaces({ message })) : Result.succeed(ports)
}

/** A device at the far end of a link. */
interface LinkedDevice {
  readonly hostname: string
  readonly device_type: DeviceType
}

/** The uplink and MLAG ports of one switch, as its cables show. */
interface CabledPorts {
  /** Port → hostname of the device above. */
  readonly uplinks: ReadonlyMap<string, string>
  /** Port → id of the other switch of the pair. */
  readonly mlagPeers: ReadonlyMap<string, number>
}

/**
 * The ports of a device that lead to an uplink (a DIST device, or an ACCESS switch other than its MLAG peer) or to the MLAG peer.
 * `devices` are the far ends by id.
 */
export const cabledPorts = (
  deviceId: number,
  links: ReadonlyArray<Pick<NewLinknet, "device_a_id" | "device_a_port" | "device_b_id" | "device_b_port">>,
  devices: ReadonlyMap<number, LinkedDevice>,
  mlagPeerId: number | null
): CabledPorts => {
  const uplinks = new Map<string, string>()
  const mlagPeers = new Map<string, number>()
  for (const link of links) {
    if (link.device_a_id === link.device_b_id) continue
    const isA = link.device_a_id === deviceId
    if (!isA && link.device_b_id !== deviceId) continue
    const port = isA ? link.device_a_port : link.device_b_port
    const peerId = isA ? link.device_b_id : link.device_a_id
    const peer = devices.get(peerId)
    if (peerId === mlagPeerId) mlagPeers.set(port, peerId)
    else if (peer?.device_type === "DIST" || peer?.device_type === "ACCESS") uplinks.set(port, peer.hostname)
  }
  return { uplinks, mlagPeers }
}

/** The changes to the interface database of one device. */
export interface InterfacePlan {
  /** Rows to insert or overwrite, in the order of the device's ports; what the job's result lists. */
  readonly write: ReadonlyArray<Interface>
  /** Names of rows to delete. */
  readonly remove: ReadonlyArray<string>
  /** Uplink and MLAG ports that the device no longer shows: kept, with a warning. */
  readonly missing: ReadonlyArray<string>
}

export interface InterfaceSurvey {
  readonly deviceId: number
  /** Physical ports that the device shows. */
  readonly ports: ReadonlyArray<string>
  readonly stored: ReadonlyArray<Interface>
  readonly cabled: CabledPorts
  /** Overwrite the type of rows that exist, not only add new ones. */
  readonly replace: boolean
}

const rowOf = (survey: InterfaceSurvey, name: string, data: InterfaceData | null): Interface => {
  const { cabled, deviceId } = survey
  const neighbor = cabled.uplinks.get(name)
  const peer = cabled.mlagPeers.get(name)
  const row = (configtype: ConfigType, its: InterfaceData | null): Interface => ({
    device_id: deviceId,
    name,
    configtype,
    data: its
  })
  if (peer !== undefined) return row("MLAG_PEER", { neighbor_id: peer })
  return neighbor === undefined ? row("ACCESS_AUTO", data) : row("ACCESS_UPLINK", { neighbor })
}

const followsCable = ({ configtype }: Interface): boolean =>
  configtype === "ACCESS_UPLINK" || configtype === "MLAG_PEER"

/**
 * Rows to write and to delete so that the database matches the device. Existing rows stay unchanged unless `replace`; a row that
 * becomes ACCESS_AUTO keeps its data. Rows of missing ports are deleted, except uplinks and MLAG ports.
 */
export const planInterfaces = (survey: InterfaceSurvey): InterfacePlan => {
  const stored = new Map(survey.stored.map((row) => [row.name, row]))
  const ports = new Set(survey.ports)
  const gone = survey.stored.filter(({ name }) => !ports.has(name))
  return {
    write: survey.ports
      .filter((name) => survey.replace || !stored.has(name))
      .map((name) => rowOf(survey, name, stored.get(name)?.data ?? null)),
    remove: gone.filter((row) => !followsCable(row)).map(({ name }) => name),
    missing: gone.filter(followsCable).map(({ name }) => name)
  }
}

/** The plan of `delete_all`: every row goes, nothing is read from the device. */
export const deleteAllInterfaces = (stored: ReadonlyArray<Interface>): InterfacePlan => ({
  write: [],
  remove: stored.map(({ name }) => name),
  missing: []
})

/** Hostnames of the devices above a switch as its rows say, one per uplink port. */
export const uplinkHostnames = (rows: ReadonlyArray<Interface>): ReadonlyArray<string> =>
  rows.flatMap(({ configtype, data }) =>
    configtype === "ACCESS_UPLINK" && typeof data?.["neighbor"] === "string" ? [data["neighbor"]] : []
  )

/** The uplinks that the rows know: port → hostname of the device above. */
export const uplinkPorts = (rows: ReadonlyArray<Interface>): ReadonlyMap<string, string> =>
  new Map(
    rows.flatMap(({ configtype, data, name }) =>
      configtype === "ACCESS_UPLINK" && typeof data?.["neighbor"] === "string"
        ? [[name, data["neighbor"]] as const]
        : []
    )
  )

/**
 * Without `replace`, one or two uplink rows are trusted and the uplinks are not derived again from the links
 * (docs/jobs.md#update_interfacedb).
 */
export const trustsStoredUplinks = (rows: ReadonlyArray<Interface>, replace: boolean): boolean => {
  const count = rows.filter(({ configtype }) => configtype === "ACCESS_UPLINK").length
  return !replace && count >= 1 && count <= 2
}

/** Every MLAG_PEER row of a switch must point at the other one of the pair. Fails with InconsistentMlagPeer. */
export const checkMlagRows = (
  hostname: string,
  rows: ReadonlyArray<Interface>,
  peerId: number
): Result.Result<void, InconsistentMlagPeer> => {
  const wrong = rows.find(({ configtype, data }) => configtype === "MLAG_PEER" && data?.["neighbor_id"] !== peerId)
  if (wrong === undefined) return Result.succeed(undefined)
  const message = `Inconsistent MLAG peer ${String(wrong.data?.["neighbor_id"])} detected for device ${hostname}`
  return Result.fail(new InconsistentMlagPeer({ message }))
}

// Replaces a broken switch with a new one (docs/provisioning.md#replacement): the old row keeps its id, its name and the
// configuration of its ports, and takes over the identity of the new unit; the row of the new unit's discovery is deleted.

type NewUnit = Pick<Device, "id" | "ztp_mac" | "serial" | "model" | "dhcp_ip" | "platform">
type OldUnit = Pick<Device, "id" | "hostname" | "state" | "management_ip" | "secondary_management_ip">

/** The facts about the device to be replaced. */
interface ReplacementSurvey {
  readonly hostname: string
  /** Null when no device has this hostname. */
  readonly old: OldUnit | null
  readonly interfaces: ReadonlyArray<Pick<Interface, "configtype">>
  readonly stackMembers: number
}

const refuse = (message: string) => Result.fail(new DeviceStateError({ message }))
const unsupported = (message: string) => Result.fail(new DeviceStateError({ message, isUnsupported: true }))

/** Whether this device may be replaced now. Fails with DeviceStateError. */
export const checkReplacement = ({
  hostname,
  interfaces,
  old,
  stackMembers
}: ReplacementSurvey): Result.Result<OldUnit, DeviceStateError> => {
  if (old === null) return refuse(`Device ${hostname} not found`)
  if (old.state !== "UNMANAGED") return refuse(`Device ${hostname} not in UNMANAGED state`)
  if (interfaces.some(({ configtype }) => configtype === "MLAG_PEER")) {
    return unsupported("Replacing a MLAG switch is not supported")
  }
  return stackMembers > 0 ? unsupported("Replacing a stacked switch is not supported") : Result.succeed(old)
}

/** The swap, to be made in one transaction. */
interface ReplacementPlan {
  /** The row with which the initialisation continues. */
  readonly deviceId: number
  /** The row of the discovery, to be deleted with its interfaces and links. */
  readonly deleteId: number
  /** For the old row: copies the identity, reserves the management addresses and moves it to DISCOVERED. */
  readonly event: DeviceEvent
  /** Addresses that the new unit gets again. */
  readonly reuse: ReadonlyArray<string>
}

/** The replacement of the old unit by the new one. */
export const planReplacement = (old: OldUnit, unit: NewUnit): ReplacementPlan => ({
  deviceId: old.id,
  deleteId: unit.id,
  event: {
    type: "REPLACED",
    ztp_mac: unit.ztp_mac,
    serial: unit.serial,
    model: unit.model,
    platform: unit.platform,
    dhcp_ip: unit.dhcp_ip
  },
  reuse: [old.management_ip, old.secondary_management_ip].filter((ip) => ip !== null)
})

/** Ports with a configuration of their own that the new unit does not have: their rows will be lost. */
export const lostInterfaces = (rows: ReadonlyArray<Interface>, ports: ReadonlyArray<string>): ReadonlyArray<string> => {
  const shown = new Set(ports)
  return rows.filter(({ name }) => !shown.has(name)).map(({ name }) => name)
}
