/** Confirm modes 0, 1 and 2, end to end on the lab (docs/changes.md#confirm-modes). */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { ConfirmDevices, SyncDevices } from "../../../src/domain/jobs/ChangeJobs.ts"
import type { AnyJob } from "../../../src/domain/jobs/JobDefinition.ts"
import { JobEngine } from "../../../src/jobs/engine/JobEngine.ts"
import type { LabSwitch } from "../../../src/lab/LabSwitch.ts"
import * as Lab from "./SyncLab.ts"
import { seconds, timer } from "../../support/Patience.ts"
import { JobScheduleStore } from "../../../src/store/JobScheduling.ts"

const all = (lab: Lab.SyncLab, text: string) => Object.fromEntries(lab.names.map((name) => [name, text]))

it.live("changes all devices in each of the modes 0, 1 and 2, and records it", () =>
  Lab.withLab(
    3,
    (lab) =>
      Effect.gen(function* () {
        const jobs = yield* Lab.inEachMode(lab, (job, mode) =>
          Effect.gen(function* () {
            assert.deepInclude(job, { status: "FINISHED", exception: null }, JSON.stringify(job))
            assert.deepStrictEqual(Lab.outcomes(job), all(lab, "ok"))
            assert.deepStrictEqual(
              lab.switches.map(Lab.described),
              lab.names.map(() => `wanted mode${mode}`)
            )
            assert.deepStrictEqual(yield* Lab.synchronized(lab), lab.names)
          })
        )
        const last = jobs[2]
        assert.isDefined(last)
        const confirmed = yield* Lab.followUp(last)
        assert.deepInclude(confirmed, { function_name: "confirm_devices", status: "FINISHED" })
        assert.deepInclude(confirmed.start_arguments, { prev_job_id: last.id })
        assert.deepStrictEqual(Lab.outcomes(confirmed), all(lab, "ok"))
        assert.match(JSON.stringify(last.result), /"task_name":"Verify reachability"/)
      }),
    // the confirming job works in the place of the one that waits for it
    { JOB_CONCURRENCY: "1" }
  )
)

/** Cuts the switch off as soon as it has committed with a timer. */
const dieAfterCommit = Effect.fnUntraced(function* (device: LabSwitch) {
  yield* Lab.until(() => device.timer() !== undefined)
  device.setFault({ kind: "cut", step: "connect" })
  yield* device.dropConnections
})

/** Switches of the large test. */
const DEVICES = process.env["LONG_TESTS"] === "true" ? 500 : 40

const SECONDS = { COMMIT_CONFIRMED_TIMEOUT: timer(120), COMMIT_CONFIRMED_WAIT: "1" }

it.live(
  `ends all ${DEVICES} devices on the old configuration when one dies after its commit, without waiting for the timers`,
  () =>
    Lab.withLab(
      DEVICES,
      (lab) =>
        Effect.gen(function* () {
          yield* Lab.want(lab, "two")
          const dead = Lab.switchAt(lab, 7)
          const dying = yield* Effect.forkChild(dieAfterCommit(dead))
          const running = yield* Effect.forkChild(Lab.sync({ confirm_mode_override: 2 }))
          yield* Fiber.join(dying)
          const isOld = (device: LabSwitch) =>
            device === dead ||
            (Lab.described(device) === "wanted one" &&
              device.timer() === undefined &&
              device.commits().some(({ kind }) => kind === "abort"))
          yield* Lab.until(() => lab.switches.every(isOld))
          // the timers of 120 seconds have hardly begun
          assert.isAbove(dead.timer()?.remainingMs ?? 0, 10_000)
          dead.clearFaults()
          const job = yield* Fiber.join(running)
          assert.deepInclude(job, { status: "FINISHED", next_job_id: null }, JSON.stringify(job.exception))
          assert.deepStrictEqual(new Set(lab.switches.map(Lab.described)), new Set(["wanted one"]))
          const texts = Lab.outcomes(job)
          for (const [index, name] of lab.names.entries()) {
            const expected =
              index === 7
                ? /old|before/
                : /Device lhv-acc17 failed, and confirm mode 2 changes all devices or none, so the change was taken back/
            assert.match(texts[name] ?? "", expected)
          }
          assert.deepStrictEqual(yield* Lab.synchronized(lab), [])
          assert.include(yield* Lab.causes(lab.names[0] ?? ""), "commit_confirm_failed")
          yield* Lab.nothingLeft(lab)
        }),
      SECONDS
    ),
  seconds(600)
)

