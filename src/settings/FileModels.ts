/**
 * Which part of the settings model each file of the repository may hold (docs/settings-repository.md#files), and the check of
 * one file's content for editors (docs/settings-repository.md#check-of-one-file-for-editors).
 */
import { Predicate, Result, type Schema } from "effect"
import { baseFields } from "./BaseModels.ts"
import { routingFields } from "./RoutingModels.ts"
import { f_groups, groupConflicts, readGroups } from "./SettingsGroups.ts"
import { type Json, type JsonObject, jsonSchemaOf, settingsToJson } from "./SettingsJsonSchema.ts"
import { f_root } from "./SettingsModel.ts"
import { validationMessage } from "./SettingsProblem.ts"
import { fieldOf, model } from "./SettingRule.ts"
import { SettingValidator } from "./SettingValidator.ts"

type Content = Readonly<Record<string, unknown>>

/** What a file may hold. */
export interface FileModel {
  /** The top-level keys. */
  readonly keys: ReadonlyArray<string>
  readonly jsonSchema: JsonObject
  /** The content with conversions and defaults, or the message of docs/settings-repository.md#messages. */
  readonly check: (content: Content) => Result.Result<Json, string>
}

/** Where messages say that a posted value is from. */
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

/** As YAML is read: objects become mappings. */
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
