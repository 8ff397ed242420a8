/**
 * The last pass over the OpenAPI document: what clients in other languages need and schemas alone do not give. Errors of a status
 * become one shared response, bodies get the names of their calls, and bounds that every integer has are left out
 * (docs/api.md#the-document).
 */
import { Schema } from "effect"
import { isObject, type JsonObject } from "../domain/fields/Values.ts"
import { resultsOf } from "../domain/jobs/JobResults.ts"

/** What the calls of each tag are about, in the order of the document. */
const TAGS = {
  devices: "Records of devices, their stacks and why they are not synchronized",
  attention: "What needs a person now, the most urgent first",
  interfaces: "Ports of access switches",
  ports: "Ports of several switches at once, as comma-separated values",
  portReadings: "Ports as they were read last, and what they can be given",
  linknets: "Links between devices",
  mgmtdomains: "Management domains of pairs of DIST devices",
  jobs: "Jobs, their approval, and the lock between them",
  provisioning: "Discovery, initialisation and synchronization",
  onboarding: "Switches that exist already, and how far they are from the templates",
  places: "New switches, and the network as planned and seen",
  leases: "Leases of the DHCP hook that were refused or wait",
  changes: "Earlier configurations, undo, drift and learnt spellings",
  reports: "Changes as records to keep, for auditors",
  checks: "What must hold after a change",
  operations: "Live reads, host keys and certificates",
  actor: "What a device is doing now",
  find: "Machines, devices and ports by one field",
  firmware: "Images and upgrades",
  settings: "Settings in force, groups and their repository",
  settingsModel: "The model of settings, open to everybody",
  repository: "Commits, files and templates for their authors",
  proposals: "Branches that are checked before they are merged",
  forge: "The webhook of the forge, signed instead of with a token",
  plugins: "Plugins and their self tests",
  auth: "The caller, tokens, users and requests that wait for another person",
  signOn: "Ways to get a token",
  secrets: "Names of secrets, and where they are used",
  audit: "Who did what",
  events: "What happens, in pages or live",
  windows: "When devices may be changed",
  views: "Lists as people have saved them: filters, columns and order",
  alerts: "Rules, messages and mutes",
  server: "Status and findings of the server",
  setup: "What a new installation needs, tried before it is kept",
  system: "The version",
  health: "Probes for load balancers",
  metrics: "Metrics for Prometheus"
} as const

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

// Numbers in headers, and what every call has in common: its limits, and a mistake of the server.

const COUNTS: ReadonlySet<string> = new Set(["x-total-count", "x-matching-count"])
const count = { type: "integer", minimum: 0 }

const withCountedHeaders = (document: JsonObject): JsonObject =>
  eachOperation(document, (operation) => ({
    ...operation,
    responses: mapped(objectAt(operation, "responses"), (response) =>
      response["headers"] === undefined
        ? response
        : {
            ...response,
            headers: mapped(objectAt(response, "headers"), (header, name) =>
              COUNTS.has(name) ? { ...header, schema: count } : header
            )
          }
    )
  }))

const failure = (name: string): JsonObject => ({
  description: name,
  content: { [JSON_TYPE]: { schema: { $ref: `${SCHEMAS}${name}` } } }
})

/** Health answers 503 with its report; everything else can exceed a limit, and can meet a mistake of the server. */
const withCommonErrors = (document: JsonObject): JsonObject =>
  eachOperation(document, (operation) => {
    const responses = objectAt(operation, "responses")
    const isHealth = JSON.stringify(responses["200"] ?? {}).includes(`${SCHEMAS}HealthReport`)
    const own = isHealth
      ? { ...responses, "503": failure("FaultReport") }
      : { ...responses, "429": failure("TooManyRequests"), "500": failure("InternalError") }
    return { ...operation, responses: own }
  })

const RETRY = {
  "Retry-After": { description: "Seconds after which a retry can help", schema: count, required: false }
}

/** By the name of the error: when it happens. */
const MEANINGS: Readonly<Record<string, string>> = {
  BadRequest: "The request is invalid; nothing was changed unless `message.updated` says so",
  Unauthorized: "No token, or an unacceptable one",
  Forbidden: "No role of the caller allows it",
  NotFound: "The object does not exist",
  RequestTimeout: "The request was begun and not finished; a retry can help",
  Conflict: "Something prevents it now; the same request can succeed later",
  PreconditionFailed: "The object has changed since the caller read it",
  PayloadTooLarge: "The body is larger than the server reads",
  UnsupportedMediaType: "The body is not JSON by its content type",
  TooManyRequests: "Too many requests in a short time; a retry can help",
  InternalError: "A device, a repository or a file failed, or a mistake of the server",
  ServiceUnavailable: "The database or a lock is not available; a retry can help",
  FaultReport: "A part of the server is down"
}
const RETRIED: ReadonlySet<string> = new Set(["RequestTimeout", "TooManyRequests", "ServiceUnavailable"])

