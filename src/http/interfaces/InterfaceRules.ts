/**
 * Rules of the data keys of a port (contract api-devices.md §11.2): each key on its own, null removes it, keys that nobody
 * knows are ignored. Pure; which VLANs and VXLANs a device has is given.
 */
import { Result } from "effect"
import { isHostname } from "../../domain/Hostname.ts"
import type { InterfaceData } from "../../domain/Interface.ts"
import type { JsonObject } from "../core/JsonBody.ts"
import { lengthOf, shown } from "../../domain/fields/Values.ts"

/** What values may refer to. */
export interface PortContext {
  readonly hostname: string
  readonly vlanNames: ReadonlySet<string>
  readonly vxlans: ReadonlySet<string>
}

type Rule = (value: unknown, context: PortContext) => Result.Result<unknown, string>

const MAX_DESCRIPTION = 64
const MAX_TEXT = 65_536
const MAX_ELEMENTS = 4096

const className = (value: unknown): string => {
  if (typeof value === "string") return "<class 'str'>"
  if (typeof value === "boolean") return "<class 'bool'>"
  if (typeof value === "number") return Number.isInteger(value) ? "<class 'int'>" : "<class 'float'>"
  return "<class 'dict'>"
}

/** A VLAN is named, or given by a number that nobody checks. */
const isVlan = (value: unknown, { vlanNames }: PortContext): boolean =>
  typeof value === "string"
    ? value !== "" && vlanNames.has(value)
    : typeof value === "number" && Number.isSafeInteger(value) && value !== 0

const accept =
  (test: (value: unknown) => boolean, refusal: (value: unknown) => string): Rule =>
  (value) =>
    test(value) ? Result.succeed(value) : Result.fail(refusal(value))

const integer = (refusal: (value: unknown) => string): Rule =>
  accept((value) => typeof value === "number" && Number.isSafeInteger(value), refusal)

const flag = (name: string): Rule =>
  accept(
    (value) => typeof value === "boolean",
    (value) => `${name} must be a bool, true or false, got: ${shown(value)}`
  )

const untaggedVlan: Rule = (value, context) =>
  isVlan(value, context)
    ? Result.succeed(value)
    : Result.fail(`Specified VLAN name ${shown(value)} is not present in ${context.hostname}`)

const taggedVlans: Rule = (value, context) => {
  if (!Array.isArray(value)) {
    return Result.fail(`tagged_vlan_list should be of type list, found ${className(value)}`)
  }
  const absent = value.filter((vlan) => !isVlan(vlan, context))
  return absent.length === 0 && value.length <= MAX_ELEMENTS
    ? Result.succeed(value)
    : Result.fail(`Some VLAN names ${absent.map(shown).join(", ")} are not present in ${context.hostname}`)
}

const vxlan: Rule = (value, { hostname, vxlans }) =>
  typeof value === "string" && vxlans.has(value)
    ? Result.succeed(value)
    : Result.fail(`Specified VXLAN ${shown(value)} is not present in ${hostname}`)

const tags: Rule = (value) =>
  Array.isArray(value) && value.length <= MAX_ELEMENTS
    ? Result.succeed(value)
    : Result.fail(`tags should be of type list, found ${className(value)}`)

const RULES: Readonly<Record<string, Rule>> = {
  untagged_vlan: untaggedVlan,
  tagged_vlan_list: taggedVlans,
  vxlan,
  neighbor: accept(isHostname, (value) => `Neighbor must be valid hostname, got: ${shown(value)}`),
  neighbor_id: integer((value) => `Neighbor_id must be valid integer, got: ${shown(value)}`),
  description: accept(
    (value) => typeof value === "string" && lengthOf(value) <= MAX_DESCRIPTION,
    (value) => `Description must be a string of 0-${MAX_DESCRIPTION} characters, got: ${shown(value)}`
  ),
  enabled: accept(
    (value) => typeof value === "boolean",
    (value) => `Enabled must be a bool, true or false, got: ${shown(value)}`
  ),
  aggregate_id: integer((value) => `Aggregate ID must be an integer: ${shown(value)}`),
  bpdu_filter: flag("bpdu_filter"),
  redundant_link: flag("redundant_link"),
  tags,
  cli_append_str: accept(
    (value) => typeof value === "string" && value.length <= MAX_TEXT,
    (value) => `cli_append_str must be a string, got: ${shown(value)}`
  )
}

/** Whether a port's data can have this key. */
export const isDataKey = (key: string): boolean => Object.hasOwn(RULES, key)

/** Empty text says the same as no description. */
const removes = (key: string, value: unknown): boolean => value === null || (key === "description" && value === "")

/** The stored data with the sent keys merged in, and what is wrong with the others. */
export const mergeData = (
  stored: InterfaceData | null,
  sent: JsonObject,
  context: PortContext
): { readonly data: InterfaceData; readonly errors: ReadonlyArray<string> } => {
  const data = new Map(Object.entries(stored ?? {}))
  const errors: Array<string> = []
  for (const [key, rule] of Object.entries(RULES)) {
    if (!Object.hasOwn(sent, key)) continue
    const value = sent[key]
    if (removes(key, value)) {
      data.delete(key)
      continue
    }
    const outcome = rule(value, context)
    if (Result.isSuccess(outcome)) data.set(key, outcome.success)
    else errors.push(outcome.failure)
  }
  return { data: Object.fromEntries(data), errors }
}
