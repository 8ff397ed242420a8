/**
 * The device record as the API shows it and the database stores it, with the names of its states and types. Field names are
 * those of the wire (docs/api.md#device-record), so a record is never renamed on its way.
 */
import { Schema } from "effect"
import { type DeviceState as LifecycleState, deviceStates } from "../../machines/device/DeviceEvents.ts"

export { deviceStates }
export { platformNames as platforms } from "./platforms/Platforms.ts"

/** State names, upper case on the wire; the machine in `machines/device/DeviceLifecycle.ts` moves between them. */
export const DeviceState = Schema.Literals(deviceStates).annotate({ identifier: "DeviceState" })
export type DeviceState = LifecycleState

/** The role of a device. The order is the sort order of lists. */
export const deviceTypes = ["UNKNOWN", "ACCESS", "DIST", "CORE"] as const
export const DeviceType = Schema.Literals(deviceTypes).annotate({ identifier: "DeviceType" })
export type DeviceType = typeof DeviceType.Type

/** The type that a client names, in any case; undefined for an unknown name. */
export const deviceTypeOf = (sent: unknown): DeviceType | undefined =>
  typeof sent === "string" ? deviceTypes.find((name) => name === sent.toUpperCase()) : undefined

/** True for the routed layer, whose switches share settings, addresses and links that access switches do not have. */
export const isFabricType = (type: string | undefined): type is "CORE" | "DIST" => type === "CORE" || type === "DIST"

const nullableText = Schema.NullOr(Schema.String)

/** One device. Addresses are text as given; `last_seen` is `YYYY-MM-DD HH:MM:SS[.ffffff]`, UTC. */
export const Device = Schema.Struct({
  id: Schema.Int,
  hostname: Schema.String,
  site_id: Schema.NullOr(Schema.Int),
  description: nullableText,
  management_ip: nullableText,
  secondary_management_ip: nullableText,
  dhcp_ip: nullableText,
  infra_ip: nullableText,
  oob_ip: nullableText,
  serial: nullableText,
  ztp_mac: nullableText,
  platform: nullableText,
  vendor: nullableText,
  model: nullableText,
  os_version: nullableText,
  synchronized: Schema.Boolean,
  state: DeviceState,
  device_type: DeviceType,
  confhash: nullableText,
  last_seen: nullableText,
  port: Schema.NullOr(Schema.Int)
})
export type Device = typeof Device.Type

/** The fields of a device that a client may write: all but the id. */
export type DeviceFields = Omit<Device, "id">

/** The fields that are unknown before the first contact with a device. */
export const blankFields = {
  site_id: null,
  description: null,
  management_ip: null,
  secondary_management_ip: null,
  dhcp_ip: null,
  infra_ip: null,
  oob_ip: null,
  serial: null,
  ztp_mac: null,
  platform: null,
  vendor: null,
  model: null,
  os_version: null,
  synchronized: false,
  confhash: null,
  last_seen: null,
  port: null
} satisfies Partial<Device>

/** No device has this id or hostname. A retry does not help. */
export class DeviceNotFound extends Schema.TaggedError<DeviceNotFound>()("DeviceNotFound", {
  device: Schema.Union([Schema.Int, Schema.String])
}) {
  override get message() {
    return `Device ${this.device} not found`
  }
  get httpStatus() {
    return 404 as const
  }
  get refusal() {
    return "Device not found"
  }
}

/** Another device already has this hostname. */
export class HostnameTaken extends Schema.TaggedError<HostnameTaken>()("HostnameTaken", { hostname: Schema.String }) {
  override get message() {
    return `A device with hostname ${this.hostname} exists already`
  }
  get httpStatus() {
    return 400 as const
  }
  get refusal() {
    return ["Device already exists"]
  }
}

/** The address at which a device is reached: its management address, else its DHCP lease. */
export const reachableAddress = (device: Pick<Device, "management_ip" | "dhcp_ip">): string | null =>
  device.management_ip ?? device.dhcp_ip

// The state of the network in numbers, as `GET /overview` answers. Each is the number of devices in a list
// (docs/page.md#overview-and-devices).

const Counts = Schema.Record(Schema.String, Schema.Int)

export const Overview = Schema.Struct({
  devices: Schema.Struct({
    total: Schema.Int,
    by_state: Counts,
    /** Managed, and not proved to match the settings. */
    unsynchronized: Schema.Int,
    /** The same by the newest cause of each. */
    unsynchronized_by: Counts,
    drifted: Schema.Int,
    unreachable: Schema.Int,
    /** A change of their configuration is running, or waits for its end. */
    in_change: Schema.Int
  }).annotate({ identifier: "DeviceCounts" }),
  jobs: Schema.Struct({
    running: Schema.Int,
    waiting: Schema.Int,
    /** Ended within the last day without success. */
    failed_today: Schema.Int
  }).annotate({ identifier: "JobQueueCounts" }),
  /** Switches that were discovered: those that wait to be set up, and those that somebody ignores. */
  new_devices: Schema.Struct({ waiting: Schema.Int, ignored: Schema.Int }).annotate({ identifier: "NewDeviceCounts" })
}).annotate({ identifier: "Overview" })
export type Overview = typeof Overview.Type
