/** The stage of a switch in a job, and the result of a job in a sentence. */
import { describe, expect, it } from "@effect/vitest"
import { cellOf, partsOf, resultSentence, stageOf } from "../../../../web/screens/job/stages.ts"

const device = {
  hostname: "lhv-acc1",
  phase: null as string | null,
  failed: null as boolean | null,
  silent_since: null as string | null,
  not_begun: false,
  changed: false
}
const CONFIRMED = { ...device, phase: "confirmed", failed: false, changed: true }
const WENT_BACK = { ...device, phase: "reverted", failed: true }
const FAILED = { ...device, failed: true }
const NOT_BEGUN = { ...device, failed: true, not_begun: true }
const SILENT = { ...device, phase: "committed", silent_since: "2026-03-02T09:12:07" }
const COMPARED = { ...device, failed: false }

describe("The stage of a switch", () => {
  it.each([
    ["waits", device, "waiting"],
    ["is loaded", { ...device, phase: "loading" }, "loaded"],
    ["is being checked", { ...device, phase: "committed" }, "committed"],
    ["does not answer after its commit, whatever its phase", SILENT, "silent"],
    ["is confirmed", CONFIRMED, "confirmed"],
    ["went back, which is a failure of its own kind", WENT_BACK, "back"],
    ["failed before anything was sent", FAILED, "failed"],
    ["was not begun, which is no failure", NOT_BEGUN, "not_begun"],
    ["is unclear, even if the job calls it done", { ...device, phase: "unknown", failed: false }, "unknown"],
    ["has a phase of a newer server, which is never a success", { ...device, phase: "new_phase" }, "unknown"]
  ])("%s", (_, shown, stage) => {
    expect(stageOf(shown)).toBe(stage)
  })

  it("is hollow and without colour for what was not begun", () => {
    expect(cellOf(NOT_BEGUN)).toEqual({ hostname: "lhv-acc1", said: "not begun", tone: "quiet", shape: "hollow" })
  })

  it("counts each switch once in the bar", () => {
    const parts = partsOf([CONFIRMED, CONFIRMED, FAILED, NOT_BEGUN, SILENT])
    expect(parts.map(({ count, key }) => [key, count])).toEqual([
      ["confirmed", 2],
      ["silent", 1],
      ["not_begun", 1],
      ["failed", 1]
    ])
  })
})

describe("The result of a job", () => {
  it.each([
    ["a rollout", [CONFIRMED, CONFIRMED, WENT_BACK], false, "2 confirmed, 1 went back"],
    ["a stopped rollout", [CONFIRMED, NOT_BEGUN, FAILED], false, "1 confirmed, 1 failed, 1 not begun"],
    [
      "a preview",
      [{ ...COMPARED, changed: true }, COMPARED, FAILED],
      true,
      "1 would change, 1 already so, 1 could not be compared"
    ],
    ["a reading", [COMPARED, COMPARED], false, "2 done"]
  ])("of %s", (_, devices, isPreview, sentence) => {
    expect(resultSentence(devices, isPreview)).toBe(sentence)
  })
})
