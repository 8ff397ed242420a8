/**
 * The part of an endpoint's documentation that its schemas cannot express: a summary, a description, an example, and the
 * parameters whose names vary, such as filters of lists.
 */
import { Context, Schema } from "effect"
import { OpenApi } from "effect/http-api"
import { blankFields, type Device } from "../domain/Device.ts"
import { SIGNED } from "../domain/CommitSignature.ts"
import { Sent } from "../domain/fields/Body.ts"
import { type FieldKind, hasContains, type ListFields } from "../domain/ListFields.ts"
import { MAX_INTEGER } from "../domain/fields/Values.ts"
import type { Job } from "../domain/Job.ts"
import type { Linknet } from "../domain/Linknet.ts"

/** The schema of a parameter in the document. */
type ParameterSchema = Readonly<Record<string, unknown>>

/** A query parameter: text unless it has a `schema`. `example` is a value that works. */
export interface QueryParameter {
  readonly description: string
  readonly example: string
  readonly schema?: ParameterSchema
}

/** An integer within bounds. */
export const integers = (minimum: number, maximum: number, fallback?: number): ParameterSchema => ({
  type: "integer",
  minimum,
  maximum,
  ...(fallback === undefined ? {} : { default: fallback })
})

/**
 * The documentation of one endpoint. `name` is its method in clients, a verb and its object: `listDevices`. `example` shows a
 * valid body, if the endpoint has one, and the answer to it.
 */
export interface EndpointDocument {
  readonly name: string
  readonly summary: string
  readonly description: string
  /** The name of the endpoint that new clients call instead; this one stays for older clients. */
  readonly replacedBy?: string
  readonly query?: Readonly<Record<string, QueryParameter>>
  /** The fields by which the list is filtered and sorted. */
  readonly list?: ListFields
  readonly example: { readonly request?: unknown; readonly response: unknown }
}

/** The document in its source form, for tests that call each endpoint from it. */
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

/** Lifts the description and example of a parameter's schema to the place where pages show them. */
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

const kindSchema = (kind: FieldKind): ParameterSchema => {
  if (typeof kind === "object") return { type: "string", enum: kind.oneOf }
  return { type: kind === "integer" || kind === "boolean" ? kind : "string" }
}

const kindText = (kind: FieldKind): string => {
  if (kind === "datetime") return "at this time (ISO 8601, UTC)"
  return kind === "json" ? "equal to this JSON text" : "equal to this value"
}

/** A parameter for each filter of a list. `[equals]` and `[ilike]`, for older clients, mean the same as none. */
const filtersOf = (fields: ListFields): Readonly<Record<string, QueryParameter>> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, kind]) => [
      [`filter[${name}]`, { description: `\`${name}\` is ${kindText(kind)}`, example: "", schema: kindSchema(kind) }],
      ...(hasContains(kind)
        ? [
            [
              `filter[${name}][contains]`,
              { description: `\`${name}\` contains this text, in any case`, example: "" }
            ] as const
          ]
        : [])
    ])
  )

const sortOf = (fields: ListFields): ParameterSchema => ({
  type: "string",
  enum: Object.keys(fields).flatMap((name) => [name, `-${name}`])
})

const parameterOf = ([name, { description, example, schema = { type: "string" } }]: readonly [
  string,
  QueryParameter
]) => ({
  name,
  in: "query",
  required: false,
  description,
  schema,
  ...(example === "" ? {} : { example: schema["type"] === "integer" ? Number(example) : example })
})

/** The parameters that the handlers read themselves. */
const queryOf = ({ list, query = {} }: EndpointDocument): ReadonlyArray<unknown> => {
  if (list === undefined) return Object.entries(query).map(parameterOf)
  const filters = filtersOf(list)
  const own = Object.entries(query).map(([name, parameter]) => {
    if (name === "sort") return [name, { ...parameter, schema: sortOf(list) }] as const
    const filter = filters[name]
    return [name, filter === undefined ? parameter : { ...filter, example: parameter.example }] as const
  })
  return Object.entries({ ...filters, ...Object.fromEntries(own) }).map(parameterOf)
}

