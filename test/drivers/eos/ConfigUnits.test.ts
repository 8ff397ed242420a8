import { describe, expect, it } from "@effect/vitest"
import { Result } from "effect"
import { cutCandidate, halves, sourcesIn } from "../../../src/drivers/eos/CandidateUnits.ts"

const cut = (...lines: ReadonlyArray<string>) =>
  Result.getOrThrow(cutCandidate(lines.join("\n"))).units.map(({ line, lineNumber, text }) => [
    lineNumber,
    line,
    ...text
  ])

describe("an EOS candidate", () => {
  it("drops comments, empty lines and the end, and keeps line numbers", () => {
    expect(cut("! Command: show running-config", "", "vlan 10", "   name users", "!", "end", "")).toEqual([
      [3, "vlan 10"],
      [4, "name users"]
    ])
  })

  it("keeps a banner unchanged, with comments, ends and errors in it", () => {
    expect(cut("banner login", "! hello", "end", "  % indented", "", "EOF", "vlan 10")).toEqual([
      [1, "banner login", "! hello", "end", "  % indented", "", "EOF"],
      [7, "vlan 10"]
    ])
  })

  it("takes both texts of a certificate", () => {
    expect(cut("protocol https certificate", "c", "EOF", "k", "EOF", "no shutdown")).toHaveLength(2)
  })

  it("turns the comment of a section into the comment command", () => {
    expect(cut("interface Ethernet1", "   !! to the printer", "   !! second floor", "   no shutdown")).toEqual([
      [1, "interface Ethernet1"],
      [2, "comment", "to the printer", "second floor", "EOF"],
      [4, "no shutdown"]
    ])
  })

  it("sends blanks for tabs, which would complete words", () => {
    expect(cut("\tdescription a\tb")).toEqual([[1, "description a b"]])
  })

  it("refuses an unterminated text, and control characters, naming the line", () => {
    for (const line of ["banner motd", "description \u0003"]) {
      const failed = cutCandidate(`vlan 10\n${line}\nhello`)
      expect(Result.isFailure(failed) ? failed.failure.unit.lineNumber : 0).toBe(2)
    }
  })

  it("halves a candidate before the interface nearest to its middle, and leaves one without interfaces whole", () => {
    const sources = (...lines: ReadonlyArray<string>) => {
      const text = lines.join("\n")
      return halves(Result.getOrThrow(cutCandidate(text))).map((part) => part.map(sourcesIn(text)))
    }
    const lines = ["vlan 10", "interface Ethernet1", "   description a", "interface Ethernet2", "   description b"]
    expect(sources(...lines)).toEqual([lines.slice(0, 3), lines.slice(3)])
    expect(sources("vlan 10", "vlan 20")).toEqual([["vlan 10", "vlan 20"], []])
  })

  it("leaves a text open after an unknown command, and cuts nothing before its end", () => {
    const lines = [
      "vlan 10",
      "control-functions",
      "   code unit a",
      "interface x",
      "EOF",
      "interface Ethernet1",
      "   mtu 9000"
    ]
    const cutLines = Result.getOrThrow(cutCandidate(lines.join("\n")))
    expect(cutLines.openTexts).toEqual([{ firstLine: 1, lastLine: 5 }])
    expect(halves(cutLines).map((part) => part[0]?.line)).toEqual(["vlan 10", "interface Ethernet1"])
  })
})
