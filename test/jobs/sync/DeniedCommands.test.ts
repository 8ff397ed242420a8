/** A sync whose account may not give one of its commands: named in the record, and nothing untrue is said (docs/switch-dialogues.md#commands-that-the-account-needs). */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Step } from "../../../src/lab/Faults.ts"
import { timer } from "../../support/Patience.ts"
import * as Lab from "./SyncLab.ts"

const NAMED = "denied by the switch's authorization (AAA): "

/** The commands that AAA denies from some step on, the record, and the running configuration afterwards. */
const cases: ReadonlyArray<{ step: Step; command: string; says: ReadonlyArray<string>; runs: "old" | "new" }> = [
  { step: "showRunning", command: "show running-config", says: ["CommandRejected: "], runs: "old" },
  { step: "openSession", command: "configure session job", says: ["CommandRejected: "], runs: "old" },
  { step: "clean", command: "rollback clean-config", says: ["ReplaceConfigException: "], runs: "old" },
  { step: "commitTimer", command: "configure session job", says: ["CommitError: "], runs: "old" },
  { step: "confirm", command: "configure session job", says: ["CommitError: "], runs: "old" },
  { step: "write", command: "write memory", says: ["CommandRejected: ", "could not be saved"], runs: "new" }
]

it.live("ends with a true record whichever command is denied", () =>
  Lab.withLab(
    1,
    (lab) =>
      Effect.gen(function* () {
        const device = Lab.switchAt(lab, 0)
        for (const { command, runs, says, step } of cases) {
          const before = Lab.described(device)
          yield* Lab.want(lab, `of${step}`)
          device.setFault({ kind: "error", step, message: `% Authorization denied for command '${command}'` })
          const job = yield* Lab.sync({ hostnames: lab.names, force: true, confirm_mode_override: 1 })
          device.clearFaults()
          const text = Lab.outcomes(job)[lab.names[0] ?? ""] ?? ""
          for (const part of [`${NAMED}${command}`, ...says]) assert.include(text, part, step)
          assert.strictEqual(Lab.described(device), runs === "new" ? `wanted of${step}` : before, step)
          assert.deepStrictEqual(yield* Lab.synchronized(lab), [], step)
        }
      }),
    { COMMIT_CONFIRMED_TIMEOUT: timer(8) }
  )
)

it.live("needs no difference of a switch that shows its candidate", () =>
  Lab.withLab(1, (lab) =>
    Effect.gen(function* () {
      const device = Lab.switchAt(lab, 0)
      device.setFault({ kind: "error", step: "diff", message: "% Authorization denied for command 'show'" })
      const job = yield* Lab.syncWanted(lab, "two")
      assert.deepStrictEqual(Lab.outcomes(job), { [device.name]: "ok" })
      assert.match(Lab.syncTask(job)?.diff ?? "", /^\+ +description wanted two$/m)
      assert.strictEqual(Lab.described(device), "wanted two")
      assert.deepStrictEqual(yield* Lab.synchronized(lab), lab.names)
    })
  )
)
