/**
 * The rules of alerts in force (docs/alerts.md#the-file): those of the settings' commit in force, else of `alerts.yml` in DATA_DIR. All
 * servers of a site share the settings, and each may have a folder of its own, so the settings count where both are there.
 */
import { Context, Effect, Layer, Result } from "effect"
import { SqlError } from "effect/sql"
import { makeFileInForce } from "../../access/FileInForce.ts"
import type { AlertRules as Rules } from "../../domain/events/alerts/AlertFile.ts"
import { placeText, type Remark } from "../../domain/Remark.ts"
import { ActiveSettings } from "../../settings/ActiveSettings.ts"
import { readAlertsText } from "../../settings/SettingsFile.ts"
import { ALERTS_FILE } from "../../settings/RepositoryPaths.ts"

/** What is in force; `rules` null without a file. */
export interface AlertsInForce {
  /** False while the settings in force cannot be read: alerts are neither made nor given up until they can. */
  readonly isKnown: boolean
  readonly rules: Rules | null
  readonly source: "settings" | "DATA_DIR" | null
  /** What is to be said of the files, as a sentence; null where nothing is. */
  readonly problem: string | null
}

const UNREADABLE = "The settings in force cannot be read: alerts wait until a refresh brings others into force"

const sentence = (found: Remark): string =>
  [placeText(found), found.path ?? "", found.message].filter((part) => part !== "").join(": ")

const make = Effect.gen(function* () {
  const settings = yield* ActiveSettings
  const { inForce: fileInForce, path } = yield* makeFileInForce({
    name: ALERTS_FILE,
    what: "rules of alerts",
    read: (_data, text) => Result.mapError(readAlertsText(ALERTS_FILE, text), sentence)
  })
  /** Settings that cannot be read now say nothing new; undefined when they could not yet. */
  let known: Rules | null | undefined

  const ofSettings = settings.snapshot.pipe(
    Effect.map(({ alerts }) => (known = alerts)),
    Effect.catch((error) => {
      if (SqlError.isSqlError(error)) return Effect.fail(error)
      return Effect.succeed(error._tag === "NoSettings" ? (known ?? null) : known)
    })
  )

  return AlertRulesInForce.of({
    inForce: Effect.gen(function* () {
      const file = yield* fileInForce
      const rules = yield* ofSettings
      if (rules === undefined) return { isKnown: false, rules: null, source: null, problem: UNREADABLE } as const
      if (rules === null) {
        const source = file.rules === null ? null : "DATA_DIR"
        return { isKnown: true, rules: file.rules, source, problem: file.problem } as const
      }
      const both = file.rules === null ? null : `${path} does not count: the settings repository has ${ALERTS_FILE}`
      return { isKnown: true, rules, source: "settings", problem: both } as const
    })
  })
})

/** Who is told of what, now. */
export class AlertRulesInForce extends Context.Service<
  AlertRulesInForce,
  { readonly inForce: Effect.Effect<AlertsInForce, SqlError.SqlError> }
>()("switchyard/events/AlertRulesInForce") {
  /** Fails with RulesUnusable. */
  static readonly layer = Layer.effect(AlertRulesInForce, make)
}
