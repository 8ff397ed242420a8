/**
 * Which switch a record is: the values that only one device may have (docs/api.md#what-is-unique), how a login is compared with the
 * record, and why a record may not be changed or pushed to. Migration 49 has the values as the database compares them.
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

// Why nothing may be pushed to a device: the database was restored, and nobody has looked at the device since.

/**
 * The database was restored from a backup, and the device was not read since: it may run what was committed after the backup. Nothing was
 * sent to it. The server looks at such devices by itself, every few minutes.
 */
export class UnseenDevice extends Schema.TaggedError<UnseenDevice>()("UnseenDevice", {
  hostname: Schema.String,
  /** When the backup was made, ISO 8601 in UTC. */
  backupOf: Schema.String
}) {
  override get message() {
    return `Device ${this.hostname} was not read since the database was restored from the backup of ${this.backupOf}, so it may run what was committed after that. It is read within minutes, or now by POST /device_drift`
  }
}

// Whether the switch at an address is the device of its record (docs/security.md#identity-of-devices). What a switch shows is
// compared with what its record says; what either of them does not say cannot differ. Pure.

/** What a switch shows of itself right at the login; null: it does not say, or was not asked. */
export const ShownIdentity = Schema.Struct({
  serial: Schema.NullOr(Schema.String),
  model: Schema.NullOr(Schema.String),
  hostname: Schema.NullOr(Schema.String)
})
export type ShownIdentity = typeof ShownIdentity.Type

export const SHOWS_NOTHING: ShownIdentity = { serial: null, model: null, hostname: null }

/** What can differ, in the words of its sentence. */
const IdentityFact = Schema.Literals(["host key", "serial", "hostname", "model"])
type IdentityFact = typeof IdentityFact.Type

/** One fact that is not what it should be; `recorded` is what the record says, null where it says nothing. */
export interface Difference {
  readonly fact: IdentityFact
  readonly shown: string
  readonly recorded: string | null
}

const onward = ({ fact, hostname, other }: { fact: IdentityFact; hostname: string; other: string | null }): string => {
  if (fact === "host key")
    return `no credentials were sent. Correct the address of ${hostname} or of ${other}, or delete the record that is wrong`
  if (fact === "serial" && other !== null)
    return `nothing was changed. Correct the address or the serial of ${hostname} or of ${other}, or delete the record that is wrong`
  return `nothing was changed. Correct the address or the ${fact} of the record, or accept what the switch shows: POST /device/${hostname}/trust`
}

/**
 * The switch at the address of a device is another one than its record says. Nothing was changed on it. Trying again does not help:
 * somebody has to correct a record, or to accept what the switch shows. `other` is the record that it belongs to.
 */
export class WrongDevice extends Schema.TaggedError<WrongDevice>()("WrongDevice", {
  hostname: Schema.String,
  address: Schema.String,
  fact: IdentityFact,
  shown: Schema.String,
  recorded: Schema.NullOr(Schema.String),
  other: Schema.NullOr(Schema.String)
}) {
  override get message(): string {
    const { address, fact, hostname, other, recorded, shown } = this
    const owner = fact === "hostname" ? "another device" : other
    const but = fact === "hostname" ? `not ${hostname}` : `but its record has ${fact} ${recorded}`
    return `${hostname} at ${address} shows ${fact === "host key" ? "the " : ""}${fact} ${shown}, ${other === null ? but : `which is ${owner}`}; ${onward(this)}`
  }
}

/** Columns hold this many characters. */
const WIDTH = 64

/** How serial numbers and models are compared. */
export const comparable = (text: string | null): string | null => {
  const value = (text ?? "").trim().slice(0, WIDTH).trim().toUpperCase()
  return value === "" ? null : value
}

const differs = (fact: IdentityFact, shown: string | null, recorded: string | null): Difference | null => {
  const [one, other] = [comparable(shown), comparable(recorded)]
  return one === null || other === null || one === other ? null : { fact, shown: shown?.trim() ?? "", recorded }
}

/** Whether two names are one: a switch may show its name with the domain, or without. */
const isSameName = (one: string, other: string): boolean => {
  const [a, b] = [one.trim().toLowerCase(), other.trim().toLowerCase()]
  return a === b || a.startsWith(`${b}.`) || b.startsWith(`${a}.`)
}

/** A difference of the serial number; null where there is none. */
export const serialDifference = (
  { serial }: Pick<Device, "serial">,
  shown: Pick<ShownIdentity, "serial">
): Difference | null => differs("serial", shown.serial, serial)

const namesIn = (candidate: string): ReadonlyArray<string> =>
  [...candidate.matchAll(/^hostname (\S+)/gm)].map(([, name = ""]) => name)

/**
 * A difference of name or model, for a record of which nothing was ever proved; null where there is none. The name may be that of
 * the record, or the one that the candidate gives. The model is compared where there is a candidate.
 */
export const firstDifference = (
  { hostname, model }: Pick<Device, "hostname" | "model">,
  shown: ShownIdentity,
  candidate?: string
): Difference | null => {
  const names = [hostname, ...(candidate === undefined ? [] : namesIn(candidate))]
  const { hostname: name } = shown
  if (name !== null && name.trim() !== "" && !names.some((one) => isSameName(name, one)))
    return { fact: "hostname", shown: name.trim(), recorded: hostname }
  return candidate === undefined ? null : differs("model", shown.model, model)
}
