import { assert, layer } from "@effect/vitest"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { HttpApi, HttpApiSchema, OpenApi } from "effect/http-api"
import { Api } from "../../src/api/Api.ts"
import { Document } from "../../src/api/Documented.ts"
import { wireOf } from "../../src/domain/fields/Body.ts"
import { OPERATIONS } from "../../src/http/core/RequestApproval.ts"
import { jobFunctions } from "../../src/jobs/JobList.ts"
import { isObject, type JsonObject } from "../../src/domain/fields/Values.ts"
import { ApiClient, ApiServer } from "../support/ApiServer.ts"
import { keyFile, makeIssuer } from "../support/TokenKeys.ts"

const accepts = (schema: unknown, value: unknown): boolean =>
  Schema.isSchema(schema) && Option.isSome(Schema.decodeUnknownOption(Schema.toType(schema))(value))

const document: JsonObject = { ...OpenApi.fromApi(Api) }

const objectAt = (holder: JsonObject, key: string): JsonObject => {
  const value = holder[key]
  return isObject(value) ? value : {}
}

const schemas = () => objectAt(objectAt(document, "components"), "schemas")

const listAt = (holder: JsonObject, key: string): ReadonlyArray<JsonObject> => {
  const value = holder[key]
  return Array.isArray(value) ? value.filter(isObject) : []
}

/** Names of parameters that are numbers wherever they are. */
const NUMBERS = /^(page|per_page|limit|since|previous|job_id|job)$/

const VALUES: Readonly<Record<string, string>> = { string: "x", integer: "1", boolean: "true" }

interface Operation {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly operation: JsonObject
}

const operations = (): ReadonlyArray<Operation> =>
  Object.entries(objectAt(document, "paths")).flatMap(([path, item]) =>
    Object.entries(isObject(item) ? item : {}).flatMap(([method, operation]) =>
      isObject(operation)
        ? [{ name: `${method.toUpperCase()} ${path}`, method: method.toUpperCase(), path, operation }]
        : []
    )
  )

const VERSION_NUMBER = /\d/

/** Places of objects with fields that are elements of a list or a map and have no name. */
const namelessRecords = (value: unknown, place: string): ReadonlyArray<string> => {
  if (Array.isArray(value)) return value.flatMap((part, index) => namelessRecords(part, `${place}/${index}`))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, part]) => {
    if (key === "example") return []
    const isElement = (key === "items" || key === "additionalProperties") && isObject(part)
    const isNameless = isElement && Object.keys(objectAt(part, "properties")).length > 0
    return [...(isNameless ? [`${place}/${key}`] : []), ...namelessRecords(part, `${place}/${key}`)]
  })
}