const withMeanings = (document: JsonObject): JsonObject => {
  const components = objectAt(document, "components")
  const responses = mapped(objectAt(components, "responses"), (response, name) => ({
    ...response,
    description: MEANINGS[name] ?? response["description"],
    ...(RETRIED.has(name) ? { headers: RETRY } : {})
  }))
  return { ...document, components: { ...components, responses } }
}

// Answers 202 of calls that another person must approve first (docs/security.md#four-eyes).

/** The names of these calls. */
const APPROVED: ReadonlySet<string> = new Set([
  "createUser",
  "updateUser",
  "deleteUser",
  "withdrawPerson",
  "admitPerson",
  "revokeToken",
  "pinHostKey",
  "approveHostKey",
  "approveHostKeys",
  "trustDevice",
  "createDevice",
  "updateDevice",
  "onboard",
  "manageOnboarded",
  "createMute",
  "deleteMute"
])

const WaitsForApproval = {
  type: "object",
  properties: {
    status: { type: "string", enum: ["success"] },
    message: { type: "string" },
    data: {
      type: "object",
      properties: {
        approval_id: { type: "integer" },
        waits_until: { type: "string" },
        operation: { type: "string" }
      },
      required: ["approval_id", "waits_until", "operation"]
    }
  },
  required: ["status", "message", "data"]
}

const withApprovals = (document: JsonObject): JsonObject => {
  const waits = {
    description: "Nothing has changed yet: another person must approve the request",
    content: { [JSON_TYPE]: { schema: { $ref: `${SCHEMAS}WaitsForApproval` } } }
  }
  const components = objectAt(document, "components")
  const responses = { ...objectAt(components, "responses"), WaitsForApproval: waits }
  const schemas = { ...objectAt(components, "schemas"), WaitsForApproval }
  return eachOperation({ ...document, components: { ...components, responses, schemas } }, (operation) =>
    APPROVED.has(String(operation["operationId"]))
      ? {
          ...operation,
          responses: { ...objectAt(operation, "responses"), "202": { $ref: `${RESPONSES}WaitsForApproval` } }
        }
      : operation
  )
}

// Calls that say more than their schemas: the login by name and password, metrics for addresses that need no token, and the stream
// of events.

const BASIC = { type: "http", scheme: "basic", description: "The name and the password of a local user" }

const STREAM = {
  schema: { type: "string", description: "Server-sent events; `data` of each is an `Event` (docs/events.md)" }
}

const withSpecialCalls = (document: JsonObject): JsonObject => {
  const components = objectAt(document, "components")
  const securitySchemes = { ...objectAt(components, "securitySchemes"), basic: BASIC }
  return eachOperation({ ...document, components: { ...components, securitySchemes } }, (operation) => {
    if (operation["operationId"] === "login") return { ...operation, security: [{ basic: [] }] }
    if (operation["operationId"] === "getMetrics") return { ...operation, security: [{ bearer: [] }, {}] }
    if (operation["operationId"] !== "listEvents") return operation
    return {
      ...operation,
      responses: mapped(objectAt(operation, "responses"), (response, status) =>
        status === "200"
          ? { ...response, content: { ...objectAt(response, "content"), "text/event-stream": STREAM } }
          : response
      )
    }
  })
}

/** The schema of a job's result by its function, for clients that know the function. */
const withResultsByFunction = (document: JsonObject): JsonObject => {
  const schemas = schemasOf(document)
  const byFunction = Object.fromEntries(
    Object.entries(resultsOf).map(([name, schema]) => [
      name,
      `${SCHEMAS}${String(Schema.resolveAnnotations(schema)?.["identifier"])}`
    ])
  )
  return withSchemas(document, {
    ...schemas,
    JobResult: {
      ...objectAt(schemas, "JobResult"),
      description: "`x-by-function` names the schema of each function; a dry run has the same",
      "x-by-function": byFunction
    }
  })
}

const withTags = (document: JsonObject): JsonObject => ({
  ...document,
  tags: Object.entries(TAGS).map(([name, description]) => ({ name, description }))
})

/** The document as it is published, from the one that the schemas give. */
export const published = (document: JsonObject): JsonObject =>
  [
    withPlainSchemas,
    withNamedBodies,
    withCountedHeaders,
    withCommonErrors,
    withSpecialCalls,
    withSharedErrors,
    withMeanings,
    withApprovals,
    withResultsByFunction,
    withOpenAnswers,
    withTags
  ].reduce((made, pass) => pass(made), document)
