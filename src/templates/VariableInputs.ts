/**
 * The inputs of a device's template variables, as plain rows: nothing here asks a database. `VariableInputs` has the inputs of one device,
 * `SiteInputs` those of all devices, so that one read of the database serves thousands of devices. `VariableInputsLoader` does that read.
 */
import { type Redacted, Schema } from "effect"
import type { Device, DeviceType } from "../domain/Device.ts"
import type { Interface } from "../domain/Interface.ts"
import type { LinkEnd } from "../domain/Linknet.ts"
import type { MgmtDomain } from "../domain/MgmtDomain.ts"
import type { Settings, SettingsInterface } from "../settings/SettingsModel.ts"
import type { StackMember } from "../domain/DeviceFields.ts"

/** The part of a device that other devices' variables need. A full device record fits. */
export type Neighbour = Pick<Device, "id" | "hostname" | "device_type" | "infra_ip">

/** A link from the point of view of the variables' device. */
export interface DeviceLink extends LinkEnd {
  readonly peer: Neighbour
}

/** The source of a `mirror` interface: the other device of the management domain. */
export interface MirrorSource {
  readonly hostname: string
  readonly interfaces: ReadonlyArray<SettingsInterface>
}

/** Decisions about a device that is being provisioned, which are not stored yet (docs/templates.md#variables-during-init). */
export interface InitInputs {
  readonly hostname: string
  readonly device_type: Exclude<DeviceType, "UNKNOWN">
  /** The management variables as `provisioning/Addresses.ts` makes them; for DIST and CORE with `infra_ip`. */
  readonly addresses: Readonly<Record<string, string | number | null>>
}

/** The inputs of one device's variables. */
export interface VariableInputs {
  readonly device: Device
  /** The settings of the device; during init those of the new hostname and type. */
  readonly settings: Settings
  /** Its rows of the interface database; for access switches. */
  readonly interfaces: ReadonlyArray<Interface>
  /** All its links, by the id of the linknet. */
  readonly links: ReadonlyArray<DeviceLink>
  readonly stackMembers: ReadonlyArray<StackMember>
  /** Only needed if the settings have interfaces of class mirror. */
  readonly mirrorSource?: MirrorSource | null
  readonly init?: InitInputs
  /** The running configuration, if the mapping requests it (docs/templates.md#running_config). */
  readonly runningConfig?: string
}

/** The inputs that all devices share. */
export interface SiteInputs {
  /** All management domains, by id. */
  readonly mgmtDomains: ReadonlyArray<MgmtDomain>
  /** All devices of type CORE, by id. */
  readonly coreDevices: ReadonlyArray<Neighbour>
  /** The existing devices that settings name as EVPN peers, by hostname. */
  readonly evpnPeers: ReadonlyMap<string, Neighbour>
  /** Environment variables that begin with TEMPLATE_SECRET_, by their full names. */
  readonly secrets: ReadonlyMap<string, Redacted.Redacted>
  /** Server setting SETTINGS_OVERRIDE. */
  readonly override: Readonly<Record<string, unknown>> | null
}

/** The template variables of a device cannot be made. Asking again helps only after its data have changed. */
export class VariablesError extends Schema.TaggedError<VariablesError>()("VariablesError", {
  hostname: Schema.String,
  message: Schema.String
}) {}

/**
 * Variables by name, in order. Values are JSON values, and `Map`s where free names are the keys, which keep their order.
 */
export type TemplateVariables = ReadonlyMap<string, unknown>

/** The variables of one device, and remarks for the log. */
export interface DeviceVariables {
  readonly variables: TemplateVariables
  readonly warnings: ReadonlyArray<string>
}
