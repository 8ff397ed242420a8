/** Streams of events: each committed event once, in order, for readers who come, go, resume, do not read, or are many. */
import { assert, it, layer } from "@effect/vitest"
import { Effect, Exit, Layer, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { OpenStreams } from "../../../src/http/core/OpenStreams.ts"
import { LiveFeed } from "../../../src/runtime/LiveFeed.ts"
import { setScene } from "../../scenarios/conformance/Scene.ts"
import { ApiClient, ApiServer, SiteServer } from "../../support/ApiServer.ts"
import { openSource, type Source, until } from "../../support/EventSource.ts"
import { randomOf } from "../../support/Random.ts"

const idsOf = ({ messages }: Source): ReadonlyArray<number> =>
  messages.flatMap(({ id }) => (id === undefined ? [] : [Number(id)]))

const follow = Effect.fnUntraced(function* (query = "", lastEventId?: string) {
  const { base } = yield* ApiClient
  const headers: Record<string, string> = lastEventId === undefined ? {} : { "last-event-id": lastEventId }
  return yield* openSource(`${base}/api/v1.0/events${query}`, headers)
})

const write = Effect.fnUntraced(function* (action: string, kind = "alert") {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into event (kind, action, is_audit, data) values (${kind}, ${action}, false, '{}')`
})

const writeMany = Effect.fnUntraced(function* (count: number, size: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into event (kind, action, is_audit, data)
    select 'alert', n::text, false, jsonb_build_object('text', repeat('x', ${size})) from generate_series(1, ${count}) n`
})

/** Numbers of the events after this one, as the database has them. */
const storedAfter = Effect.fnUntraced(function* (id: number, kind = "alert") {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ id: number }>`select id::float8 as id from event
    where id > ${id}::bigint and kind = ${kind} order by id`
  return rows.map((row) => row.id)
})

