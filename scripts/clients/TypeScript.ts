/** The generated half of the TypeScript client: the records, and a class with a method for each call. */
import type { JsonObject } from "../../src/domain/fields/Values.ts"
import { isObject } from "../../src/domain/fields/Values.ts"
import { allName, alternativesOf, type Call, type ClientDocument, fieldsOf, refName, valuesOf } from "./Calls.ts"

const MADE = "// Made by `npm run docs` from the OpenAPI document of the server. Do not edit.\n"

const key = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name))

const comment = (schema: JsonObject): string => {
  const { description } = schema
  return typeof description === "string" ? `/** ${description.replaceAll("*/", "*\\/")} */\n` : ""
}

/** The name of a record in another module. */
type Qualify = (name: string) => string

const typeOf = (schema: JsonObject, qualify: Qualify): string => {
  const name = refName(schema)
  if (name !== undefined) return qualify(name)
  const alternatives = alternativesOf(schema)
  if (alternatives !== undefined) return [...new Set(alternatives.map((one) => typeOf(one, qualify)))].join(" | ")
  const values = valuesOf(schema)
  if (values !== undefined) return values.join(" | ")
  switch (schema["type"]) {
    case "string":
      return "string"
    case "integer":
    case "number":
      return "number"
    case "boolean":
      return "boolean"
    case "null":
      return "null"
    case "array":
      return `ReadonlyArray<${isObject(schema["items"]) ? typeOf(schema["items"], qualify) : "unknown"}>`
    case "object":
      return recordOf(schema, qualify)
    default:
      return "unknown"
  }
}

const recordOf = (schema: JsonObject, qualify: Qualify): string => {
  const fields = fieldsOf(schema)
  const { additionalProperties } = schema
  const map = `Readonly<Record<string, ${isObject(additionalProperties) ? typeOf(additionalProperties, qualify) : "unknown"}>>`
  if (fields.length === 0) return map
  const lines = fields.map(
    ({ isRequired, name, schema: field }) =>
      `${comment(field)}readonly ${key(name)}${isRequired ? "" : "?"}: ${typeOf(field, qualify)}${isRequired ? "" : " | undefined"}`
  )
  return `{ ${lines.join("\n")} }`
}

const here: Qualify = (name) => name

const upper = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`

/** Whether an answer is a record without a name, which gets that of its call. */
const isNameless = (schema: JsonObject): boolean => refName(schema) === undefined && fieldsOf(schema).length > 0

const resultName = ({ name }: Call): string => `${upper(name)}Result`
const queryName = ({ name }: Call): string => `${upper(name)}Query`

const records = ({ calls, schemas }: ClientDocument): string => {
  const ofCalls = calls.flatMap((call) => {
    const { answer, method, path } = call
    const of = (what: string) => `/** ${what} of \`${method} ${path}\`. */\n`
    const query = queryType(call)
    return [
      ...(answer !== "text" && isNameless(answer.schema)
        ? [`${of("The answer")}export type ${resultName(call)} = ${typeOf(answer.schema, here)}\n`]
        : []),
      ...(query === undefined ? [] : [`${of("The query")}export type ${queryName(call)} = ${query}\n`])
    ]
  })
  const named = schemas.map(([name, schema]) => `${comment(schema)}export type ${name} = ${typeOf(schema, here)}\n`)
  return `${MADE}\nimport type { Filter } from "./transport.js"\n\n${[...named, ...ofCalls].join("\n")}`
}

const inCalls: Qualify = (name) => `Records.${name}`

const scalar = (schema: JsonObject): string => {
  const type = typeOf(schema, here)
  return type === "string" ? "string | number" : type
}

const queryType = ({ filters, query }: Call): string | undefined => {
  if (query.length === 0 && filters === undefined) return undefined
  const fields = query.map(
    ({ description, name, schema }) =>
      `/** ${description.replaceAll("*/", "*\\/")} */\nreadonly ${key(name)}?: ${scalar(schema)} | undefined`
  )
  const filter = `/** Values by field: \`{ state: "MANAGED", "hostname[contains]": "acc" }\`. */\nreadonly filter?: Filter | undefined`
  return `{ ${[...fields, ...(filters === undefined ? [] : [filter])].join("\n")} }`
}

const methodOf = (call: Call): string => {
  const { answer, body, method, name, pagesOf, path, pathParameters, summary } = call
  const query = queryType(call) === undefined ? undefined : inCalls(queryName(call))
  const required = [
    ...pathParameters.map((one) => `${one.name}: ${scalar(one.schema)}`),
    ...(body?.required === true ? [`body: ${typeOf(body.schema, inCalls)}`] : [])
  ]
  const optional = [
    ...(body?.required === false ? [`body: ${typeOf(body.schema, inCalls)} = {}`] : []),
    ...(query === undefined ? [] : [`query: ${query} = {}`]),
    "options: CallOptions = {}"
  ]
  const values = pathParameters.map((one) => one.name).join(", ")
  const asked = [
    `method: "${method}"`,
    `path: ${pathParameters.length === 0 ? `"${path}"` : `pathOf("${path}", { ${values} })`}`,
    ...(body === undefined ? [] : ["body"]),
    ...(query === undefined ? [] : ["query"]),
    ...(answer === "text" ? [`gives: "text"`] : answer.isData ? [] : [`gives: "all"`])
  ]
  const type =
    answer === "text"
      ? "string"
      : isNameless(answer.schema)
        ? inCalls(resultName(call))
        : typeOf(answer.schema, inCalls)
  const lines = [
    `/** ${summary}. \`${method} ${path}\` */`,
    `${name}(${[...required, ...optional].join(", ")}): Promise<${type}> {`,
    `return this.call<${type}>({ ${asked.join(", ")} }, options)`,
    "}\n"
  ]
  if (pagesOf === undefined || query === undefined) return lines.join("\n")
  const parameters = [...required, `query: ${query} = {}`, "options: CallOptions = {}"].join(", ")
  const all = [
    `/** The same, record by record, with all pages. */`,
    `${allName(name)}(${parameters}): AsyncGenerator<${type}["${pagesOf}"][number], void> {`,
    `return this.pages<${type}["${pagesOf}"][number]>({ ${asked.join(", ")} }, "${pagesOf}", options)`,
    "}\n"
  ]
  return [...lines, ...all].join("\n")
}

const methods = ({ calls }: ClientDocument): string => `${MADE}
import type * as Records from "./records.js"
import { type CallOptions, pathOf, Transport } from "./transport.js"

/** The calls of the API by the names of its document. */
export abstract class Calls extends Transport {
${calls.map(methodOf).join("\n")}
}
`

/** The files below `clients/typescript/src`, before they are formatted. */
export const typeScriptFiles = (document: ClientDocument): Readonly<Record<string, string>> => ({
  "records.ts": records(document),
  "calls.ts": methods(document)
})
