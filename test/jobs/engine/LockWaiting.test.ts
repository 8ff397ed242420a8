/** The effects of one cut-off switch on others: only a wait, an emergency lane and a quick abort. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Job } from "../../../src/domain/Job.ts"
import type { SentArgs } from "../../../src/domain/jobs/JobDefinition.ts"
import { SyncDevices } from "../../../src/domain/jobs/ChangeJobs.ts"
import { JobEngine } from "../../../src/jobs/engine/JobEngine.ts"
import { ChangeStore } from "../../../src/store/ChangeStore.ts"
import { JobStore } from "../../../src/store/JobStore.ts"
import * as Lab from "../sync/SyncLab.ts"
import { seconds, timer } from "../../support/Patience.ts"
import { makeUrgentCheck } from "../../../src/http/provisioning/ProvisioningHandlers.ts"

const LIMIT = seconds(120)
const TIMER = timer(15)

/** The switch can be reached no more from the moment of its first commit. */
const cutOffAfterCommit = (lab: Lab.SyncLab, index: number) =>
  Effect.sync(() => {
    const device = Lab.switchAt(lab, index)
    const forget = device.onCommit(({ kind }) => {
      if (kind !== "commitTimer") return
      device.setFault({ kind: "cut", step: "connect" })
      forget()
    })
  })

const start = (args: SentArgs<typeof SyncDevices>) =>
  Effect.flatMap(JobEngine, (engine) => engine.start(SyncDevices, { dry_run: false, ...args }, { user: "tester" }))

const ended = (id: number) => Effect.flatMap(JobEngine, (engine) => engine.ended(id))

const untilJob = (id: number, holds: (job: Job) => boolean) =>
  Lab.untilSome(Effect.flatMap(JobStore, (jobs) => Effect.map(jobs.get(id), (job) => (holds(job) ? job : undefined))))

/** The job has its device's change in the phase in which only the timer is left. */
const untilExpiring = (id: number) =>
  Lab.untilSome(
    Effect.flatMap(ChangeStore, (changes) =>
      Effect.map(changes.progressOfJob(id), (rows) =>
        rows.some(({ phase }) => phase === "expiring") ? rows : undefined
      )
    )
  )

/** Two switches of which one is cut off after its commit, and the job that waits for it. */
interface CutOff {
  readonly lab: Lab.SyncLab
  readonly cut: string
  readonly other: string
  /** The job that has nothing left to do but to wait for the timer of the switch. */
  readonly waiting: number
}

/** Runs `test` while a job waits for a switch that was cut off; the job syncs that switch alone, or `both`. */
const withCutOff = <E>(
  { both = false, env }: { readonly both?: boolean; readonly env: Readonly<Record<string, string>> },
  test: (scene: CutOff) => Lab.Serving<void, E>
) =>
  Lab.withLab(
    2,
    (lab) =>
      Effect.gen(function* () {
        yield* Lab.want(lab, "two")
        yield* cutOffAfterCommit(lab, 0)
        const [cut = "", other = ""] = lab.names
        const waiting = yield* start(both ? {} : { hostnames: [cut] })
        yield* untilExpiring(waiting)
        yield* test({ lab, cut, other, waiting })
      }),
    env
  )

const abort = (id: number) => Effect.flatMap(JobEngine, (engine) => engine.abort(id, "tester"))

it.live(
  "lets a second sync wait for the first, with its job and reason, until it is its turn",
  () =>
    withCutOff({ env: { COMMIT_CONFIRMED_TIMEOUT: timer(60) } }, ({ cut, lab, other, waiting: first }) =>
      Effect.gen(function* () {
        const second = yield* start({ hostnames: [other] })
        const waiting = yield* untilJob(second, ({ waiting_for }) => waiting_for !== null)
        assert.strictEqual(waiting.status, "SCHEDULED")
        assert.deepInclude(waiting.waiting_for, {
          reason: "lock",
          lock: "devices",
          job_id: first,
          function_name: "sync_devices"
        })
        const timed = yield* untilJob(first, ({ waiting_for }) => waiting_for !== null)
        assert.deepInclude(timed.waiting_for, { reason: "timer", devices: [cut] })
        Lab.switchAt(lab, 0).clearFaults()
        assert.strictEqual((yield* ended(first)).status, "FINISHED")
        const done = yield* ended(second)
        assert.deepStrictEqual(Lab.outcomes(done), { [other]: "ok" })
        assert.isNull(done.waiting_for)
      })
    ),
  LIMIT
)

it.live(
  "gives up after LOCK_WAIT seconds and names the job that has the lock",
  () =>
    withCutOff({ env: { COMMIT_CONFIRMED_TIMEOUT: timer(30), LOCK_WAIT: "1" } }, ({ other, waiting: first }) =>
      Effect.gen(function* () {
        const second = yield* ended(yield* start({ hostnames: [other] }))
        assert.strictEqual(second.status, "EXCEPTION")
        assert.strictEqual(second.exception?.type, "JoblockError")
        assert.match(
          second.exception?.message ?? "",
          new RegExp(
            `^Unable to acquire lock for configuring devices: job ${first} \\(sync_devices\\) has had it since `
          )
        )
        yield* abort(first)
        yield* ended(first)
      })
    ),
  LIMIT
)

