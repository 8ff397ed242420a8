import { assert, it } from "@effect/vitest"
import { filled, learnt, placed } from "../../src/domain/ConfigLines.ts"

it("a learnt spelling applies to all lines that differ in numbers if these return in their order", () => {
  const known = learnt("storm level 5 burst 10", ["storm-control all level 5", "storm-control burst 10"])
  assert.deepStrictEqual(known, {
    line: "storm level # burst #",
    shown: "storm-control all level #\nstorm-control burst #"
  })
  assert.deepStrictEqual(filled("storm level 7 burst 20", known.shown), [
    "storm-control all level 7",
    "storm-control burst 20"
  ])
})

it("a learnt spelling applies to one line if its numbers return in another form, or not at all", () => {
  assert.deepStrictEqual(learnt("speed 1000", ["speed 1g"]), { line: "speed 1000", shown: "speed 1g" })
  assert.deepStrictEqual(learnt("mtu 1500", []), { line: "mtu 1500", shown: "" })
  assert.strictEqual(placed(["interface Ethernet7"], "mtu 1500"), "interface Ethernet#\nmtu 1500")
})
