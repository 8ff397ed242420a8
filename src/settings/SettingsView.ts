/**
 * What the API asks of the settings in force: effective values, groups, and the model that values are checked with. The
 * implementation follows the applied commit of the settings repository (contract api-rest.md §7 and §9).
 */
import { Context, type Effect, Schema } from "effect"
import type { SqlError } from "effect/sql"
import type { Device, DeviceType } from "../domain/Device.ts"

/** There are no usable settings: nothing is cloned yet, or they are broken for this target. `message` is the reason alone. */
export class SettingsUnavailable extends Schema.TaggedError<SettingsUnavailable>()("SettingsUnavailable", {
  message: Schema.String
}) {}

/** No settings file has this name, so nothing may stand in it. */
export class UnknownSettingsFile extends Schema.TaggedError<UnknownSettingsFile>()("UnknownSettingsFile", {
  file: Schema.String
}) {
  override get message() {
    return `Filename: '${this.file}' does not map to any model.`
  }
}

type Plain = Readonly<Record<string, unknown>>

/** Whose settings: a device's (with another type when given), a device type's, or those of everybody. */
export type SettingsTarget =
  | { readonly _tag: "Device"; readonly device: Device }
  | { readonly _tag: "DeviceType"; readonly device_type: DeviceType }
  | { readonly _tag: "Everybody" }

/** Plain JSON: the validated settings, and the level that each top-level key came from. */
export interface EffectiveSettings {
  readonly settings: Readonly<Record<string, unknown>>
  readonly settings_origin: Readonly<Record<string, string>>
}

/** A group as it is defined, with the hostnames of its devices, ascending. */
export interface GroupView {
  readonly name: string
  readonly regex: string
  readonly group_priority: number
  readonly templates_branch: string | null
  readonly hostnames: ReadonlyArray<string>
}

type Answer<A, E = never> = Effect.Effect<A, SettingsUnavailable | SqlError.SqlError | E>

/** Reads the settings in force. */
export class SettingsView extends Context.Service<
  SettingsView,
  {
    readonly effective: (target: SettingsTarget) => Answer<EffectiveSettings>
    /** True when the device would have the same settings under the new hostname. */
    readonly sameUnderName: (device: Device, hostname: string) => Answer<boolean>
    /** All groups in the order of definition, DEFAULT included, over all devices of the database. */
    readonly groups: Answer<ReadonlyArray<GroupView>>
    /** The primary group of each device, in the order of the devices; `DEFAULT` while there are no settings. */
    readonly primaryGroups: (devices: ReadonlyArray<Device>) => Effect.Effect<ReadonlyArray<string>, SqlError.SqlError>
    /** JSON schema of the settings, with its parts under `definitions` and references to them. */
    readonly model: Effect.Effect<Plain>
    /** The same schema for what a file of this name may hold. */
    readonly fileModel: (file: string) => Effect.Effect<Plain, UnknownSettingsFile>
  }
>()("switchyard/http/ports/SettingsView") {}
