/** Rows as lines of COPY: whatever a column holds comes back as it was. */
import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import * as DatabaseDump from "../../../src/store/backup/DatabaseDump.ts"

const AWKWARD = ["", "\\N", "\\", "\\\\N", "\t", "\n", "\r\n", "a\\tb", "\\.", "\u000b\f\b", "ä\u{1f600}", "null"]

it.prop(
  "Every row is restored exactly",
  [Schema.Array(Schema.Array(Schema.NullOr(Schema.Union([Schema.String, Schema.Literals(AWKWARD)]))))],
  ([given]) => {
    const width = Math.max(1, ...given.map((row) => row.length))
    const rows = given.map((row) => [...row, ...Array<null>(width - row.length).fill(null)])
    assert.deepStrictEqual(DatabaseDump.decode(rows.map(DatabaseDump.encode).join(""), width), rows)
  }
)

it("Null and the text that looks like it are distinguished", () => {
  assert.strictEqual(DatabaseDump.encode([null, "\\N", "a\tb"]), "\\N\t\\\\N\ta\\tb\n")
})

it.each([
  ["another number of columns", "a\tb\n", 1],
  ["a last line that is cut off", "a\nb", 2],
  ["a letter that means nothing", "a\n\\x41\n", 2],
  ["a lone backslash", "a\\\n", 1]
])("A text with %s is refused, and its line is named", (_, text, line) => {
  assert.throws(() => DatabaseDump.decode(text, 1), `line ${line} is no row of COPY`)
})
