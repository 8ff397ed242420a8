/** The environment files of systemd, read as systemd reads them (systemd.exec(5)). */
import { assert, describe, it } from "@effect/vitest"
import { parseEnvironmentFile } from "../../src/runtime/EnvironmentFile.ts"

const cases: ReadonlyArray<readonly [what: string, text: string, found: Readonly<Record<string, string>>]> = [
  ["a variable a line", "PORT=5001\nHOST=::1\n", { PORT: "5001", HOST: "::1" }],
  ["blanks around a name and a value", "  PORT  =  5001 \t\n", { PORT: "5001" }],
  ["an empty value", "DATABASE_URL=\nPORT=1", { DATABASE_URL: "", PORT: "1" }],
  ["comments, and no comment after a value", "# A=1\n; B=2\nC=3 # three\n", { C: "3 # three" }],
  [
    "further equal signs",
    "DATABASE_URL=postgres://h/d?sslmode=require",
    { DATABASE_URL: "postgres://h/d?sslmode=require" }
  ],
  ["single quotes", "A='two words \\n $HOME'\nB=1", { A: "two words \\n $HOME", B: "1" }],
  ["double quotes with escapes", 'A="a \\"b\\" \\$c \\d"', { A: 'a "b" $c \\d' }],
  ["pieces side by side", "A='a' \"b\"c", { A: "abc" }],
  ["quotes within a value", "A=it's 5\"", { A: "it's 5\"" }],
  ["a backslash that keeps a sign", "A=a\\ b\\\\c", { A: "a b\\c" }],
  ["a backslash that continues the line", "A=one \\\ntwo\nB=1", { A: "one two", B: "1" }],
  ["quotes over several lines", "KEY='-----BEGIN\nabc\n-----END'\nB=1", { KEY: "-----BEGIN\nabc\n-----END", B: "1" }],
  ["lines of Windows", "A=1\r\nB=2\r\n", { A: "1", B: "2" }],
  ["the last of two", "A=1\nA=2\n", { A: "2" }],
  ["nothing of lines without a name", "no setting\nexport A=1\n=2\nB=3", { B: "3" }]
]

describe("An environment file of systemd", () => {
  it.each(cases)("has %s", (_, text, found) => {
    assert.deepStrictEqual(Object.fromEntries(parseEnvironmentFile(text)), found)
  })
})
