/** What the colours of the drawing mean in each overlay, and what a block of switches is called. */
import { assert, describe, it } from "@effect/vitest"
import {
  blockName,
  type ColoredDevice,
  type Coloring,
  standing,
  standingOf,
  summed
} from "../../../../web/screens/topology/coloring.ts"

const device: ColoredDevice = {
  hostname: "lhv-a1",
  state: "MANAGED",
  synchronized: true,
  os_version: "4.31",
  unreachable: false,
  job_id: null
}
const compared = {
  usual: "4.31",
  inJob: new Map([["lhv-a2", standing("bad", "failed")]]),
  differing: new Map([["lhv-a1", 2]])
}

describe("The standing of a switch", () => {
  const cases: ReadonlyArray<readonly [Coloring, Partial<ColoredDevice>, tone: string, word: string]> = [
    ["synchronized", {}, "good", "in sync"],
    ["synchronized", { synchronized: false }, "warn", "out of sync"],
    ["synchronized", { synchronized: false, job_id: 7 }, "info", "changing"],
    ["synchronized", { unreachable: true, job_id: 7 }, "bad", "not answering"],
    ["synchronized", { state: "UNMANAGED" }, "quiet", "not managed"],
    ["state", { state: "DISCOVERED" }, "wait", "found, not set up"],
    ["version", {}, "good", "4.31"],
    ["version", { os_version: "4.28" }, "warn", "4.28"],
    ["version", { os_version: null }, "warn", "version not known"],
    ["job", {}, "quiet", "no job"],
    ["job", { job_id: 7 }, "info", "job 7"],
    ["job", { hostname: "lhv-a2" }, "bad", "failed"],
    ["errors", {}, "warn", "2 cables differ"],
    ["errors", { hostname: "lhv-a2" }, "good", "no error known"]
  ]
  for (const [coloring, more, tone, word] of cases)
    it(`by ${coloring} is ${word} with ${JSON.stringify(more)}`, () => {
      const found = standingOf({ ...device, ...more }, coloring, compared)
      assert.deepStrictEqual([found.tone, found.word], [tone, word])
    })

  it("is summed for a block, the most urgent first", () => {
    const standings = [standing("good", "in sync"), standing("bad", "failed"), standing("good", "in sync")]
    assert.deepStrictEqual(
      summed(standings).map(({ count, word }) => `${count} ${word}`),
      ["1 failed", "2 in sync"]
    )
  })
})

describe("A block of switches", () => {
  const cases: ReadonlyArray<readonly [groups: ReadonlyArray<string>, uplinks: ReadonlyArray<string>, name: string]> = [
    [["EAST", "EAST", "EAST", "EAST", "LAB"], ["d1", "d2"], "EAST"],
    [["EAST", "WEST"], ["d1", "d2"], "Below d1 and d2"],
    [["DEFAULT"], ["d1"], "Below d1"],
    [["DEFAULT"], [], "Without known uplinks"]
  ]
  for (const [groups, uplinks, name] of cases)
    it(`is called ${name}`, () => assert.strictEqual(blockName(groups, uplinks), name))
})
