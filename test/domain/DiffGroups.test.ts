/** Which differences are the same change. */
import { describe, expect, it } from "vitest"
import { AUTO_PUSH_BELOW, deviceScore } from "../../src/domain/ChangeRisk.ts"
import { printBraces, readBraces } from "../../src/domain/BraceText.ts"
import { changeKey, groupDiffs, portsTouched, riskOf } from "../../src/domain/DiffGroups.ts"
import { riskRulesOf } from "../../src/domain/platforms/Platforms.ts"
import { diff } from "../../src/drivers/UnifiedDiff.ts"

const ntp = (line: number, before: string) => `@@ -${line},2 +${line},3 @@
 ${before}
+ntp server 10.255.0.2
 !`

const port = (name: string, text: string, heading = true) => `@@ -1,3 +1,4 @@
${heading ? ` interface ${name}\n` : ""}    switchport
+   description ${text}
 !`

describe("differences", () => {
  it("are one group when they change the same lines, at any position", () => {
    const groups = groupDiffs([
      { diff: ntp(3, "hostname a"), hostnames: ["b", "a"], score: 2 },
      { diff: ntp(9, "hostname c"), hostnames: ["c"], score: 3 }
    ])
    expect(groups).toHaveLength(1)
    expect(groups[0]).toMatchObject({ hostnames: ["a", "b", "c"], score: 3, added: 1, removed: 0 })
  })

  it("are separate when the same line is in another section, or in one that is not shown", () => {
    expect(changeKey(port("Ethernet1", "x"))).not.toBe(changeKey(port("Ethernet2", "x")))
    expect(changeKey(port("Ethernet1", "x"))).not.toBe(changeKey(port("Ethernet1", "x", false)))
    expect(changeKey(port("Ethernet1", "x").replace("switchport", "no shutdown"))).toBe(
      changeKey(port("Ethernet1", "x"))
    )
  })

  it("are sorted by risk, then by group size, and mark the risky lines", () => {
    const risky = "@@ -1,1 +1,0 @@\n-router bgp 65000"
    const groups = groupDiffs([
      { diff: ntp(1, "x"), hostnames: ["a", "b"], score: 1 },
      { diff: ntp(1, "x").replace("0.2", "0.3"), hostnames: ["c"], score: 1 },
      { diff: risky, hostnames: ["d", "e", "f"], score: 40 }
    ])
    expect(groups.map(({ hostnames }) => hostnames.length)).toEqual([3, 1, 2])
    expect(groups[0]?.risks).toEqual([{ line: "-router bgp 65000", weight: 50 }])
    expect(groups[1]?.risks).toEqual([])
  })

  it("that schedule commands or change logins are risky, even in a small change", () => {
    const lines = [
      "+event-handler x",
      "+   action bash reload",
      "+alias sh reload",
      "+username eve nopassword",
      "-aaa root"
    ]
    const [group] = groupDiffs([{ diff: lines.join("\n"), hostnames: ["a"], score: 40 }])
    expect(group?.risks.map(({ weight }) => weight)).toEqual(lines.map(() => 20))
    for (const line of lines) expect(deviceScore("x\n".repeat(400), line)).toBeGreaterThan(AUTO_PUSH_BELOW)
  })

  it("name the risky lines of Junos by its own words", () => {
    const lines = ["-    bgp {", "+        user eve {", "+        mtu 9000;", "-    }"]
    const [group] = groupDiffs([{ diff: lines.join("\n"), hostnames: ["a"], score: 4 }], riskRulesOf)
    expect(group?.risks).toEqual([
      { line: "-    bgp {", weight: 50 },
      { line: "+        user eve {", weight: 20 }
    ])
  })

  it("without devices form no group", () => {
    expect(groupDiffs([])).toEqual([])
  })
})

describe("The risk of a difference in words", () => {
  const of = (score: number | null, weight = 0, lines = 3) => ({
    score,
    added: lines,
    removed: 0,
    risks: weight === 0 ? [] : [{ line: "-spanning-tree mode mstp", weight }]
  })
  const cases = [
    ["a small change", of(2), "low", null],
    ["a line of some weight", of(2, 5), "low", null],
    ["a risky line below a low score", of(2, 10), "medium", "-spanning-tree mode mstp"],
    ["a line that stops a network", of(9, 50), "high", "-spanning-tree mode mstp"],
    ["many lines", of(12, 0, 40), "medium", "40 lines change"],
    ["very many lines", of(131, 0, 400), "high", "400 lines change"],
    ["no score", of(null), "high", "its score is not known"]
  ] as const
  for (const [name, given, level, reason] of cases)
    it(`has a reason: ${name}`, () => expect(riskOf(given)).toEqual({ level, reason }))

  const config = [
    "hostname a",
    "!",
    "interface Ethernet7",
    "   mtu 1500",
    "   no lldp",
    "   speed auto",
    "   shutdown",
    "!"
  ]

  it.each([
    ["a line below a port", port("Ethernet1", "x"), ["Ethernet1"]],
    ["a port that is removed", "@@ -1,2 +1,1 @@\n-interface Ethernet2\n !", ["Ethernet2"]],
    ["a line below no port", ntp(3, "hostname a"), []],
    [
      "a line whose section only the running text shows",
      "@@ -5,3 +5,3 @@\n    no lldp\n    speed auto\n-   shutdown",
      ["Ethernet7"]
    ],
    ["two places", `${port("Ethernet1", "x")}\n${port("Ethernet3", "y")}`, ["Ethernet1", "Ethernet3"]]
  ])("touch the port of %s", (_, diff, ports) => {
    expect(portsTouched(diff, config.join("\n"))).toEqual(ports)
  })
})

describe("the ports of a difference in braces", () => {
  const before = printBraces(
    readBraces(
      'interfaces { ge-0/0/1 { description "a"; unit 0 { family ethernet-switching { vlan { members STAFF; } } } } inactive: ge-0/0/2 { mtu 9000; } } system { host-name a; }'
    ).statements
  )

  it.each([
    ["STAFF", "VOICE", ["ge-0/0/1"]],
    ["mtu 9000", "mtu 1500", ["ge-0/0/2"]],
    ["inactive: ge", "ge", ["ge-0/0/2"]],
    ["host-name a", "host-name b", []],
    ["system {", "system {\n    interfaces none;", []]
  ] as const)("are those around its lines: %j to %j", (from, to, ports) => {
    const after = before.replace(from, to)
    expect(after).not.toBe(before)
    expect(portsTouched(diff(before, after), before)).toEqual(ports)
  })
})
