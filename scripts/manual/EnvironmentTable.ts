/** The table of the server's environment variables, from the one place where they are defined. */
import { documentation } from "../../src/SettingsTable.ts"

/** The rows as Markdown. */
export const table = (): string =>
  [
    "| Variable | Default | Meaning |",
    "| --- | --- | --- |",
    ...documentation.map(
      ([name, fallback, about]) => `| \`${name}\` | ${fallback === "" ? "–" : `\`${fallback}\``} | ${about} |`
    )
  ].join("\n")
