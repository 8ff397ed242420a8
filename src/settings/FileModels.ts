/**
 * The part of the settings model for each file of the repository (docs/settings-repository.md#files), and the check of one
 * file's content for editors (docs/settings-repository.md#check-of-one-file-for-editors).
 */
import { Predicate, Result, type Schema } from "effect"
import { baseFields } from "./BaseModels.ts"
import { routingFields } from "./RoutingModels.ts"
import { f_groups, groupConflicts, readGroups } from "./SettingsGroups.ts"
import { f_root } from "./SettingsModel.ts"
import { validationMessage } from "./SettingsProblem.ts"
import {
  fieldOf,
  type IntegerRule,
  model,
  type NamedField,
  type Rule,
  type SettingField,
  type TextRule
} from "./SettingRule.ts"
import { settingKeys, SettingValidator } from "./SettingValidator.ts"

// The settings model as JSON Schema for GET /settings/model (docs/settings-repository.md#check-of-one-file-for-editors):
// definitions below `definitions`, where `$ref` points, and once more below `$defs`; patterns as Python understands them.

/** A JSON value. */
export type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [key: string]: Json }

/** A JSON object. */
type JsonObject = { readonly [key: string]: Json }
type Definitions = Map<string, JsonObject>

/** `dot1x_fail_vlan` → `Dot1X Fail Vlan`: a letter after anything but a letter is a capital. */
const titleOf = (name: string): string =>
  name.replaceAll("_", " ").replaceAll(/[a-z]+/gi, (word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase())

const integerSchema = ({ ge, gt, le, lt }: IntegerRule): JsonObject => ({
  type: "integer",
  ...(ge === undefined ? {} : { minimum: ge }),
  ...(gt === undefined ? {} : { exclusiveMinimum: gt }),
  ...(le === undefined ? {} : { maximum: le }),
  ...(lt === undefined ? {} : { exclusiveMaximum: lt })
})

const textSchema = ({ maxLength, pattern }: TextRule): JsonObject => ({
  type: "string",
  ...(maxLength === undefined ? {} : { maxLength }),
  ...(pattern === undefined ? {} : { pattern: pattern.source })
})

const ruleSchema = (rule: Rule, definitions: Definitions): JsonObject => {
  switch (rule.kind) {
    case "integer":
      return integerSchema(rule)
    case "text":
      return textSchema(rule)
    case "boolean":
      return { type: "boolean" }
    case "choice":
      return { type: "string", enum: rule.values }
    case "integerOrText":
      return { anyOf: [integerSchema(rule.integer), textSchema(rule.text)] }
    case "list":
      return { type: "array", items: fieldSchema(rule.item, definitions) }
    case "mapping":
      return { type: "object", additionalProperties: fieldSchema(rule.value, definitions) }
    case "model":
      if (!definitions.has(rule.name)) {
        // Registered before its fields are written, so that definitions keep the order of their first use.
        definitions.set(rule.name, {})
        definitions.set(rule.name, modelSchema(rule.name, rule.fields, definitions))
      }
      return { $ref: `#/definitions/${rule.name}` }
  }
}

const alternatives = (schema: JsonObject): ReadonlyArray<Json> =>
  Array.isArray(schema["anyOf"]) ? schema["anyOf"] : [schema]

const fieldSchema = (field: SettingField, definitions: Definitions): JsonObject => {
  const schema = ruleSchema(field.rule, definitions)
  return field.rule.nullable === true ? { anyOf: [...alternatives(schema), { type: "null" }] } : schema
}

/** A default as JSON: mappings become objects. */
const toJson = (value: unknown): Json => {
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, item]) => [String(key), toJson(item)]))
  if (Array.isArray(value)) return value.map(toJson)
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value
  if (typeof value !== "object" || value === null) return null
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toJson(item)]))
}

const propertySchema = (field: NamedField, definitions: Definitions): JsonObject => ({
  title: titleOf(field.name),
  ...(field.description === undefined ? {} : { description: field.description }),
  ...fieldSchema(field, definitions),
  ...(field.default === undefined ? {} : { default: toJson(field.default.value) })
})

const modelSchema = (name: string, fields: ReadonlyArray<NamedField>, definitions: Definitions): JsonObject => {
  const required = fields.filter((field) => field.default === undefined).map((field) => field.name)
  return {
    title: name,
    type: "object",
    properties: Object.fromEntries(fields.map((field) => [field.name, propertySchema(field, definitions)])),
    ...(required.length === 0 ? {} : { required })
  }
}

/** The JSON Schema of a model. */
const jsonSchemaOf = (schema: Schema.Top): JsonObject => {
  const definitions: Definitions = new Map()
  const { rule } = fieldOf(schema)
  const root = rule.kind === "model" ? modelSchema(rule.name, rule.fields, definitions) : {}
  const all = Object.fromEntries(definitions)
  return { ...root, definitions: all, $defs: all }
}

