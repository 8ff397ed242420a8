/** What must hold: the reading before a change and the one after it, and the sentence that a person reads. */
import { describe, expect, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import type { Check, Condition } from "../../../src/domain/checks/Check.ts"
import { judge, judgeBefore, MOST_ITEMS, type Sample, sampleOf } from "../../../src/domain/checks/Conditions.ts"
import type { Reading } from "../../../src/domain/checks/Readings.ts"

const check = (condition: Condition, more: Partial<Check> = {}): Check => ({
  name: "check",
  description: null,
  for: { groups: null, device_types: null, platforms: null },
  when_diff: null,
  question: { reads: "bgp" },
  only: null,
  where: {},
  condition,
  settle: 10,
  within: 30,
  before: "warn",
  also_neighbours: false,
  set: null,
  ...more
})

const session = (is_established: boolean, prefixes_received: number | null = 10) => ({
  state: is_established ? "established" : "active",
  is_established,
  prefixes_received,
  asn: 65_001
})

type Sessions = Readonly<Record<string, ReturnType<typeof session>>>
const bgp = (items: Sessions): Reading => ({ reads: "bgp", items })

const both: Sessions = { "default 10.0.0.1": session(true), "default 10.0.0.3": session(true) }
const one: Sessions = { "default 10.0.0.1": session(true), "default 10.0.0.3": session(false, 0) }
const UP = { where: { is_established: true } }

const sample = (of: Check, reading: Reading): Sample => Result.getOrThrow(sampleOf(of, reading, null))
const judged = (of: Check, before: Reading, now: Reading) => judge(of, sample(of, before), sample(of, now))

describe("a condition that compares with the reading of before", () => {
  it.each<[string, Check, boolean, Sessions, Sessions]>([
    ["no_lost", check({ must: "no_lost" }, UP), true, both, both],
    ["no_lost", check({ must: "no_lost" }, UP), false, both, one],
    ["no_lost", check({ must: "no_lost" }), true, both, one],
    ["no_lost of nothing", check({ must: "no_lost" }), true, {}, {}],
    ["no_lost of nothing that is up", check({ must: "no_lost" }, UP), true, {}, both],
    ["no_new", check({ must: "no_new" }, UP), false, one, both],
    ["no_new", check({ must: "no_new" }, UP), true, both, one],
    ["equal", check({ must: "equal", fields: [] }), false, both, one],
    ["equal", check({ must: "equal", fields: ["asn"] }), true, both, one],
    ["at_least_share", check({ must: "at_least_share", percent: 50, of: null }, UP), true, both, one],
    ["at_least_share", check({ must: "at_least_share", percent: 51, of: null }, UP), false, both, one],
    ["at_least_share", check({ must: "at_least_share", percent: 90, of: "prefixes_received" }), false, both, one],
    ["grows_at_most", check({ must: "grows_at_most", field: "prefixes_received", by: 5 }), true, both, one],
    ["grows_at_most", check({ must: "grows_at_most", field: "prefixes_received", by: 5 }), false, one, both]
  ])("%s is judged by both", (_name, of, held, before, now) => {
    expect(judged(of, bgp(before), bgp(now)).held).toBe(held)
  })

  it("says in one sentence what was before, what is now, and what is gone", () => {
    const { sentence } = judged(check({ must: "no_lost" }, UP), bgp(both), bgp(one))
    expect(sentence).toBe(
      "before 2 BGP sessions with is_established true, now 1 BGP session with is_established true (gone: default 10.0.0.3), but none may be gone"
    )
  })

  it("is not judged without that reading, and so never holds by chance", () => {
    const of = check({ must: "no_lost" })
    expect(judge(of, null, sample(of, bgp(both))).held).toBe(null)
    expect(judgeBefore(of, sample(of, bgp(both)))).toBe(null)
  })
})

describe("a condition that stands for itself", () => {
  it.each<[string, Condition, boolean | null, Sessions]>([
    ["at_least", { must: "at_least", count: 2, of: null }, true, both],
    ["at_least", { must: "at_least", count: 3, of: null }, false, both],
    ["at_most", { must: "at_most", count: 1, of: null }, false, both],
    ["at_least", { must: "at_least", count: 20, of: "prefixes_received" }, true, both],
    ["every", { must: "every", values: { is_established: true } }, false, one],
    ["every", { must: "every", values: { is_established: true } }, true, both],
    ["every", { must: "every", values: { is_established: true } }, true, {}],
    ["within", { must: "within", field: "prefixes_received", least: 1, most: null }, false, one],
    ["within", { must: "within", field: "prefixes_received", least: null, most: 10 }, true, both],
    ["within", { must: "within", field: "prefixes_received", least: 1, most: 10 }, null, { a: session(true, null) }],
    ["at_least", { must: "at_least", count: 1, of: "prefixes_received" }, null, { a: session(true, null) }]
  ])("%s needs the reading of after only", (_name, condition, held, now) => {
    const of = check(condition)
    expect(judge(of, null, sample(of, bgp(now))).held).toBe(held)
    expect(judgeBefore(of, sample(of, bgp(now)))?.held).toBe(held)
  })
})

describe("what a check looks at", () => {
  it("is limited by the names of items, by the ports of a role, and by their fields", () => {
    const interfaces: Reading = {
      reads: "interfaces",
      items: {
        Ethernet1: { is_up: true, is_enabled: true },
        Ethernet2: { is_up: false, is_enabled: true },
        Management1: { is_up: true, is_enabled: true }
      }
    }
    const of = check(
      { must: "no_lost" },
      { question: { reads: "interfaces" }, only: "^Ethernet", where: { is_up: true } }
    )
    expect(Object.keys(sample(of, interfaces).items)).toEqual(["Ethernet1"])
    const ports = Result.getOrThrow(sampleOf({ ...of, where: {}, only: null }, interfaces, new Set(["Ethernet2"])))
    expect(Object.keys(ports.items)).toEqual(["Ethernet2"])
  })

  it("is refused when it is too much to be kept", () => {
    const items = Object.fromEntries(
      Array.from({ length: MOST_ITEMS + 1 }, (_, at) => [`default ${at}`, session(true)])
    )
    expect(Result.isFailure(sampleOf(check({ must: "no_lost" }), bgp(items), null))).toBe(true)
  })

  it("is unknown where no item of another system has a field that is asked for", () => {
    const question = {
      reads: "http",
      url: "https://mon.example.org/",
      query: {},
      path: "$[*]",
      name: ["n"],
      numbers: false
    } as const
    const alerts = { items: { a: { n: "a", level: "high" }, b: { n: "b" } } }
    const of = (where: Check["where"]) => check({ must: "at_most", count: 0, of: null }, { question, where })
    expect(Result.isFailure(sampleOf(of({ levle: "high" }), alerts, null))).toBe(true)
    expect(Result.getOrThrow(sampleOf(of({ level: "high" }), alerts, null)).total).toBe(1)
    expect(Result.getOrThrow(sampleOf(of({ level: "high" }), { items: {} }, null)).total).toBe(0)
    const unknown = check({ must: "within", field: "n", least: 1, most: null }, { question })
    const judged = judge(unknown, null, Result.getOrThrow(sampleOf(unknown, alerts, null)))
    expect(judged).toMatchObject({ held: null, now: "a n a; b n b" })
    const texts = { items: { a: { n: "x".repeat(200_000) } } }
    expect(Result.isFailure(sampleOf(check({ must: "equal", fields: [] }, { question }), texts, null))).toBe(true)
  })

  it("counts routes and not the protocols that they come from", () => {
    const routes = (count: number): Reading => ({ reads: "routes", items: { "default bgp": { count } } })
    const of = check({ must: "at_least_share", percent: 90, of: null }, { question: { reads: "routes" } })
    expect(judged(of, routes(100), routes(89))).toMatchObject({ held: false, before: "100 routes", now: "89 routes" })
    expect(judged(of, routes(100), routes(90)).held).toBe(true)
  })

  it("tells the messages of a log and not their numbers", () => {
    const log: Reading = { reads: "log", items: { "1": { severity: "error", message: "fan 2 failed", at: null } } }
    const of = check({ must: "no_new" }, { question: { reads: "log", severity: "error" } })
    expect(judge(of, null, sample(of, log))).toMatchObject({ held: false })
    expect(judge(of, null, sample(of, log)).sentence).toContain("fan 2 failed")
  })
})

const Names = Schema.Array(Schema.Literals(["a", "b", "c", "d"]))
const sessionsOf = (names: ReadonlyArray<string>): Sessions =>
  Object.fromEntries(names.map((name) => [name, session(true)]))

it.prop("a state that has not changed fulfils every comparison", { names: Names }, ({ names }) => {
  const reading = bgp(sessionsOf(names))
  const conditions: ReadonlyArray<Condition> = [
    { must: "no_lost" },
    { must: "no_new" },
    { must: "equal", fields: [] },
    { must: "at_least_share", percent: 100, of: null },
    { must: "grows_at_most", field: "prefixes_received", by: 0 }
  ]
  for (const condition of conditions) expect(judged(check(condition), reading, reading).held).toBe(true)
})

it.prop("no_lost fails exactly if a name of before is missing", { before: Names, now: Names }, ({ before, now }) => {
  const { held } = judged(check({ must: "no_lost" }), bgp(sessionsOf(before)), bgp(sessionsOf(now)))
  expect(held).toBe(before.every((name) => now.includes(name)))
})
