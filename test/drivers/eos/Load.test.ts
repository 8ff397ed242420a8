import { expect, it } from "@effect/vitest"
import { trimDiff } from "../../../src/drivers/eos/Load.ts"

it("removes the two header lines of a diff", () => {
  const diff = "--- system:/running-config\n+++ session:/job412-session-config\n@@ -1 +1 @@\n-a\n+b\n"
  expect(trimDiff(diff)).toBe("@@ -1 +1 @@\n-a\n+b")
  expect(trimDiff("\n")).toBe("")
})
