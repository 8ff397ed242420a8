import { describe, expect, it } from "@effect/vitest"
import { eos } from "../../src/domain/platforms/Eos.ts"
import { missingLines } from "../../src/drivers/MissingLines.ts"

describe("lines of a candidate that a configuration does not have", () => {
  it("are looked for below their sections, whatever their indentation", () => {
    const candidate = "interface Ethernet1\n  shutdown\ninterface Ethernet2\n  shutdown\n! a remark\nend\n"
    const text = "interface Ethernet1\n   shutdown\n!\ninterface Ethernet2\n   no shutdown\nend\n"
    expect(missingLines(eos, candidate, text)).toEqual([{ lineNumber: 4, line: "shutdown" }])
  })

  it("are none in the same configuration, in any order", () => {
    expect(missingLines(eos, "vlan 10\n   name a\nvlan 20\n", "vlan 20\nvlan 10\n   name a\n")).toEqual([])
  })
})
