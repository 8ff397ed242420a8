/** How soon a switch that says nothing is given up, for tests in which switches fall silent. */
import { afterAll, beforeAll } from "@effect/vitest"
import type { DriverTimeouts } from "../../src/drivers/Driver.ts"
import { dialect } from "../../src/drivers/eos/Dialect.ts"
import { SLOWNESS } from "./Patience.ts"

/** In all tests of the file or suite that calls this, the driver waits so many seconds for an answer instead of minutes. */
export const givenUpAfter = (seconds: DriverTimeouts): void => {
  const usual = { ...dialect.timeouts }
  beforeAll(() => {
    for (const [step, count] of Object.entries(seconds)) Object.assign(dialect.timeouts, { [step]: count * SLOWNESS })
  })
  afterAll(() => void Object.assign(dialect.timeouts, usual))
}