it.live(
  "ends an aborted job at once although only the timer of a device can take it back, and reports this",
  () =>
    withCutOff({ both: true, env: { COMMIT_CONFIRMED_TIMEOUT: timer(200) } }, ({ cut, lab, other, waiting: id }) =>
      Effect.gen(function* () {
        yield* abort(id)
        const job = yield* ended(id)
        assert.strictEqual(job.status, "ABORTED")
        const texts = Lab.outcomes(job)
        assert.match(texts[cut] ?? "", /not certain which configuration the device runs/)
        assert.match(texts[cut] ?? "", /Its commit timer takes the change back within \d+ s/)
        assert.strictEqual(texts[other], "ok")
        assert.deepStrictEqual(yield* Lab.synchronized(lab), [other])
        // the switch is reachable again: its change is taken back, and the record of the ended job says so
        Lab.switchAt(lab, 0).clearFaults()
        const settled = yield* untilJob(id, (now) => !/not certain/.test(Lab.outcomes(now)[cut] ?? ""))
        assert.match(Lab.outcomes(settled)[cut] ?? "", /runs the configuration that it had before/)
        assert.strictEqual(Lab.described(Lab.switchAt(lab, 0)), "wanted one")
        yield* Lab.nothingLeft(lab)
      })
    ),
  LIMIT
)

it.live(
  "waits for a switch without power until its timer has ended and no longer, continues with the next batch, and records the result",
  () =>
    Lab.withLab(
      2,
      (lab) =>
        Effect.gen(function* () {
          yield* Lab.want(lab, "two")
          const [dead = "", other = ""] = lab.names
          const device = Lab.switchAt(lab, 0)
          let diedAt = 0
          const forget = device.onCommit(({ kind }) => {
            if (kind !== "commitTimer") return
            diedAt = Date.now()
            // the power fails before the answer to the commit, without any notice
            device.setFault({ kind: "silent", when: "after" })
            device.setFault({ kind: "silent" })
            forget()
          })
          const id = yield* start({ batch_size: 1, max_failures: 5 })
          const timed = yield* untilJob(id, ({ waiting_for }) => waiting_for?.reason === "timer")
          assert.deepInclude(timed.waiting_for, { reason: "timer", devices: [dead] })
          assert.match(
            timed.waiting_for?.message ?? "",
            new RegExp(`^${dead} does not answer; its timer ends in \\d+ s at the latest$`)
          )
          const job = yield* ended(id)
          // 55 s after the end of the timer, where the looks alone would take minutes
          assert.isBelow(Date.now() - diedAt, 1000 * (Number(TIMER) + 55) + seconds(20))
          const texts = Lab.outcomes(job)
          assert.match(texts[dead] ?? "", /not certain which configuration the device runs/)
          assert.match(
            texts[dead] ?? "",
            new RegExp(`could not be looked at since the commit. The timer of ${dead} has ended`)
          )
          assert.strictEqual(texts[other], "ok")
          device.clearFaults()
          const settled = yield* untilJob(id, (now) => !/not certain/.test(Lab.outcomes(now)[dead] ?? ""))
          assert.match(Lab.outcomes(settled)[dead] ?? "", /runs the configuration that it had before/)
          assert.strictEqual(Lab.described(device), "wanted one")
          yield* Lab.nothingLeft(lab)
        }),
      { COMMIT_CONFIRMED_TIMEOUT: TIMER }
    ),
  LIMIT
)

it.live(
  "lets an urgent change pass a job that waits for a cut-off switch",
  () =>
    withCutOff({ env: { COMMIT_CONFIRMED_TIMEOUT: timer(200) } }, ({ cut: busy, lab, other: free, waiting: slow }) =>
      Effect.gen(function* () {
        const check = yield* makeUrgentCheck
        const refused = yield* Effect.flip(check([busy, free]))
        assert.match(String(refused.message), new RegExp(`${busy} \\(job ${slow}, sync_devices\\)$`))
        const urgent = yield* ended(yield* start({ hostnames: [free], urgent: true }))
        assert.deepStrictEqual(Lab.outcomes(urgent), { [free]: "ok" })
        assert.strictEqual(Lab.described(Lab.switchAt(lab, 1)), "wanted two")
        yield* abort(slow)
        yield* ended(slow)
      })
    ),
  LIMIT
)

it.live(
  "changes a device once that both the running and the urgent job want, and both records say so",
  () =>
    Lab.withLab(2, (lab) =>
      Effect.gen(function* () {
        yield* Lab.want(lab, "two")
        const [first = "", second = ""] = lab.names
        Lab.switchAt(lab, 0).setFault({ kind: "slow", bytesPerSecond: 2000 })
        const running = yield* start({ hostnames: [first, second], batch_size: 1 })
        yield* untilJob(running, ({ status }) => status === "RUNNING")
        const urgent = yield* ended(yield* start({ hostnames: [second], urgent: true }))
        assert.deepStrictEqual(Lab.outcomes(urgent), { [second]: "ok" })
        assert.deepInclude(urgent.result, { beside: [{ job_id: running, hostnames: [second] }] })
        Lab.switchAt(lab, 0).clearFaults()
        const job = yield* ended(running)
        assert.deepStrictEqual(Lab.outcomes(job), { [first]: "ok", [second]: "ok" })
        assert.include(JSON.stringify(job.result), `Job ${urgent.id} has synchronized this device meanwhile`)
        const commits = Lab.switchAt(lab, 1)
          .commits()
          .filter(({ kind, session }) => kind === "commitTimer" && session.startsWith("job"))
        assert.strictEqual(commits.filter(({ session }) => session === `job${running}`).length, 0)
      })
    ),
  LIMIT
)
