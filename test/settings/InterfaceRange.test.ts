import { assert, describe, it } from "@effect/vitest"
import { expandInterfaceRange, expandInterfaces } from "../../src/settings/SettingsModel.ts"

describe("an interface range", () => {
  const CASES: ReadonlyArray<readonly [range: string, names: ReadonlyArray<string>]> = [
    ["Ethernet1", ["Ethernet1"]],
    ["Ethernet[1-4]", ["Ethernet1", "Ethernet2", "Ethernet3", "Ethernet4"]],
    ["Ethernet[49-50]/1", ["Ethernet49/1", "Ethernet50/1"]],
    ["Ethernet[1-2]/[1-2]", ["Ethernet1/1", "Ethernet1/2", "Ethernet2/1", "Ethernet2/2"]],
    ["Ethernet[3]", ["Ethernet3"]],
    ["Ethernet[3-1]", []],
    ["Ethernet[01-03]", ["Ethernet1", "Ethernet2", "Ethernet3"]],
    ["Ethernet[a-b]", ["Ethernet[a-b]"]],
    ["ge-0/0/[0-1].100", ["ge-0/0/0.100", "ge-0/0/1.100"]],
    ["Ethernet[]", ["Ethernet[]"]]
  ]
  for (const [range, names] of CASES) {
    it(`${range} stands for ${names.join(", ") || "nothing"}`, () => {
      assert.deepStrictEqual(expandInterfaceRange(range), names)
    })
  }

  it("gives each of its interfaces the fields of the entry, in the order of the file", () => {
    const entries = [
      { name: "Ethernet[1-2]", ifclass: "downlink" },
      { name: "Ethernet9", ifclass: "fabric" }
    ]
    assert.deepStrictEqual(expandInterfaces(entries), [
      { name: "Ethernet1", ifclass: "downlink" },
      { name: "Ethernet2", ifclass: "downlink" },
      { name: "Ethernet9", ifclass: "fabric" }
    ])
  })
})
