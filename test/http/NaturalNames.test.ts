/** Lists by name have the order in which people count, and pages of a list follow it. */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { ApiClient, SiteServer } from "../support/ApiServer.ts"

const readList = Schema.decodeUnknownSync(
  Schema.Struct({
    data: Schema.Struct({ devices: Schema.Array(Schema.Struct({ hostname: Schema.String })) })
  })
)

const NAMES = ["nat-acc1", "nat-acc2", "nat-acc9", "nat-acc10", "nat-acc11", "nat-acc100"]

layer(SiteServer(), { excludeTestServices: true })("Devices by name", (it) => {
  it.effect("stand as people count, in both directions and over several pages", () =>
    Effect.gen(function* () {
      const api = yield* ApiClient
      for (const hostname of NAMES.toReversed()) {
        const body = { hostname, state: "UNMANAGED", platform: "eos", device_type: "ACCESS" }
        const { status } = yield* api.post("/device", body)
        assert.strictEqual(status, 200)
      }
      const page = (sort: string, number: number) =>
        Effect.map(
          api.get(`/devices?filter[hostname][contains]=nat-acc&sort=${sort}&per_page=2&page=${number}`),
          ({ body }) => readList(body).data.devices.map(({ hostname }) => hostname)
        )
      const up = yield* Effect.forEach([1, 2, 3], (number) => page("hostname", number))
      assert.deepEqual(up.flat(), NAMES)
      const down = yield* Effect.forEach([1, 2, 3], (number) => page("-hostname", number))
      assert.deepEqual(down.flat(), NAMES.toReversed())
    })
  )
})
