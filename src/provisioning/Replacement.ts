/**
 * Putting a new switch in the place of a broken one (docs/provisioning.md#replacement): the old row lives on with its id, its
 * name and the configuration of its ports, and takes over the identity of the new unit; the row under which the new unit was
 * discovered goes.
 */
import { Result } from "effect"
import type { DeviceEvent } from "../../machines/device/DeviceEvents.ts"
import type { Device } from "../domain/Device.ts"
import type { Interface } from "../domain/Interface.ts"
import { DeviceStateError } from "./ProvisioningErrors.ts"

export type NewUnit = Pick<Device, "id" | "ztp_mac" | "serial" | "model" | "dhcp_ip" | "platform">
export type OldUnit = Pick<Device, "id" | "hostname" | "state" | "management_ip" | "secondary_management_ip">

/** What is known about the device that is to be replaced. */
export interface ReplacementSurvey {
  readonly hostname: string
  /** Null when no device has this hostname. */
  readonly old: OldUnit | null
  readonly interfaces: ReadonlyArray<Pick<Interface, "configtype">>
  readonly stackMembers: number
}

const refuse = (message: string) => Result.fail(new DeviceStateError({ message }))

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
    return refuse("Replacing a MLAG switch is not supported")
  }
  return stackMembers > 0 ? refuse("Replacing a stacked switch is not supported") : Result.succeed(old)
}

/** The swap, to be made in one transaction. */
export interface ReplacementPlan {
  /** The row that goes on with the initialisation. */
  readonly deviceId: number
  /** The row of the discovery, to be deleted with its interfaces and links. */
  readonly deleteId: number
  /** For the old row: copies the identity, reserves the management addresses and moves it to DISCOVERED. */
  readonly event: DeviceEvent
  /** Addresses that the new unit is to get again. */
  readonly reuse: ReadonlyArray<string>
}

/** How the new unit takes the place of the old one. */
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
