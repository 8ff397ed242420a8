/** The place of a value is found by the keys that lead to it, whatever way the file is written. */
import { assert, describe, it } from "@effect/vitest"
import { placesIn } from "../../src/settings/SettingsProblem.ts"

const TEXT = `---
base: &base
  host: a
  port: 1
list:
  - <<: *base
    port: 2
  - *base
  - {host: b, port: 3}
twice: 1
twice: 2
10: ten
~: nothing
"quoted key": x
empty:
block:
  deep:
    - - 1
      - 2
`

describe("placesIn", () => {
  const CASES: ReadonlyArray<readonly [path: ReadonlyArray<unknown>, line: number, column: number]> = [
    [["base"], 2, 1],
    [["base", "host"], 3, 9],
    [["list", 0, "host"], 3, 9],
    [["list", 0, "port"], 7, 11],
    [["list", 1, "port"], 4, 9],
    [["list", 2, "port"], 9, 21],
    [["twice"], 11, 8],
    [[10], 12, 5],
    [["None"], 13, 4],
    [["quoted key"], 14, 15],
    [["empty"], 15, 1],
    [["block", "deep", 0, 1], 19, 9]
  ]
  for (const [path, line, column] of CASES) {
    it(`finds ${path.join("->")}`, () => {
      assert.deepEqual(placesIn(TEXT)(path), { line, column, exact: true })
    })
  }

  it("finds the last value on the path to a missing one, and says so", () => {
    assert.deepEqual(placesIn(TEXT)(["list", 2, "vlan"]), { line: 9, column: 5, exact: false })
    assert.deepEqual(placesIn(TEXT)(["list", 7]), { line: 5, column: 1, exact: false })
  })

  it("finds the key instead of its value on request", () => {
    assert.deepEqual(placesIn(TEXT)(["twice"], true), { line: 11, column: 1, exact: true })
    assert.deepEqual(placesIn(TEXT)(["list", 2, "port"], true), { line: 9, column: 15, exact: true })
  })

  it("finds nothing in a text that is not YAML, and ends for aliases of themselves", () => {
    assert.isUndefined(placesIn("a: [")(["a"]))
    assert.isDefined(placesIn("a: &a\n  <<: *a\n  b: 1\n")(["a", "c"]))
    assert.isDefined(placesIn("a: &a [*a]\n")(["a", 0, 0, 0]))
  })
})
