import { expect, it } from "@effect/vitest"
import { dialect } from "../../../src/drivers/eos/Dialect.ts"
import { timeoutsFor } from "../../../src/drivers/ssh/Cli.ts"
import { timerFor } from "../../../src/jobs/sync/ChangeCalls.ts"

it.each([
  [0, 300],
  [10_000, 300],
  [10_001, 301],
  [50_000, 700]
])("gives the commit timer of %i lines %i seconds", (lines, seconds) => {
  expect(timerFor(300, lines)).toBe(seconds)
})

it("gives a switch more time for silent computation, by the lines of its configuration", () => {
  const { timeouts, linesPerSecond } = dialect
  expect(timeoutsFor(timeouts, 249, linesPerSecond)).toEqual(timeouts)
  expect(timeoutsFor(timeouts, 50_000, linesPerSecond)).toEqual({
    ...timeouts,
    runningConfig: timeouts.runningConfig + 200,
    load: timeouts.load + 200,
    commit: timeouts.commit + 200,
    save: timeouts.save + 200
  })
})
