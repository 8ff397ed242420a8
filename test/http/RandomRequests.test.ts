import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { fingerprint, setScene } from "../scenarios/conformance/Scene.ts"
import { ApiClient, SiteServer } from "../support/ApiServer.ts"
import { endpoints, sampleRequests } from "../support/EndpointRequests.ts"
import { isDocumented500, isEnvelope } from "../support/Refusals.ts"

/** Requests in all; PROPERTY_REQUESTS=50000 for the long form. */
const REQUESTS = Number(process.env["PROPERTY_REQUESTS"] ?? "2000")
/** Another text makes other requests. */
const SEED = process.env["PROPERTY_SEED"] ?? "switchyard"
const PER_SCENE = 40

const keepsGoodParts = (body: unknown): boolean => JSON.stringify(body).includes('"updated":')

layer(SiteServer(), { excludeTestServices: true })("Any request", (it) => {
  for (const endpoint of endpoints) {
    it.effect(
      `${endpoint.method} ${endpoint.path} answers in the envelope, never with a fault of its own, and an error changes nothing`,
      () =>
        Effect.gen(function* () {
          const api = yield* ApiClient
          const count = Math.ceil(REQUESTS / endpoints.length)
          const requests = yield* sampleRequests(endpoint, count, `${SEED} ${endpoint.name}`)
          let before = ""
          for (const [index, { method, path, raw }] of requests.entries()) {
            if (index % PER_SCENE === 0) {
              yield* setScene()
              before = yield* fingerprint
            }
            const { body, status, text } = yield* api.send(method, path, raw === undefined ? {} : { raw })
            const shown = `${method} ${path} ${raw ?? ""}\n${status} ${text.slice(0, 500)}`
            assert.isTrue(status < 500 || isDocumented500(body), shown)
            const after = yield* fingerprint
            if (status >= 400) {
              assert.isTrue(isEnvelope(body), shown)
              if (!keepsGoodParts(body)) assert.strictEqual(after, before, shown)
            } else {
              assert.notStrictEqual(text, "", shown)
            }
            before = after
          }
        }),
      { timeout: 600_000 }
    )
  }
})
