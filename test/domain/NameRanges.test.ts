/** Names of many devices in few words. */
import { expect, it } from "@effect/vitest"
import { foldNames } from "../../src/domain/NameRanges.ts"

const numbered = (count: number, name: (at: number) => string) =>
  Array.from({ length: count }, (_, index) => name(index + 1))

it.each([
  { names: [], text: "" },
  { names: ["lhv-core1"], text: "lhv-core1" },
  { names: ["lhv-acc2", "lhv-acc1"], text: "lhv-acc1, lhv-acc2" },
  { names: numbered(40, (at) => `lhv-s-acc${at}`), text: "lhv-s-acc1 to lhv-s-acc40" },
  { names: numbered(12, (at) => `a${String(at).padStart(2, "0")}`), text: "a01 to a12" },
  { names: ["a1", "a2", "a3", "a5", "b", "c1-x", "c2-x", "c3-x"], text: "a1 to a3, a5, b, c1-x to c3-x" },
  { names: ["a9", "a010", "a011"], text: "a9, a010, a011" },
  { names: ["a1", "a1", "a2", "a3"], text: "a1 to a3" },
  { names: ["a1", "c1", "e1", ...numbered(5, (at) => `g${at}`)], most: 2, text: "a1, c1, and 6 more" }
])("folds $names", ({ most, names, text }) => {
  expect(foldNames(names, most)).toBe(text)
})
