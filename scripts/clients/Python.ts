/**
 * The generated half of the Python client: the records as `TypedDict`, and a class with a method for each call. Annotations are never
 * evaluated, so what only newer releases of Python have is for type checkers alone.
 */
import type { JsonObject } from "../../src/domain/fields/Values.ts"
import { isObject } from "../../src/domain/fields/Values.ts"
import { allName, alternativesOf, type Call, type ClientDocument, fieldsOf, refName, valuesOf } from "./Calls.ts"

const MADE = "# Made by `npm run docs` from the OpenAPI document of the server. Do not edit.\n"
const KEYWORDS = new Set(
  "and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield None True False".split(
    " "
  )
)

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
const upper = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`
/** `ByState` of `by_state`. */
const titled = (name: string): string =>
  name
    .split(/[^A-Za-z0-9]+/)
    .map(upper)
    .join("")
const isWord = (name: string): boolean => /^[A-Za-z_]\w*$/.test(name) && !KEYWORDS.has(name)
const parameter = (name: string): string => (isWord(name) ? name : `${name.replaceAll(/\W/g, "_")}_`)

/** Writes types, and beside them the classes of records without a name, which Python needs. */
class Records {
  readonly classes: Array<string> = []

  /** The type of a schema; `name` is for a record that has none. */
  typeOf(schema: JsonObject, name: string): string {
    const ref = refName(schema)
    if (ref !== undefined) return ref
    const alternatives = alternativesOf(schema)
    if (alternatives !== undefined) {
      const types = alternatives.map((one, place) => this.typeOf(one, place === 0 ? name : `${name}${place + 1}`))
      const others = new Set(types.filter((type) => type !== "None"))
      return [...others, ...(types.includes("None") ? ["None"] : [])].join(" | ")
    }
    const values = valuesOf(schema)
    if (values !== undefined) {
      const spelt = values.map((value) => (value === "true" ? "True" : value === "false" ? "False" : value))
      return `Literal[${spelt.join(", ")}]`
    }
    switch (schema["type"]) {
      case "string":
        return "str"
      case "integer":
        return "int"
      case "number":
        return "float"
      case "boolean":
        return "bool"
      case "null":
        return "None"
      case "array":
        return `list[${isObject(schema["items"]) ? this.typeOf(schema["items"], `${name}Item`) : "Any"}]`
      case "object":
        return this.recordOf(schema, name)
      default:
        return "Any"
    }
  }

  private recordOf(schema: JsonObject, name: string): string {
    const fields = fieldsOf(schema)
    const { additionalProperties } = schema
    if (fields.length === 0) {
      return `dict[str, ${isObject(additionalProperties) ? this.typeOf(additionalProperties, `${name}Value`) : "Any"}]`
    }
    const typed = fields.map((field) => {
      const type = this.typeOf(field.schema, `${name}${titled(field.name)}`)
      return { ...field, type: field.isRequired ? type : `NotRequired[${type}]` }
    })
    const { description } = schema
    const doc = typeof description === "string" ? `    """${description}"""\n\n` : ""
    if (typed.every((field) => isWord(field.name))) {
      this.classes.push(
        `class ${name}(TypedDict):\n${doc}${typed.map((field) => `    ${field.name}: ${field.type}\n`).join("")}`
      )
    } else {
      const pairs = typed.map((field) => `        ${JSON.stringify(field.name)}: ${JSON.stringify(field.type)},\n`)
      this.classes.push(`${name} = TypedDict(\n    "${name}",\n    {\n${pairs.join("")}    },\n)\n`)
    }
    return name
  }

  /** A name for a schema of the document. */
  define(name: string, schema: JsonObject) {
    const type = this.typeOf(schema, name)
    if (type !== name) this.classes.push(`${name}: TypeAlias = ${JSON.stringify(type)}\n`)
  }
}

const argumentsOf = ({ body, filters, pathParameters, query }: Call, records: Records, name: string) => {
  const scalar = (schema: JsonObject, part: string): string => {
    const type = records.typeOf(schema, part)
    return type === "str" ? "str | int" : type
  }
  const named = [
    ...query.map((one) => `${parameter(one.name)}: ${scalar(one.schema, `${name}Query`)} | None = None`),
    ...(filters === undefined ? [] : ["filter: Filter | None = None"])
  ]
  return {
    placed: [
      ...pathParameters.map((one) => `${parameter(one.name)}: ${scalar(one.schema, `${name}Path`)}`),
      ...(body === undefined
        ? []
        : [`body: ${records.typeOf(body.schema, `${name}Request`)}${body.required ? "" : " | None = None"}`])
    ],
    named
  }
}

const methodOf = (call: Call, records: Records): string => {
  const { answer, body, filters, method, name, pagesOf, path, pathParameters, query, summary } = call
  const { named, placed } = argumentsOf(call, records, upper(name))
  const words = ["self", ...placed, ...(named.length === 0 ? [] : ["*", ...named])]
  const type = answer === "text" ? "str" : records.typeOf(answer.schema, `${upper(name)}Result`)
  const values = pathParameters.map((one) => `${JSON.stringify(one.name)}: ${parameter(one.name)}`).join(", ")
  const queried = query.map((one) => `${JSON.stringify(one.name)}: ${parameter(one.name)}`)
  const asked = [
    `"${method}"`,
    pathParameters.length === 0 ? `"${path}"` : `path_of("${path}", {${values}})`,
    ...(body === undefined ? [] : [body.required ? "body=body" : "body=body or {}"]),
    ...(queried.length === 0 ? [] : [`query={${queried.join(", ")}}`]),
    ...(filters === undefined ? [] : ["filter=filter"])
  ]
  const gives = answer === "text" ? [`gives="text"`] : answer.isData ? [] : [`gives="all"`]
  const lines = [
    `    def ${snake(name)}(${words.join(", ")}) -> ${type}:`,
    `        """${summary}. \`\`${method} ${path}\`\`"""`,
    `        return self._call(${[...asked, ...gives].join(", ")})  # type: ignore[no-any-return]`,
    ""
  ]
  if (pagesOf === undefined || answer === "text") return lines.join("\n")
  const items = fieldsOf(answer.schema).find((field) => field.name === pagesOf)?.schema["items"]
  const item = isObject(items) ? records.typeOf(items, `${upper(name)}Item`) : "Any"
  return [
    ...lines,
    `    def ${snake(allName(name))}(${words.join(", ")}) -> Iterator[${item}]:`,
    `        """The same, record by record, with all pages."""`,
    `        return self._pages("${pagesOf}", ${asked.join(", ")})`,
    ""
  ].join("\n")
}

const TYPING = `from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired, TypeAlias
`

/** The files below `clients/python/src/switchyard_client`. */
export const pythonFiles = ({ calls, schemas }: ClientDocument): Readonly<Record<string, string>> => {
  const records = new Records()
  for (const [name, schema] of schemas) records.define(name, schema)
  const methods = calls.map((call) => methodOf(call, records))
  return {
    "records.py": `${MADE}"""The records of the API."""\n\n${TYPING}\n\n${records.classes.join("\n\n")}`,
    "calls.py": `${MADE}"""The calls of the API by the names of its document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator, Literal

from .records import *  # noqa: F403
from .transport import Filter, Transport, path_of


class Calls(Transport):
${methods.join("\n")}`
  }
}
