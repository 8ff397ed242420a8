/** Links and citations lead somewhere. */
import { assert, describe, it } from "@effect/vitest"
import { anchorOf, anchorsOf, brokenReferences } from "../../../scripts/check-links.ts"

describe("links", () => {
  it("lead to a file, and to a heading for their anchor", () => {
    assert.deepEqual(brokenReferences({ final: true }), [])
  })
})

describe("the anchor of a heading", () => {
  it.each([
    ["Confirm modes", "confirm-modes"],
    ["apply_config", "apply_config"],
    ["`mapping.yml`", "mappingyml"],
    ["Lines, and blanks", "lines-and-blanks"],
    ["A [link](x.md)", "a-link"]
  ])("%s", (heading, anchor) => {
    assert.strictEqual(anchorOf(heading), anchor)
  })

  it("has a number when the heading is repeated, and none in code", () => {
    const text = ["# One", "## Two", "```", "# no heading", "```", "## Two"].join("\n")
    assert.deepEqual([...anchorsOf(text)], ["one", "two", "two-1"])
  })
})
