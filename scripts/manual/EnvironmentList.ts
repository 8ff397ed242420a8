/** The list of the server's environment variables, from the one place where they are defined. */
import { documentation } from "../../src/SettingsTable.ts"

interface Entry {
  readonly names: ReadonlyArray<string>
  readonly fallback: string
  readonly about: string
}

/** Variables that differ by their name alone share an entry with the one above. */
const entries = documentation.reduce<ReadonlyArray<Entry>>((before, [name, fallback, about]) => {
  const last = before.at(-1)
  return last === undefined || last.fallback !== fallback || last.about !== about
    ? [...before, { names: [name], fallback, about }]
    : [...before.slice(0, -1), { ...last, names: [...last.names, name] }]
}, [])

/** The entries as Markdown: name, default in brackets if there is one, meaning. */
export const environmentList = (): string =>
  entries
    .map(({ about, fallback, names }) => {
      const variable = names.map((name) => `\`${name}\``).join(", ")
      return `- ${variable}${fallback === "" ? "" : ` (\`${fallback}\`)`}: ${about}`
    })
    .join("\n")
