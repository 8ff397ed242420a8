/** The table of the server's environment variables, from the one place where they are defined. */
import { documentation } from "../../src/SettingsTable.ts"

interface Row {
  readonly names: ReadonlyArray<string>
  readonly fallback: string
  readonly about: string
}

/** Variables that differ by their name alone share a row with the one above. */
const rows = documentation.reduce<ReadonlyArray<Row>>((before, [name, fallback, about]) => {
  const last = before.at(-1)
  return last === undefined || last.fallback !== fallback || last.about !== about
    ? [...before, { names: [name], fallback, about }]
    : [...before.slice(0, -1), { ...last, names: [...last.names, name] }]
}, [])

/** The rows as Markdown. */
export const table = (): string =>
  [
    "| Variable | Default | Meaning |",
    "| --- | --- | --- |",
    ...rows.map(
      ({ about, fallback, names }) =>
        `| ${names.map((name) => `\`${name}\``).join(", ")} | ${fallback === "" ? "–" : `\`${fallback}\``} | ${about} |`
    )
  ].join("\n")
