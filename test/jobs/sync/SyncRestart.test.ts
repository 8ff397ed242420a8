/** A server that stops in the middle of a mode-2 sync: the next one brings all devices to the same configuration. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { JobEngine } from "../../../src/jobs/engine/JobEngine.ts"
import * as Lab from "./SyncLab.ts"
import { SyncDevices } from "../../../src/domain/jobs/ChangeJobs.ts"
import { timer } from "../../support/Patience.ts"
import { JobScheduleStore } from "../../../src/store/JobScheduling.ts"

const described = (lab: Lab.SyncLab) => lab.switches.map((device) => Lab.described(device).replace("wanted ", ""))

const start = Effect.flatMap(JobEngine, (engine) =>
  engine.start(SyncDevices, { dry_run: false, confirm_mode_override: 2 }, { user: "tester" })
)

const ended = (id: number) => Effect.flatMap(JobEngine, (engine) => engine.ended(id))

/** Moments at which the server is stopped. */
const moments: Readonly<
  Record<string, (lab: Lab.SyncLab, job: number) => Effect.Effect<unknown, unknown, JobScheduleStore>>
> = {
  "some devices wait and others are being loaded": (lab) =>
    Lab.until(() => lab.switches.some((device) => device.timer() !== undefined)),
  "the confirming job was just started": (_lab, job) =>
    Effect.flatMap(JobScheduleStore, ({ locks }) =>
      Lab.untilSome(Effect.map(locks.all, (held) => held.find(({ job_id }) => job_id !== job)))
    ),
  "the first device is confirmed": (lab) =>
    Lab.until(() => lab.switches.some((device) => device.commits().some(({ kind }) => kind === "confirm")))
}

for (const [moment, reached] of Object.entries(moments)) {
  it.live(`confirms all devices although the server stopped when ${moment}`, () =>
    Lab.withServers(
      5,
      (lab, serve) =>
        Effect.gen(function* () {
          yield* serve(Lab.want(lab, "two"))
          lab.switches[3]?.setFault({ kind: "slow", step: "load", milliseconds: 5 })
          lab.switches[4]?.setFault({ kind: "slow", step: "confirm", milliseconds: 300 })
          const before = lab.switches.map((device) => device.commits().length)
          // on a machine that stands still for a while a moment may pass unseen
          const seen = (job: number) => Effect.raceFirst(reached(lab, job), ended(job))
          const id = yield* serve(Effect.tap(start, seen))
          const job = yield* serve(Effect.tap(ended(id), () => Lab.nothingLeft(lab)))
          assert.deepInclude(job, { status: "FINISHED", exception: null }, JSON.stringify(job))
          assert.deepStrictEqual(described(lab), ["two", "two", "two", "two", "two"])
          assert.deepStrictEqual(new Set(Object.values(Lab.outcomes(job))), new Set(["ok"]))
          assert.deepStrictEqual(yield* serve(Lab.synchronized(lab)), lab.names)
          for (const [index, device] of lab.switches.entries()) {
            const timed = device
              .commits()
              .slice(before[index])
              .filter(({ kind }) => kind === "commitTimer")
            assert.strictEqual(timed.length, 1, `${device.name} was committed once`)
          }
        }),
      { COMMIT_CONFIRMED_TIMEOUT: timer(60) }
    )
  )
}

it.live("takes all devices back when one died while the server was stopped", () =>
  Lab.withServers(
    4,
    (lab, serve) =>
      Effect.gen(function* () {
        yield* serve(Lab.want(lab, "two"))
        lab.switches[3]?.setFault({ kind: "slow", step: "load", milliseconds: 80 })
        const waits = () => lab.switches.slice(0, 3).every((device) => device.timer() !== undefined)
        const id = yield* serve(Effect.tap(start, () => Lab.until(waits)))
        const dead = lab.switches[3]
        dead?.setFault({ kind: "cut", step: "connect" })
        const takenBack = () => lab.switches.slice(0, 3).every((device) => device.timer() === undefined)
        const job = yield* serve(
          Effect.gen(function* () {
            yield* Lab.until(takenBack)
            assert.deepStrictEqual(described(lab).slice(0, 3), ["one", "one", "one"])
            return yield* ended(id)
          })
        )
        assert.deepInclude(job, { status: "FINISHED", next_job_id: null }, JSON.stringify(job))
        assert.deepStrictEqual(described(lab), ["one", "one", "one", "one"])
        assert.notInclude(Object.values(Lab.outcomes(job)), "ok")
        // what the dead switch had been given goes with the next change
        dead?.clearFaults()
        yield* serve(Effect.andThen(Lab.sync({ confirm_mode_override: 2 }), Lab.nothingLeft(lab)))
        assert.deepStrictEqual(described(lab), ["two", "two", "two", "two"])
      }),
    { COMMIT_CONFIRMED_TIMEOUT: timer(60) }
  )
)

it.live("continues to stop after a restart when the job was aborted", () =>
  Lab.withServers(
    3,
    (lab, serve) =>
      Effect.gen(function* () {
        yield* serve(Lab.want(lab, "two"))
        lab.switches[2]?.setFault({ kind: "slow", step: "load", milliseconds: 10 })
        const id = yield* serve(
          Effect.gen(function* () {
            const job = yield* start
            yield* Lab.until(() => lab.switches[0]?.timer() !== undefined)
            yield* (yield* JobEngine).abort(job, "tester")
            return job
          })
        )
        const job = yield* serve(Effect.tap(ended(id), () => Lab.nothingLeft(lab)))
        assert.strictEqual(job.status, "ABORTED")
        assert.deepStrictEqual(described(lab), ["one", "one", "one"])
      }),
    { COMMIT_CONFIRMED_TIMEOUT: timer(60) }
  )
)
