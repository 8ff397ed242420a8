/** Changes on switches that show timers, save, merge and keep sessions otherwise than most, end to end on the lab. */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { makeActorShow } from "../../../src/devices/ActorShow.ts"
import { DeviceResult, type Job } from "../../../src/domain/Job.ts"
import { JobEngine } from "../../../src/jobs/engine/JobEngine.ts"
import type { Fault } from "../../../src/lab/Faults.ts"
import type { Quirks } from "../../../src/lab/eos/Quirks.ts"
import type { LabSwitch } from "../../../src/lab/LabSwitch.ts"
import type { Node } from "../../../src/lab/Topology.ts"
import { timer } from "../../support/Patience.ts"
import { stripped } from "../../scenarios/chaos/ManagedCampus.ts"
import * as Lab from "./SyncLab.ts"
import { SyncDevices } from "../../../src/domain/jobs/ChangeJobs.ts"

const quirks = (...list: ReadonlyArray<Quirks>): ReadonlyArray<Partial<Node>> => list.map((one) => ({ quirks: one }))

const OLD_SESSION = { name: "cfg-4711-1", age: 86_400 }

/** Usual peculiarities of a site: everything must succeed on these. */
const usual: ReadonlyArray<Partial<Node>> = [
  { personality: "timerAtSession" },
  { personality: "timerAtTop" },
  { personality: "timerInText" },
  { personality: "sessionsAsText" },
  { personality: "savesAtCommit" },
  { personality: "foreignSessions" },
  { personality: "withoutRunningDiffs" },
  { personality: "terminalDisabled" },
  ...quirks(
    { mergesAtCommit: true },
    { maxSaved: 0 },
    { maxSaved: 20, maxPending: 2 },
    { sessionsWithoutJson: true, foreignSessions: [OLD_SESSION], savesAtCommit: true, withoutRunningDiffs: true }
  )
]

const isSaved = (device: LabSwitch) => stripped(device.startup()) === stripped(device.running())

/** The running configuration, and whether it is saved. */
const states = (lab: Lab.SyncLab) =>
  lab.switches.map((device) => `${Lab.described(device)}${isSaved(device) ? "" : ", not saved"}`)

const everywhere = (lab: Lab.SyncLab, text: string) => lab.names.map(() => text)
const allOk = (lab: Lab.SyncLab) => Object.fromEntries(lab.names.map((name) => [name, "ok"]))

const outcomesOf = (lab: Lab.SyncLab, job: Job) => {
  const outcomes = Lab.outcomes(job)
  return lab.names.map((name) => outcomes[name] ?? "")
}

const SyncResult = Schema.Struct({ devices: Schema.Record(Schema.String, DeviceResult) })
const remarksOf = (job: Job): ReadonlyArray<string> =>
  Object.values(Schema.decodeUnknownSync(SyncResult)(job.result).devices).flatMap(({ job_tasks }) =>
    job_tasks.flatMap(({ remarks = [] }) => remarks)
  )

it.live("succeeds on usual switches in a dry run, in each mode and when it is undone", () =>
  Lab.withLab(
    usual.length,
    (lab) =>
      Effect.gen(function* () {
        yield* Lab.want(lab, "dry")
        assert.deepStrictEqual(Lab.outcomes(yield* Lab.sync({ dry_run: true })), allOk(lab))
        assert.deepStrictEqual(states(lab), everywhere(lab, "wanted one"))
        const jobs: Array<Job> = []
        for (const mode of [0, 1, 2]) {
          yield* Lab.want(lab, `mode${mode}`)
          const job = yield* Lab.sync({ confirm_mode_override: mode })
          if (mode === 2) yield* Lab.followUp(job)
          assert.deepStrictEqual(Lab.outcomes(job), allOk(lab))
          assert.deepStrictEqual(states(lab), everywhere(lab, `wanted mode${mode}`))
          assert.deepStrictEqual(yield* Lab.synchronized(lab), lab.names)
          yield* Lab.nothingLeft(lab)
          jobs.push(job)
        }
        const remark = "Other people's configuration sessions are open on the device and were left alone: cfg-4711-1"
        assert.deepStrictEqual(jobs.map(remarksOf), [
          [remark, remark],
          [remark, remark],
          [remark, remark]
        ])
        const undone = yield* Lab.run("revert_job", { job_id: jobs[2]?.id ?? 0, dry_run: false })
        assert.deepStrictEqual(Lab.outcomes(undone), allOk(lab))
        assert.deepStrictEqual(states(lab), everywhere(lab, "wanted mode1"))
        yield* Lab.nothingLeft(lab)
      }),
    {},
    usual
  )
)

