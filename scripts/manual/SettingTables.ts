/** Lists of the keys of settings files, from the model of the settings: type, default, what is checked, and what each is for. */
import { baseFields } from "../../src/settings/BaseModels.ts"
import {
  fieldOf,
  type IntegerRule,
  type NamedField,
  type Pattern,
  Patterns,
  type Rule
} from "../../src/settings/SettingRule.ts"
import { routingFields } from "../../src/settings/RoutingModels.ts"
import { f_groups } from "../../src/settings/SettingsGroups.ts"
import { f_root } from "../../src/settings/SettingsModel.ts"
import { settingMeanings } from "./SettingMeanings.ts"

interface Model {
  readonly name: string
  readonly fields: ReadonlyArray<NamedField>
}

const code = (text: string): string => `\`${text}\``

const patternName = (pattern: Pattern): string =>
  Object.entries(Patterns).find(([, known]) => known === pattern)?.[0] ?? "pattern"

const bounds = ({ ge, gt, le, lt }: IntegerRule): string => {
  const low = ge ?? (gt === undefined ? undefined : gt + 1)
  const high = le ?? (lt === undefined ? undefined : lt - 1)
  return low === undefined || high === undefined ? "integer" : `${low}–${high}`
}

/** A model with one field is written in the row that names it; one with more has rows below, and is no value here. */
const valueOf = (rule: Rule): string => {
  switch (rule.kind) {
    case "integer":
      return bounds(rule)
    case "text":
      if (rule.pattern !== undefined) return `[${patternName(rule.pattern)}](#forms-of-values)`
      return rule.maxLength === undefined ? "text" : `text to ${rule.maxLength} characters`
    case "boolean":
      return "boolean"
    case "choice":
      return rule.values.map(code).join(" or ")
    case "integerOrText":
      return `${bounds(rule.integer)} or ${valueOf(rule.text)}`
    case "list":
      return ["list", valueOf(rule.item.rule)].filter((text) => text !== "").join(": ")
    case "mapping":
      return ["by name", valueOf(rule.value.rule)].filter((text) => text !== "").join(": ")
    case "model": {
      const [only] = rule.fields
      return only !== undefined && rule.fields.length === 1 ? `{${code(only.name)}: ${valueOf(only.rule)}}` : ""
    }
  }
}

const ADDRESS = "[interface address](#interface-addresses)"

/** Values whose form only code checks. */
const CODE_VALUES: Readonly<Record<string, string>> = {
  "f_root.vxlan_vni_range": "two numbers such as `10000-19999`",
  "f_interface.tagged_vlan_list": "list: 1–4094 or text",
  "f_interface.ipv4_address": ADDRESS,
  "f_vxlan.ipv4_gw": ADDRESS,
  "f_vxlan.ipv4_secondaries": `list: ${ADDRESS}`,
  "f_group.regex": "[pattern](#group-patterns)"
}

/** Checks in code have no data that could be read, so they are named here. */
const CODE_CHECKS: Readonly<Record<string, string>> = {
  "f_root.vxlan_vni_range": "1 to 16777215, the first smaller",
  "f_ssh.prompt": "at most 2 wildcards",
  "f_interface.name": "at most 4096 names",
  "f_interface.tagged_vlan_list": "ends of ranges from 1 to 4095, the first not greater",
  "f_interface.ipv4_address": "needs `vrf`",
  "f_vxlan.ipv4_gw": "needs `vrf`",
  "f_vxlan.ipv6_gw": "needs `vrf`",
  "f_internal_vlans.vlan_id_high": "greater than `vlan_id_low`",
  "f_group.group_priority": "1 only for DEFAULT; no two groups share one above 0",
  "f_group.templates_branch": "needs a priority above 1",
  "f_group.devices": "not with `device_filter`"
}

const plain = (value: unknown): unknown => (value instanceof Map ? Object.fromEntries(value) : value)

/** A required key is bold, and a default of null goes without saying. */
const keyOf = ({ default: fallback, name }: NamedField): string =>
  fallback === undefined ? `**${code(name)}**` : code(name)

const defaultOf = ({ default: fallback }: NamedField): string =>
  fallback === undefined || fallback.value === null ? "" : `, ${code(JSON.stringify(plain(fallback.value)))}`

type Row = readonly [key: string, value: string, meaning: string]

