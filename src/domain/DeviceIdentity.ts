/**
 * Whether the switch at an address is the device of its record (docs/security.md#identity-of-devices). What a switch shows is
 * compared with what its record says; what either of them does not say cannot differ. Pure.
 */
import { Schema } from "effect"
import type { Device } from "./Device.ts"

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
export type IdentityFact = typeof IdentityFact.Type

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