it.live("takes everything back when a mode-2 job is aborted while its devices wait", () =>
  Lab.withLab(
    2,
    (lab) =>
      Effect.gen(function* () {
        const engine = yield* JobEngine
        yield* Lab.want(lab, "two")
        lab.switches[1]?.setFault({ kind: "slow", step: "load", milliseconds: 20 })
        const id = yield* engine.start(SyncDevices, { dry_run: false, confirm_mode_override: 2 }, { user: "tester" })
        yield* Lab.until(() => lab.switches[0]?.timer() !== undefined)
        yield* engine.abort(id, "tester")
        const job = yield* engine.ended(id)
        assert.deepInclude(job, { status: "ABORTED", next_job_id: null }, JSON.stringify(job))
        assert.deepStrictEqual(lab.switches.map(Lab.described), ["wanted one", "wanted one"])
        assert.match(Lab.outcomes(job)[lab.names[0] ?? ""] ?? "", /The job was aborted, so the change was taken back/)
        assert.deepInclude(job.result, {
          rollout: { stopped: "The job was aborted", reverted: lab.names, not_started: [] }
        })
        yield* Lab.nothingLeft(lab)
      }),
    SECONDS
  )
)

it.live("puts confirmed devices back when another one can no longer be confirmed", () =>
  Lab.withLab(
    3,
    (lab) =>
      Effect.gen(function* () {
        yield* Lab.want(lab, "two")
        // the switch answers the confirmation and takes the change back: nothing but a look finds that out
        lab.switches[1]?.setFault({ kind: "error", step: "confirm", message: "% Internal error" })
        lab.switches[1]?.setFault({ kind: "slow", step: "confirm", milliseconds: 1000 })
        const job = yield* Lab.sync({ confirm_mode_override: 2 })
        assert.strictEqual(job.status, "FINISHED")
        const confirmed = yield* Lab.followUp(job)
        assert.strictEqual(confirmed.function_name, "confirm_devices")
        assert.match(Lab.outcomes(confirmed)[lab.names[1] ?? ""] ?? "", /Internal error/)
        const restored = yield* Lab.followUp(confirmed)
        assert.deepInclude(restored, { function_name: "revert_job", status: "FINISHED" })
        assert.deepStrictEqual(lab.switches.map(Lab.described), ["wanted one", "wanted one", "wanted one"])
        assert.deepStrictEqual(yield* Lab.synchronized(lab), [])
        yield* Lab.nothingLeft(lab)
      }),
    { COMMIT_CONFIRMED_TIMEOUT: timer(8) }
  )
)

/** Jobs of this function are due in an hour, so that a test can do something before they begin. */
const beginsLater = Effect.fnUntraced(function* ({ name }: Pick<AnyJob, "name">) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create function due_later() returns trigger as $$
    begin new.scheduled_time := now() + interval '1 hour'; return new; end $$ language plpgsql`
  yield* sql.unsafe(`create trigger due_later before insert on job for each row
    when (new.function_name = '${name}') execute function due_later()`)
})

it.live("reverts and releases the lock when the confirming job is aborted before it begins", () =>
  Lab.withLab(2, (lab) =>
    Effect.gen(function* () {
      const engine = yield* JobEngine
      const { locks } = yield* JobScheduleStore
      yield* beginsLater(ConfirmDevices)
      yield* Lab.want(lab, "two")
      const id = yield* engine.start(SyncDevices, { dry_run: false, confirm_mode_override: 2 }, { user: "tester" })
      // the lock moves to the confirming job in the moment in which that exists
      const confirming = yield* Lab.untilSome(
        Effect.map(locks.all, (held) => held.map(({ job_id }) => job_id).find((job) => job !== id))
      )
      yield* engine.abort(confirming, "tester")
      const job = yield* engine.ended(id)
      assert.strictEqual((yield* engine.ended(confirming)).status, "ABORTED")
      assert.strictEqual(job.status, "FINISHED")
      assert.deepStrictEqual(lab.switches.map(Lab.described), ["wanted one", "wanted one"])
      for (const text of Object.values(Lab.outcomes(job))) assert.match(text, /the change was taken back/)
      assert.deepStrictEqual(yield* Lab.synchronized(lab), [])
      yield* Lab.nothingLeft(lab)
    })
  )
)
