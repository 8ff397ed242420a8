import { assert, layer } from "@effect/vitest"
import { Context, Effect, Option, Schema } from "effect"
import { HttpApi, HttpApiSchema, OpenApi } from "effect/http-api"
import { Api } from "../../src/api/Api.ts"
import { Document } from "../../src/api/Documented.ts"
import { wireOf } from "../../src/domain/fields/Body.ts"
import { ApiClient, ApiServer } from "../support/ApiServer.ts"

const accepts = (schema: unknown, value: unknown): boolean =>
  Schema.isSchema(schema) && Option.isSome(Schema.decodeUnknownOption(Schema.toType(schema))(value))

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
