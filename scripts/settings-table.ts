/** Writes the table of environment variables into README.md, from the one place where they are defined. */
import { readFileSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { documentation } from "../src/ServerConfig.ts"

const START = "<!-- settings: made by `npm run docs` -->"
const END = "<!-- end of settings -->"

/** The rows as Markdown. */
export const table = (): string =>
  [
    "| Variable | Default | Meaning |",
    "| --- | --- | --- |",
    ...documentation.map(
      ([name, fallback, about]) => `| \`${name}\` | ${fallback === "" ? "–" : `\`${fallback}\``} | ${about} |`
    )
  ].join("\n")

/** The README with the table in its place. */
export const withTable = (readme: string): string => {
  const [before, rest] = readme.split(START)
  const after = rest?.split(END)[1]
  if (before === undefined || after === undefined) throw new Error(`README.md lacks the marks ${START} and ${END}`)
  return `${before}${START}\n\n${table()}\n\n${END}${after}`
}

if (import.meta.main) {
  const file = path.resolve(import.meta.dirname, "../README.md")
  writeFileSync(file, withTable(readFileSync(file, "utf8")))
}
