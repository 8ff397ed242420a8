/** Which configuration first had each line. */
import { assert, it } from "@effect/vitest"
import { blame } from "../../../src/http/changes/StoredConfigs.ts"

const origins = (...texts: ReadonlyArray<string>) => blame(texts).map(({ origin }) => origin)

const cases: ReadonlyArray<
  readonly [name: string, newestFirst: ReadonlyArray<string>, origins: ReadonlyArray<number>]
> = [
  ["all lines to the only one", ["a\nb\n"], [0, 0]],
  ["no lines of an empty one", ["", "a\n"], []],
  ["to the first in a row, whatever lies between", ["a\nb\nc\n", "a\nb\n", "a\nb\n", "a\n"], [3, 2, 0]],
  ["to the one that brought it back", ["a\nb\n", "a\n", "a\nb\n"], [2, 0]],
  ["to the same one where lines before it come and go", ["x\na\n", "y\nz\na\n", "a\n"], [0, 2]],
  ["a line twice, each by its place", ["a\n!\nb\n!\n", "a\n!\n"], [1, 1, 0, 0]],
  ["alike with and without an end of line at the end", ["a\nb", "a\n", "a"], [2, 0]]
]

it.each(cases)("blames %s", (_, texts, wanted) => {
  assert.deepStrictEqual(origins(...texts), wanted)
})
