/** Alerts at receivers of every kind: each event once in the end, whatever the receiver, the server or a second server does. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { AlertStore } from "../../src/store/AlertStore.ts"
import { behaviours, listen } from "../support/AlertReceiver.ts"
import { AlertDatabase, happened, jobEnded, serveAlerts, until, verified } from "../support/AlertSite.ts"
import { freePort } from "../support/FreePort.ts"

const hook = (url: string, name = "noc") => `  ${name}: { type: webhook, url: "${url}", secret: HOOK }\n`
const rules = (url: string, more: string) => `receivers:\n${hook(url)}${more}`

const JOBS = "ready:\n  job_not_success: noc\n"

const titles = (messages: ReturnType<typeof verified>) =>
  messages.map(({ body }) => JSON.parse(body)).map(({ data, type }) => `${type} ${data.count} ${data.title}`)

/** Events at the same moment on a machine of any speed. */
const atOnce = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(work))

const states = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ state: string; answer: string; attempts: number }>`select state, answer, attempts from alert_delivery
    order by created_at, id`
)

const counted = (state: string) => Effect.map(states, (rows) => rows.filter((row) => row.state === state).length)

const on = (
  name: string,
  test: Effect.Effect<void, unknown, Layer.Success<typeof AlertDatabase> | import("effect").Scope.Scope>
) => it.live(name, () => test.pipe(Effect.scoped, Effect.provide(AlertDatabase)))

describe("A webhook", () => {
  on(
    "receives every alert once in the end, after hours in which it was down, slow, broken and closed connections",
    Effect.gen(function* () {
      const port = yield* freePort
      yield* serveAlerts(rules(`http://127.0.0.1:${port}/hook`, JOBS))
      const some = (from: number) => Effect.forEach([0, 1, 2, 3, 4], (more) => jobEnded(from + more), { discard: true })
      yield* some(100)
      yield* until(Effect.map(states, (rows) => rows.length === 5 && rows.every(({ attempts }) => attempts > 2)))
      assert.deepStrictEqual(new Set((yield* states).map(({ answer }) => answer)), new Set(["ECONNREFUSED"]))
      const { behave, received } = yield* listen(behaviours.silent, port)
      for (const [index, behaviour] of [
        behaviours.silent,
        behaviours.broken,
        behaviours.closes,
        behaviours.slowHeaders,
        behaviours.endless(503),
        behaviours.elsewhere
      ].entries()) {
        behave(behaviour)
        const before = received.length
        yield* some(200 + 10 * index)
        yield* until(Effect.sync(() => received.length >= before + 8))
      }
      assert.strictEqual(yield* counted("sent"), 0)
      behave(behaviours.good)
      yield* until(Effect.map(counted("sent"), (count) => count === 35))
      const messages = verified(received)
      assert.strictEqual(messages.length, 35)
      assert.strictEqual(new Set(titles(messages)).size, 35)
      assert.isTrue(received.every(({ path }) => path === "/hook"))
    })
  )

  on(
    "that sends an answer without an end has accepted the alert, and delays no other receiver",
    Effect.gen(function* () {
      const hostile = yield* listen(behaviours.endless(200))
      const silent = yield* listen(behaviours.silent)
      const good = yield* listen()
      const receivers = `${hook(hostile.url, "hostile")}${hook(silent.url, "silent")}${hook(good.url)}`
      yield* serveAlerts(`receivers:\n${receivers}ready:\n  job_not_success: [hostile, silent, noc]\n`)
      yield* Effect.forEach(Array.from({ length: 20 }).keys(), (id) => jobEnded(id), { discard: true })
      yield* until(Effect.sync(() => verified(good.received).length === 20))
      yield* until(Effect.map(counted("sent"), (count) => count === 40))
      assert.strictEqual(good.received.length, 20)
      assert.strictEqual(hostile.received.length, 20)
    })
  )

  on(
    "that was removed, or fails for days, has dead messages, which are sent under their own ids on request",
    Effect.gen(function* () {
      const { behave, received, url } = yield* listen(behaviours.gone)
      yield* serveAlerts(rules(url, JOBS), { giveUp: 2500 })
      const { deliveries } = yield* AlertStore
      yield* jobEnded(1)
      yield* until(Effect.map(counted("dead"), (count) => count === 1))
      assert.strictEqual(received.length, 1)
      behave(behaviours.broken)
      yield* jobEnded(2)
      yield* until(Effect.map(counted("dead"), (count) => count === 2))
      assert.isAbove(received.length, 2)
      behave(behaviours.good)
      assert.strictEqual(yield* deliveries.replayAll(null), 2)
      yield* until(Effect.map(counted("sent"), (count) => count === 2))
      assert.strictEqual(verified(received).length, 2)
      assert.strictEqual((yield* Effect.flip(deliveries.replay("msg_1")))._tag, "DeliveryNotFound")
    })
  )

  on(
    "receives the end of an alert after its beginning",
    Effect.gen(function* () {
      const { behave, received, url } = yield* listen(behaviours.broken)
      yield* serveAlerts(rules(url, "ready:\n  device_unreachable: { to: noc, wait: 0s }\n"))
      yield* happened("reachability", "unreachable", "a1", { reason: "timeout" })
      yield* until(Effect.sync(() => received.length > 0))
      yield* happened("reachability", "reachable", "a1")
      yield* until(Effect.map(states, (rows) => rows.length === 2))
      const before = received.length
      yield* until(Effect.sync(() => received.length > before + 1))
      behave(behaviours.good)
      yield* until(Effect.map(counted("sent"), (count) => count === 2))
      const types = received.map(({ body }) => String(JSON.parse(body).type))
      assert.strictEqual(types.indexOf("alert.resolved"), types.length - 1)
    })
  )

  on(
    "that asks for a later retry gets it",
    Effect.gen(function* () {
      const { received, url } = yield* listen(behaviours.busy)
      yield* serveAlerts(rules(url, JOBS))
      yield* jobEnded(1)
      const sql = yield* SqlClient.SqlClient
      yield* until(
        Effect.map(
          sql`select from alert_delivery where next_at > now() + interval '50 minutes'`,
          (rows) => rows.length === 1
        )
      )
      assert.strictEqual(received.length, 1)
    })
  )
})

