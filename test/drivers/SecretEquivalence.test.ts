import { describe, expect, it } from "@effect/vitest"
import { Option, Schema, TextDiff } from "effect"
import { eos } from "../../src/domain/platforms/eos/Platform.ts"
import { reduceDiff, secretLines, withoutSecrets } from "../../src/drivers/SecretEquivalence.ts"
import * as UnifiedDiff from "../../src/drivers/UnifiedDiff.ts"

const diffOf = (before: string, after: string) => TextDiff.unified(TextDiff.lines(before, after)).trimEnd()

/** Configurations of few different lines, so that two of them have much in common. */
const Lines = Schema.Array(
  Schema.Literals([
    "hostname a",
    "vlan 10",
    "   name x",
    "username eve secret sha512 S1",
    "username eve secret sha512 S2",
    "username eve secret sha512 S3",
    "username bob secret sha512 S1",
    "username bob secret sha512 S2",
    "   neighbor 10.0.0.1 password 7 11",
    "   neighbor 10.0.0.1 password 7 22"
  ])
).check(Schema.isMaxLength(14))

const textOf = (lines: ReadonlyArray<string>) => `${lines.join("\n")}\nend\n`

const everySecret = () => true

describe("lines with secrets that a switch salts", () => {
  it.each([
    ["username eve secret wonder", "username eve secret ********", "wonder"],
    [
      "username eve privilege 15 role network-admin secret sha512 $6$a$b",
      "username eve privilege 15 role network-admin secret ********",
      "$6$a$b"
    ],
    ["username eve secret 0 wonder", "username eve secret ********", "wonder"],
    ["enable password sha512 $6$a$b", "enable password ********", "$6$a$b"],
    ["radius-server host 10.0.0.1 vrf MGMT key 7 0832", "radius-server host 10.0.0.1 vrf MGMT key ********", "0832"],
    ["tacacs-server key 8a $1$x", "tacacs-server key ********", "$1$x"],
    ["ntp authentication-key 1 md5 7 0832", "ntp authentication-key 1 md5 ********", "0832"],
    ["ntp authentication-key 2 sha1 clear", "ntp authentication-key 2 sha1 ********", "clear"],
    ["   neighbor 10.0.0.1 password 7 abc==", "neighbor 10.0.0.1 password ********", "abc=="],
    ["   ip ospf message-digest-key 1 md5 7 abc==", "ip ospf message-digest-key 1 md5 ********", "abc=="],
    ["   key 0A1B 7 09 fallback", "key 0A1B ******** fallback", "09"]
  ])("finds the secret in %j", (line, shown, value) => {
    expect(secretLines(eos, line)).toEqual([{ line: shown, value, lineNumber: 1 }])
    expect(withoutSecrets(eos, line).trim()).toBe(shown)
  })

  it.each([
    "hostname key",
    "   description key 7 0832",
    "no username eve",
    "username eve ssh-key ssh-ed25519 AAAA eve@secret",
    "snmp-server community public ro",
    "! key 7 0832"
  ])("finds none in %j", (line) => {
    expect(secretLines(eos, line)).toEqual([])
  })

  it("names the sections around a line, and its number", () => {
    const text =
      "router bgp 65000\n   ! a remark\n   vrf A\n      neighbor 10.0.0.1 password 7 AB\n   !\n   neighbor 10.0.0.2 password 7 CD\n"
    expect(secretLines(eos, text)).toEqual([
      { line: "router bgp 65000\nvrf A\nneighbor 10.0.0.1 password ********", value: "AB", lineNumber: 4 },
      { line: "router bgp 65000\nneighbor 10.0.0.2 password ********", value: "CD", lineNumber: 6 }
    ])
  })
})

describe("a diff without secrets that only changed their form", () => {
  const before = "hostname a\nusername eve secret sha512 X1\nusername bob secret sha512 Y1\nvlan 10\nend\n"

  it("is empty when there is no other change", () => {
    const after = before.replace("X1", "X2").replace("Y1", "Y2")
    expect(reduceDiff(eos, before, diffOf(before, after), everySecret)).toBe("")
  })

  it("keeps other changes, as a diff to the same text", () => {
    const after = before.replace("X1", "X2").replace("vlan 10", "vlan 11")
    const rest = reduceDiff(eos, before, diffOf(before, after), everySecret)
    expect(UnifiedDiff.apply(before, rest)).toEqual(Option.some(before.replace("vlan 10", "vlan 11")))
    expect(rest).not.toContain("X2")
  })

  it("keeps a changed secret", () => {
    const after = before.replace("X1", "X2").replace("Y1", "Y2")
    const rest = reduceDiff(eos, before, diffOf(before, after), ({ line }) => line.includes("eve"))
    expect(UnifiedDiff.apply(before, rest)).toEqual(Option.some(before.replace("Y1", "Y2")))
  })

  it("keeps a line whose command differs in addition to its secret", () => {
    const after = before.replace("username eve secret", "username eve privilege 15 secret").replace("X1", "X2")
    expect(reduceDiff(eos, before, diffOf(before, after), everySecret)).toBe(diffOf(before, after))
  })

  it("keeps a secret that is only removed, or only added", () => {
    const without = before.replace(/^username eve.*\n/m, "")
    for (const [from, to] of [
      [before, without],
      [without, before]
    ] as const) {
      expect(reduceDiff(eos, from, diffOf(from, to), everySecret)).toBe(diffOf(from, to))
    }
  })

  it("does not match the secret of one section with that of another", () => {
    const text = "router bgp 1\n   neighbor A password 7 11\nrouter bgp 2\n   neighbor A password 7 11\n"
    const after = text.replaceAll("7 11", "7 22")
    const seen: Array<string> = []
    reduceDiff(eos, text, diffOf(text, after), ({ line }) => seen.push(line) > 0)
    expect(seen.map((line) => line.split("\n")[0])).toEqual(["router bgp 1", "router bgp 2"])
  })

  it("stays unchanged when it does not fit the text", () => {
    const diff = diffOf(before, before.replace("X1", "X2"))
    expect(reduceDiff(eos, "other\n", diff, everySecret)).toBe(diff)
  })

  it.prop(
    "leads to a text that differs from the promised one in secrets only, in any case",
    { from: Lines, to: Lines, same: Schema.Array(Schema.Boolean) },
    ({ same, ...lines }) => {
      const [from, to] = [textOf(lines.from), textOf(lines.to)]
      const diff = diffOf(from, to)
      let asked = 0
      const rest = reduceDiff(eos, from, diff, () => same[asked++] === true)
      const reached = Option.getOrThrow(UnifiedDiff.apply(from, rest))
      expect(withoutSecrets(eos, reached)).toBe(withoutSecrets(eos, to))
    }
  )

  it.prop(
    "is empty only when the texts differ in secrets only, and changes nothing when no secret is the same",
    { from: Lines, to: Lines },
    (lines) => {
      const [from, to] = [textOf(lines.from), textOf(lines.to)]
      const diff = diffOf(from, to)
      expect(reduceDiff(eos, from, diff, () => false)).toBe(diff)
      if (reduceDiff(eos, from, diff, everySecret) === "") {
        expect(withoutSecrets(eos, from)).toBe(withoutSecrets(eos, to))
      }
    }
  )
})
