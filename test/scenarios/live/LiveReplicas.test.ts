/** Two replicas with a client each: both clients receive everything, from either replica. */
import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import { EVERYTHING, listen } from "../../support/LiveClient.ts"
import { startReplica } from "../../support/Replica.ts"
import { databaseUrl } from "../../support/TestDatabase.ts"

it.live("sends events to clients of every replica, and lines that another one writes", () =>
  Effect.gen(function* () {
    const database = yield* databaseUrl
    const [one, two] = [yield* startReplica(database), yield* startReplica(database)]
    const here = yield* listen(one.url, EVERYTHING, { transports: ["websocket"] })
    const there = yield* listen(two.url, EVERYTHING, { transports: ["websocket"] })

    const device = { hostname: "acc-new", state: "MANAGED", device_type: "ACCESS" } as const
    yield* Effect.provideContext(
      Effect.flatMap(DeviceStore, (devices) => devices.insert(device)),
      one.running
    )
    for (const client of [here, there]) {
      yield* client.until("The device", () => client.events.some(({ action }) => action === "CREATED"))
    }
    assert.deepStrictEqual(there.events, here.events)

    const isHeard = (lines: ReadonlyArray<string>) =>
      lines.some((line) => line.includes("filter[hostname]=of-the-first"))
    while (!isHeard(there.lines)) {
      yield* one.api.send("GET", "/devices?filter[hostname]=of-the-first")
      yield* Effect.sleep(50)
    }
    // and each line once
    const count = (lines: ReadonlyArray<string>) => lines.filter((line) => line.includes("of-the-first")).length
    yield* one.api.send("GET", "/devices?filter[hostname]=of-the-first&last=1")
    yield* there.until("The last line", () => there.lines.some((line) => line.includes("last=1")))
    assert.isAtMost(count(there.lines), count(here.lines))
  }).pipe(Effect.scoped)
)

const Checks = Schema.Struct({
  status: Schema.String,
  checks: Schema.Array(
    Schema.Struct({ name: Schema.String, status: Schema.String, message: Schema.optional(Schema.String) })
  )
})

it.live("reports a replica that ended without a word, and none that announced its end", () =>
  Effect.gen(function* () {
    const database = yield* databaseUrl
    const one = yield* startReplica(database)
    const health = Effect.promise(async () => {
      const response = await fetch(`${one.url}/api/health/replicas`)
      return { code: response.status, ...Schema.decodeUnknownSync(Checks)(await response.json()) }
    })
    const untilThere = (count: number) =>
      Effect.gen(function* () {
        let found = yield* health
        while (found.checks.length !== count) {
          yield* Effect.sleep(100)
          found = yield* health
        }
        return found
      })
    const staying = { name: `127.0.0.1:${one.clusterPort}`, status: "UP" }
    yield* Effect.scoped(Effect.andThen(startReplica(database), untilThere(2)))
    assert.deepStrictEqual(yield* untilThere(1), { code: 200, status: "UP", checks: [staying] })

    // as the row of one stays that was killed
    const sql = yield* Effect.provideContext(Effect.service(SqlClient.SqlClient), one.running)
    yield* sql`insert into cluster_runners (address, runner, last_heartbeat, healthy)
      select '127.0.0.9:5050', runner, now() - interval '1 minute', true from cluster_runners limit 1`
    const { checks, code } = yield* untilThere(2)
    assert.strictEqual(code, 503)
    const gone = checks.find(({ name }) => name === "127.0.0.9:5050")
    assert.match(gone?.message ?? "", /^not heard of for \d+ seconds$/)
  }).pipe(Effect.scoped)
)
