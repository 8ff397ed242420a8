/** Writes the parts of the manual that are made from the code: settings keys, filters, calls, metrics, environment variables and commands. */
import { readFileSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { commandTable } from "./manual/CommandTable.ts"
import { endpointTable } from "./manual/EndpointTable.ts"
import { filterTable } from "./manual/FilterTable.ts"
import { withPart } from "./manual/Marked.ts"
import { metricTable } from "./manual/MetricTable.ts"
import { settingTables } from "./manual/SettingTables.ts"
import { environmentList } from "./manual/EnvironmentList.ts"

const docs = path.resolve(import.meta.dirname, "../docs")

/** The parts of each document, by the name that stands in their marks. */
const partsOf = (): Readonly<Record<string, Readonly<Record<string, string>>>> => ({
  "settings-repository.md": settingTables(),
  "templates.md": { filters: filterTable() },
  "switch-dialogues.md": { "needed commands": commandTable() },
  "monitoring.md": { metrics: metricTable() },
  "api.md": { endpoints: endpointTable() },
  "operations.md": { "environment variables": environmentList() }
})

/** Every document with parts: its path, its text as it is, and as the code wants it. */
export const madeDocuments = (): ReadonlyArray<{
  readonly file: string
  readonly now: string
  readonly made: string
}> =>
  Object.entries(partsOf()).map(([name, parts]) => {
    const file = path.join(docs, name)
    const now = readFileSync(file, "utf8")
    const made = Object.entries(parts).reduce((text, [part, content]) => withPart(text, part, content), now)
    return { file, now, made }
  })

if (import.meta.main) {
  for (const { file, made, now } of madeDocuments()) if (made !== now) writeFileSync(file, made)
}
