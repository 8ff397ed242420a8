/** Canaries, portions and limits of a sync, and the all-stop of the reference, end to end on the lab. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { JobEngine } from "../../../src/jobs/engine/JobEngine.ts"
import * as Lab from "./SyncLab.ts"
import { SyncDevices } from "../../../src/domain/jobs/ChangeJobs.ts"

const reject = (lab: Lab.SyncLab, ...indexes: ReadonlyArray<number>) =>
  Effect.sync(() => {
    for (const index of indexes) lab.switches[index]?.setFault({ kind: "reject", pattern: "wanted two" })
  })

const described = (lab: Lab.SyncLab) => lab.switches.map((device) => Lab.described(device).replace("wanted ", ""))

it.live("changes no other device when a canary fails", () =>
  Lab.withLab(4, (lab) =>
    Effect.gen(function* () {
      yield* Lab.want(lab, "two")
      yield* reject(lab, 2)
      const canary = lab.names[2] ?? ""
      const job = yield* Lab.sync({ canary: [canary] })
      assert.strictEqual(job.status, "FINISHED")
      assert.deepStrictEqual(described(lab), ["one", "one", "one", "one"])
      const texts = Lab.outcomes(job)
      assert.match(
        texts[lab.names[0] ?? ""] ?? "",
        /not started and runs what it ran before.\nRolloutStopped: The canary/
      )
      assert.deepInclude(job.result, {
        rollout: {
          stopped: `The canary ${canary} failed`,
          reverted: [],
          not_started: lab.names.filter((name) => name !== canary)
        }
      })
      yield* Lab.nothingLeft(lab)
      const refused = yield* Lab.sync({ canary: ["nobody"] })
      assert.deepInclude(refused.exception, {
        type: "ValueError",
        message: "canary names devices that are not selected: nobody"
      })
    })
  )
)

it.live("works in batches, stops at the limit, and takes back unconfirmed changes", () =>
  Lab.withLab(
    6,
    (lab) =>
      Effect.gen(function* () {
        yield* Lab.want(lab, "two")
        yield* reject(lab, 2)
        const job = yield* Lab.sync({ batch_size: 2, max_failures: 1, revert_on_failure: true })
        assert.strictEqual(job.status, "FINISHED")
        assert.deepStrictEqual(described(lab), ["two", "two", "one", "one", "one", "one"])
        assert.deepStrictEqual(yield* Lab.synchronized(lab), lab.names.slice(0, 2))
        const { reverted, not_started } = Lab.stopped(job)
        // the neighbour in the portion had committed or was not begun, as it happened
        assert.includeMembers([...reverted, ...not_started], lab.names.slice(3))
        assert.includeMembers([...not_started], lab.names.slice(4))
        yield* Lab.nothingLeft(lab)

        // the same devices again, with one failure more allowed than there is: the others are changed
        const second = yield* Lab.sync({ batch_size: 2, max_failures: 2, confirm_mode_override: 2 })
        assert.deepStrictEqual(described(lab), ["two", "two", "one", "two", "two", "two"])
        assert.strictEqual((yield* Lab.followUp(second)).status, "FINISHED")
        yield* Lab.nothingLeft(lab)
      }),
    { COMMIT_CONFIRMED_WAIT: "1" }
  )
)

it.live("starts no new device after an abort, and records the progress", () =>
  Lab.withLab(3, (lab) =>
    Effect.gen(function* () {
      const engine = yield* JobEngine
      yield* Lab.want(lab, "two")
      lab.switches[0]?.setFault({ kind: "slow", step: "load", milliseconds: 10 })
      const args = { dry_run: false, batch_size: 1 }
      const id = yield* engine.start(SyncDevices, args, { user: "tester" })
      yield* Lab.until(() => lab.switches[0]?.sessions().some(({ state }) => state === "pending") === true)
      yield* engine.abort(id, "tester")
      const job = yield* engine.ended(id)
      assert.strictEqual(job.status, "ABORTED")
      assert.deepStrictEqual(described(lab), ["two", "one", "one"])
      const [first, second] = lab.names
      assert.strictEqual(Lab.outcomes(job)[first ?? ""], "ok")
      assert.match(Lab.outcomes(job)[second ?? ""] ?? "", /not started.*\nJobAborted: The job was aborted/)
      assert.deepInclude(job.result, {
        rollout: { stopped: "The job was aborted", reverted: [], not_started: lab.names.slice(1) }
      })
      yield* Lab.nothingLeft(lab)
    })
  )
)

it.live("pushes nothing anywhere when one device was altered or is silent and the job must stop for that", () =>
  Lab.withLab(3, (lab) =>
    Effect.gen(function* () {
      yield* Lab.want(lab, "two")
      lab.switches[1]?.configure("vlan 999\n   name BY-HAND\n")
      lab.switches[2]?.setFault({ kind: "cut", step: "connect" })
      const job = yield* Lab.sync({ abort_on_failure: true })
      const [, altered, silent] = lab.names
      assert.strictEqual(job.status, "EXCEPTION")
      assert.match(
        job.exception?.message ?? "",
        new RegExp(`^Configuration hash check failed for ${altered} ${silent}\n${altered}: .*altered outside`)
      )
      assert.isNull(job.result)
      assert.deepStrictEqual(described(lab), ["one", "one", "one"])
      assert.include(yield* Lab.causes(altered ?? ""), "confighash")
      yield* Lab.nothingLeft(lab)

      // without the all-stop each device stands for itself
      const other = yield* Lab.sync({})
      assert.deepStrictEqual(described(lab), ["two", "one", "one"])
      assert.match(Lab.outcomes(other)[altered ?? ""] ?? "", /ConfigHashMismatch: The configuration was altered/)
      yield* Lab.nothingLeft(lab)
    })
  )
)
