import { assert, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { remarksOf, SiteRemarks } from "../../../src/domain/platforms/Platforms.ts"

const read = Schema.decodeUnknownResult(SiteRemarks)

it("remarks of the site belong to the platform and release of a device", () => {
  const site = Result.getOrThrow(
    read(
      JSON.stringify([
        { line: "^% Any", meaning: "all" },
        { line: "^% New", meaning: "of one release", platform: "eos", release: "4.32" },
        { line: "^% Other", meaning: "of another platform", platform: "junos" }
      ])
    )
  )
  const lines = (os_version: string | null) =>
    remarksOf(site, { platform: "eos", os_version }).map(({ line }) => line.source)
  assert.deepStrictEqual(lines("4.31.4M"), ["^% Any"])
  assert.deepStrictEqual(lines("4.32.2F"), ["^% Any", "^% New"])
  assert.deepStrictEqual(lines(null), ["^% Any", "^% New"])
})

it("a value that is not a list of patterns is refused", () => {
  for (const text of ["{}", '[{"line":"(","meaning":"x"}]', '[{"line":"","meaning":"x"}]', "x"]) {
    assert.isTrue(Result.isFailure(read(text)), text)
  }
})
