import { assert, describe, it } from "@effect/vitest"
import { RE2JS } from "re2js"
import { regexSize } from "../../src/jinja/library/Regex.ts"
import { randomOf } from "../support/Random.ts"

const sizes: ReadonlyArray<readonly [pattern: string, least: number, most: number]> = [
  ["", 0, 0],
  ["abc", 3, 3],
  ["a{1000}", 1000, 1001],
  ["a{2,1000}b", 1001, 1002],
  ["(ab){10}", 20, 50],
  ["((a{10}){10}){10}", 1000, 2000],
  ["[a-z\\]{9}]{7}", 7, 8],
  ["[]a{9}]{7}", 7, 8],
  ["\\x{41}\\p{L}", 2, 2],
  ["a\\{1000}", 2, 8],
  ["a{,5}{x}", 3, 12],
  ["a{1000}".repeat(100), 100_000, 101_000],
  ["(".repeat(1000), 1000, 1000],
  ["(a{999}".repeat(100), 99_900, 101_000]
]

describe("The size of a regular expression", () => {
  for (const [pattern, least, most] of sizes) {
    it(`of ${JSON.stringify(pattern.slice(0, 30))} is between ${least} and ${most}`, () => {
      assert.isAtLeast(regexSize(pattern), least)
      assert.isAtMost(regexSize(pattern), most)
    })
  }

  it("is never much smaller than the compiled program, whatever the expression", () => {
    const random = randomOf(4711)
    const pieces = [
      "a",
      ".",
      "[a-z]",
      "\\d",
      "(a|b)",
      "a{3}",
      "x{2,7}",
      "b*",
      "c+",
      "d?",
      "\\x{41}",
      "|",
      "(?:ef)",
      "\\{"
    ]
    const make = (depth: number): string => {
      const parts = Array.from({ length: 1 + Math.floor(random() * 5) }, () =>
        depth > 0 && random() < 0.3
          ? `(${make(depth - 1)})${["", "*", "{2}", "{1,4}", "{3,}"][Math.floor(random() * 5)] ?? ""}`
          : (pieces[Math.floor(random() * pieces.length)] ?? "")
      )
      return parts.join("")
    }
    for (let round = 0; round < 2_000; round++) {
      const pattern = make(3)
      const program = RE2JS.compile(pattern).programSize()
      assert.isAtMost(program, 3 * regexSize(pattern) + 10, pattern)
    }
  })
})
