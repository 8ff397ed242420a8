/** What one switch that was cut off means for others: nothing but a wait, an emergency lane and an abort that is quick. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Job } from "../../../src/domain/Job.ts"
import { makeUrgentCheck } from "../../../src/http/provisioning/UrgentSync.ts"
import { JobEngine } from "../../../src/jobs/engine/JobEngine.ts"
import { ChangeStore } from "../../../src/store/ChangeStore.ts"
import { JobStore } from "../../../src/store/JobStore.ts"
import * as Lab from "../sync/SyncLab.ts"
import { timer } from "../../support/Patience.ts"

const LIMIT = 120_000

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

const start = (args: Record<string, unknown>) =>
  Effect.flatMap(JobEngine, (engine) =>
    engine.start({ function: "sync_devices", args: { dry_run: false, ...args }, user: "tester" })
  )

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

it.live(
  "lets a second sync wait for the first, and says for which job and why, until it is its turn",
  () =>
    Lab.withLab(
      2,
      (lab) =>
        Effect.gen(function* () {
          yield* Lab.want(lab, "two")
          yield* cutOffAfterCommit(lab, 0)
          const first = yield* start({ hostnames: [lab.names[0]] })
          yield* untilExpiring(first)
          const [cut = "", other = ""] = lab.names
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
        }),
      { COMMIT_CONFIRMED_TIMEOUT: timer(60) }
    ),
  LIMIT
)

it.live(
  "gives up after LOCK_WAIT seconds and names the job that has the lock",
  () =>
    Lab.withLab(
      2,
      (lab) =>
        Effect.gen(function* () {
          yield* Lab.want(lab, "two")
          yield* cutOffAfterCommit(lab, 0)
          const first = yield* start({ hostnames: [lab.names[0]] })
          yield* untilExpiring(first)
          const second = yield* ended(yield* start({ hostnames: [lab.names[1]] }))
          assert.strictEqual(second.status, "EXCEPTION")
          assert.strictEqual(second.exception?.type, "JoblockError")
          assert.match(
            second.exception?.message ?? "",
            new RegExp(
              `^Unable to acquire lock for configuring devices: job ${first} \\(sync_devices\\) has had it since `
            )
          )
          yield* (yield* JobEngine).abort(first, "tester")
          yield* ended(first)
        }),
      { COMMIT_CONFIRMED_TIMEOUT: timer(60), LOCK_WAIT: "1" }
    ),
  LIMIT
)

it.live(
  "ends an aborted job at once although a device can only be taken back by its timer, and says so of the device",
  () =>
    Lab.withLab(
      2,
      (lab) =>
        Effect.gen(function* () {
          yield* Lab.want(lab, "two")
          yield* cutOffAfterCommit(lab, 0)
          const id = yield* start({})
          yield* untilExpiring(id)
          yield* (yield* JobEngine).abort(id, "tester")
          const job = yield* ended(id)
          assert.strictEqual(job.status, "ABORTED")
          const [cut = "", other = ""] = lab.names
          const texts = Lab.outcomes(job)
          assert.match(texts[cut] ?? "", /not certain which configuration the device runs/)
          assert.match(texts[cut] ?? "", /Its commit timer takes the change back within \d+ s/)
          assert.strictEqual(texts[other], "ok")
          assert.deepStrictEqual(yield* Lab.synchronized(lab), [other])
          // the switch can be reached again: it is told to go back, and the record of the ended job says so
          Lab.switchAt(lab, 0).clearFaults()
          const settled = yield* untilJob(id, (now) => !/not certain/.test(Lab.outcomes(now)[cut] ?? ""))
          assert.match(Lab.outcomes(settled)[cut] ?? "", /runs the configuration that it had before/)
          assert.strictEqual(Lab.described(Lab.switchAt(lab, 0)), "wanted one")
          yield* Lab.nothingLeft(lab)
        }),
      { COMMIT_CONFIRMED_TIMEOUT: timer(200) }
    ),
  LIMIT
)

it.live(
  "brings an urgent change past a job that waits for a cut-off switch",
  () =>
    Lab.withLab(
      2,
      (lab) =>
        Effect.gen(function* () {
          yield* Lab.want(lab, "two")
          yield* cutOffAfterCommit(lab, 0)
          const slow = yield* start({ hostnames: [lab.names[0]] })
          yield* untilExpiring(slow)
          const [busy = "", free = ""] = lab.names
          const check = yield* makeUrgentCheck
          const refused = yield* Effect.flip(check({ urgent: true }, [busy, free]))
          assert.match(String(refused.message), new RegExp(`${busy} \\(job ${slow}, sync_devices\\)$`))
          const urgent = yield* ended(yield* start({ hostnames: [free], urgent: true }))
          assert.deepStrictEqual(Lab.outcomes(urgent), { [free]: "ok" })
          assert.strictEqual(Lab.described(Lab.switchAt(lab, 1)), "wanted two")
          yield* (yield* JobEngine).abort(slow, "tester")
          yield* ended(slow)
        }),
      { COMMIT_CONFIRMED_TIMEOUT: timer(200) }
    ),
  LIMIT
)

it.live(
  "does a device once that both the running and the urgent job want, and both records say so",
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
