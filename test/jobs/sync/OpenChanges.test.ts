/**
 * Changes that a fault has left of jobs which have ended: the running server brings each to its end, takes back what can be
 * taken back, begins nothing again, and the record says what became of it (promises 3 and 5).
 */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Fault } from "../../../src/lab/Faults.ts"
import type { LabSwitch } from "../../../src/lab/LabSwitch.ts"
import { JobEngine } from "../../../src/jobs/engine/JobEngine.ts"
import { JobStore } from "../../../src/store/JobStore.ts"
import * as Lab from "./SyncLab.ts"
import { SyncDevices } from "../../../src/domain/jobs/ChangeJobs.ts"
import { timer } from "../../support/Patience.ts"

const TIMER = { COMMIT_CONFIRMED_TIMEOUT: timer(60) }

const start = (mode: number) =>
  Effect.flatMap(JobEngine, (engine) =>
    engine.start(SyncDevices, { dry_run: false, confirm_mode_override: mode }, { user: "tester" })
  )

/** The effect of a database error on a job: it has ended, and no process works on its changes. */
const endAbruptly = Effect.fnUntraced(function* (id: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`update job set status = 'EXCEPTION', finish_time = now() where id = ${id}`
  yield* sql`delete from joblock where job_id = ${id}`
})

/** Waits until nothing is left, and yields the record of the job. */
const settledRecord = Effect.fnUntraced(function* (id: number, devices: number) {
  const sql = yield* SqlClient.SqlClient
  const open = sql`select 1 from config_change where phase not in
    ('confirmed', 'reverted', 'unchanged', 'discarded', 'unknown')`
  const recorded = sql`select 1 from job_device where job_id = ${id} and not waiting`
  while ((yield* open).length > 0 || (yield* recorded).length < devices) yield* Effect.sleep("50 millis")
  return yield* (yield* JobStore).get(id)
})

interface Moment {
  readonly when: string
  readonly mode: 0 | 1 | 2
  readonly fault: Fault
  /** `sent` contains the commands to the switch since the job began. */
  readonly reached: (device: LabSwitch, sent: ReadonlyArray<string>) => boolean
  readonly runs: "one" | "two"
  readonly says: RegExp | "ok"
}

const moments: ReadonlyArray<Moment> = [
  {
    when: "nothing was sent",
    mode: 1,
    fault: { kind: "slow", step: "showRunning", milliseconds: 2_000 },
    reached: (_device, sent) => sent.some((command) => command.startsWith("show running-config")),
    runs: "one",
    says: /runs the configuration that it had before/
  },
  {
    when: "the candidate was being loaded",
    mode: 1,
    fault: { kind: "slow", step: "load", milliseconds: 2_000 },
    reached: (device) => device.sessions().some(({ name, state }) => name.startsWith("job") && state === "pending"),
    runs: "one",
    says: /runs the configuration that it had before/
  },
  {
    when: "it was committed and not confirmed",
    mode: 1,
    // longer than one switch may be ahead of the other, and the server takes to end
    fault: { kind: "slow", step: "showRunning", milliseconds: 12_000 },
    reached: (device) => device.timer() !== undefined,
    runs: "one",
    says: /The job was over before the change was, so the change was taken back/
  },
  {
    when: "it was committed without a timer and not saved",
    mode: 0,
    fault: { kind: "slow", step: "write", milliseconds: 5_000 },
    reached: (_device, sent) => sent.includes("write memory"),
    runs: "two",
    says: "ok"
  }
]

