/** The ready sets that a site includes: their form, what they read, and their place in the manual. */
import { describe, expect, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import * as path from "node:path"
import { comparesBefore } from "../../../src/domain/checks/Check.ts"
import { readCheckFile } from "../../../src/domain/checks/CheckFile.ts"
import { readySets } from "../../../src/domain/checks/ReadySets.ts"
import { capabilitiesOf } from "../../../src/domain/platforms/Platforms.ts"
import { readChecks } from "../../../src/templates/ChecksFile.ts"

const root = path.resolve(import.meta.dirname, "../../..")
const names = Object.keys(readySets)

describe("ready sets", () => {
  it.each(names)("has no mistake in %s, and names its checks after the set", (name) => {
    const { checks, faults } = readCheckFile({ checks: readySets[name] }, {})
    expect(faults).toEqual([])
    expect(checks.length).toBeGreaterThan(0)
    for (const check of checks) expect(check.name.startsWith(`${name}-`), check.name).toBe(true)
  })

  it.each(names)(
    "reads in %s only what the drivers of its platforms can read, and says in words what it checks",
    (name) => {
      for (const check of readCheckFile({ checks: readySets[name] }, {}).checks) {
        expect(check.description, check.name).not.toBeNull()
        for (const platform of check.for.platforms ?? []) {
          expect(capabilitiesOf({ platform })?.reads, `${check.name} on ${platform}`).toContain(check.question.reads)
        }
      }
    }
  )

  it.each(names)("ends the checks of %s within the shortest usual commit timer", (name) => {
    // a timer of two minutes leaves 96 seconds, which no check but that of the clock needs
    for (const check of readCheckFile({ checks: readySets[name] }, {}).checks) {
      expect(check.settle + check.within, check.name).toBeLessThanOrEqual(check.question.reads === "ntp" ? 120 : 60)
    }
  })

  it.each(names)("keeps no new switch in INIT by %s, because nothing was read before", (name) => {
    const alone = readCheckFile({ checks: readySets[name] }, {}).checks.filter(
      ({ condition, when_diff }) => when_diff === null && !comparesBefore(condition)
    )
    expect(alone).toEqual([])
  })

  it("are included together, and no check replaces one of another set", () => {
    const { checks, problems } = readChecks(`include: [${names.join(", ")}]\n`)
    expect(problems).toEqual([])
    expect(new Set(checks.map(({ check }) => check.set))).toEqual(new Set(names))
    expect(checks).toHaveLength(Object.values(readySets).flatMap((set) => Object.keys(Object(set))).length)
  })

  it("has every check of the sets in the manual", () => {
    const manual = readFileSync(path.join(root, "docs/checks.md"), "utf8")
    for (const { name } of names.flatMap((set) => readCheckFile({ checks: readySets[set] }, {}).checks)) {
      expect(manual).toContain(`\`${name}\``)
    }
  })
})
