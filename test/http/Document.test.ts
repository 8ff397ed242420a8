import { assert, layer } from "@effect/vitest"
import { Context, Effect, Option, Schema } from "effect"
import { HttpApi, HttpApiSchema, OpenApi } from "effect/http-api"
import { Api } from "../../src/api/Api.ts"
import { Document } from "../../src/api/Documented.ts"
import { wireOf } from "../../src/domain/fields/Body.ts"
import { isObject, type JsonObject } from "../../src/domain/fields/Values.ts"
import { ApiClient, ApiServer } from "../support/ApiServer.ts"

const accepts = (schema: unknown, value: unknown): boolean =>
  Schema.isSchema(schema) && Option.isSome(Schema.decodeUnknownOption(Schema.toType(schema))(value))

const document: JsonObject = { ...OpenApi.fromApi(Api) }

const objectAt = (holder: JsonObject, key: string): JsonObject => {
  const value = holder[key]
  return isObject(value) ? value : {}
}

const schemas = () => objectAt(objectAt(document, "components"), "schemas")

const operations = (): ReadonlyArray<{ readonly name: string; readonly operation: JsonObject }> =>
  Object.entries(objectAt(document, "paths")).flatMap(([path, item]) =>
    Object.entries(isObject(item) ? item : {}).flatMap(([method, operation]) =>
      isObject(operation) ? [{ name: `${method.toUpperCase()} ${path}`, operation }] : []
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
