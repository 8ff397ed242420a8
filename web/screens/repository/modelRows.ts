/** The JSON schema of the settings as rows that can be searched: one for each key, with its possible values. Pure. */

export interface ModelRow {
  /** The path of keys, as in `vxlans->*->vlan_id`; `*` stands for a name or an index. */
  readonly path: string
  readonly type: string
  readonly rules: string
  readonly description: string
  /** The file of the key; `""` if it is unknown. */
  readonly file: string
}

/** The files of the settings. */
export const FILES = ["base_system.yml", "interfaces.yml", "routing.yml", "vxlans.yml", "groups.yml"] as const

type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

const DEEPEST = 8

const resolved = (root: Json, schema: Json, depth = 0): Json => {
  const ref = schema["$ref"]
  const definitions = root["definitions"]
  if (typeof ref !== "string" || !isObject(definitions) || depth > DEEPEST) return schema
  const found = definitions[ref.split("/").at(-1) ?? ""]
  return isObject(found) ? resolved(root, { ...found, ...without(schema, "$ref") }, depth + 1) : schema
}

const without = (schema: Json, key: string): Json =>
  Object.fromEntries(Object.entries(schema).filter(([name]) => name !== key))

/** The possible forms of a value: itself, or each of its alternatives. */
const alternatives = (root: Json, schema: Json): ReadonlyArray<Json> => {
  const own = resolved(root, schema)
  const any = own["anyOf"]
  return Array.isArray(any) ? any.filter(isObject).flatMap((one) => alternatives(root, one)) : [own]
}

const typeOf = (root: Json, one: Json): string => {
  if (Array.isArray(one["enum"])) return one["enum"].map((value) => JSON.stringify(value)).join(" | ")
  if ("const" in one) return JSON.stringify(one["const"])
  if (one["type"] === "array" && isObject(one["items"])) {
    return `list of ${alternatives(root, one["items"])
      .map((item) => typeOf(root, item))
      .join(" or ")}`
  }
  if (one["type"] === "object") return "properties" in one ? "mapping" : "mapping by name"
  return typeof one["type"] === "string" ? one["type"] : "any"
}

const RULES: ReadonlyArray<readonly [key: string, words: (value: unknown) => string]> = [
  ["minimum", (value) => `from ${String(value)}`],
  ["exclusiveMinimum", (value) => `above ${String(value)}`],
  ["maximum", (value) => `to ${String(value)}`],
  ["exclusiveMaximum", (value) => `below ${String(value)}`],
  ["minLength", (value) => `at least ${String(value)} characters`],
  ["maxLength", (value) => `at most ${String(value)} characters`],
  ["pattern", (value) => `like ${String(value)}`]
]

const rulesOf = (schema: Json, all: ReadonlyArray<Json>, isRequired: boolean): string => {
  const rules = all.flatMap((one) => RULES.flatMap(([key, words]) => (key in one ? [words(one[key])] : [])))
  const fallback = "default" in schema ? [`default ${JSON.stringify(schema["default"])}`] : []
  return [...(isRequired ? ["required"] : []), ...rules, ...fallback].join(", ")
}

const requiredIn = (schema: Json): ReadonlySet<unknown> =>
  new Set(Array.isArray(schema["required"]) ? schema["required"] : [])

/** The children of a value: the keys of a mapping, or the form of each entry. */
const below = (root: Json, schema: Json, path: string, depth: number): ReadonlyArray<ModelRow> => {
  if (depth > DEEPEST) return []
  return alternatives(root, schema).flatMap((one) => {
    const properties = isObject(one["properties"]) ? Object.entries(one["properties"]) : []
    const needed = requiredIn(one)
    const entries = [one["additionalProperties"], one["items"]].filter(isObject)
    return [
      ...properties.flatMap(([name, value]) =>
        isObject(value) ? rowsAt(root, value, path === "" ? name : `${path}->${name}`, needed.has(name), depth + 1) : []
      ),
      ...entries.flatMap((entry) => below(root, entry, `${path}->*`, depth + 1))
    ]
  })
}

const rowsAt = (
  root: Json,
  schema: Json,
  path: string,
  isRequired: boolean,
  depth: number
): ReadonlyArray<ModelRow> => {
  const own = resolved(root, schema)
  const all = alternatives(root, schema)
  const description = typeof own["description"] === "string" ? own["description"] : ""
  const type = all.map((one) => typeOf(root, one)).join(" or ")
  return [
    { path, type, rules: rulesOf(own, all, isRequired), description, file: "" },
    ...below(root, schema, path, depth)
  ]
}

/** Every key of the model, including those below a mapping. */
export const modelRows = (model: unknown): ReadonlyArray<ModelRow> =>
  isObject(model) ? [...new Map(below(model, model, "", 0).map((row) => [row.path, row])).values()] : []

/** Every key of these files, each in its file. */
export const rowsOfFiles = (files: ReadonlyArray<readonly [file: string, model: unknown]>): ReadonlyArray<ModelRow> =>
  files.flatMap(([file, model]) => modelRows(model).map((row) => ({ ...row, file })))

/** The rows that have all words of a search. */
export const matching = (rows: ReadonlyArray<ModelRow>, search: string): ReadonlyArray<ModelRow> => {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  return rows.filter(({ description, file, path, rules, type }) => {
    const text = `${path} ${type} ${rules} ${description} ${file}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}
