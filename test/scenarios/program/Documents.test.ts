/** Documents that are made from the code say what the code says. */
import { assert, it } from "@effect/vitest"
import { existsSync, readFileSync } from "node:fs"
import * as path from "node:path"
import { faultsFile, faultsUrl } from "../../../scripts/fault-table.ts"
import { otherFaults } from "../../../scripts/other-faults.ts"

it("names existing tests for other faults", () => {
  for (const { test } of Object.values(otherFaults).flat()) {
    assert.isTrue(existsSync(path.resolve(import.meta.dirname, `../../${test}.test.ts`)), test)
  }
})

it("contains in FAULTS.md the expectations of the fault tests", () => {
  assert.strictEqual(readFileSync(faultsUrl, "utf8"), faultsFile(), "run `npm run docs`")
})
