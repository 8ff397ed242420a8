/** Alerts that know their end: also of devices that get another name meanwhile, or go. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { WatchStore } from "../../src/store/WatchStore.ts"
import { listen } from "../support/AlertReceiver.ts"
import { AlertDatabase, serveAlerts, until, verified } from "../support/AlertSite.ts"

const rules = (url: string, wait: string) => `receivers:
  noc: { type: webhook, url: "${url}", secret: HOOK }
ready:
  device_unreachable: { to: noc, wait: ${wait}, group: device }
`

const told = (received: Parameters<typeof verified>[0]) =>
  verified(received)
    .map(({ body }) => JSON.parse(body))
    .map(({ data, type }) => `${type} ${data.title}`)

const makeDevice = Effect.fnUntraced(function* (hostname: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ id: number }>`insert into device (hostname, state, device_type, platform)
    values (${hostname}, 'MANAGED', 'ACCESS', 'eos') returning id`
  return row?.id ?? 0
})

const lookedThrough = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [newest] = yield* sql<{ id: number }>`select coalesce(max(id), 0)::float8 as id from event`
  yield* until(
    Effect.map(sql<{ at: number }>`select event_id::float8 as at from alert_position`, ([row]) => {
      return (row?.at ?? 0) >= (newest?.id ?? 0)
    })
  )
})

it.live("An alert of a device ends under the device's present name", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const watched = yield* WatchStore
    const { received, url } = yield* listen()
    yield* serveAlerts(rules(url, "0s"))
    const id = yield* makeDevice("a1")
    yield* watched.unreachable(id, "a1", "timeout")
    yield* until(Effect.sync(() => received.length === 1))
    yield* sql`update device set hostname = 'b1' where id = ${id}`
    yield* watched.reachable(id, "b1")
    yield* until(Effect.sync(() => received.length === 2))
    assert.deepStrictEqual(told(received), [
      "alert.triggered a1 is unreachable: timeout",
      "alert.resolved a1 is unreachable: timeout"
    ])
  }).pipe(Effect.scoped, Effect.provide(AlertDatabase))
)

it.live("An alert of a deleted device ends with it, and is not sent if it was still waiting", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const watched = yield* WatchStore
    const { received, url } = yield* listen()
    yield* serveAlerts(rules(url, "0s"))
    const id = yield* makeDevice("a1")
    yield* watched.unreachable(id, "a1", "timeout")
    yield* until(Effect.sync(() => received.length === 1))
    yield* sql`delete from device where id = ${id}`
    yield* until(Effect.sync(() => received.length === 2))
    assert.strictEqual(told(received)[1], "alert.resolved a1 is unreachable: timeout")
  }).pipe(Effect.scoped, Effect.provide(AlertDatabase))
)

it.live("A waiting alert is removed with its device", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const watched = yield* WatchStore
    const { received, url } = yield* listen()
    yield* serveAlerts(rules(url, "1h"))
    const id = yield* makeDevice("a1")
    yield* watched.unreachable(id, "a1", "timeout")
    yield* lookedThrough
    yield* sql`update device set hostname = 'b1' where id = ${id}`
    yield* sql`delete from device where id = ${id}`
    yield* lookedThrough
    assert.deepStrictEqual(yield* sql`select rule from alert`, [])
    assert.deepStrictEqual(received, [])
  }).pipe(Effect.scoped, Effect.provide(AlertDatabase))
)
