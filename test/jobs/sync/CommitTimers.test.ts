import { assert, expect, it } from "@effect/vitest"
import { EXPIRY_MARGIN_SECONDS } from "../../../machines/change/ChangeSetup.ts"
import { timerSeconds } from "../../../src/domain/platforms/Platform.ts"
import { capabilitiesOf, platforms } from "../../../src/domain/platforms/Platforms.ts"
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

it.each([
  [90, 120],
  [120, 120],
  [121, 180],
  [5, 120]
])("gives a platform that counts minutes, two at least, for %i seconds a timer of %i", (wanted, seconds) => {
  expect(timerSeconds({ step: 60, least: 120 }, wanted)).toBe(seconds)
})

it("gives a platform that counts seconds exactly what is wanted", () => {
  for (const platform of ["eos", "frr"]) {
    const rules = capabilitiesOf({ platform })?.timer ?? false
    const given = [5, 299, 3_600].map((wanted) => rules !== false && timerSeconds(rules, wanted))
    expect(given).toEqual([5, 299, 3_600])
  }
})

it("has no platform that is later in taking a change back than a change waits for", () => {
  for (const { capabilities } of platforms) {
    const rules = capabilities?.timer ?? false
    if (rules !== false) {
      expect(rules.least % rules.step).toBe(0)
      assert.isBelow(rules.late ?? 0, EXPIRY_MARGIN_SECONDS)
    }
  }
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