for (const { fault, mode, reached, runs, says, when } of moments) {
  it.live(`settles a change whose job has ended when ${when}`, () =>
    Lab.withServers(
      2,
      (lab, serve) =>
        Effect.gen(function* () {
          yield* serve(Lab.want(lab, "two"))
          for (const device of lab.switches) device.setFault(fault)
          const before = lab.switches.map((device) => device.commands().length)
          const sentTo = (device: LabSwitch, index: number) =>
            device
              .commands()
              .slice(before[index])
              .map(({ command }) => command)
          const isReached = () => lab.switches.every((device, index) => reached(device, sentTo(device, index)))
          const id = yield* serve(Effect.tap(start(mode), () => Lab.until(isReached)))
          yield* endAbruptly(id)
          for (const device of lab.switches) device.clearFaults()
          const job = yield* serve(Effect.tap(settledRecord(id, 2), () => Lab.nothingLeft(lab)))
          assert.strictEqual(job.status, "EXCEPTION")
          assert.deepStrictEqual(
            lab.switches.map((device) => Lab.described(device).replace("wanted ", "")),
            [runs, runs]
          )
          for (const text of Object.values(Lab.outcomes(job))) {
            if (says === "ok") assert.strictEqual(text, "ok")
            else assert.match(text, says)
          }
          assert.deepStrictEqual(yield* serve(Lab.synchronized(lab)), says === "ok" ? lab.names : [])
        }),
      TIMER
    )
  )
}

it.live("takes back a change that waits for the others of an ended job", () =>
  Lab.withServers(
    2,
    (lab, serve) =>
      Effect.gen(function* () {
        yield* serve(Lab.want(lab, "two"))
        lab.switches[1]?.setFault({ kind: "slow", step: "load", milliseconds: 3_000 })
        const waits = Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const rows = yield* sql`select 1 from config_change where phase = 'proved'`
          return rows[0]
        })
        const id = yield* serve(Effect.tap(start(2), () => Lab.untilSome(waits)))
        yield* endAbruptly(id)
        lab.switches[1]?.clearFaults()
        const job = yield* serve(Effect.tap(settledRecord(id, 2), () => Lab.nothingLeft(lab)))
        assert.deepStrictEqual(lab.switches.map(Lab.described), ["wanted one", "wanted one"])
        assert.deepStrictEqual(
          Object.values(Lab.outcomes(job)).map((text) => text.includes("runs the configuration that it had before")),
          [true, true],
          JSON.stringify(job.result)
        )
      }),
    TIMER
  )
)

it.live("records the result of a device although its first write was lost", () =>
  Lab.withServers(3, (lab, serve) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [first = "", second = ""] = lab.names
      yield* serve(Lab.want(lab, "two"))
      const job = yield* serve(Lab.sync({ hostnames: lab.names }))
      yield* sql`delete from job_device where job_id = ${job.id} and hostname in ${sql.in([first, second])}`
      yield* sql`update job set outcome = 'partial' where id = ${job.id}`
      yield* sql`update device set synchronized = false, confhash = 'before' where hostname in ${sql.in([first, second])}`
      yield* sql`insert into sync_event (hostname, cause, happened_at, by) values (${second}, 'refresh_settings', 1, 'bob')`
      const again = yield* serve(settledRecord(job.id, 3))
      assert.deepStrictEqual(Lab.outcomes(again), Lab.outcomes(job))
      assert.deepInclude(again, { outcome: "success", counts: job.counts })
      assert.strictEqual(again.finished_devices?.length, 3)
      const rows = yield* serve(Lab.rows)
      assert.deepStrictEqual(
        rows.filter(({ hostname }) => lab.names.includes(hostname)).map(({ confhash }) => confhash === "before"),
        [false, false, false]
      )
      assert.deepStrictEqual(
        yield* serve(Lab.synchronized(lab)),
        lab.names.filter((name) => name !== second),
        "what was found out later still counts"
      )
    })
  )
)

it.live("keeps the status of a device that another job has changed since", () =>
  Lab.withServers(1, (lab, serve) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* serve(Lab.want(lab, "two"))
      const lost = yield* serve(Lab.sync({ hostnames: lab.names }))
      yield* serve(Lab.want(lab, "three"))
      yield* serve(Lab.sync({ hostnames: lab.names }))
      const hashes = Effect.map(Lab.rows, (rows) => rows.map(({ confhash }) => confhash))
      const before = yield* serve(hashes)
      yield* sql`delete from job_device where job_id = ${lost.id}`
      const again = yield* serve(settledRecord(lost.id, 1))
      assert.deepStrictEqual(Lab.outcomes(again), Lab.outcomes(lost))
      assert.deepStrictEqual(yield* serve(hashes), before)
    })
  )
)
