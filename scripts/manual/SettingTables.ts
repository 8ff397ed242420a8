/** Tables of the keys of settings files, from the model of the settings: type, default, what is checked, and what each is for. */
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
import { table } from "./Marked.ts"
import { settingMeanings } from "./SettingMeanings.ts"

interface Model {
  readonly name: string
  readonly fields: ReadonlyArray<NamedField>
}

const code = (text: string): string => `\`${text}\``

/** Headings are links by their text: `f_vxlan` is found at `#f_vxlan`. */
const link = (model: string): string => `[${code(model)}](#${model})`

const patternName = (pattern: Pattern): string =>
  Object.entries(Patterns).find(([, known]) => known === pattern)?.[0] ?? "pattern"

const typeOf = (rule: Rule): string => {
  switch (rule.kind) {
    case "integer":
      return "integer"
    case "text":
      return "text"
    case "boolean":
      return "boolean"
    case "choice":
      return rule.values.map(code).join(" or ")
    case "integerOrText":
      return "integer or text"
    case "list":
      return `list of ${typeOf(rule.item.rule)}`
    case "mapping":
      return `names with ${typeOf(rule.value.rule)}`
    case "model":
      return link(rule.name)
  }
}

const bounds = ({ ge, gt, le, lt }: IntegerRule): string => {
  const low = ge ?? (gt === undefined ? undefined : gt + 1)
  const high = le ?? (lt === undefined ? undefined : lt - 1)
  return low === undefined || high === undefined ? "" : `${low} to ${high}`
}

/** Checks in code have no data that could be read, so they are named here. */
const CODE_CHECKS: Readonly<Record<string, string>> = {
  "f_root.vxlan_vni_range": "two numbers from 1 to 16777215, such as `10000-19999`, the first smaller",
  "f_ssh.prompt": "at most 2 wildcards",
  "f_interface.name": "a range stands for at most 4096 interfaces",
  "f_interface.tagged_vlan_list": "ids and both ends of ranges from 1 to 4095, ranges going up",
  "f_interface.ipv4_address": "[interface address](#interface-addresses), needs `vrf`",
  "f_vxlan.ipv4_gw": "[interface address](#interface-addresses), needs `vrf`",
  "f_vxlan.ipv4_secondaries": "each an [interface address](#interface-addresses)",
  "f_vxlan.ipv6_gw": "needs `vrf`",
  "f_internal_vlans.vlan_id_high": "greater than `vlan_id_low`",
  "f_group.group_priority": "1 only for the name DEFAULT; no two groups share one above 0",
  "f_group.templates_branch": "only with a priority above 1",
  "f_group.devices": "not together with `device_filter`",
  "f_group.regex": "see [group patterns](#group-patterns)"
}

const checksOf = (rule: Rule): ReadonlyArray<string> => {
  switch (rule.kind) {
    case "integer":
      return [bounds(rule), rule.strict === true ? "written as a number" : ""]
    case "text":
      return [
        rule.pattern === undefined ? "" : `[${patternName(rule.pattern)}](#forms-of-values)`,
        rule.maxLength === undefined ? "" : `at most ${rule.maxLength} characters`
      ]
    case "integerOrText":
      return [bounds(rule.integer), ...checksOf(rule.text)]
    case "list":
      return checksOf(rule.item.rule)
    case "mapping":
      return checksOf(rule.value.rule)
    default:
      return []
  }
}

const plain = (value: unknown): unknown => (value instanceof Map ? Object.fromEntries(value) : value)

const defaultOf = (field: NamedField): string =>
  field.default === undefined ? "**required**" : code(JSON.stringify(plain(field.default.value)))

const row = (model: string, field: NamedField): ReadonlyArray<string> => {
  const checks = [...checksOf(field.rule), CODE_CHECKS[`${model}.${field.name}`] ?? ""].filter((text) => text !== "")
  const type = field.rule.nullable === true ? `${typeOf(field.rule)}, or null` : typeOf(field.rule)
  const meaning = settingMeanings[model]?.[field.name]
  if (meaning === undefined)
    throw new Error(`scripts/manual/SettingMeanings.ts does not say what ${model}.${field.name} is for`)
  return [code(field.name), meaning, type, defaultOf(field), checks.join("; ")]
}

const HEAD = ["Key", "What it is for", "Type", "Default", "Checked"]

const tableOf = ({ fields, name }: Model): string =>
  table(
    HEAD,
    fields.map((field) => row(name, field))
  )

const modelOf = (rule: Rule): Model | undefined => {
  if (rule.kind === "model") return rule
  if (rule.kind === "list") return modelOf(rule.item.rule)
  return rule.kind === "mapping" ? modelOf(rule.value.rule) : undefined
}

/** The models behind these fields, in the order in which they are met, each once. */
const modelsBelow = (
  fields: ReadonlyArray<NamedField>,
  seen = new Map<string, Model>()
): ReadonlyMap<string, Model> => {
  for (const field of fields) {
    const model = modelOf(field.rule)
    if (model === undefined || seen.has(model.name)) continue
    seen.set(model.name, model)
    modelsBelow(model.fields, seen)
  }
  return seen
}

const rootField = (key: string): NamedField => {
  const { rule } = fieldOf(f_root)
  const found = rule.kind === "model" ? rule.fields.find(({ name }) => name === key) : undefined
  if (found === undefined) throw new Error(`no setting ${key}`)
  return found
}

const shown = new Set<string>()

const part = (keys: ReadonlyArray<string>): string => {
  const fields = keys.map(rootField)
  const models = [...modelsBelow(fields).values()].filter(({ name }) => !shown.has(name))
  for (const { name } of models) shown.add(name)
  return [
    tableOf({ name: "f_root", fields }),
    ...models.map((model) => `#### ${code(model.name)}\n\n${tableOf(model)}`)
  ].join("\n\n")
}

const { external_routing_policies: _, ...baseSystem } = baseFields

const groups = (): string => {
  const { rule } = fieldOf(f_groups)
  const models = rule.kind === "model" ? [rule, ...modelsBelow(rule.fields).values()] : []
  return models
    .filter(({ name }) => name === "f_group" || name === "f_device_filter")
    .map((model) => `#### ${code(model.name)}\n\n${tableOf(model)}`)
    .join("\n\n")
}

const forms = (): string =>
  table(
    ["Form", "A value has to be"],
    Object.entries(Patterns).map(([name, { words }]) => [code(name), words])
  )

/** The tables by the name of their part of `docs/settings-repository.md`. */
export const settingTables = (): Readonly<Record<string, string>> => {
  shown.clear()
  return {
    "keys of base_system.yml": part(Object.keys(baseSystem)),
    "keys of routing.yml": part([...Object.keys(routingFields), "external_routing_policies"]),
    "keys of vxlans.yml": part(["vxlans"]),
    "keys of interfaces.yml": part(["interfaces"]),
    "keys of groups.yml": groups(),
    "forms of values": forms()
  }
}
