/**
 * The calls of the OpenAPI document as its clients need them, whatever their language: the parts of the path, the query, the body, and what
 * the method gives. An answer that is nothing but `{status, data, warnings}` gives its data; a started job is given whole, because its id is beside.
 */
import { OpenApi } from "effect/http-api"
import { Api } from "../../src/api/Api.ts"
import { isObject, type JsonObject } from "../../src/domain/fields/Values.ts"

export interface Parameter {
  readonly name: string
  readonly schema: JsonObject
  readonly description: string
}

export interface Call {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly summary: string
  readonly pathParameters: ReadonlyArray<Parameter>
  /** Without the filters. */
  readonly query: ReadonlyArray<Parameter>
  /** The fields that the document names for `filter[…]`; undefined for a call without filters. */
  readonly filters: ReadonlyArray<string> | undefined
  readonly body: { readonly schema: JsonObject; readonly required: boolean } | undefined
  readonly answer: { readonly schema: JsonObject; readonly isData: boolean } | "text"
  /** The key of the list, if the answer has pages. */
  readonly pagesOf: string | undefined
}

export const objectAt = (holder: JsonObject, key: string): JsonObject => {
  const value = holder[key]
  return isObject(value) ? value : {}
}

const objectsIn = (value: unknown): ReadonlyArray<JsonObject> => (Array.isArray(value) ? value.filter(isObject) : [])

const textAt = (holder: JsonObject, key: string): string => {
  const value = holder[key]
  return typeof value === "string" ? value : ""
}

const parametersIn = (operation: JsonObject, place: string): ReadonlyArray<Parameter> =>
  objectsIn(operation["parameters"])
    .filter((one) => one["in"] === place)
    .map((one) => ({
      name: textAt(one, "name"),
      schema: objectAt(one, "schema"),
      description: textAt(one, "description")
    }))

const ENVELOPE = ["status", "data"]

const answerOf = (operation: JsonObject): Call["answer"] | undefined => {
  const [, success] = Object.entries(objectAt(operation, "responses")).find(([status]) => /^2\d\d$/.test(status)) ?? []
  const content = isObject(success) ? objectAt(success, "content") : {}
  if (isObject(content["text/plain"])) return "text"
  const schema = objectAt(objectAt(content, "application/json"), "schema")
  if (Object.keys(schema).length === 0) return undefined
  // warnings are for people who look at an answer
  const names = Object.keys(objectAt(schema, "properties")).filter((name) => name !== "warnings")
  const isData = names.length === 2 && ENVELOPE.every((name) => names.includes(name))
  return isData ? { schema: objectAt(objectAt(schema, "properties"), "data"), isData } : { schema, isData }
}

const pagesOf = (query: ReadonlyArray<Parameter>, answer: Call["answer"]): string | undefined => {
  if (answer === "text" || !query.some(({ name }) => name === "page")) return undefined
  const lists = Object.entries(objectAt(answer.schema, "properties")).filter(
    ([, schema]) => isObject(schema) && schema["type"] === "array"
  )
  return lists.length === 1 ? lists[0]?.[0] : undefined
}

const FILTER = /^filter\[([^\]]+)\]/

const callOf = (path: string, method: string, operation: JsonObject): Call | undefined => {
  const answer = answerOf(operation)
  // a redirect is for browsers
  if (answer === undefined) return undefined
  const all = parametersIn(operation, "query")
  const filtered = all.flatMap(({ name }) => FILTER.exec(name)?.[1] ?? [])
  const query = all.filter(({ name }) => !name.startsWith("filter["))
  const requestBody = objectAt(operation, "requestBody")
  const schema = objectAt(objectAt(objectAt(requestBody, "content"), "application/json"), "schema")
  return {
    name: textAt(operation, "operationId"),
    method: method.toUpperCase(),
    path,
    summary: textAt(operation, "summary"),
    pathParameters: parametersIn(operation, "path"),
    query,
    filters: filtered.length === 0 ? undefined : [...new Set(filtered)],
    body: Object.keys(schema).length === 0 ? undefined : { schema, required: requestBody["required"] === true },
    answer,
    pagesOf: pagesOf(query, answer)
  }
}

/** Everything that a client is made of. */
export interface ClientDocument {
  readonly calls: ReadonlyArray<Call>
  readonly schemas: ReadonlyArray<readonly [name: string, schema: JsonObject]>
}

/** The calls of this server, in the order of their names, and the records of their answers. */
export const readDocument = (): ClientDocument => {
  const document: unknown = JSON.parse(JSON.stringify(OpenApi.fromApi(Api)))
  if (!isObject(document)) throw new Error("the document is no object")
  const calls = Object.entries(objectAt(document, "paths")).flatMap(([path, item]) =>
    isObject(item)
      ? Object.entries(item).flatMap(([method, operation]) =>
          isObject(operation) ? (callOf(path, method, operation) ?? []) : []
        )
      : []
  )
  const schemas = Object.entries(objectAt(objectAt(document, "components"), "schemas")).flatMap(([name, schema]) =>
    isObject(schema) ? [[name, schema] as const] : []
  )
  return { calls: calls.toSorted((a, b) => (a.name < b.name ? -1 : 1)), schemas }
}

/** `devices` of `listDevices`, for the method that gives all pages. */
export const allName = (name: string): string => name.replace(/^list/, "all")

// What both languages ask of a schema.

export const refName = (schema: JsonObject): string | undefined => {
  const { $ref } = schema
  return typeof $ref === "string" ? $ref.slice($ref.lastIndexOf("/") + 1) : undefined
}

/** The alternatives of a union; undefined for another schema. */
export const alternativesOf = (schema: JsonObject): ReadonlyArray<JsonObject> | undefined => {
  const found = schema["anyOf"] ?? schema["oneOf"]
  return Array.isArray(found) ? objectsIn(found) : undefined
}

/** The values of an enumeration. */
export const valuesOf = (schema: JsonObject): ReadonlyArray<string> | undefined => {
  const values = "const" in schema ? [schema["const"]] : schema["enum"]
  return Array.isArray(values) ? values.map((value) => JSON.stringify(value)) : undefined
}

/** The fields of a record, with those of `allOf`; none for a map. */
export const fieldsOf = (schema: JsonObject) => {
  const parts = [schema, ...objectsIn(schema["allOf"])]
  const required = new Set(parts.flatMap((part) => (Array.isArray(part["required"]) ? part["required"] : [])))
  return parts.flatMap((part) =>
    Object.entries(objectAt(part, "properties")).map(([name, field]) => ({
      name,
      schema: isObject(field) ? field : {},
      isRequired: required.has(name)
    }))
  )
}
