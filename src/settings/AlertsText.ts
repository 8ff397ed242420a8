/** The text of `alerts.yml` as rules, or what is wrong with it at which line (docs/alerts.md#the-file). */
import { Result } from "effect"
import { type AlertRules, readAlerts } from "../domain/events/alerts/AlertFile.ts"
import { pathText, type Remark, remark, remarkText } from "../domain/Repository.ts"
import { finding, located } from "./Finding.ts"
import { YamlFloat } from "./PythonText.ts"
import { ALERTS_FILE } from "./RepositoryPaths.ts"
import type { SettingsProblem } from "./SettingsProblem.ts"
import { readYaml } from "./YamlFile.ts"
import { placesIn } from "./YamlPlaces.ts"

/** Plain data of what YAML has read. */
const plain = (value: unknown): unknown => {
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, item]) => [String(key), plain(item)]))
  if (Array.isArray(value)) return value.map(plain)
  if (value instanceof YamlFloat) return value.value
  return value instanceof Date ? value.toISOString() : value
}

/** The rules, or the first thing that is wrong with its place. `file` is what messages call it. */
export const readAlertsText = (file: string, text: string): Result.Result<AlertRules, Remark> =>
  Result.gen(function* () {
    const { value } = yield* readYaml(file, text)
    return yield* Result.mapError(readAlerts(plain(value)), ({ message, path }) => {
      const found = placesIn(text)(path)
      const place = found === undefined ? {} : { line: found.line, column: found.column }
      return remark(message, { file, ...place, ...(path.length === 0 ? {} : { path: pathText(path) }) })
    })
  })

/** The rules of a commit; null where it has none. */
export const alertsOf = (text: string | undefined): Result.Result<AlertRules | null, SettingsProblem> =>
  text === undefined
    ? Result.succeed(null)
    : Result.mapError(readAlertsText(ALERTS_FILE, text), (found) => ({
        kind: "validation" as const,
        message: remarkText(found),
        findings: [found.line === null ? finding(ALERTS_FILE, [], found.message) : located(found)]
      }))
