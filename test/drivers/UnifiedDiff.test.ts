import { describe, expect, it } from "@effect/vitest"
import { Option, Schema, TextDiff } from "effect"
import { eos } from "../../src/domain/platforms/eos/Platform.ts"
import * as UnifiedDiff from "../../src/drivers/UnifiedDiff.ts"

const Line = Schema.Literals(["vlan 10", "   name users", "", "- 5 permit", "+x", "@@ -1 +1 @@", "\\ odd", "end"])
const Text = Schema.Array(Line)

const hunks = (before: string, after: string): string =>
  TextDiff.unified(TextDiff.lines(before, after), { fromFile: "old", toFile: "new" }).replace(
    /^--- .*\n\+\+\+ .*\n/,
    ""
  )

describe("a unified diff", () => {
  it.prop("turns the old text into the new one", { before: Text, after: Text }, ({ after, before }) => {
    const [from, to] = [before, after].map((lines) => `${lines.join("\n")}\nlast\n`)
    expect(UnifiedDiff.apply(from ?? "", hunks(from ?? "", to ?? "").trimEnd())).toEqual(Option.some(to))
  })

  it("is found although the lines have moved, and fits exactly or not at all", () => {
    const diff = "@@ -1,2 +1,2 @@\n a\n-b\n+c"
    expect(UnifiedDiff.apply("x\ny\na\nb\nz", diff)).toEqual(Option.some("x\ny\na\nc\nz"))
    expect(UnifiedDiff.apply("x\na\nB\nz", diff)).toEqual(Option.none())
  })

  it.each(["what is this", "@@ -1 +1 @@\n-a\n+b\n% Invalid input"])("is not any other text, such as %j", (text) => {
    expect(UnifiedDiff.apply("a", text)).toEqual(Option.none())
  })

  it("may concern hundreds of thousands of lines", () => {
    const lines = Array.from({ length: 300_000 }, (_, index) => `   line ${index}`)
    const text = ["first", ...lines, "last"].join("\n")
    const added = lines.map((line) => `+${line}`).join("\n")
    expect(UnifiedDiff.apply("first\nlast", `@@ -1,2 +1,300002 @@\n first\n${added}\n last`)).toEqual(Option.some(text))
    expect(UnifiedDiff.apply(text, "@@ -300002 +300002 @@\n-last\n+end")).toEqual(
      Option.some(["first", ...lines, "end"].join("\n"))
    )
  })

  it("is applied far from its stated position, at the nearest place that fits", () => {
    const far = Array.from({ length: 3_000 }, (_, index) => (index % 1_000 === 700 ? "twice" : `line ${index}`))
    const at = (line: number) => UnifiedDiff.apply(far.join("\n"), `@@ -${line} +${line} @@\n-twice\n+once`)
    for (const [hint, place] of [
      [1, 700],
      [1_150, 700],
      [1_250, 1_700],
      [3_000, 2_700]
    ] as const) {
      expect(at(hint)).toEqual(Option.some(far.with(place, "once").join("\n")))
    }
    const second = "@@ -2000 +2000 @@\n-line 1999\n+x\n@@ -1 +1 @@\n-twice\n+once"
    expect(UnifiedDiff.apply(far.join("\n"), second)).toEqual(
      Option.some(far.with(1_999, "x").with(2_700, "once").join("\n"))
    )
  })

  it("fits or not although it repeats itself thousands of times", () => {
    const same = Array.from({ length: 50_000 }, () => "!")
    const block = [...same.slice(0, 25_000), "last"]
    const diff = ["@@ -1 +1 @@", ...block.map((line) => `-${line}`), "+x"].join("\n")
    expect(UnifiedDiff.apply([...same, "end"].join("\n"), diff)).toEqual(Option.none())
    expect(UnifiedDiff.apply([...same, "last", "end"].join("\n"), diff)).toEqual(
      Option.some([...same.slice(25_000), "x", "end"].join("\n"))
    )
  })

  it("that is empty leaves the text unchanged", () => {
    expect(UnifiedDiff.apply("a\n", "")).toEqual(Option.some("a\n"))
  })

  it("fits a configuration although the boot image of the device has changed", () => {
    const text = "! boot system flash:/EOS-4.31.4M.swi\n!\nhostname a\n!\nvlan 10\n"
    const diff = "@@ -1,4 +1,4 @@\n ! boot system flash:/EOS-4.32.2F.swi\n !\n-hostname a\n+hostname b\n !"
    expect(UnifiedDiff.apply(text, diff)).toEqual(Option.none())
    const found = UnifiedDiff.applyToConfig(eos.configuration, text, diff)
    expect(found).toEqual(
      Option.some({ before: "!\n!\nhostname a\n!\nvlan 10\n", after: "!\n!\nhostname b\n!\nvlan 10\n" })
    )
    expect(UnifiedDiff.applyToConfig(eos.configuration, text, diff.replace("hostname a", "hostname x"))).toEqual(
      Option.none()
    )
  })
})
