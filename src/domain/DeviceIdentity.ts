/**
 * The identity of the switch behind a record: the values that only one device may have (docs/api.md#what-is-unique), the
 * comparison of a login with the record, and the reasons why a record may not be changed or pushed to. Migration 49 has the
 * values as the database compares them.
 */
import { Option, Result, Schema, Struct } from "effect"
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

/** The kind of an address that no device can have, such as `a loopback address`; none for any other address. */
export const whyNoDeviceAddress = (text: string): Option.Option<string> => {
  const address = plainAddress(text)
  const found = unusable.find(({ network }) => containsAddress(network, address))
  return Option.map(Option.fromUndefinedOr(found), ({ what }) => what)
}

/** Whether 12 upper-case hexadecimal digits are the MAC address of one interface: neither all zeros nor a group address. */
export const isDeviceMac = (mac: string): boolean => /^.[02468ACE]/.test(mac) && !/^0+$/.test(mac)

/** Whether a hostname is a number or an address: paths and lists would read such a name as something else. */
export const isNumber = (hostname: string): boolean => /^\d+(\.\d+)*\.?$/.test(hostname)

/** Another record already has this value; the sentence names it. Nothing was changed. */
export class IdentityTaken extends Schema.TaggedError<IdentityTaken>()("IdentityTaken", { message: Schema.String }) {
  get httpStatus() {
    return 409 as const
  }
  get refusal() {
    return [this.message]
  }
}

/** An activity on a device has not ended, so its record must stay. A retry can succeed when the job has ended. */
export class DeviceBusy extends Schema.TaggedError<DeviceBusy>()("DeviceBusy", {
  hostname: Schema.String,
  /** Null for work inside a request. */
  job: Schema.NullOr(Schema.Int),
  /** The activity: the name of the job's function, or of the operation. */
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

/**
 * Two records share a value since before the server refused this, so the server cannot decide which of them the switch is.
 * Nothing was sent.
 */
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

/** The record has changed since the configuration was rendered. Nothing was sent; a new job uses the current record. */
export class RecordChanged extends Schema.TaggedError<RecordChanged>()("RecordChanged", { hostname: Schema.String }) {
  override get message() {
    return `The record of ${this.hostname} was changed while its configuration was rendered: start the job again`
  }
}

/** Fields that must stay while a change is open: the identity of the switch, its address, and the values in its configuration. */
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

/** The fields of a record on which an open change relies, with their values. A lease is an address only where there is no other. */
export const heldFields = (device: Device): Partial<Device> =>
  Struct.pick(device, device.management_ip === null ? [...HELD, "dhcp_ip"] : HELD)

/** Whether two readings of a record differ in fields on which an open change relies. */
export const isOtherDevice = (before: Device, after: Device): boolean =>
  HELD.some((field) => before[field] !== after[field]) ||
  (after.management_ip === null && before.dhcp_ip !== after.dhcp_ip)

// Why nothing may be pushed to a device: the database was restored, and the device has not been read since.

/**
 * The database was restored from a backup, and the device has not been read since: it may run a configuration that was
 * committed after the backup. Nothing was sent to it. The server reads such devices automatically, every few minutes.
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

// Whether the switch at an address is the device of its record (docs/security.md#identity-of-devices). The facts that a switch
// shows are compared with its record; a fact that one of them lacks cannot differ. Pure.

/** The facts that a switch shows at the login; null: it does not show the fact, or was not asked. */
export const ShownIdentity = Schema.Struct({
  serial: Schema.NullOr(Schema.String),
  model: Schema.NullOr(Schema.String),
  hostname: Schema.NullOr(Schema.String)
})
export type ShownIdentity = typeof ShownIdentity.Type

export const SHOWS_NOTHING: ShownIdentity = { serial: null, model: null, hostname: null }

/** The facts that can differ, in the words of the sentence. */
const IdentityFact = Schema.Literals(["host key", "serial", "hostname", "model"])
type IdentityFact = typeof IdentityFact.Type

/** One fact that differs; `recorded` is the value in the record, null where the record has none. */
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
 * The switch at the address of a device is not the one in its record. Nothing was changed on it. A retry does not help: an
 * operator has to correct a record, or to accept the facts that the switch shows. `other` is the record to which the switch
 * belongs.
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

/** Whether two names are the same: a switch may show its name with the domain, or without it. */
const isSameName = (one: string, other: string): boolean => {
  const [a, b] = [one.trim().toLowerCase(), other.trim().toLowerCase()]
  return a === b || a.startsWith(`${b}.`) || b.startsWith(`${a}.`)
}

/** A difference of the serial number; null without one. */
export const serialDifference = (
  { serial }: Pick<Device, "serial">,
  shown: Pick<ShownIdentity, "serial">
): Difference | null => differs("serial", shown.serial, serial)

/** The names that a candidate sets, in lines of a command line, in braces or in `set` lines; a group may hold the statement. */
const namesIn = (candidate: string): ReadonlyArray<string> =>
  [...candidate.matchAll(/^(?:hostname|[^\S\n]*(?:set (?:groups \S+ )?system )?host-name) "?([^\s";]+)/gm)].map(
    ([, name = ""]) => name
  )

/**
 * A difference of name or model, for a record that has never been proved; null without one. The name may be that of the record,
 * or the one that the candidate sets. The model is compared only for a candidate.
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