describe("Two servers", () => {
  on(
    "make one alert of each event and send it once",
    Effect.gen(function* () {
      const { received, url } = yield* listen()
      yield* serveAlerts(rules(url, JOBS))
      yield* serveAlerts(rules(url, JOBS))
      yield* Effect.forEach(Array.from({ length: 60 }).keys(), (id) => jobEnded(id), { concurrency: 4, discard: true })
      yield* until(Effect.map(counted("sent"), (count) => count === 60))
      assert.strictEqual(received.length, 60)
      assert.strictEqual(verified(received).length, 60)
    })
  )
})

describe("A rule", () => {
  on(
    "sends one message for forty switches of a job, and another one for the next job",
    Effect.gen(function* () {
      const { received, url } = yield* listen()
      const failures = `rules:
  failures: { kind: job, action: device, where: { data.failed: true }, group: job, wait: 2s, to: noc }
`
      yield* serveAlerts(rules(url, failures))
      const device = (number: number, job: number, failed = true) =>
        happened("job", "device", `a${number}`, { failed, function: "sync_devices" }, job)
      yield* atOnce(Effect.forEach(Array.from({ length: 40 }).keys(), (number) => device(number, 7), { discard: true }))
      yield* device(50, 7, false)
      yield* device(1, 8)
      yield* until(Effect.sync(() => received.length === 2))
      assert.deepStrictEqual(titles(verified(received)).toSorted(), [
        "alert.triggered 1 a1 failed in job 8 (sync_devices)",
        "alert.triggered 40 failures, 40 events: a0, a1, a2, a3, a4, …"
      ])
    })
  )

  on(
    "pauses after a message, and then sends the events of the pause",
    Effect.gen(function* () {
      const { received, url } = yield* listen()
      yield* serveAlerts(
        rules(url, "rules:\n  moves: { kind: device, action: state, group: device, quiet: 4s, to: noc }\n")
      )
      yield* happened("device", "state", "a1")
      yield* until(Effect.sync(() => received.length === 1))
      for (let count = 0; count < 3; count++) yield* happened("device", "state", "a1")
      yield* happened("device", "state", "a2")
      yield* until(Effect.sync(() => received.length === 3))
      assert.deepStrictEqual(
        titles(verified(received)).map((title) => title.slice(0, 34)),
        [
          "alert.triggered 1 a1: device state",
          "alert.triggered 1 a2: device state",
          "alert.triggered 3 moves, 3 events:"
        ]
      )
    })
  )

  on(
    "is not delayed by a message from before the clock was set back",
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { received, url } = yield* listen()
      yield* serveAlerts(rules(url, "rules:\n  moves: { kind: device, action: state, group: rule, to: noc }\n"))
      yield* sql`insert into alert (rule, key, level, receivers, events, count, subjects, send_at, sent_at)
        values ('moves', '', 'error', '{noc}', '[]', 1, '{}', now(), now() + interval '1 hour')`
      yield* happened("device", "state", "a1")
      yield* until(Effect.sync(() => received.length === 1))
    })
  )

  on(
    "reports no device that returns within its wait, and the common return of others",
    Effect.gen(function* () {
      const { received, url } = yield* listen()
      yield* serveAlerts(rules(url, "ready:\n  device_unreachable: { to: noc, wait: 2s }\n"))
      const gone = (name: string) => happened("reachability", "unreachable", name, { reason: "timeout" })
      const back = (name: string) => happened("reachability", "reachable", name)
      yield* atOnce(Effect.all([gone("a1"), gone("a2"), gone("a3"), back("a2"), gone("a9"), back("a9")]))
      yield* until(Effect.sync(() => received.length === 1))
      yield* back("a3")
      yield* back("a1")
      yield* until(Effect.sync(() => received.length === 2))
      assert.deepStrictEqual(titles(verified(received)), [
        "alert.triggered 2 device unreachable, 2 events: a1, a3",
        "alert.resolved 2 device unreachable, 2 events: a1, a3"
      ])
    })
  )

  on(
    "is silent for muted devices, and for a job whose failed devices are all muted",
    Effect.gen(function* () {
      const { received, url } = yield* listen()
      const { mutes } = yield* AlertStore
      const mute = { group: null, rule: null, reason: "power", createdBy: "indy", from: Date.now() - 60_000 }
      yield* mutes.add({ ...mute, hostname: "east-*", until: Date.now() + 600_000 })
      yield* mutes.add({ ...mute, hostname: "west-*", until: Date.now() - 30_000 })
      yield* serveAlerts(rules(url, "ready:\n  job_not_success: noc\n  device_unreachable: { to: noc, wait: 0s }\n"))
      yield* happened("reachability", "unreachable", "east-1", { reason: "x" })
      yield* happened("reachability", "unreachable", "west-1", { reason: "x" })
      const failed = (failed_devices: ReadonlyArray<string>) => ({ outcome: "partial", function: "f", failed_devices })
      yield* jobEnded(1, failed(["east-1", "east-2"]))
      yield* jobEnded(2, failed(["east-1", "west-1"]))
      yield* jobEnded(3, { outcome: "success" })
      yield* until(Effect.sync(() => received.length === 2))
      assert.deepStrictEqual(titles(verified(received)).toSorted(), [
        "alert.triggered 1 Job 2 (f) ended: partial; failed: east-1, west-1",
        "alert.triggered 1 west-1 is unreachable: x"
      ])
    })
  )
})
