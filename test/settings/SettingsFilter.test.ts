import { assert, describe, it } from "@effect/vitest"
import { filterFile, mentionsIn } from "../../src/settings/SettingsFile.ts"
import { readYaml } from "../../src/settings/YamlFile.ts"
import { failure, success } from "./repository.ts"

const parse = (yaml: string): Map<unknown, unknown> => {
  const { value } = success(readYaml("x.yml", yaml))
  return value instanceof Map ? value : new Map()
}

const audience = { groups: new Set(["A", "B"]), hostname: "sw1" }
const filtered = (yaml: string, hostname: string | undefined = "sw1") =>
  success(filterFile(parse(yaml), { ...audience, hostname }))

describe("a file for a device", () => {
  const CASES: ReadonlyArray<readonly [sentence: string, given: string, kept: string]> = [
    ["keeps what names one of its groups", "x: {m: {groups: [Z, A], v: 1}}", "x: {m: {groups: [Z, A], v: 1}}"],
    ["drops what names other groups only", "x: {m: {groups: [Z], v: 1}, n: {v: 2}}", "x: {n: {v: 2}}"],
    ["keeps what names the device", "x: {m: {devices: [sw1], v: 1}}", "x: {m: {devices: [sw1], v: 1}}"],
    ["drops what names other devices", "x: {m: {devices: [sw2], v: 1}, n: 1}", "x: {n: 1}"],
    [
      "keeps what names both when one matches",
      "x: [{groups: [Z], devices: [sw1]}]",
      "x: [{groups: [Z], devices: [sw1]}]"
    ],
    ["takes empty lists of names as everybody", "x: [{groups: [], devices: null}]", "x: [{groups: [], devices: null}]"],
    ["drops empty and falsy elements of lists", "x: [1, 0, '', null, no, {}, [], [0], a]", "x: [1, a]"],
    ["drops a key that has become empty, keeps one that was", "x: {m: {groups: [Z]}}\ny: {}\nz: ''", "y: {}\nz: ''"],
    ["looks into every depth", "x: {a: {b: [{c: {groups: [Z]}, d: 1}]}}", "x: {a: {b: [{d: 1}]}}"]
  ]
  for (const [sentence, given, kept] of CASES) {
    it(sentence, () => assert.deepStrictEqual(filtered(given), parse(kept)))
  }

  it("has no meaning for devices without a hostname", () => {
    const text = "x: {m: {devices: [sw2], v: 1}}"
    assert.deepStrictEqual(
      success(filterFile(parse(text), { groups: audience.groups, hostname: undefined })),
      parse(text)
    )
  })

  it("drops everything when the file as a whole is for other devices", () => {
    assert.deepStrictEqual(filtered("groups: [Z]\nx: 1"), new Map())
  })

  it("keeps the identity of unchanged parts", () => {
    const data = parse("x: {groups: [A], v: [1, 2]}\ny: [{groups: [Z]}]")
    const kept = success(filterFile(data, audience))
    assert.strictEqual(kept.get("x"), data.get("x"))
    assert.isFalse(kept.has("y"))
  })

  it("must hold lists below groups and devices", () => {
    assert.strictEqual(
      failure(filterFile(parse("x: {groups: abc, v: 1}"), audience)),
      "Groups field must be a list or empty (currently str) in: {'groups': 'abc', 'v': 1}"
    )
    assert.strictEqual(
      failure(filterFile(parse("x: {devices: 5}"), audience)),
      "Devices field must be a list or empty (currently int) in: {'devices': 5}"
    )
  })

  it("names its dependencies", () => {
    const { devices, groups } = mentionsIn(parse("x: [{groups: [A, B], devices: [sw1]}, {y: {groups: [C, A]}}]"))
    assert.deepStrictEqual(groups, ["A", "B", "C"])
    assert.deepStrictEqual([...devices], ["sw1"])
  })
})
