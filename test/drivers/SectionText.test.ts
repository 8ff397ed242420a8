/** The section of a candidate that is loaded with a line and without it (docs/changes.md#spellings). */
import { describe, expect, it } from "@effect/vitest"
import { missingLines } from "../../src/drivers/MissingLines.ts"
import { sectionAround } from "../../src/drivers/SectionText.ts"
import { eos } from "../../src/domain/platforms/eos/Platform.ts"

const CANDIDATE = `! a comment
hostname a
vlan 10
   name guests
!
ip access-list MGMT
   permit tcp any any eq 22
   deny ip any any
!
banner login
Keep out
EOF
interface Ethernet1
   mtu 9000
   mtu 9100
   switchport mode tr
ip routing
`

/** The section around the line with this number. */
const around = (lineNumber: number, candidate = CANDIDATE) => {
  const wanted = missingLines(eos, candidate, "").find((line) => line.lineNumber === lineNumber)
  if (wanted === undefined) throw new Error(`there is no line ${lineNumber}`)
  const lines = (text: string) => text.split("\n").filter((line) => line !== "" && line !== "!")
  const { alone, whole, without } = sectionAround(eos, candidate, wanted)
  return {
    whole: lines(whole),
    without: lines(without),
    ...(alone === undefined ? {} : { alone: { whole: lines(alone.whole), without: lines(alone.without) } })
  }
}

describe("the section around a line", () => {
  it("has all other lines of it, in their order", () => {
    expect(around(7)).toEqual({
      whole: ["ip access-list MGMT", "   permit tcp any any eq 22", "   deny ip any any"],
      without: ["ip access-list MGMT", "   deny ip any any"]
    })
  })

  it("comes without later lines of the same command as well", () => {
    const rest = ["   switchport mode tr"]
    expect(around(14)).toEqual({
      whole: ["interface Ethernet1", "   mtu 9000", "   mtu 9100", ...rest],
      without: ["interface Ethernet1", "   mtu 9100", ...rest],
      alone: { whole: ["interface Ethernet1", "   mtu 9000", ...rest], without: ["interface Ethernet1", ...rest] }
    })
  })

  it("goes with its heading", () => {
    expect(around(6).without).toEqual([])
  })

  it("is all that has no section at the top level, with its texts", () => {
    expect(around(17)).toEqual({
      whole: ["hostname a", "banner login", "Keep out", "EOF", "ip routing"],
      without: ["hostname a", "banner login", "Keep out", "EOF"]
    })
  })

  it("is the whole candidate without indentation", () => {
    const flat = "interface Ethernet1\nmtu 9500\nip access-list B\ndeny ip any any\n"
    expect(around(2, flat).without).toEqual(["interface Ethernet1", "ip access-list B", "deny ip any any"])
  })

  it("has all parts of a section that is given twice", () => {
    const twice = "interface Ethernet1\n   mtu 9500\ninterface Ethernet2\ninterface Ethernet1\n   load-interval 5\n"
    expect(around(5, twice)).toEqual({
      whole: ["interface Ethernet1", "   mtu 9500", "interface Ethernet1", "   load-interval 5"],
      without: ["interface Ethernet1", "   mtu 9500", "interface Ethernet1"]
    })
  })
})
