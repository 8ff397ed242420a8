/**
 * What the API document says about an endpoint beyond its schemas: a summary, a description, an example, and the parameters
 * whose names are not fixed, such as filters of lists.
 */
import { Context, Schema } from "effect"
import { OpenApi } from "effect/http-api"

/** A query parameter. `example` is a value that works. */
export interface QueryParameter {
  readonly description: string
  readonly example: string
}

/** The documentation of one endpoint. `example` shows a body that works, where there is one, and the answer to it. */
export interface EndpointDocument {
  readonly summary: string
  readonly description: string
  readonly query?: Readonly<Record<string, QueryParameter>>
  readonly example: { readonly request?: unknown; readonly response: unknown }
}

/** The document as it was written, for tests that drive each endpoint from it. */
export class Document extends Context.Service<Document, EndpointDocument>()("switchyard/api/Document") {}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null

const withExample = (holder: unknown, example: unknown): unknown => {
  if (!isRecord(holder) || !isRecord(holder["content"])) return holder
  const content = Object.entries(holder["content"]).map(([type, media]) => [
    type,
    isRecord(media) ? { ...media, example } : media
  ])
  return { ...holder, content: Object.fromEntries(content) }
}

/** Lifts what a parameter's schema says of it to where pages show it. */
const described = (parameter: unknown): unknown => {
  if (!isRecord(parameter) || !isRecord(parameter["schema"])) return parameter
  const { description, examples, ...schema } = parameter["schema"]
  const example: unknown = Array.isArray(examples) ? examples[0] : undefined
  return {
    ...parameter,
    schema,
    ...(description === undefined ? {} : { description }),
    ...(example === undefined ? {} : { example })
  }
}

const withExamples =
  ({ example, query = {} }: EndpointDocument) =>
  (operation: Record<string, unknown>): Record<string, unknown> => {
    const responses = isRecord(operation["responses"]) ? operation["responses"] : {}
    const parameters = Array.isArray(operation["parameters"]) ? operation["parameters"] : []
    const asked = Object.entries(query).map(([name, { description, example }]) => ({
      name,
      in: "query",
      required: false,
      description,
      schema: { type: "string" },
      example
    }))
    return {
      ...operation,
      parameters: [...parameters.map(described), ...asked],
      ...(operation["requestBody"] === undefined || example.request === undefined
        ? {}
        : { requestBody: withExample(operation["requestBody"], example.request) }),
      responses: Object.fromEntries(
        Object.entries(responses).map(([status, response]) => [
          status,
          status.startsWith("2") ? withExample(response, example.response) : response
        ])
      )
    }
  }

/** Annotations of an endpoint that carry its document. */
export const documented = (document: EndpointDocument) =>
  Context.merge(
    OpenApi.annotations({
      summary: document.summary,
      description: document.description,
      transform: withExamples(document)
    }),
    Context.make(Document, document)
  )

/** What the document shows of a parameter that its endpoint decodes; `example` is a value that works. */
export const shown = (description: string, example: string) =>
  Schema.String.annotate({ description, examples: [example] })

/** The parameters of every list (docs/api.md#lists). `filter` is an example of a filter. */
export const listQuery = (
  filter: readonly [name: string, value: string]
): Readonly<Record<string, QueryParameter>> => ({
  [filter[0]]: {
    description:
      "`filter[<field>]=v` is an exact match, `filter[<field>][contains]=v` a case-insensitive substring; several combine with AND",
    example: filter[1]
  },
  sort: { description: "field to sort by, with `-` before it descending", example: "-id" },
  page: { description: "page number, from 1", example: "1" },
  per_page: { description: "records per page, 1 to 1000; 50 when absent", example: "50" }
})
