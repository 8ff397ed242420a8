/** What a check says of a device without a change: it holds, would fail, needs a change, or could not be read. */
import { describe, expect, it } from "@effect/vitest"
import { Result } from "effect"
import type { Check, Condition } from "../../../src/domain/checks/Check.ts"
import type { Reading } from "../../../src/domain/checks/Readings.ts"
import { tried, withoutCommit } from "../../../src/domain/checks/TriedChecks.ts"

const check = (condition: Condition, more: Partial<Check> = {}): Check => ({
  name: "sessions",
  description: null,
  for: { groups: null, device_types: null, platforms: null },
  when_diff: null,
  question: { reads: "bgp" },
  only: null,
  where: { is_established: true },
  condition,
  settle: 0,
  within: 30,
  before: "warn",
  also_neighbours: false,
  set: null,
  ...more
})

const session = (is_established: boolean) => ({
  state: is_established ? ("established" as const) : ("idle" as const),
  is_established,
  prefixes_received: 1,
  asn: 65_001
})
const READING: Reading = {
  reads: "bgp",
  items: { "default 10.0.0.1": session(true), "default 10.0.0.3": session(false) }
}

describe("a check that is tried", () => {
  it.each<[Condition, string, string]>([
    [{ must: "at_least", count: 1, of: null }, "holds", "now 1 BGP session with is_established true"],
    [
      { must: "at_least", count: 2, of: null },
      "fails",
      "now 1 BGP session with is_established true, but there must be at least 2"
    ],
    [{ must: "no_lost" }, "compares", "only a change decides, because it compares with what was before"]
  ])("says of %o that it %s", (condition, end, why) => {
    const found = tried(check(condition), Result.succeed(READING), null)
    expect(found).toMatchObject({ end, now: "1 BGP session with is_established true", why })
  })

  it("could not be read if the device did not answer: unknown is not success", () => {
    const found = tried(
      check({ must: "no_lost" }),
      Result.fail({ type: "ConnectionException", message: "refused" }),
      null
    )
    expect(found).toMatchObject({ end: "unread", now: null, why: "could not be read: ConnectionException: refused" })
  })

  it("has nothing to read in the log, which is read from a commit on", () => {
    const ofLog = check({ must: "no_new" }, { question: { reads: "log", severity: "error" }, where: {} })
    expect(withoutCommit(ofLog)).toMatchObject({ end: "compares", now: null })
  })
})
