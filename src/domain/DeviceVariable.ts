/** A template variable of a device, and where it comes from (docs/templates.md#trying-templates). */
import { Schema } from "effect"

/**
 * `settings`: as the settings say it; `computed`: made of a setting and of the database; `database`: made of the records of devices, ports and
 * links; `secret`: of the server's environment; `override`: SETTINGS_OVERRIDE.
 */
export const VariableSource = Schema.Literals(["settings", "computed", "database", "secret", "override"])
export type VariableSource = typeof VariableSource.Type

/** A line of a settings file. */
const SettingPlace = Schema.Struct({ file: Schema.String, line: Schema.NullOr(Schema.Int) })

/** A variable as people may see it. `level` is that of `GET /settings`; `places` are the lines that give it, by level. */
export const DeviceVariable = Schema.Struct({
  name: Schema.String,
  value: Schema.Unknown,
  source: VariableSource,
  level: Schema.NullOr(Schema.String),
  places: Schema.Array(SettingPlace)
})
export type DeviceVariable = typeof DeviceVariable.Type
