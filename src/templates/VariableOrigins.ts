/**
 * Where each template variable of a device comes from: the lines of the settings files that give it, the database, or the server
 * (docs/templates.md#trying-templates). Pure.
 */
import type { DeviceVariable, VariableSource } from "../domain/Repository.ts"
import type { EffectiveSettings } from "../settings/Layering.ts"
import { originLevel } from "../settings/EffectiveSettings.ts"
import type { SettingsSnapshot } from "../settings/SettingsSnapshot.ts"
import { placesIn } from "../settings/YamlPlaces.ts"
import { isSecretVariable } from "./TemplateSecrets.ts"
import type { TemplateVariables } from "./VariableInputs.ts"

interface Origins {
  readonly snapshot: SettingsSnapshot
  readonly effective: EffectiveSettings
  readonly override: Readonly<Record<string, unknown>>
}

const sourceOf = (
  name: string,
  value: unknown,
  settings: ReadonlyMap<string, unknown>,
  { effective, override }: Origins
): VariableSource => {
  if (Object.hasOwn(override, name) && name !== "host") return "override"
  if (isSecretVariable(name)) return "secret"
  if (!settings.has(name)) return "database"
  if (settings.get(name) === value) return "settings"
  return effective.sources.has(name) ? "computed" : "database"
}

const placesOf = (name: string, { effective, snapshot }: Origins): DeviceVariable["places"] =>
  (effective.sources.get(name) ?? []).map((file) => {
    const place = placesIn(snapshot.files.get(file)?.text ?? "")([name], true)
    return { file, line: place?.exact === true ? place.line : null }
  })

/** The variables with their origins, by name; `shown` are the same variables as people may see them. */
export const withOrigins = (
  variables: TemplateVariables,
  shown: Readonly<Record<string, unknown>>,
  origins: Origins
): ReadonlyArray<DeviceVariable> => {
  const settings = new Map<string, unknown>(Object.entries(origins.effective.settings))
  return [...variables]
    .map(([name, value]) => {
      const source = sourceOf(name, value, settings, origins)
      const isOfSettings = source === "settings" || source === "computed"
      const origin = isOfSettings ? origins.effective.origins.get(name) : undefined
      return {
        name,
        value: shown[name],
        source,
        // what no file says has the value of the model
        level: isOfSettings ? originLevel(origin ?? "default") : null,
        places: isOfSettings ? placesOf(name, origins) : []
      }
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}
