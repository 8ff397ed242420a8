/** The lines that are taken over from a switch. */
import { expect, it } from "vitest"
import { linesToKeep } from "../../src/domain/Adoption.ts"

it("keeps the lines that the switch has in addition, verbatim, and none of the head", () => {
  const diff = "--- generated\n+++ running\n@@ -1,2 +1,3 @@\n vlan 10\n-   name old\n+   name students\n+vlan 20"
  expect(linesToKeep(diff)).toBe("   name students\nvlan 20")
})
