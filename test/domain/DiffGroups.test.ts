/** Which differences are the same change. */
import { describe, expect, it } from "vitest"
import { AUTO_PUSH_BELOW, deviceScore } from "../../src/domain/ChangeRisk.ts"
import { changeKey, groupDiffs } from "../../src/domain/DiffGroups.ts"

const ntp = (line: number, before: string) => `@@ -${line},2 +${line},3 @@
 ${before}
+ntp server 10.255.0.2
 !`

const port = (name: string, text: string, heading = true) => `@@ -1,3 +1,4 @@
${heading ? ` interface ${name}\n` : ""}    switchport
+   description ${text}
 !`

describe("differences", () => {
  it("are one group when they change the same lines, wherever these stand", () => {
    const groups = groupDiffs([
      { diff: ntp(3, "hostname a"), hostnames: ["b", "a"], score: 2 },
      { diff: ntp(9, "hostname c"), hostnames: ["c"], score: 3 }
    ])
    expect(groups).toHaveLength(1)
    expect(groups[0]).toMatchObject({ hostnames: ["a", "b", "c"], score: 3, added: 1, removed: 0 })
  })

  it("are others when the same line stands in another section, or in one that is not shown", () => {
    expect(changeKey(port("Ethernet1", "x"))).not.toBe(changeKey(port("Ethernet2", "x")))
    expect(changeKey(port("Ethernet1", "x"))).not.toBe(changeKey(port("Ethernet1", "x", false)))
    expect(changeKey(port("Ethernet1", "x").replace("switchport", "no shutdown"))).toBe(
      changeKey(port("Ethernet1", "x"))
    )
  })

  it("come with the riskiest first, then the smallest group, and say which lines are risky", () => {
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

  it("name what runs commands later and who may log in as risky, also in a small change", () => {
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

  it("of no device are no group", () => {
    expect(groupDiffs([])).toEqual([])
  })
})