/** Long enough for a proof and a confirmation, and waited for in the tests of timers that are not seen. */
const SHORT_TIMER = timer(15)

const denied: Fault = { kind: "error", step: "showSessions", message: "% Authorization denied for command 'show …'" }

const hidden: ReadonlyArray<{ readonly quirks?: Quirks; readonly faults: ReadonlyArray<Fault> }> = [
  { quirks: { timerShown: "never" }, faults: [] },
  { faults: [denied] },
  { faults: [{ kind: "noTimer" }] },
  { quirks: { timerShown: "never" }, faults: [{ kind: "lie", step: "confirm" }] },
  { quirks: { timerShown: "never", savesAtCommit: true }, faults: [{ kind: "lie", step: "confirm" }] }
]

const withHidden = <A, E>(body: (lab: Lab.SyncLab) => Lab.Serving<A, E>) =>
  Lab.withLab(
    hidden.length,
    (lab) =>
      Effect.gen(function* () {
        for (const [index, device] of lab.switches.entries())
          for (const fault of hidden[index]?.faults ?? []) device.setFault(fault)
        yield* body(lab)
      }),
    { COMMIT_CONFIRMED_TIMEOUT: SHORT_TIMER },
    hidden.map((one) => ({ quirks: one.quirks ?? {} }))
  )

const BACK = /The device runs the configuration that it had before\.\nCommitError: The device has gone back/

it.live("waits until an invisible commit timer must have expired, and then records the truth", () =>
  withHidden((lab) =>
    Effect.gen(function* () {
      yield* Lab.want(lab, "two")
      const running = yield* Effect.forkChild(Lab.sync({ confirm_mode_override: 1 }))
      const [first = assert.fail("no device")] = lab.devices
      const waits = Effect.flatMap(makeActorShow, (showActor) => showActor(first)).pipe(
        Effect.map(({ change }) => (change?.step === "outlasting.waiting" ? change.phase : undefined)),
        Effect.orElseSucceed(() => undefined)
      )
      assert.strictEqual(yield* Lab.untilSome(waits), "outlasting")
      assert.isFalse(isSaved(Lab.switchAt(lab, 0)), "nothing is saved that may be rolled back")
      const [shown, notAllowed, without, ignores, saves] = outcomesOf(lab, yield* Fiber.join(running))
      assert.deepStrictEqual([shown, notAllowed, without], ["ok", "ok", "ok"])
      assert.match(ignores ?? "", BACK)
      assert.match(saves ?? "", BACK)
      const two = ["wanted two", "wanted two", "wanted two"]
      assert.deepStrictEqual(states(lab), [...two, "wanted one", "wanted one"])
      assert.deepStrictEqual(yield* Lab.synchronized(lab), lab.names.slice(0, 3))
      yield* Lab.nothingLeft(lab)
    })
  )
)

it.live("waits for invisible timers in mode 2, too", () =>
  withHidden((lab) =>
    Effect.gen(function* () {
      const chosen = lab.names.slice(0, 3)
      yield* Lab.want(lab, "two")
      const job = yield* Lab.sync({ hostnames: chosen, confirm_mode_override: 2 })
      yield* Lab.followUp(job)
      assert.deepStrictEqual(Object.values(Lab.outcomes(job)), ["ok", "ok", "ok"])
      assert.deepStrictEqual(states(lab).slice(0, 3), ["wanted two", "wanted two", "wanted two"])
      assert.deepStrictEqual(yield* Lab.synchronized(lab), chosen)
      yield* Lab.nothingLeft(lab)
    })
  )
)

it.live("continues waiting for an invisible timer after the server was stopped", () =>
  Lab.withServers(
    1,
    (lab, serve) =>
      Effect.gen(function* () {
        const isWaiting = Effect.flatMap(
          SqlClient.SqlClient,
          (sql) => sql`select id from config_change where phase = 'outlasting'`
        )
        yield* serve(Lab.want(lab, "two"))
        const id = yield* serve(
          Effect.gen(function* () {
            const args = { dry_run: false, confirm_mode_override: 1 }
            const job = yield* (yield* JobEngine).start(SyncDevices, args, { user: "tester" })
            yield* Lab.untilSome(Effect.map(isWaiting, ([found]) => found))
            return job
          })
        )
        assert.deepStrictEqual(states(lab), ["wanted two, not saved"])
        const job = yield* serve(Effect.flatMap(JobEngine, (engine) => engine.ended(id)))
        assert.deepStrictEqual(Lab.outcomes(job), allOk(lab))
        assert.deepStrictEqual(states(lab), ["wanted two"])
        yield* serve(Lab.nothingLeft(lab))
      }),
    { COMMIT_CONFIRMED_TIMEOUT: SHORT_TIMER },
    quirks({ timerShown: "never" })
  )
)