layer(ApiServer())("The API document", (it) => {
  it.effect("is OpenAPI 3.1 and names every route with its methods", () =>
    Effect.gen(function* () {
      const api = yield* ApiClient
      const { body, status } = yield* api.send("GET", "/api/openapi.json")
      assert.strictEqual(status, 200)
      assert.deepEqual(body, JSON.parse(JSON.stringify(OpenApi.fromApi(Api))))
    })
  )

  it.effect("describes every endpoint, with a valid example", () =>
    Effect.sync(() => {
      HttpApi.reflect(Api, {
        onGroup: () => {},
        onEndpoint: ({ endpoint }) => {
          const name = `${endpoint.method} ${endpoint.path}`
          const document = Option.getOrThrow(Context.getOption(endpoint.annotations, Document))
          assert.isAbove(document.summary.length, 5, name)
          assert.isAbove(document.description.length, 10, name)
          const answers = [...endpoint.success].map((schema) =>
            HttpApiSchema.isWithHeaders(schema) ? schema.schema : schema
          )
          assert.isTrue(
            answers.some((schema) => accepts(schema, document.example.response)),
            `${name}: the answer`
          )
          const bodies = [...endpoint.payload.values()].flatMap(({ schemas }) => [...schemas])
          if (bodies.length === 0) return
          assert.isTrue(
            bodies.some((schema) => Schema.isSchema(schema) && accepts(wireOf(schema), document.example.request)),
            `${name}: the body`
          )
        }
      })
    })
  )

  it.effect("names every call as a method: a verb and its object", () =>
    Effect.sync(() => {
      for (const { operation, name } of operations()) {
        const { operationId } = operation
        assert.match(String(operationId), /^[a-z]+([A-Z][a-z]+)*$/, name)
        assert.isFalse(VERSION_NUMBER.test(String(operationId)), name)
      }
      const names = operations().map(({ operation }) => operation["operationId"])
      assert.strictEqual(new Set(names).size, names.length)
      for (const expected of ["listDevices", "getDevice", "syncDevices", "listJobs", "getJob"])
        assert.include(names, expected)
    })
  )

  it.effect("shares records by name", () =>
    Effect.sync(() => {
      const names = Object.keys(schemas())
      for (const expected of ["Device", "Interface", "Linknet", "MgmtDomain", "Job", "Event", "AuditEvent", "User"])
        assert.include(names, expected)
      assert.deepEqual(
        names.filter((name) => name.endsWith("Encoded")),
        []
      )
      // an object in a list or a map is a record, and a record has a name
      for (const { operation, name } of operations())
        assert.deepEqual(namelessRecords(operation["responses"], name), [], name)
      for (const [name, schema] of Object.entries(schemas())) assert.deepEqual(namelessRecords(schema, name), [], name)
    })
  )

  it.effect("has one answer for each status, and one component for each error", () =>
    Effect.sync(() => {
      for (const { operation, name } of operations()) {
        for (const [status, response] of Object.entries(objectAt(operation, "responses"))) {
          if (status >= "400" && !name.startsWith("GET /api/health"))
            assert.match(String(objectAt({ response }, "response")["$ref"]), /^#\/components\/responses\/\w+$/, name)
        }
      }
    })
  )

  it.effect("has numbers as numbers, and every parameter with a schema", () =>
    Effect.sync(() => {
      assert.notMatch(JSON.stringify(document), /"(NaN|-?Infinity)"/)
      for (const { operation, name, path } of operations()) {
        for (const parameter of listAt(operation, "parameters")) {
          const { type } = objectAt(parameter, "schema")
          const named = `${name}: ${String(parameter["name"])}`
          if (NUMBERS.test(String(parameter["name"])) && !path.endsWith("/auth/login"))
            assert.strictEqual(type, "integer", named)
          if (type === "integer" && !String(parameter["name"]).startsWith("filter[")) {
            assert.isNumber(objectAt(parameter, "schema")["minimum"], named)
            assert.isNumber(objectAt(parameter, "schema")["maximum"], named)
          }
        }
      }
    })
  )

  it.effect("declares every filter and sort field of a list", () =>
    Effect.gen(function* () {
      const api = yield* ApiClient
      const lists = [
        "/api/v1.0/devices",
        "/api/v1.0/jobs",
        "/api/v1.0/mgmtdomains",
        "/api/v1.0/audit",
        "/api/v1.0/alerts/deliveries"
      ]
      for (const path of lists) {
        const [found] = operations().filter(({ name }) => name === `GET ${path}`)
        const parameters = listAt(found?.operation ?? {}, "parameters")
        const names = parameters.map(({ name }) => String(name))
        const sort = parameters.find(({ name }) => name === "sort")
        const fields = objectAt(sort ?? {}, "schema")["enum"]
        assert.isAbove(Array.isArray(fields) ? fields.length : 0, 10, path)
        for (const parameter of parameters) {
          const name = String(parameter["name"])
          if (!name.startsWith("filter[")) continue
          const schema = objectAt(parameter, "schema")
          const value = Array.isArray(schema["enum"]) ? schema["enum"][0] : VALUES[String(schema["type"])]
          const isTime = String(parameter["description"]).includes("ISO 8601")
          const query = new URLSearchParams({ [name]: isTime ? "2026-03-02" : String(value) })
          const { status } = yield* api.send("GET", `${path}?${query}`)
          assert.strictEqual(status, 200, `${path}?${query}`)
        }
        // no field is missing: the server refuses every other one
        const { status } = yield* api.send("GET", `${path}?filter[nothing]=1`)
        assert.strictEqual(status, 400, path)
        assert.include(names, "per_page", path)
      }
    })
  )

  it.effect("types the result of a job by its function", () =>
    Effect.sync(() => {
      const byFunction = objectAt(objectAt(schemas(), "JobResult"), "x-by-function")
      assert.deepEqual(
        Object.keys(byFunction).toSorted(),
        jobFunctions.map(({ definition }) => definition.name).toSorted()
      )
      for (const reference of Object.values(byFunction))
        assert.property(schemas(), String(reference).replace("#/components/schemas/", ""))
      assert.deepInclude(objectAt(objectAt(schemas(), "Job"), "properties")["result"], {
        anyOf: [{ $ref: "#/components/schemas/JobResult" }, { type: "null" }]
      })
    })
  )

  it.effect("leads every reference to something, and describes every tag", () =>
    Effect.sync(() => {
      const text = JSON.stringify(document)
      for (const [, kind = "", name = ""] of text.matchAll(/"#\/components\/(\w+)\/([^"]+)"/g))
        assert.property(objectAt(objectAt(document, "components"), kind), name)
      const components = objectAt(document, "components")
      for (const name of Object.keys(schemas())) {
        const { [name]: _, ...others } = schemas()
        const rest = JSON.stringify({ ...document, components: { ...components, schemas: others } })
        assert.isTrue(rest.includes(`"#/components/schemas/${name}"`), `nothing else refers to ${name}`)
      }
      const tags = listAt(document, "tags").map(({ name }) => String(name))
      for (const { operation, name } of operations()) {
        const used = Array.isArray(operation["tags"]) ? operation["tags"].map(String) : []
        assert.includeMembers(tags, used, name)
      }
      assert.isAbove(listAt(document, "servers").length, 0)
    })
  )

  it.effect("says which calls another person must approve", () =>
    Effect.sync(() => {
      const waiting = operations().filter(({ operation }) => "202" in objectAt(operation, "responses"))
      const plain = (call: string) => call.replace("/api/v1.0", "").replaceAll(/:(\w+)/g, "{$1}")
      assert.deepEqual(waiting.map(({ name }) => plain(name)).toSorted(), [...OPERATIONS.keys()].map(plain).toSorted())
    })
  )

  it.effect("contains the examples and the query parameters", () =>
    Effect.sync(() => {
      const text = JSON.stringify(OpenApi.fromApi(Api).paths["/api/v1.0/devices"])
      assert.include(text, '"name":"per_page"')
      assert.include(text, '"example":{"status":"success"')
    })
  )

  it.effect("can be browsed", () =>
    Effect.gen(function* () {
      const api = yield* ApiClient
      const page = yield* api.send("GET", "/api/doc/")
      assert.match(page.headers.get("content-type") ?? "", /^text\/html/)
      assert.include(page.text, "swagger")
    })
  )
})

const serverWithTokens = Layer.unwrap(
  Effect.map(keyFile(makeIssuer("ES256")), (JWT_CERT) => ApiServer({ JWT_ENABLED: "true", JWT_CERT }))
).pipe(Layer.provide(NodeServices.layer))

layer(serverWithTokens)("The API document of a server with tokens", (it) => {
  it.effect("says truly which calls need a token", () =>
    Effect.gen(function* () {
      const api = yield* ApiClient
      for (const { method, name, operation, path } of operations()) {
        const ways = listAt(operation, "security")
        // `{}` is the way without a token; this client is in METRICS_NETWORKS
        const isOpen = ways.length === 0 || ways.some((way) => Object.keys(way).length === 0)
        // ways to get a token answer 401 for what they do not accept
        if (path.includes("/auth")) continue
        const { status } = yield* api.send(method, path.replaceAll(/\{\w+\}/g, "1"))
        assert.strictEqual(status === 401, !isOpen, `${name}: ${status}`)
      }
    })
  )
})
