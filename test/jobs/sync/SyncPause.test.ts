/** Paused rollouts: present work ends, nothing further begins, and a killed server does not forget it. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { StartArguments } from "../../../src/domain/Job.ts"
import { jobNamed } from "../../support/Jobs.ts"
import { JobEngine } from "../../../src/jobs/engine/JobEngine.ts"
import { makePauses } from "../../../src/jobs/sync/SyncPlan.ts"
import { JobStore } from "../../../src/store/JobStore.ts"
import * as Lab from "./SyncLab.ts"

const described = (lab: Lab.SyncLab) => lab.switches.map((device) => Lab.described(device).replace("wanted ", ""))

const start = (args: StartArguments) =>
  Effect.flatMap(JobEngine, (engine) =>
    engine.start(jobNamed("sync_devices"), { dry_run: false, ...args }, { user: "tester" })
  )

const ended = (id: number) => Effect.flatMap(JobEngine, (engine) => engine.ended(id))

const record = (id: number) => Effect.flatMap(JobStore, (jobs) => jobs.own(id))

/** Begins a sync one by one and holds it when the first switch is being loaded; yields when that one has ended. */
const heldAfterFirst = Effect.fnUntraced(function* (lab: Lab.SyncLab, args: StartArguments) {
  lab.switches[0]?.setFault({ kind: "slow", step: "load", milliseconds: 10 })
  const id = yield* start({ batch_size: 1, ...args })
  yield* Lab.until(() => lab.switches[0]?.sessions().some(({ state }) => state === "pending") === true)
  yield* (yield* makePauses).pause(id, "anna", "a ticket came in")
  lab.switches[0]?.clearFaults()
  const devices = (yield* JobStore).devices(id)
  yield* Lab.untilSome(Effect.map(devices, (rows) => rows.find(({ waiting }) => waiting !== true)))
  return id
})

/** Asserts that the record of the running job has its first device, although its row is not written again for each device. */
const countsFirst = Effect.fnUntraced(function* (lab: Lab.SyncLab, id: number) {
  const sql = yield* SqlClient.SqlClient
  const now = {
    finished_devices: lab.names.slice(0, 1),
    failed_devices: [],
    counts: { devices: 1, succeeded: 1, failed: 0, changed: 1 }
  }
  assert.deepInclude(yield* record(id), now)
  assert.deepStrictEqual(yield* sql`select finished_devices from job where id = ${id}`, [{ finished_devices: [] }])
})

/** Waits until a server that has just begun works on the job. */
const takenUp = Effect.fnUntraced(function* (id: number) {
  const sql = yield* SqlClient.SqlClient
  const [{ now } = { now: "" }] = yield* sql<{ now: string }>`select now()::text as now`
  const alive = sql`select 1 from job where id = ${id} and alive_at > ${now}::timestamptz`
  yield* Lab.untilSome(Effect.map(alive, ([row]) => row))
})

const told = (id: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{
      action: string
      actor: string
      reason: string | null
    }>`select action, actor, data ->> 'reason' as reason
      from event where kind = 'job' and job_id = ${id} and action in ('paused', 'resumed') order by id`
  )

it.live("finishes present work, begins nothing further, even after a restart, and continues when it is resumed", () =>
  Lab.withServers(3, (lab, serve) =>
    Effect.gen(function* () {
      yield* serve(Lab.want(lab, "two"))
      const id = yield* serve(heldAfterFirst(lab, {}))
      const job = yield* serve(
        Effect.gen(function* () {
          yield* takenUp(id)
          const { status, waiting_for } = yield* record(id)
          assert.strictEqual(status, "RUNNING")
          assert.deepInclude(waiting_for, { reason: "pause", by: "anna", why: "a ticket came in" })
          yield* countsFirst(lab, id)
          assert.deepStrictEqual(described(lab), ["two", "one", "one"])
          const pauses = yield* makePauses
          const again = yield* Effect.flip(pauses.pause(id, "bert", null))
          assert.include(again.message, `Job ${id} cannot be paused: it is paused already`)
          yield* pauses.resume(id, "bert")
          return yield* ended(id)
        })
      )
      assert.deepInclude(job, { status: "FINISHED", outcome: "success", waiting_for: null })
      assert.deepStrictEqual(described(lab), ["two", "two", "two"])
      yield* serve(Lab.nothingLeft(lab))
      assert.deepStrictEqual(yield* told(id), [
        { action: "paused", actor: "anna", reason: "a ticket came in" },
        { action: "resumed", actor: "tester", reason: "a ticket came in" }
      ])
    })
  )
)

it.live(
  "a rollout is held between stages that are confirmed together, can be aborted then, and cannot be held if all devices are one stage",
  () =>
    Lab.withLab(3, (lab) =>
      Effect.gen(function* () {
        yield* Lab.want(lab, "two")
        const pauses = yield* makePauses
        const id = yield* heldAfterFirst(lab, { revert_on_failure: true })
        assert.deepInclude((yield* record(id)).waiting_for, { reason: "pause" })
        yield* (yield* JobEngine).abort(id, "anna", "enough")
        const job = yield* ended(id)
        assert.deepInclude(job, { status: "ABORTED", aborted_by: "anna", abort_reason: "enough", waiting_for: null })
        assert.deepStrictEqual(described(lab), ["two", "one", "one"])
        yield* Lab.nothingLeft(lab)
        const over = yield* Effect.flip(pauses.pause(id, "anna", null))
        assert.include(over.message, "it is ABORTED, and must be RUNNING")
        assert.include((yield* Effect.flip(pauses.resume(id, "anna"))).message, "it is not paused")
        const together = yield* start({ confirm_mode_override: 2 })
        assert.include((yield* Effect.flip(pauses.pause(together, "anna", null))).message, "in confirm mode 2")
        yield* ended(together)
      })
    )
)
