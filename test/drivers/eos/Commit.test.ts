import { expect, it } from "@effect/vitest"
import { clockTime } from "../../../src/drivers/eos/Commit.ts"

it.each([
  [300, "00:05:00"],
  [59, "00:00:59"],
  [7265, "02:01:05"],
  [0, "00:00:01"]
])("writes %i seconds as %s", (seconds, text) => {
  expect(clockTime(seconds)).toBe(text)
})
