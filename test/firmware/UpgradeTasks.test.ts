/** When plugins are notified of the end of an upgrade's reboot: once for each reboot that was announced, with any result. */
import { assert, describe, it } from "@effect/vitest"
import type { JobTask } from "../../src/domain/Job.ts"
import { rebootOver, stepAborted, stepDone, stepFailed, stepOutsideWindow } from "../../src/firmware/UpgradeTasks.ts"

const done = stepDone("reboot")
const failed = stepFailed("reboot", "no")
const good = stepDone("post_flight", "Post-flight, OS version updated from 1 to 2.")
const bad = stepFailed("post_flight", "no")
const OVER = { failed: false }
const OVER_FAILED = { failed: true }

describe("The reboot of an upgrade", () => {
  const cases: ReadonlyArray<
    readonly [
      name: string,
      step: "reboot" | "post_flight" | "download",
      entry: JobTask,
      before: ReadonlyArray<JobTask>,
      begun: boolean,
      over: { readonly failed: boolean } | null
    ]
  > = [
    ["is not over when the switch reboots", "reboot", done, [], true, null],
    ["is over with the check", "post_flight", good, [done], true, OVER],
    ["is over with a failed check", "post_flight", bad, [done], true, OVER_FAILED],
    ["is over when it failed, because no check follows", "reboot", failed, [], true, OVER_FAILED],
    ["was none when it was outside of a window", "reboot", stepOutsideWindow("reboot", "closed"), [], false, null],
    ["was none when the job was aborted before", "reboot", stepAborted("reboot"), [], false, null],
    [
      "was none at the check of such a job either",
      "post_flight",
      stepAborted("post_flight"),
      [stepAborted("reboot")],
      false,
      null
    ],
    [
      "is over when the job is aborted before the check",
      "post_flight",
      stepAborted("post_flight"),
      [done],
      false,
      OVER_FAILED
    ],
    [
      "is over when the job is aborted within the check",
      "post_flight",
      stepAborted("post_flight"),
      [done],
      true,
      OVER_FAILED
    ],
    [
      "is over when the job is aborted after a restart in the middle of it",
      "reboot",
      stepAborted("reboot"),
      [],
      true,
      OVER_FAILED
    ],
    ["is reported once then", "post_flight", stepAborted("post_flight"), [stepAborted("reboot")], false, null],
    ["by another user is over with the check of a job that only checks", "post_flight", good, [], true, OVER],
    ["is independent of other steps", "download", stepFailed("download", "no"), [], true, null]
  ]
  for (const [name, step, entry, before, begun, over] of cases) {
    it(name, () => assert.deepStrictEqual(rebootOver(step, entry, before, begun), over))
  }
})
