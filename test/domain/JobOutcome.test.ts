/** How a job went, from its status and its devices. */
import { assert, describe, it } from "@effect/vitest"
import {
  failedStep,
  jobStatuses,
  noDevices,
  outcomeOf,
  outcomeText,
  subtaskFailed,
  taskFailed
} from "../../src/domain/Job.ts"

const counts = (succeeded: number, failed: number) => ({
  devices: succeeded + failed,
  succeeded,
  failed,
  changed: succeeded
})

describe("The outcome of a job", () => {
  it.each([
    ["FINISHED", 0, 0, null, "success"],
    ["FINISHED", 3, 0, null, "success"],
    ["FINISHED", 2, 1, null, "partial"],
    ["FINISHED", 0, 3, null, "failed"],
    ["FINISHED", 0, 0, "no such file", "failed"],
    ["FINISHED", 3, 0, "not confirmed", "partial"],
    ["EXCEPTION", 0, 0, null, "failed"],
    ["EXCEPTION", 0, 2, null, "failed"],
    ["EXCEPTION", 1, 0, null, "partial"],
    ["ABORTED", 3, 0, null, "aborted"],
    ["ABORTED", 0, 0, null, "aborted"]
  ] as const)(
    "with status %s, %i good and %i failed devices and the remark %s is %s",
    (status, good, bad, failure, is) => {
      assert.strictEqual(outcomeOf({ status, counts: counts(good, bad), failure }), is)
    }
  )

  it("is a success only for a finished job without any failure, and null only before its end", () => {
    const ended: ReadonlyArray<string> = ["FINISHED", "EXCEPTION", "ABORTED"]
    for (const status of jobStatuses) {
      for (const good of [0, 1, 5]) {
        for (const bad of [0, 1, 5]) {
          for (const failure of [null, "no"]) {
            const outcome = outcomeOf({ status, counts: counts(good, bad), failure })
            assert.strictEqual(outcome === null, !ended.includes(status))
            const isSuccess = status === "FINISHED" && bad === 0 && failure === null
            assert.strictEqual(outcome === "success", isSuccess, `${status} ${good} ${bad} ${failure}`)
          }
        }
      }
    }
  })
})

describe("The step at which a device failed", () => {
  it("is the child that a main task points to, with its last typed line", () => {
    const tasks = [
      taskFailed("push_sync_device", subtaskFailed("Sync device config")),
      taskFailed("Sync device config", "% Invalid input\nThe device runs the old one.\nCommitError: refused\n")
    ]
    assert.deepStrictEqual(failedStep(tasks), { step: "Sync device config", reason: "CommitError: refused" })
  })

  it("keeps a multi-line error sentence", () => {
    const text = "TemplateError: 'x' is undefined\n  in eos/access.j2, line 5\n     5 | {{ x }}\n       |    ^\n"
    const { reason } = failedStep([taskFailed("Generate device config", text)])
    assert.strictEqual(reason, "TemplateError: 'x' is undefined")
  })

  it("is the main task if nothing else is known, and never throws", () => {
    const only = [taskFailed("main", subtaskFailed("gone"))]
    assert.deepStrictEqual(failedStep(only), { step: "main", reason: "Subtask: gone (failed)" })
    assert.deepStrictEqual(failedStep([]), { step: "", reason: "" })
    assert.deepStrictEqual(failedStep([{ task_name: "main", result: null }]), { step: "main", reason: "" })
  })
})

describe("The line of the log about a job", () => {
  it.each([
    ["FINISHED", counts(1, 1), null, null, "f ended FINISHED, but only partly: 1 of 2 devices failed"],
    ["FINISHED", counts(0, 1), null, null, "f ended FINISHED, but failed: 1 of 1 device failed"],
    ["FINISHED", noDevices, "no file", null, "f ended FINISHED, but failed: no file"],
    ["EXCEPTION", noDevices, null, "one\n  two\n", "f ended EXCEPTION: one; two"],
    [
      "ABORTED",
      counts(1, 2),
      null,
      "wrong image (aborted by alva)",
      "f was aborted: wrong image (aborted by alva), 2 of 3 devices failed"
    ],
    ["ABORTED", noDevices, null, null, "f was aborted"]
  ] as const)("gives the reason of %s in one line", (status, numbers, failure, reason, text) => {
    assert.strictEqual(outcomeText("f", { status, counts: numbers, failure }, reason), text)
  })
})
