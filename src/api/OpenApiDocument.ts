/**
 * The last pass over the OpenAPI document: what clients in other languages need and schemas alone do not give. Errors of a status
 * become one shared response, bodies get the names of their calls, and bounds that every integer has are left out
 * (docs/api.md#the-document).
 */
import { isObject, type JsonObject } from "../domain/fields/Values.ts"

const SCHEMAS = "#/components/schemas/"
const RESPONSES = "#/components/responses/"

/** Makes every object of a document anew, the innermost first. */
const rewritten = (value: unknown, rewrite: (object: JsonObject) => unknown): unknown => {
  if (Array.isArray(value)) return value.map((part) => rewritten(part, rewrite))
  if (!isObject(value)) return value
  return rewrite(Object.fromEntries(Object.entries(value).map(([key, part]) => [key, rewritten(part, rewrite)])))
}

const objectAt = (holder: JsonObject, key: string): JsonObject => {
  const value = holder[key]
  return isObject(value) ? value : {}
}

const mapped = (record: JsonObject, change: (value: JsonObject, key: string) => unknown): JsonObject =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, isObject(value) ? change(value, key) : value]))

/** Replaces every operation; `change` gets it with its method and its path. */
const eachOperation = (
  document: JsonObject,
  change: (operation: JsonObject, path: string, method: string) => JsonObject
): JsonObject => ({
  ...document,
  paths: mapped(objectAt(document, "paths"), (item, path) =>
    mapped(item, (operation, method) => change(operation, path, method))
  )
})

const withSchemas = (document: JsonObject, schemas: JsonObject): JsonObject => ({
  ...document,
  components: { ...objectAt(document, "components"), schemas }
})

const schemasOf = (document: JsonObject): JsonObject => objectAt(objectAt(document, "components"), "schemas")

// Schemas: names without the suffix of their encoding, integers without the bounds of every JavaScript number.

const ENCODED = /Encoded$/

const withPlainSchemas = (document: JsonObject): JsonObject => {
  const plain = rewritten(document, (object) => {
    const { $ref, maximum, minimum, ...rest } = object
    if (typeof $ref === "string") return { ...object, $ref: $ref.replace(ENCODED, "") }
    return rest["type"] === "integer" && minimum === Number.MIN_SAFE_INTEGER && maximum === Number.MAX_SAFE_INTEGER
      ? rest
      : object
  })
  if (!isObject(plain)) return document
  const names = Object.entries(schemasOf(plain)).map(([name, schema]) => [name.replace(ENCODED, ""), schema] as const)
  return withSchemas(plain, Object.fromEntries(names.toSorted(([a], [b]) => (a < b ? -1 : 1))))
}

// Bodies of requests: `SyncDevicesRequest` for the body of `syncDevices`; an equal body of another call has the same name.

const JSON_TYPE = "application/json"

const bodySchema = (operation: JsonObject): JsonObject =>
  objectAt(objectAt(objectAt(objectAt(operation, "requestBody"), "content"), JSON_TYPE), "schema")

const capitalised = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`

const withNamedBodies = (document: JsonObject): JsonObject => {
  const names = new Map<string, string>()
  const bodies = new Map<string, JsonObject>()
  const named = eachOperation(document, (operation) => {
    const { operationId, requestBody } = operation
    const schema = bodySchema(operation)
    if (!isObject(requestBody) || !isObject(schema["properties"])) return operation
    const text = JSON.stringify(schema)
    const name = names.get(text) ?? `${capitalised(String(operationId))}Request`
    names.set(text, name)
    bodies.set(name, schema)
    const content = objectAt(requestBody, "content")
    const media = { ...objectAt(content, JSON_TYPE), schema: { $ref: `${SCHEMAS}${name}` } }
    // a missing body is `{}`
    const required = Array.isArray(schema["required"])
    return { ...operation, requestBody: { content: { ...content, [JSON_TYPE]: media }, required } }
  })
  return withSchemas(named, { ...schemasOf(named), ...Object.fromEntries(bodies) })
}

// Answers: one component for each error, and objects that may get more fields in a later release.

const refOf = (response: JsonObject): string | undefined => {
  const { $ref } = objectAt(objectAt(objectAt(response, "content"), JSON_TYPE), "schema")
  return typeof $ref === "string" ? $ref : undefined
}

const withSharedErrors = (document: JsonObject): JsonObject => {
  const shared = new Map<string, JsonObject>()
  const changed = eachOperation(document, (operation) => ({
    ...operation,
    responses: mapped(objectAt(operation, "responses"), (response, status) => {
      const name = status >= "400" ? refOf(response)?.slice(SCHEMAS.length) : undefined
      if (name === undefined) return response
      shared.set(name, response)
      return { $ref: `${RESPONSES}${name}` }
    })
  }))
  const responses = Object.fromEntries([...shared].toSorted(([a], [b]) => (a < b ? -1 : 1)))
  return { ...changed, components: { ...objectAt(changed, "components"), responses } }
}

const referencesIn = (value: unknown, found: Set<string>, schemas: JsonObject): Set<string> => {
  rewritten(value, (object) => {
    const { $ref } = object
    const name = typeof $ref === "string" && $ref.startsWith(SCHEMAS) ? $ref.slice(SCHEMAS.length) : undefined
    if (name !== undefined && !found.has(name)) {
      found.add(name)
      referencesIn(schemas[name], found, schemas)
    }
    return object
  })
  return found
}

const opened = (value: unknown): unknown =>
  rewritten(value, ({ additionalProperties, ...object }) =>
    additionalProperties === undefined || additionalProperties === false ? object : { ...object, additionalProperties }
  )

/** Only bodies of requests are closed: a client must accept fields of answers that it does not know. */
const withOpenAnswers = (document: JsonObject): JsonObject => {
  const sent = new Set<string>()
  eachOperation(document, (operation) => {
    referencesIn(operation["requestBody"], sent, schemasOf(document))
    return operation
  })
  const answered = eachOperation(document, (operation) => ({ ...operation, responses: opened(operation["responses"]) }))
  return withSchemas(
    answered,
    mapped(schemasOf(document), (schema, name) => (sent.has(name) ? schema : opened(schema)))
  )
}

/** The document as it is published, from the one that the schemas give. */
export const published = (document: JsonObject): JsonObject =>
  withOpenAnswers(withSharedErrors(withNamedBodies(withPlainSchemas(document))))
