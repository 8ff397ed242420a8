/**
 * Real routers for tests (src/fabric). Where a machine cannot have them, the tests that need them are skipped, and say in their
 * title and on the error output why.
 */
import { describe } from "@effect/vitest"
import { missing } from "../../src/fabric/Fabric.ts"

const lacks = missing().join(" ")

/** `describe` for tests that need real routers. */
export const describeReal = (title: string, tests: () => void): void => {
  if (lacks === "") return void describe(title, tests)
  // a reporter that shows no titles of skipped tests still shows this
  process.stderr.write(`skipped: ${title}. ${lacks}\n`)
  describe.skip(`${title} (skipped: ${lacks})`, tests)
}