layer(SiteServer(), { excludeTestServices: true })("A stream of events", (it) => {
  it.effect("delivers new events, with the record of a device, and must not be buffered", () =>
    Effect.gen(function* () {
      yield* setScene()
      const api = yield* ApiClient
      const source = yield* follow("?kind=device")
      assert.deepInclude(source.headers, {
        "content-type": "text/event-stream",
        "cache-control": "no-store",
        "x-accel-buffering": "no"
      })
      yield* until(() => source.lastId() !== undefined)
      yield* api.put("/device/5", { description: "room 7" })
      yield* until(() => source.messages.length > 0)
      const [message] = source.messages
      assert.nestedInclude(message, { event: "device", "data.action": "updated", "data.object.description": "room 7" })
      assert.strictEqual(message?.id, String(message?.data["id"]))
    })
  )

  it.effect("resumes after Last-Event-ID, or after since, without a gap or a repeat", () =>
    Effect.gen(function* () {
      const first = yield* follow("?kind=alert")
      yield* until(() => first.lastId() !== undefined)
      const from = Number(first.lastId())
      yield* Effect.forEach(["a", "b", "c"], (action) => write(action))
      yield* until(() => first.messages.length === 3)
      first.hangUp()
      const stored = yield* storedAfter(from)
      assert.deepEqual(idsOf(first), stored)
      const resumed = yield* follow("?kind=alert&since=0", String(stored[0]))
      const since = yield* follow(`?kind=alert&since=${from}`)
      yield* until(() => resumed.messages.length === 2 && since.messages.length === 3)
      yield* write("d")
      yield* until(() => resumed.messages.length === 3 && since.messages.length === 4)
      assert.deepEqual(idsOf(resumed), (yield* storedAfter(from)).slice(1))
    })
  )

  it.effect("resumes from before its first event", () =>
    Effect.gen(function* () {
      const first = yield* follow("?kind=alert")
      yield* until(() => first.lastId() !== undefined)
      first.hangUp()
      yield* write("meanwhile")
      const resumed = yield* follow("?kind=alert", first.lastId())
      yield* until(() => resumed.messages.length === 1)
    })
  )

  it.effect("reports it when the requested events are too old, or numbers were never given", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* write("old")
      yield* write("kept")
      const [kept] = (yield* storedAfter(0)).toReversed()
      yield* sql`insert into event_removed (through) values (${(kept ?? 0) - 1}::bigint)`
      const old = yield* follow("?kind=alert&since=1")
      yield* until(() => old.messages.some(({ data }) => data["action"] === "kept"))
      assert.deepInclude(old.messages[0], { event: "gap", id: undefined, data: { since: 1, oldest: kept, next: 1 } })
      const foreign = yield* follow("?kind=alert&since=900000000")
      yield* until(() => foreign.messages.length > 0)
      assert.deepInclude(foreign.messages[0]?.data, { since: 900_000_000, next: kept })
      const api = yield* ApiClient
      assert.nestedInclude((yield* api.get("/events?since=1&kind=alert")).body, { "data.truncated": kept })
      yield* sql`delete from event_removed`
    })
  )

  it.effect("delivers lines and steps to clients that request them by name, without a number", () =>
    Effect.gen(function* () {
      const told = yield* LiveFeed
      const asked = yield* follow("?kind=log,step,alert")
      const others = yield* follow("?kind=alert")
      yield* until(() => asked.lastId() !== undefined && others.lastId() !== undefined && told.hasListeners())
      told.publish({ kind: "log", at: 0, level: "INFO", job: 4, module: "server", text: "job #4 begins" })
      yield* write("after")
      yield* until(() => asked.messages.length === 2 && others.messages.length === 1)
      assert.deepInclude(asked.messages[0], {
        id: undefined,
        event: "log",
        data: {
          kind: "log",
          at: "1970-01-01T00:00:00.000",
          level: "INFO",
          job: 4,
          module: "server",
          text: "job #4 begins"
        }
      })
      assert.strictEqual(others.messages[0]?.event, "alert")
    })
  )

  it.effect(
    "ends a client that never reads, with the number to resume from, while another one receives everything",
    () =>
      Effect.gen(function* () {
        const streams = yield* OpenStreams
        const slow = yield* follow("?kind=alert")
        const quick = yield* follow("?kind=alert")
        yield* until(() => slow.lastId() !== undefined && quick.lastId() !== undefined)
        slow.pause()
        const [from, open] = [Number(quick.lastId()), streams.count()]
        for (let batch = 0; batch < 12; batch++) {
          yield* writeMany(1000, 5000)
          yield* until(() => quick.messages.length === (batch + 1) * 1000)
        }
        assert.deepEqual(idsOf(quick), yield* storedAfter(from))
        slow.resume()
        yield* until(() => slow.hasEnded())
        yield* until(() => streams.count() === open - 1)
        const last = slow.messages.at(-1)
        const heard = idsOf(slow)
        assert.strictEqual(last?.event, "end")
        assert.strictEqual(last?.data["resume"], heard.at(-1) ?? from)
        const rest = yield* follow("?kind=alert", slow.lastId())
        yield* until(() => heard.length + rest.messages.length >= 12_000)
        assert.deepEqual([...heard, ...idsOf(rest)], idsOf(quick))
      })
  )

  it.effect(
    "delivers each event once to readers who disconnect and resume at random, during many writes and rollbacks",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const random = randomOf(11)
        const first = yield* follow("?kind=alert")
        yield* until(() => first.lastId() !== undefined)
        const from = Number(first.lastId())
        let isWriting = true
        const transaction = (number: number) =>
          sql
            .withTransaction(
              Effect.gen(function* () {
                yield* write(`${number}.1`)
                if (number % 3 === 0) yield* sql`select pg_sleep(0.004)`
                yield* write(`${number}.2`)
                if (number % 5 === 0) yield* Effect.fail("rolled back" as const)
              })
            )
            .pipe(
              Effect.catchIf(
                (error) => error === "rolled back",
                () => Effect.void
              )
            )
        const writing = Effect.forEach(Array.from({ length: 300 }).keys(), transaction, {
          concurrency: 6,
          discard: true
        })
        const reader = Effect.gen(function* () {
          const heard: Array<number> = []
          let last = String(from)
          for (;;) {
            const isFinal = !isWriting
            const expected = isFinal ? (yield* storedAfter(from)).length : 0
            const source = yield* follow("?kind=alert", last)
            const wanted = Math.floor(random() * 40)
            yield* until(() =>
              isFinal
                ? heard.length + source.messages.length >= expected
                : source.messages.length >= wanted || !isWriting
            )
            source.hangUp()
            heard.push(...idsOf(source))
            last = source.lastId() ?? last
            if (isFinal) return heard
          }
        })
        const ended = Effect.tap(writing, () => Effect.sync(() => (isWriting = false)))
        const [, ...heard] = yield* Effect.all([ended, reader, reader, reader], { concurrency: "unbounded" })
        const stored = yield* storedAfter(from)
        assert.strictEqual(stored.length, 480)
        for (const ids of heard) assert.deepEqual(ids, stored)
        yield* until(() => idsOf(first).length === stored.length)
        assert.deepEqual(idsOf(first), stored)
      }).pipe(Effect.scoped)
  )

  it.effect("has fifty readers at once, and refuses the one that is too many", () =>
    Effect.gen(function* () {
      const streams = yield* OpenStreams
      const sources = yield* Effect.forEach(Array.from({ length: 50 }), () => follow("?kind=alert"))
      yield* until(() => sources.every((source) => source.lastId() !== undefined))
      yield* writeMany(300, 100)
      yield* until(() => sources.every(({ messages }) => messages.length === 300))
      for (const source of sources) assert.deepEqual(idsOf(source), idsOf(sources[0] ?? source))
      while (streams.count() < 100) yield* Effect.tap(follow(), (one) => until(() => one.lastId() !== undefined))
      const refused = yield* follow()
      yield* until(() => refused.hasEnded())
      assert.strictEqual(refused.status, 429)
      assert.strictEqual(refused.headers["retry-after"], "5")
      assert.include(refused.text(), "You have 100 streams open already")
    })
  )

  it.effect("is refused with the name of an invalid field, and answers a HEAD without a reader", () =>
    Effect.gen(function* () {
      const api = yield* ApiClient
      const accept = "text/event-stream"
      const bad = yield* follow("?kind=weather")
      assert.strictEqual(bad.status, 400)
      const foreign = yield* api.send("GET", "/api/v1.0/events", { headers: { accept, "last-event-id": "x" } })
      assert.nestedInclude(foreign.body, {
        message: "Last-Event-ID: must be a whole number from 0 to 9007199254740991"
      })
      const head = yield* api.send("HEAD", "/api/v1.0/events", { headers: { accept } })
      assert.deepEqual([head.status, head.headers.get("content-type")], [200, accept])
      const posted = yield* api.send("POST", "/api/v1.0/events", { json: {} })
      assert.deepEqual([posted.status, posted.headers.get("allow")], [405, "HEAD, GET, OPTIONS"])
    })
  )
})

it.live("A server that stops ends its streams at once, with the number to resume from", () =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const running = yield* Layer.build(ApiServer()).pipe(Effect.provideService(Scope.Scope, scope))
    const sources = yield* Effect.forEach(Array.from({ length: 5 }), () => follow()).pipe(Effect.provide(running))
    yield* until(() => sources.every((source) => source.lastId() !== undefined))
    yield* Scope.close(scope, Exit.void)
    yield* until(() => sources.every((source) => source.hasEnded()))
    // a reader that is cut off at the end of the drain receives nothing
    for (const source of sources) assert.deepInclude(source.messages.at(-1), { event: "end" })
  }).pipe(Effect.scoped)
)
