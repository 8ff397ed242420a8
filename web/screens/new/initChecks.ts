/** What the check of an initialisation found, as sentences of one line each. Pure. */
import { namesInOrder } from "../../../src/domain/Natural.ts"
import { isHostname } from "../../../src/domain/Network.ts"

type Checks = Readonly<Record<string, unknown>>

export interface Finding {
  readonly key: string
  readonly isGood: boolean
  readonly text: string
}

const textAt = (checks: Checks, key: string): string | undefined => {
  const value = checks[key]
  return typeof value === "string" ? value : undefined
}

const namesAt = (checks: Checks, key: string): ReadonlyArray<string> => {
  const value = checks[key]
  return Array.isArray(value) ? value.filter((name) => typeof name === "string") : []
}

/** Why a name cannot be used, before the server is asked; undefined if nothing speaks against it. */
export const nameFault = (name: string): string | undefined =>
  name === "" || isHostname(name)
    ? undefined
    : "A name has letters, digits, hyphens and dots, and begins and ends with a letter or digit."

const lostIn = (checks: Checks): string | undefined => {
  const lost = checks["replacement_lost"]
  if (typeof lost !== "object" || lost === null) return undefined
  const names = Object.values(lost).flatMap((each: unknown) =>
    Array.isArray(each) ? each.filter((name) => typeof name === "string") : []
  )
  return names.length === 0 ? undefined : namesInOrder(names).join(", ")
}

/** Name, cables and neighbours, each with its verdict; and what a replacement loses. */
export const findingsOf = (checks: Checks, hostname: string, isReplacing: boolean): ReadonlyArray<Finding> => {
  const taken = textAt(checks, "hostname_error")
  const cables = textAt(checks, "linknets_error")
  const neighbours = textAt(checks, "neighbors_error")
  const expected = namesInOrder(namesAt(checks, "neighbors"))
  const lost = lostIn(checks)
  return [
    {
      key: "name",
      isGood: taken === undefined,
      text: taken ?? (isReplacing ? `It takes the name ${hostname}` : `The name ${hostname} is free`)
    },
    { key: "cables", isGood: cables === undefined, text: cables ?? "Its cables can be recorded" },
    {
      key: "neighbours",
      isGood: neighbours === undefined && checks["mlag_compatible"] !== false,
      text:
        neighbours ??
        (expected.length === 0
          ? "No neighbours are expected"
          : `Its neighbours are as expected: ${expected.join(", ")}`)
    },
    ...(lost === undefined ? [] : [{ key: "lost", isGood: false, text: `The new unit does not have: ${lost}` }])
  ]
}

/** Whether an initialisation would be accepted. */
export const isReady = (checks: Checks): boolean => checks["compatible"] === true