/** The JSON Schema of `f_root`. */
export const settingsJsonSchema: JsonObject = jsonSchemaOf(f_root)

/** Settings, or a part of them, as JSON: every `Map` becomes an object, null stays. */
export const settingsToJson = (settings: unknown): Json => toJson(settings)

/** Unknown keys of a settings tree. */
export const unknownKeys = (keys: Iterable<unknown>): ReadonlyArray<string> => {
  const known = new Set(settingKeys)
  return [...keys].map(String).filter((key) => !known.has(key))
}

type Content = Readonly<Record<string, unknown>>

/** The keys that a file may hold, their schema and their check. */
interface FileModel {
  /** The top-level keys. */
  readonly keys: ReadonlyArray<string>
  readonly jsonSchema: JsonObject
  /** The content with conversions and defaults, or the message of docs/settings-repository.md#messages. */
  readonly check: (content: Content) => Result.Result<Json, string>
}

/** The origin of a posted value in messages. */
export const POSTED = "API POST data"

const { external_routing_policies, ...baseSystem } = baseFields
const f_base_system = model("f_base_system", baseSystem)
const f_routing = model("f_routing", { ...routingFields, external_routing_policies })
const f_vxlans = model("f_vxlans", { vxlans: f_root.fields.vxlans })
const f_interfaces = model("f_interfaces", { interfaces: f_root.fields.interfaces })

const checkWith =
  (schema: Schema.Top): FileModel["check"] =>
  (content) =>
    Result.mapBoth(new SettingValidator().value(schema, content), {
      onFailure: (faults) => validationMessage(faults, () => POSTED),
      onSuccess: settingsToJson
    })

/** The form that YAML parsing gives: objects become mappings. */
const asMappings = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(asMappings)
  if (typeof value !== "object" || value === null) return value
  return new Map(Object.entries(value).map(([key, item]) => [key, asMappings(item)]))
}

const asFields = (value: unknown): Content => (Predicate.isObject(value) ? { ...value } : {})

const checkGroups: FileModel["check"] = (content) => {
  const read = readGroups(asMappings(content), POSTED)
  const problems = Result.match(read, { onFailure: (all) => all, onSuccess: ({ groups }) => groupConflicts(groups) })
  return problems.length === 0
    ? Result.succeed(settingsToJson(content))
    : Result.fail(problems.map(({ message }) => `${message.trimEnd()}\n`).join(""))
}

const keysOf = (schema: Schema.Top): ReadonlyArray<string> => {
  const { rule } = fieldOf(schema)
  return rule.kind === "model" ? rule.fields.map(({ name }) => name) : []
}

const fileModel = (schema: Schema.Top, check = checkWith(schema)): FileModel => ({
  keys: keysOf(schema),
  jsonSchema: jsonSchemaOf(schema),
  check
})

const FORMS: ReadonlyArray<readonly [RegExp, FileModel]> = [
  [/(^|\/)base_system\.yml$/, fileModel(f_base_system)],
  [/(^|\/)routing\.yml$/, fileModel(f_routing)],
  [/(^|\/)vxlans\.yml$/, fileModel(f_vxlans)],
  [/(^|\/)interfaces(_[^/]*)?\.yml$/, fileModel(f_interfaces)],
  [/(^|\/)groups\.yml$/, fileModel(f_groups, checkGroups)]
]

/** All of them. */
export const fileModels: ReadonlyArray<FileModel> = FORMS.map(([, found]) => found)

/** The model of a file by its name or path; undefined when it has none. */
export const fileModelOf = (path: string): FileModel | undefined => FORMS.find(([form]) => form.test(path))?.[1]

/** True for a content of `groups.yml` with regular expressions in it, which are the costly part of its check. */
export const holdsPatterns = ({ groups }: Content): boolean =>
  Array.isArray(groups) &&
  groups.some((element: unknown) => {
    const definition = asFields(asFields(element)["group"] ?? element)
    return (definition["regex"] ?? "") !== "" || Predicate.isNotNullish(definition["device_filter"])
  })

/** The check of a file's content: a key that does not belong there, or every value that breaks a rule. */
export const checkFile = ({ check, keys }: FileModel, content: Content): Result.Result<Json, string> => {
  const others = Object.keys(content).filter((key) => !keys.includes(key))
  if (others.length === 0) return check(content)
  const which = others.length === 1 ? "Key" : "Keys"
  return Result.fail(
    `${which}: '${others.join(", ")}' cannot be used in this file and will be filtered, please move them to the correct settings file.`
  )
}
