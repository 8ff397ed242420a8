/**
 * The settings model as JSON Schema for GET /settings/model (docs/settings-repository.md#check-of-one-file-for-editors):
 * definitions below `definitions`, where `$ref` points, and once more below `$defs`; patterns as Python understands them.
 */
import type { Schema } from "effect"
import type { IntegerRule, NamedField, Rule, SettingField, TextRule } from "./SettingRule.ts"
import { fieldOf } from "./SettingRule.ts"
import { settingKeys } from "./SettingValidator.ts"
import { f_root } from "./SettingsModel.ts"

/** A JSON value. */
export type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [key: string]: Json }

/** A JSON object. */
export type JsonObject = { readonly [key: string]: Json }
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
        // Taken before its fields are written, so that definitions stand in the order in which they are met.
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
export const jsonSchemaOf = (schema: Schema.Top): JsonObject => {
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

/** Keys of a settings tree that the model does not know. */
export const unknownKeys = (keys: Iterable<unknown>): ReadonlyArray<string> => {
  const known = new Set(settingKeys)
  return [...keys].map(String).filter((key) => !known.has(key))
}
