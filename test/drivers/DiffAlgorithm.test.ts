import { expect, it } from "@effect/vitest"
import { Option, Schema } from "effect"
import * as UnifiedDiff from "../../src/drivers/UnifiedDiff.ts"

const Line = Schema.Literals(["vlan 10", "   name users", "!", "interface Ethernet1"])
const Text = Schema.Array(Line)

const textOf = (lines: ReadonlyArray<string>) => [...lines, "end", ""].join("\n")

it.prop("the diff leads from one text to the other", { before: Text, after: Text }, ({ after, before }) => {
  const [from, to] = [textOf(before), textOf(after)]
  expect(UnifiedDiff.apply(from, UnifiedDiff.diff(from, to))).toEqual(Option.some(to))
})

it("the diff is also correct for 50,000 lines without common ones, or all in another order", () => {
  const lines = Array.from({ length: 50_000 }, (_, index) => `   line ${index % 7_000}`)
  const from = textOf(lines)
  for (const to of [textOf(lines.map((line) => `${line} more`)), textOf(lines.toReversed())]) {
    expect(UnifiedDiff.apply(from, UnifiedDiff.diff(from, to))).toEqual(Option.some(to))
  }
})
