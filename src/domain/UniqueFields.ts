/**
 * What belongs to one device alone (docs/api.md#what-is-unique), which values can belong to none, and why a record may not be changed or
 * pushed to. The values as the database compares them are in migration 49.
 */
import { Option, Result, Schema } from "effect"
import type { Device } from "./Device.ts"
import { containsAddress, parseNetwork, plainAddress } from "./Network.ts"

/** Fields with an address, in the order of the record. */
export const addressFields = ["management_ip", "secondary_management_ip", "infra_ip", "dhcp_ip"] as const

const NO_DEVICE = [
  ["unspecified", ["0.0.0.0/8", "::/128"]],
  ["a loopback address", ["127.0.0.0/8", "::1/128"]],
  ["a link-local address", ["169.254.0.0/16", "fe80::/10"]],
  ["a multicast address", ["224.0.0.0/4", "ff00::/8"]],
  ["the broadcast address", ["255.255.255.255/32"]]
] as const

const unusable = NO_DEVICE.flatMap(([what, networks]) =>
  networks.map((network) => ({ what, network: Result.getOrThrow(parseNetwork(network)) }))
)

/** What an address is that no device can have, such as `a loopback address`; none for any other. */
export const whyNoDeviceAddress = (text: string): Option.Option<string> => {
  const address = plainAddress(text)
  const found = unusable.find(({ network }) => containsAddress(network, address))
  return Option.map(Option.fromUndefinedOr(found), ({ what }) => what)
}

/** Whether 12 upper-case hexadecimal digits are the MAC address of one interface: neither all zeros nor that of a group. */
export const isDeviceMac = (mac: string): boolean => /^.[02468ACE]/.test(mac) && !/^0+$/.test(mac)

/** Whether a hostname is a number, or an address: paths and lists take such a name for something else. */
export const isNumber = (hostname: string): boolean => /^\d+(\.\d+)*\.?$/.test(hostname)

/** Another record has this value already; the sentence names it. Nothing was changed. */
export class IdentityTaken extends Schema.TaggedError<IdentityTaken>()("IdentityTaken", { message: Schema.String }) {
  get httpStatus() {
    return 409 as const
  }
  get refusal() {
    return [this.message]
  }
}

/** Something that is done on a device has not come to its end, so that its record must stay. It can be tried again when the job has ended. */
export class DeviceBusy extends Schema.TaggedError<DeviceBusy>()("DeviceBusy", {
  hostname: Schema.String,
  /** Null for what is done inside a request. */
  job: Schema.NullOr(Schema.Int),
  /** What is under way: the name of the job's function, or of the operation. */
  what: Schema.String
}) {
  override get message() {
    const by = this.job === null ? this.what : `job ${this.job} (${this.what})`
    return `Device ${this.hostname} has an open change of ${by}: wait until it has ended, or abort it`
  }
  get httpStatus() {
    return 409 as const
  }
}

/** Two records have had the same value since before that was refused, so nobody knows which of them the switch is. Nothing was sent. */
export class DisputedRecord extends Schema.TaggedError<DisputedRecord>()("DisputedRecord", {
  hostname: Schema.String,
  role: Schema.String,
  value: Schema.String,
  /** The other record, such as `management_ip of lhv-acc2`. */
  other: Schema.String
}) {
  override get message() {
    return `${this.role} ${this.value} of ${this.hostname} is also the ${this.other}, so nothing is pushed to ${this.hostname}: change or delete one of the two records`
  }
}

/** The record is not any more what the configuration was rendered for. Nothing was sent; a new job takes the record as it is. */
export class RecordChanged extends Schema.TaggedError<RecordChanged>()("RecordChanged", { hostname: Schema.String }) {
  override get message() {
    return `The record of ${this.hostname} was changed while its configuration was rendered: start the job again`
  }
}

/** Fields that must stay while a change is open: which switch it is, how it is reached, and what is rendered for it. */
const HELD = [
  "hostname",
  "management_ip",
  "secondary_management_ip",
  "oob_ip",
  "port",
  "platform",
  "state",
  "device_type"
] as const

/** Whether two readings of a record differ in what an open change relies on. */
export const isOtherDevice = (before: Device, after: Device): boolean =>
  HELD.some((field) => before[field] !== after[field]) ||
  (after.management_ip === null && before.dhcp_ip !== after.dhcp_ip)