const withExamples =
  (document: EndpointDocument) =>
  (operation: Record<string, unknown>): Record<string, unknown> => {
    const { example } = document
    const responses = isRecord(operation["responses"]) ? operation["responses"] : {}
    const parameters = Array.isArray(operation["parameters"]) ? operation["parameters"] : []
    return {
      ...operation,
      parameters: [...parameters.map(described), ...queryOf(document)],
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
      identifier: document.name,
      summary: document.summary,
      description:
        document.replacedBy === undefined
          ? document.description
          : `For older clients; use \`${document.replacedBy}\`. ${document.description}`,
      deprecated: document.replacedBy === undefined ? undefined : true,
      transform: withExamples(document)
    }),
    Context.make(Document, document)
  )

/** The same for an integer within bounds. */
export const counted = (description: string, example: number, [minimum, maximum]: readonly [number, number]) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum })).annotate({ description, examples: [example] })

/** The documentation of a parameter that its endpoint decodes; `example` is a value that works. */
export const shown = (description: string, example: string) =>
  Schema.String.annotate({ description, examples: [example] })

/** A value that passes as it is, with another schema in the document: what older releases stored is not checked again. */
export const shownAs = <S extends Schema.Codec<unknown>>(value: S, wire: Schema.Top) =>
  Sent<S["Type"]>(Schema.is(value), wire)

/** Names of filters of a list: the field, and the comparison. */
export const FILTER = /^filter\[([a-zA-Z0-9_.]+)\](?:\[([^[\]]*)\])?$/

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
  page: { description: "page number, from 1", example: "1", schema: integers(1, MAX_INTEGER, 1) },
  per_page: { description: "records per page", example: "50", schema: integers(1, 1000, 50) }
})

/** Lists that took `limit` before `per_page` was there. */
export const limited = {
  limit: { description: "another name of `per_page`", example: "50", schema: integers(1, 1000) }
}

// Records in the API document.

export const device: Device = {
  ...blankFields,
  id: 13,
  hostname: "lhv-a1",
  management_ip: "10.0.6.6",
  serial: "SSJ17200213",
  ztp_mac: "08002708A8BE",
  platform: "eos",
  vendor: "Arista",
  model: "CCS-720XP-48ZC2",
  os_version: "4.31.5M",
  synchronized: true,
  state: "MANAGED",
  device_type: "ACCESS",
  last_seen: "2026-02-27 10:30:23.338681"
}

export const job: Job = {
  id: 812,
  status: "FINISHED",
  scheduled_time: "2026-03-02T09:11:26.319761",
  start_time: "2026-03-02T09:11:26.4012",
  finish_time: "2026-03-02T09:11:28.775562",
  function_name: "sync_devices",
  scheduled_by: "admin",
  comment: "ticket work",
  ticket_ref: null,
  next_job_id: null,
  result: {
    devices: {
      "lhv-a1": {
        failed: false,
        job_tasks: [
          { task_name: "push_sync_device", result: null, diff: "", failed: false },
          {
            task_name: "Sync device config",
            result: null,
            diff: "@@ -12,1 +12,1 @@\n-   description desk\n+   description printer",
            failed: false,
            proof: "loaded-again"
          }
        ]
      }
    }
  },
  exception: null,
  traceback: null,
  finished_devices: ["lhv-a1"],
  change_score: 21,
  outcome: "success",
  failed_devices: [],
  counts: { devices: 1, succeeded: 1, failed: 0, changed: 1 },
  start_arguments: { dry_run: false, auto_push: false, force: false, resync: false, hostnames: ["lhv-a1"] },
  waiting_for: null,
  settings_commit: "cdf978245c3782ec391ffa2bda3ca540577ad36f",
  templates_commit: "1b0c7e3f6a1d4a5a9f6f0f4b8c2d7e9a3b5c6d7e",
  settings_signature: SIGNED,
  templates_signature: SIGNED,
  abort_reason: null,
  aborted_by: null
}

export const linknet: Linknet = {
  id: 25,
  ipv4_network: "10.198.0.0/31",
  device_a_id: 9,
  device_a_ip: "10.198.0.0",
  device_a_port: "Ethernet3",
  device_b_id: 12,
  device_b_ip: "10.198.0.1",
  device_b_port: "Ethernet3",
  site_id: null,
  description: null
}