const rowOf = (model: string, field: NamedField): Row => {
  const place = `${model}.${field.name}`
  const meaning = settingMeanings[model]?.[field.name]
  if (meaning === undefined) throw new Error(`scripts/manual/SettingMeanings.ts does not say what ${place} is for`)
  if ((field.rule.nullable === true) !== (field.default?.value === null))
    throw new Error(`${place}: the manual says that null is allowed where it is the default`)
  const check = CODE_CHECKS[place]
  const value = CODE_VALUES[place] ?? valueOf(field.rule)
  return [
    keyOf(field),
    `${value === "" ? "mapping" : value}${defaultOf(field)}`,
    check === undefined ? meaning : `${meaning}; ${check}`
  ]
}

/** The model whose fields are the rows below a field. */
const modelBelow = (rule: Rule): Model | undefined => {
  if (rule.kind === "list") return modelBelow(rule.item.rule)
  if (rule.kind === "mapping") return modelBelow(rule.value.rule)
  if (rule.kind !== "model") return undefined
  const [only] = rule.fields
  return only !== undefined && rule.fields.length === 1 ? modelBelow(only.rule) : rule
}

/** Neighbours that differ by their key alone share a row. */
const joined = (rows: ReadonlyArray<Row>): ReadonlyArray<Row> =>
  rows.reduce<ReadonlyArray<Row>>((before, row) => {
    const last = before.at(-1)
    return last === undefined || last[1] !== row[1] || last[2] !== row[2]
      ? [...before, row]
      : [...before.slice(0, -1), [`${last[0]}, ${row[0]}`, row[1], row[2]]]
  }, [])

const inVersion6 = (rows: ReadonlyArray<Row>): string => JSON.stringify(rows).replaceAll("v4", "v6")

/** A row for each field, followed by the rows of the model below it. */
const rowsOf = ({ fields, name }: Model): ReadonlyArray<Row> => {
  const known = new Map<string, { readonly key: string; readonly model: Model }>()
  const rows: Array<Row> = []
  for (const field of fields) {
    const [key, value, meaning] = rowOf(name, field)
    const model = modelBelow(field.rule)
    const below = model === undefined ? [] : joined(rowsOf(model))
    const like = known.get(inVersion6(below))
    if (model === undefined || like === undefined) {
      rows.push([key, value, meaning], ...below.map(([inner, ...rest]): Row => [`  ${inner}`, ...rest]))
      if (model !== undefined) known.set(inVersion6(below), { key, model })
      continue
    }
    const others = new Set(like.model.fields.map((one) => one.name))
    const other = model.fields.filter((one) => !others.has(one.name)).map((one) => code(one.name))
    rows.push([key, value, [`${meaning}: as ${like.key}`, ...other].join(", with ")])
  }
  return rows
}

/** A list as deep as the keys are in a file. */
const listOf = (model: Model): string =>
  joined(rowsOf(model))
    .map(([key, value, meaning]) => `${key.replace(/^ */, "$&- ")} (${value}): ${meaning}`)
    .join("\n")

const rootField = (key: string): NamedField => {
  const { rule } = fieldOf(f_root)
  const found = rule.kind === "model" ? rule.fields.find(({ name }) => name === key) : undefined
  if (found === undefined) throw new Error(`no setting ${key}`)
  return found
}

const part = (keys: ReadonlyArray<string>): string => listOf({ name: "f_root", fields: keys.map(rootField) })

const { external_routing_policies: _, ...baseSystem } = baseFields

const groups = (): string => {
  const group = modelBelow(fieldOf(f_groups).rule)
  return group === undefined ? "" : listOf(group)
}

const patternsIn = (rule: Rule): ReadonlyArray<readonly [Pattern, number]> => {
  switch (rule.kind) {
    case "text":
      return rule.pattern === undefined || rule.maxLength === undefined ? [] : [[rule.pattern, rule.maxLength]]
    case "list":
      return patternsIn(rule.item.rule)
    case "mapping":
      return patternsIn(rule.value.rule)
    case "model":
      return rule.fields.flatMap((field) => patternsIn(field.rule))
    default:
      return []
  }
}

const forms = (): string => {
  const longest = new Map([...patternsIn(fieldOf(f_root).rule), ...patternsIn(fieldOf(f_groups).rule)])
  return Object.entries(Patterns)
    .map(([name, pattern]) => {
      const length = longest.get(pattern)
      return `- ${code(name)}: ${pattern.words}${length === undefined ? "" : `; at most ${length} characters`}`
    })
    .join("\n")
}

/** The lists by the name of their part of `docs/settings-repository.md`. */
export const settingTables = (): Readonly<Record<string, string>> => ({
  "keys of base_system.yml": part(Object.keys(baseSystem)),
  "keys of routing.yml": part([...Object.keys(routingFields), "external_routing_policies"]),
  "keys of vxlans.yml": part(["vxlans"]),
  "keys of interfaces.yml": part(["interfaces"]),
  "keys of groups.yml": groups(),
  "forms of values": forms()
})
