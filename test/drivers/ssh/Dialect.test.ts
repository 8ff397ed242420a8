import { expect, it } from "@effect/vitest"
import { iosXr } from "../../../src/domain/platforms/InventoryPlatforms.ts"
import { errorBut } from "../../../src/drivers/ssh/Dialect.ts"

it("does not treat a remark as an error", () => {
  const error = errorBut(iosXr.remarks, /^(?:% |Cannot )/)
  const lines = [
    "% Invalid input detected at '^' marker.",
    "Cannot enter exclusive mode.",
    "% WARNING: Policy object prefix-set X exists! Reconfiguring it via CLI will replace current definition."
  ]
  expect(lines.map((line) => error.test(line))).toEqual([true, true, false])
})

it("keeps the pattern without remarks", () => {
  const error = /^% /
  expect(errorBut([], error)).toBe(error)
})
