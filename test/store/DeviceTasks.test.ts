/** The lines that hide secrets, from which the shown form of a configuration is made when it is read. */
import { assert, describe, it } from "@effect/vitest"
import { hiddenLines, shownText } from "../../src/store/DeviceTasks.ts"

const cases: ReadonlyArray<readonly [what: string, clear: string, shown: string, hidden: unknown]> = [
  ["nothing, if no line holds a secret", "hostname a\nvlan 2\n", "hostname a\nvlan 2\n", null],
  [
    "single lines",
    "hostname a\nsecret x\nvlan 2\nkey y",
    "hostname a\nsecret *\nvlan 2\nkey *",
    [
      [1, 1, "secret *"],
      [3, 1, "key *"]
    ]
  ],
  ["a secret of several lines", "a\nkey 1\nkey 2\nb\n", "a\n*\nb\n", [[1, 2, "*"]]],
  ["a secret that is the whole text", "x\ny", "*", [[0, 2, "*"]]],
  ["a secret at the end", "a\nx\ny", "a\n*", [[1, 2, "*"]]],
  ["a line between equal ones", "x\nx\na", "x\na", [[1, 2, "a"]]],
  ["an empty text", "", "", null]
]

describe("the lines that are hidden", () => {
  it.each(cases)("are %s", (_, clear, shown, hidden) => {
    assert.deepStrictEqual(hiddenLines(clear, shown), hidden)
    assert.strictEqual(shownText(clear, hiddenLines(clear, shown)), shown)
  })

  it("bring back the shown text, whatever it is", () => {
    const words = ["", "a", "b", "secret", "*", "a b"]
    let seed = 7
    const next = (below: number) => (seed = (seed * 16_807) % 2_147_483_647) % below
    const text = () => Array.from({ length: next(6) }, () => words[next(words.length)]).join("\n")
    for (let turn = 0; turn < 5_000; turn++) {
      const [clear, shown] = [text(), text()]
      assert.strictEqual(shownText(clear, hiddenLines(clear, shown)), shown, JSON.stringify({ clear, shown }))
    }
  })
})
