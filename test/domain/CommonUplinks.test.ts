import { assert, describe, it } from "@effect/vitest"
import { causeSentence, commonCauses, uplinksOf } from "../../src/domain/CommonUplinks.ts"
import type { DeviceType } from "../../src/domain/Device.ts"

const node = (id: number, hostname: string, device_type: DeviceType) => ({ id, hostname, device_type })
const nodes = [
  node(1, "core1", "CORE"),
  node(2, "dist1", "DIST"),
  node(3, "dist2", "DIST"),
  node(4, "acc1", "ACCESS"),
  node(5, "acc2", "ACCESS"),
  node(6, "acc10", "ACCESS"),
  node(7, "chain1", "ACCESS"),
  node(8, "lone1", "ACCESS")
]
const cable = (a: number, b: number) => ({ a, b })
// acc1 and its neighbour chain1 are on dist1 alone, acc2 and acc10 on both
const cables = [
  cable(1, 2),
  cable(3, 1),
  cable(4, 2),
  cable(7, 4),
  cable(5, 2),
  cable(5, 3),
  cable(6, 2),
  cable(6, 3),
  cable(2, 3)
]
const uplinks = uplinksOf(nodes, cables)

describe("The uplinks of devices", () => {
  it("are the neighbours nearer to the core, and no peers", () => {
    const found = Object.fromEntries([...uplinks].map(([name, all]) => [name, [...all].toSorted()]))
    assert.deepEqual(found, {
      core1: [],
      dist1: ["core1"],
      dist2: ["core1"],
      acc1: ["dist1"],
      acc2: ["dist1", "dist2"],
      acc10: ["dist1", "dist2"],
      chain1: ["acc1"],
      lone1: []
    })
  })

  it("begin at the distribution layer in a part of the network without a core", () => {
    const part = uplinksOf([node(1, "dist1", "DIST"), node(2, "acc1", "ACCESS")], [cable(2, 1)])
    assert.deepEqual([...(part.get("acc1") ?? [])], ["dist1"])
  })
})

describe("Devices with the same trouble", () => {
  const cases: ReadonlyArray<{
    readonly name: string
    readonly silent: ReadonlyArray<string>
    readonly groups: ReadonlyArray<readonly [devices: string, root: string | null, uplinks: string]>
    readonly says: string | null
  }> = [
    { name: "one alone", silent: ["acc1"], groups: [["acc1", null, "dist1"]], says: null },
    {
      name: "two on the same pair of uplinks, in natural order",
      silent: ["acc10", "acc2"],
      groups: [["acc2 acc10", null, "dist1 dist2"]],
      says: "all on dist1 and dist2"
    },
    {
      name: "three that share one uplink",
      silent: ["acc1", "acc2", "acc10"],
      groups: [["acc1 acc2 acc10", null, "dist1"]],
      says: "all on dist1"
    },
    {
      name: "a switch, and another one behind it",
      silent: ["chain1", "acc1"],
      groups: [["acc1 chain1", "acc1", "dist1"]],
      says: "the others are behind acc1"
    },
    {
      name: "an uplink that is silent with all that have no other",
      silent: ["dist1", "acc1", "chain1"],
      groups: [["acc1 chain1 dist1", "dist1", "core1"]],
      says: "the others are behind dist1"
    },
    {
      name: "both of a pair and all behind them",
      silent: ["dist1", "dist2", "acc2", "acc10"],
      groups: [["acc2 acc10 dist1 dist2", null, "core1"]],
      says: "all on core1"
    },
    {
      name: "devices without anything in common",
      silent: ["lone1", "chain1"],
      groups: [["chain1 lone1", null, ""]],
      says: null
    },
    {
      name: "one cause, and a device apart from it",
      silent: ["acc2", "acc10", "lone1"],
      groups: [
        ["acc2 acc10", null, "dist1 dist2"],
        ["lone1", null, ""]
      ],
      says: "all on dist1 and dist2"
    }
  ]
  for (const { groups, name, says, silent } of cases) {
    it(`are grouped by their likely cause: ${name}`, () => {
      const causes = commonCauses(silent, uplinks)
      assert.deepEqual(
        causes.map((cause) => [cause.devices.join(" "), cause.root, cause.uplinks.join(" ")]),
        groups.map((group) => [...group])
      )
      assert.strictEqual(causes[0] === undefined ? null : causeSentence(causes[0]), says)
    })
  }

  it("are none where nothing is wrong", () => assert.deepEqual(commonCauses([], uplinks), []))
})
