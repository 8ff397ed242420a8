/** Pages of the log: each question goes by its index, and looks at no more rows than it says, among many. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { type EventScan, EventStore } from "../../src/store/EventStore.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

const database = EventStore.layer.pipe(Layer.provideMerge(TestDatabase))

const EVENTS = 60_000

const fill = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into event (kind, action, device_id, hostname, job_id, is_audit, data)
    select case when n % 1000 = 0 then 'drift' when n % 7 = 0 then 'job' else 'device' end, 'updated', n % 3000, 'acc-' || n % 3000, n % 400, false, '{}'
    from generate_series(1, ${EVENTS}) n`
  yield* sql`analyze event`
})

const all: EventScan = { after: 0, through: EVENTS, limit: 50, kinds: null, devices: null, job: null }

const questions: ReadonlyArray<readonly [what: string, scan: EventScan, index: string]> = [
  ["everything after a number", { ...all, after: 50_000 }, "event_pkey"],
  ["a job", { ...all, job: 7 }, "event_job"],
  ["a device", { ...all, devices: new Set([7]) }, "event_device"],
  ["devices and a kind", { ...all, devices: new Set([7, 8, 9]), kinds: new Set(["job"]) }, "event_device"],
  ["a rare kind", { ...all, kinds: new Set(["drift"]) }, "event_kind"],
  ["two kinds", { ...all, kinds: new Set(["drift", "job"]) }, "event_kind"]
]

describe("pages of events", () => {
  it.live("are read by the index that fits the filter", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { pages } = yield* EventStore
      yield* fill
      for (const [what, scan, index] of questions) {
        const { rows } = yield* pages.scan(scan)
        assert.isAtMost(rows.length, 50, what)
        assert.deepEqual(
          rows.map(({ id }) => id),
          rows.map(({ id }) => id).toSorted((a, b) => a - b),
          what
        )
        const plan = yield* sql<{ "QUERY PLAN": string }>`explain (generic_plan) ${pages.scanned(scan)}`
        const text = plan.map((line) => line["QUERY PLAN"]).join("\n")
        assert.include(text, index, `${what}\n${text}`)
        assert.notInclude(text, "Seq Scan", `${what}\n${text}`)
      }
    }).pipe(Effect.provide(database))
  )
})
