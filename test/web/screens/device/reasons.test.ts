/** The reason why a device is out of sync, in a few words. */
import { assert, describe, it } from "@effect/vitest"
import { changedLines, portsChanged } from "../../../../web/screens/device/reasons.ts"

describe("A difference", () => {
  const cases: ReadonlyArray<readonly [diff: string, lines: number]> = [
    ["", 0],
    ["--- a\n+++ b\n@@ -1,2 +1,2 @@\n same\n-old\n+new", 2],
    ["@@ -1 +1,2 @@\n same\n+   description -x", 1]
  ]
  for (const [diff, lines] of cases)
    it(`of ${lines} lines is counted`, () => assert.strictEqual(changedLines(diff), lines))
})

describe("The ports that somebody has changed", () => {
  const since = Date.parse("2026-03-02T09:12:00Z") / 1000
  const cases: ReadonlyArray<readonly [events: string, said: string]> = [
    ["carl:Ethernet31 carl:Ethernet22 anna:Ethernet1", "Ethernet22 and Ethernet31"],
    ["carl:Ethernet3 carl:Ethernet3", "Ethernet3"],
    ["carl:Ethernet10 carl:Ethernet9 carl:Ethernet1", "Ethernet1, Ethernet9 and Ethernet10"],
    ["carl:Ethernet1 carl:Ethernet2 carl:Ethernet3 carl:Ethernet4", "4 ports"],
    ["carl:Ethernet1:created carl:Ethernet2:updated:09:11:40", ""],
    ["anna:Ethernet1", ""]
  ]
  for (const [events, said] of cases)
    it(`are told as "${said}" of ${events}`, () => {
      const found = events.split(" ").map((one) => {
        const [actor = "", key = "", action = "updated", ...time] = one.split(":")
        const at = `2026-03-02T${time.length === 0 ? "09:12:01" : time.join(":")}`
        return { actor, key, action, at }
      })
      assert.strictEqual(portsChanged(found, "carl", since), said)
    })
})
