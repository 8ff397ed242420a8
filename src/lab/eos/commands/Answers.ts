/** How one switch words what it shows: the spelling of its MAC addresses, and the keys that its JSON lacks (`Quirks.ts`). */
import type { Quirks } from "../Quirks.ts"
import type { Output } from "../Shell.ts"
import type { Call } from "./Command.ts"

type Spelling = Required<Quirks>["macSpelling"]

const ADDRESS = /\b(?:[\da-f]{2}(?::[\da-f]{2}){5}|[\da-f]{4}(?:\.[\da-f]{4}){2})\b/gi

const pairs = (hex: string, by: string) => (hex.match(/../g) ?? []).join(by)

const SPELLINGS: Readonly<Record<Spelling, (hex: string, shown: string) => string>> = {
  eos: (_hex, shown) => shown,
  dots: (hex) => (hex.match(/..../g) ?? []).join("."),
  colons: (hex) => pairs(hex, ":"),
  dashes: (hex) => pairs(hex, "-"),
  bare: (hex) => hex,
  upper: (hex) => pairs(hex, ":").toUpperCase()
}

const spelled = (text: string, spelling: Spelling): string =>
  spelling === "eos"
    ? text
    : text.replaceAll(ADDRESS, (shown) => SPELLINGS[spelling](shown.replaceAll(/[.:]/g, "").toLowerCase(), shown))

const worded = (value: unknown, absent: ReadonlyArray<string>, spelling: Spelling): unknown => {
  if (typeof value === "string") return spelled(value, spelling)
  if (Array.isArray(value)) return value.map((item) => worded(item, absent, spelling))
  if (typeof value !== "object" || value === null) return value
  const kept = Object.entries(value).filter(([key]) => !absent.includes(key))
  return Object.fromEntries(kept.map(([key, item]) => [key, worded(item, absent, spelling)]))
}

/** A JSON answer as the switch gives it. */
export const document =
  (make: (call: Call) => unknown) =>
  (call: Call): unknown => {
    const { absentKeys, macSpelling } = call.device.behaviour.quirks
    const made = make(call)
    return absentKeys.length === 0 && macSpelling === "eos" ? made : worded(made, absentKeys, macSpelling)
  }

/** A text answer as the switch gives it. */
export const text =
  (make: (call: Call) => string) =>
  (call: Call): Output =>
    spelled(make(call), call.device.behaviour.quirks.macSpelling)
