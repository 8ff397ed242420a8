import { assert, describe, it } from "@effect/vitest"
import { YamlFloat } from "../../src/settings/PythonText.ts"
import { MAX_YAML_LENGTH, readYaml, unreadableText } from "../../src/settings/YamlFile.ts"
import { failure, success } from "./repository.ts"

const read = (text: string) => success(readYaml("global/x.yml", text)).value
const refuse = (text: string) => unreadableText(failure(readYaml("global/x.yml", text)))

const SCALARS: ReadonlyArray<readonly [text: string, value: unknown]> = [
  ...["yes", "Yes", "YES", "on", "true", "True"].map((text) => [text, true] as const),
  ...["no", "NO", "off", "Off", "false", "FALSE"].map((text) => [text, false] as const),
  ...["y", "n", "Y", "N", "tRUE", "1e3", "1.5e3", "089", "08", "0o10", "12:75", "00:11:22:33:44:55"].map(
    (text) => [text, text] as const
  ),
  ["010", 8],
  ["-0x1F", -31],
  ["0b101", 5],
  ["1_000", 1000],
  ["12:30:45", 45_045],
  ["~", null],
  ["null", null],
  ["", null],
  ["13.0", new YamlFloat(13)],
  ["1.5e+3", new YamlFloat(1500)],
  [".inf", new YamlFloat(Number.POSITIVE_INFINITY)],
  ["65000.1", new YamlFloat(65_000.1)],
  ["2020-01-01", new Date("2020-01-01T00:00:00Z")],
  ["'yes'", "yes"],
  ['"010"', "010"],
  ["!!str 010", "010"],
  ["10.0.0.1", "10.0.0.1"],
  ["2:10", 130]
]

describe("a YAML file", () => {
  for (const [text, value] of SCALARS) {
    it(`reads ${JSON.stringify(text)} as the loader that the repositories were written for`, () => {
      assert.deepStrictEqual(read(`a: ${text}\n`), new Map([["a", value]]))
    })
  }

  it("keeps the order of keys, numbers included", () => {
    assert.deepStrictEqual(
      read("500: a\n30: b\nx: c\n"),
      new Map<unknown, unknown>([
        [500, "a"],
        [30, "b"],
        ["x", "c"]
      ])
    )
  })

  it("merges << with own keys winning and the first of several sources winning", () => {
    const text = "a: &a {x: 1, y: 1}\nb: &b {x: 2, z: 2}\nc: {y: 3, <<: [*a, *b]}\n"
    const value = read(text)
    assert.deepStrictEqual(
      value instanceof Map ? value.get("c") : value,
      new Map([
        ["x", 1],
        ["z", 2],
        ["y", 3]
      ])
    )
  })

  it("is nothing when it is empty, holds comments only or {}", () => {
    assert.isNull(read(""))
    assert.isNull(read("---\n"))
    assert.isNull(read("# nothing\n"))
    assert.deepStrictEqual(read("---\n{}\n"), new Map())
  })

  it("takes the last of two equal keys and says so", () => {
    const file = success(readYaml("global/x.yml", "a: 1\nb: 2\na: 3\n"))
    assert.deepStrictEqual(
      file.value,
      new Map([
        ["a", 3],
        ["b", 2]
      ])
    )
    assert.deepStrictEqual(file.warnings, [
      { file: "global/x.yml", line: 3, column: 1, path: "a", message: "key a is given more than once" }
    ])
  })

  it("names file, line and column of an unreadable place", () => {
    assert.match(refuse("a: 1\nb: [1, 2\n"), /^Could not parse global\/x\.yml, line 3, column 1: /)
    assert.match(refuse("a: 1\n\tb: 2\n"), /^Could not parse global\/x\.yml, line 2, column 1: /)
    assert.strictEqual(refuse("a: *b\n"), "Could not parse global/x.yml, line 1, column 4: found undefined alias 'b'")
    assert.strictEqual(
      refuse("a: &b [*b]\n"),
      "Could not parse global/x.yml, line 1, column 8: found recursive alias 'b'"
    )
    assert.strictEqual(refuse("? [1]\n: 2\n"), "Could not parse global/x.yml, line 1, column 3: found unhashable key")
    assert.include(refuse("a: !!python/object/apply:os.system ['x']\n"), "Unresolved tag")
    assert.include(refuse("a: 1\n---\nb: 2\n"), "line 2, column 1: expected a single document")
  })

  it("is refused when it is a bomb of aliases, of depth or of size", () => {
    const levels = Array.from({ length: 12 }, (_, level) =>
      level === 0
        ? "l0: &l0 [x, x, x, x, x, x, x, x, x, x]"
        : `l${level}: &l${level} [${Array(10)
            .fill(`*l${level - 1}`)
            .join(", ")}]`
    )
    assert.include(refuse(`${levels.join("\n")}\n`), "more than 500000 values after following aliases")
    const wide = `a: &a [${Array(5000).fill("1").join(", ")}]\nb: [${Array(5000).fill("*a").join(", ")}]\n`
    assert.include(refuse(wide), "more than 500000 values after following aliases")
    for (const open of ["[", "{a: ", "- ", "? "]) assert.include(refuse(open.repeat(50_000)), "Could not parse")
    assert.include(
      refuse(`${"a:\n".repeat(1)}${Array.from({ length: 150 }, (_, i) => `${" ".repeat(i)}a:`).join("\n")}`),
      "deeper than 100"
    )
    assert.include(refuse("x".repeat(MAX_YAML_LENGTH + 1)), "longer than")
  })
})
