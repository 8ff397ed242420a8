/** Paths in JSON answers: what they find, and that a step which finds nothing is an error. */
import { describe, expect, it } from "@effect/vitest"
import { Result } from "effect"
import { parseJsonPath, valuesAt } from "../../../src/domain/checks/JsonPath.ts"

const ANSWER = {
  status: "ok",
  data: { alerts: [{ name: "a" }, { name: "b" }], "odd name": { "it's": 1 }, none: [], sites: { lhv: 3, mlm: 4 } }
}

const found = (path: string, answer: unknown = ANSWER) =>
  Result.match(
    Result.flatMap(parseJsonPath(path), (steps) => valuesAt(answer, steps)),
    { onFailure: (why) => why, onSuccess: (values) => values.map(({ place, value }) => [place, value]) }
  )

describe("a path", () => {
  it.each<[string, ReadonlyArray<readonly [string, unknown]>]>([
    ["$.status", [["$.status", "ok"]]],
    ["$.data.alerts[1].name", [["$.data.alerts[1].name", "b"]]],
    [
      "$.data.alerts[*].name",
      [
        ["$.data.alerts[0].name", "a"],
        ["$.data.alerts[1].name", "b"]
      ]
    ],
    [
      "$.data.sites.*",
      [
        ["$.data.sites.lhv", 3],
        ["$.data.sites.mlm", 4]
      ]
    ],
    [String.raw`$.data['odd name']['it\'s']`, [[String.raw`$.data['odd name']['it\'s']`, 1]]],
    ["$.data.none[*]", []],
    ["$.data.none[*].name", []]
  ])("%s finds its values with their places", (path, values) => {
    expect(found(path)).toEqual(values)
  })

  it("is the whole answer with $ alone", () => {
    expect(found("$", 7)).toEqual([["$", 7]])
  })

  it.each([
    ["$.data.alertz[*]", "$.data.alertz is missing"],
    ["$.data.alerts[2]", "$.data.alerts[2] is missing"],
    ["$.data.alerts[*].nam", "$.data.alerts[0].nam is missing"],
    ["$.data.sites[*]", "$.data.sites is an object, not a list"],
    ["$.data.alerts.*", "$.data.alerts is a list, not an object"],
    ["$.status.code", "$.status is a string, not an object"],
    ["$.data.toString", "$.data.toString is missing"]
  ])("%s that finds nothing says where it ends", (path, why) => {
    expect(found(path)).toBe(why)
  })

  it.each([
    "",
    "data",
    "$data",
    "$..name",
    "$.a[?(@.b)]",
    "$.a[-1]",
    "$.a[1:2]",
    "$.a-b",
    "$[name]",
    `$${".a".repeat(21)}`
  ])("%s is refused, because it has no meaning here", (path) => {
    expect(Result.isFailure(parseJsonPath(path))).toBe(true)
  })
})
