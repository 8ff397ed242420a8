/**
 * An aborted initialisation (docs/jobs.md#abort): nothing new begins, everything is unchanged as long as the switch has not begun to move,
 * and the record contains the progress.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { DeviceResult, type Job } from "../../../src/domain/Job.ts"
import type { Fault } from "../../../src/lab/Faults.ts"
import { command, said, saving } from "./InitInstants.ts"
import { type InitKind, kinds } from "./InitKinds.ts"
import type { Member } from "./InitLeftovers.ts"
import * as InitScene from "./InitScene.ts"

/** Time to abort in: steps of the first new switch that take so long. */
const SLOW: ReadonlyArray<Fault> = [
  { kind: "slow", step: "showLldp", milliseconds: 500, times: 1 },
  { kind: "slow", step: "load", milliseconds: 1_000, times: 1 },
  { kind: "slow", step: "commit", milliseconds: 1_000, times: 1 }
]

const slowDown = (members: ReadonlyArray<Member>) => {
  members[0]?.device.clearFaults()
  for (const fault of SLOW) members[0]?.device.setFault(fault)
}

/** Moments before the switch begins to move. */
const EARLY = [
  command("survey", /^show lldp neighbors/),
  said("planned"),
  command("load", /^configure session job\d+$/)
]

const LATE = command("commit", /^configure session job\d+ commit$/)

const Result = Schema.Struct({
  devices: Schema.Record(Schema.String, DeviceResult),
  progress: Schema.Array(Schema.Struct({ step: Schema.String, message: Schema.String }))
})

/** The record of an aborted job: the steps that it began, and the texts of its device. */
const recordOf = ({ result }: Job) => {
  const { devices, progress } = Schema.decodeUnknownSync(Result)(result)
  return {
    steps: progress.map(({ step }) => step),
    failed: Object.values(devices).map(({ failed }) => failed),
    text: String(Object.values(devices)[0]?.job_tasks[0]?.result)
  }
}

const TABLE: ReadonlyArray<readonly [what: string, kind: InitKind]> = [
  ["an access switch", kinds.access],
  ["an MLAG pair", kinds.pair],
  ["a fabric switch", kinds.fabric],
  ["a replacement", kinds.replacement]
]

const aborting = Effect.fnUntraced(function* (kind: InitKind) {
  const scene = yield* InitScene.make(kind, 1)
  const { attempt, members } = yield* scene.next
  for (const when of EARLY) {
    slowDown(members)
    const { after, before, jobs, left, wasDisturbed } = yield* attempt({ what: "abort", when })
    const [job] = jobs
    assert.isTrue(wasDisturbed, when.name)
    assert.deepStrictEqual(
      jobs.map(({ next_job_id, status }) => [status, next_job_id]),
      [["ABORTED", null]],
      JSON.stringify(jobs)
    )
    assert.deepStrictEqual(after, before, when.name)
    assert.isTrue(
      left.members.every(({ debris, state }) => debris.length === 0 && state !== "INIT"),
      when.name
    )
    const { failed, steps, text } = job === undefined ? { failed: [], steps: [], text: "" } : recordOf(job)
    assert.deepStrictEqual(failed, [true])
    assert.match(text, /the device runs what it ran before\.\nJobAborted: The job was aborted before this step: /)
    assert.strictEqual(steps[0], "survey")
    assert.strictEqual(steps.includes("planned"), when !== EARLY[0], text)
  }
  slowDown(members)
  const { jobs, left } = yield* attempt({ what: "abort", when: LATE })
  const [first, ...others] = jobs
  assert.strictEqual(first?.status, "ABORTED", JSON.stringify(jobs))
  assert.strictEqual(first?.next_job_id, others[0]?.id)
  assert.deepStrictEqual(
    others.map(({ function_name, status }) => [function_name, status]),
    [["init_device_step2", "FINISHED"]],
    JSON.stringify(jobs)
  )
  assert.deepInclude(left.members[0], { state: "MANAGED", commits: 1, announced: 1, debris: [], saved: true })
  assert.deepInclude(left, { reservations: 0, locks: 0, openChanges: 0 })
  const { failed, steps } = first === undefined ? { failed: [], steps: [] } : recordOf(first)
  assert.deepStrictEqual(failed, [false])
  assert.strictEqual(steps.at(-1), "aborted")
  return { attempt, left }
})

for (const [what, kind] of TABLE) {
  it.live(
    `an aborted initialisation leaves ${what} unchanged in time, and continues to MANAGED when it is too late`,
    () =>
      Effect.gen(function* () {
        const { attempt, left } = yield* aborting(kind)
        assert.deepStrictEqual(
          left.members.slice(1).map(({ state }) => state),
          kind === kinds.pair ? ["DISCOVERED"] : []
        )
        if (kind !== kinds.pair) return
        const again = yield* attempt(null)
        assert.deepStrictEqual(
          again.left.members.map(({ state }) => state),
          ["MANAGED", "MANAGED"],
          JSON.stringify(again.jobs)
        )
      }).pipe(Effect.scoped)
  )
}

it.live("takes back the work of a killed server when the job is aborted before it continues", () =>
  Effect.gen(function* () {
    const scene = yield* InitScene.make(kinds.access, 1)
    const { attempt, members } = yield* scene.next
    slowDown(members)
    const when = command("loads", /^configure session job\d+$/)
    const { after, before, jobs, left } = yield* attempt({ what: "killThenAbort", when })
    assert.deepStrictEqual(
      jobs.map(({ next_job_id, status }) => [status, next_job_id]),
      [["ABORTED", null]],
      JSON.stringify(jobs)
    )
    assert.deepStrictEqual(after, before)
    assert.deepStrictEqual(left.members[0]?.debris, [])
    const again = yield* attempt(null)
    assert.strictEqual(again.left.members[0]?.state, "MANAGED", JSON.stringify(again.jobs))
  }).pipe(Effect.scoped)
)

it.live("makes no second attempt of step 2 after an abort; one that succeeds meanwhile counts", () =>
  Effect.gen(function* () {
    const scene = yield* InitScene.make(kinds.access, 2)
    const inTime = yield* scene.next
    const slow: Fault = { kind: "slow", step: "write", milliseconds: 1_000 }
    for (const { device } of inTime.members) device.setFault(slow)
    const done = yield* inTime.attempt({ what: "abortNewest", when: saving("saves") })
    assert.deepStrictEqual(
      done.jobs.map(({ status }) => status),
      ["FINISHED", "ABORTED"]
    )
    assert.strictEqual(done.left.members[0]?.state, "MANAGED")

    const failing = yield* scene.next
    const [member] = failing.members
    member?.device.setFault(slow)
    member?.device.setFault({ kind: "error", step: "write", message: "% No space left on device" })
    const { jobs, left } = yield* failing.attempt({ what: "abortNewest", when: saving("fails to save") })
    assert.deepStrictEqual(
      jobs.map(({ next_job_id, status }) => [status, next_job_id !== null]),
      [
        ["FINISHED", true],
        ["ABORTED", false]
      ],
      JSON.stringify(jobs)
    )
    assert.strictEqual(left.members[0]?.state, "INIT")
    member?.device.clearFaults()
    const again = yield* scene.start("init_device_step2", { device_id: member?.discoveredId, iteration: 1 })
    assert.strictEqual(again.status, "FINISHED", JSON.stringify(again))
  }).pipe(Effect.scoped)
)
