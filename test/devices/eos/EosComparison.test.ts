import { describe, expect, it } from "@effect/vitest"
import { Option, Schema } from "effect"
import { notShown } from "../../../src/devices/eos/EosComparison.ts"

const candidate = `hostname acc1
!
banner login
! welcome
EOF
interface Ethernet1
   description desk 1
   switchport mode access
!
interface Ethernet2
   description desk 2
   switchport mode access
lldp run
end
`

const running = `! Command: show running-config
! device: acc1 (CCS-720XP-48Y6-F, EOS-4.31.4M)
!
banner login
! welcome
EOF
!
hostname acc1
!
interface Ethernet1
   description desk 1
!
interface Ethernet2
   description desk 2
!
end
`

describe("a candidate beside a running configuration", () => {
  it("leaves the lines that the switch hides, with their sections", () => {
    expect(notShown(candidate, running)).toEqual(
      Option.some(`interface Ethernet1
   switchport mode access
interface Ethernet2
   switchport mode access
lldp run`)
    )
  })

  it("leaves nothing when every line is shown, in whatever order", () => {
    const shown = `${running.replaceAll(/( {3}description .*\n)/g, "$1   switchport mode access\n")}lldp run\n`
    expect(notShown(candidate, shown)).toEqual(Option.some(""))
  })

  it("does not take a line for shown that stands in another section", () => {
    const moved = running.replace("   description desk 1\n", "").replace("desk 2", "desk 2\n   description desk 1")
    expect(notShown(candidate, moved)).toEqual(Option.none())
  })

  it("cannot be told apart by lines when the switch shows more than the candidate has, or has section comments", () => {
    expect(notShown(candidate, running.replace("hostname acc1", "hostname acc1\nip routing"))).toEqual(Option.none())
    expect(notShown(`${candidate}router bgp 65000\n   !! lab\n`, `${running}router bgp 65000\n`)).toEqual(Option.none())
    expect(notShown("banner login\nno end", running)).toEqual(Option.none())
  })

  it("takes a banner as a whole", () => {
    expect(notShown(candidate, running.replace("! welcome", "! hello"))).toEqual(Option.none())
    const withoutBanner = running.replace("banner login\n! welcome\nEOF\n", "")
    expect(Option.getOrThrow(notShown(candidate, withoutBanner))).toContain("banner login\n! welcome\nEOF\n")
  })
})

const drawn = Schema.Array(Schema.Array(Schema.Literals([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])))

type Section = readonly [name: string, lines: ReadonlyArray<string>]

/** Interfaces with lines that differ within each, but not between them. */
const sectionsOf = (numbers: typeof drawn.Type): ReadonlyArray<Section> =>
  numbers.map((lines, at) => [`interface Ethernet${at + 1}`, [...new Set(lines)].map((line) => `option ${line}`)])

const written = (parts: ReadonlyArray<Section>) =>
  parts.map(([name, lines]) => [name, ...lines.map((line) => `   ${line}`)].join("\n")).join("\n!\n")

describe("any sections", () => {
  it.prop("leave exactly the lines that the switch does not show", [drawn, Schema.Int], ([numbers, seed]) => {
    const parts = sectionsOf(numbers)
    const isHidden = (at: number, index: number) => (Math.abs(seed % 5) + 7 * at + 3 * index) % 5 === 0
    const pick = (hidden: boolean) =>
      parts.map(([name, lines], at): Section => [name, lines.filter((_, index) => isHidden(at, index) === hidden)])
    const left = pick(true).filter(([, lines]) => lines.length > 0)
    expect(notShown(written(parts), written(pick(false)))).toEqual(Option.some(written(left).replaceAll("\n!\n", "\n")))
  })

  it.prop("show more than a candidate that lacks one of their lines", [drawn], ([numbers]) => {
    const [[name, lines] = ["interface Ethernet1", []], ...rest] = sectionsOf(numbers)
    const more: Section = [name, [...lines, "option 10"]]
    expect(notShown(written([[name, lines], ...rest]), written([more, ...rest]))).toEqual(Option.none())
  })
})