/** Every commit runs something else than the switch has stated, so that no change of it can be proved. */
const unproved: Fault = { kind: "runsOther", how: "lacksLastLine" }

it.live("records the old configuration for a switch that saves with each commit only when it also starts with it", () =>
  Lab.withLab(
    4,
    (lab) =>
      Effect.gen(function* () {
        for (const device of lab.switches.slice(0, 3)) device.setFault(unproved)
        // it would start with the new one, which cannot be changed
        Lab.switchAt(lab, 1).setFault({ kind: "lie", step: "write" })
        Lab.switchAt(lab, 2).setFault({ kind: "fullFlash", times: 1 })
        Lab.switchAt(lab, 3).setFault({ kind: "error", step: "commitTimer", message: "% Busy" })
        yield* Lab.want(lab, "two")
        const [back, stuck, again, refused] = outcomesOf(lab, yield* Lab.sync({ confirm_mode_override: 1 }))
        const old = /The device runs the configuration that it had before\./
        for (const text of [back, again, refused]) assert.match(text ?? "", old)
        assert.match(
          stuck ?? "",
          /The device runs the configuration that it had before, but .*\nCommitError: The old configuration runs again, but it could not/
        )
        assert.deepStrictEqual(states(lab), ["wanted one", "wanted one, not saved", "wanted one", "wanted one"])
        assert.deepStrictEqual(yield* Lab.synchronized(lab), [])
        yield* Lab.nothingLeft(lab)
      }),
    { COMMIT_CONFIRMED_TIMEOUT: timer(150) },
    quirks({ savesAtCommit: true }, { savesAtCommit: true }, { savesAtCommit: true }, { savesAtCommit: true })
  )
)

it.live("does not believe a switch that only claims to have saved", () =>
  Lab.withLab(
    2,
    (lab) =>
      Effect.gen(function* () {
        for (const device of lab.switches) device.setFault({ kind: "lie", step: "write" })
        yield* Lab.want(lab, "two")
        for (const text of outcomesOf(lab, yield* Lab.sync()))
          assert.match(text, /CommitError: The new configuration runs but could not be saved/)
        assert.deepStrictEqual(states(lab), everywhere(lab, "wanted two, not saved"))
        assert.deepStrictEqual(yield* Lab.synchronized(lab), [])
      }),
    {},
    quirks({ withoutRunningDiffs: true }, {})
  )
)

it.live("takes back a change that a switch has merged with another user's, and keeps the other user's", () =>
  Lab.withLab(
    1,
    (lab) =>
      Effect.gen(function* () {
        const device = Lab.switchAt(lab, 0)
        device.setFault({ kind: "slow", step: "commitTimer", milliseconds: 2_000, times: 1 })
        yield* Lab.want(lab, "two")
        const running = yield* Effect.forkChild(Lab.sync({ confirm_mode_override: 1 }))
        yield* Lab.until(() => device.commands().some(({ command }) => command.includes("commit timer")))
        device.configure("vlan 999\n   name BY-HAND\n")
        const job = yield* Fiber.join(running)
        const [text] = outcomesOf(lab, job)
        assert.include(remarksOf(job).join(), "Commits on the device keep what others have changed meanwhile")
        assert.match(text ?? "", /It is not certain .*\nCommitError: The device runs neither the old nor the new/)
        assert.strictEqual(Lab.described(device), "wanted one")
        assert.include(device.running(), "BY-HAND")
        assert.deepStrictEqual(yield* Lab.synchronized(lab), [])
        yield* Lab.nothingLeft(lab)
      }),
    {},
    quirks({ mergesAtCommit: true })
  )
)

it.live("waits for other people's sessions of any age if the site wants that", () =>
  Lab.withLab(
    1,
    (lab) =>
      Effect.gen(function* () {
        const device = Lab.switchAt(lab, 0)
        device.foreignSession("maintenance")
        yield* Lab.want(lab, "two")
        const [text] = outcomesOf(lab, yield* Lab.sync())
        assert.match(text ?? "", /SessionLockedException: /)
        assert.strictEqual(Lab.described(device), "wanted one")
      }),
    { FOREIGN_SESSIONS: "wait" },
    quirks({})
  )
)
