/**
 * Real routers for tests (src/fabric). Where a machine cannot have them, the tests that need them are skipped, and say in their
 * title why.
 */
import { describe } from "@effect/vitest"
import { missing } from "../../src/fabric/Requirements.ts"

const lacks = missing()

/** `describe` for tests that need real routers. */
export const describeReal = (title: string, tests: () => void): void => {
  if (lacks.length === 0) describe(title, tests)
  else describe.skip(`${title} (skipped: ${lacks.join(" ")})`, tests)
}
