/** What the API shows of the settings in force. */
import { Effect, Layer, Result } from "effect"
import { SqlError } from "effect/sql"
import type { Device } from "../domain/Device.ts"
import { ActiveSettings, type SettingsError } from "./ActiveSettings.ts"
import { groupsOfDevice, originLevels } from "./EffectiveSettings.ts"
import { fileModelOf } from "./FileModels.ts"
import { groupMembers } from "./GroupView.ts"
import type { EffectiveSettings } from "./Layering.ts"
import { settingsJsonSchema, settingsToJson } from "./SettingsJsonSchema.ts"
import { DEFAULT_GROUP } from "./SettingsGroups.ts"
import type { SettingsSnapshot } from "./SettingsSnapshot.ts"
import { DeviceStore } from "../store/DeviceStore.ts"
import { makeSharedRead } from "../store/SharedRead.ts"
import { SettingsUnavailable, SettingsView, UnknownSettingsFile } from "./SettingsView.ts"

const unavailable = (error: SettingsError) =>
  SqlError.isSqlError(error) ? error : new SettingsUnavailable({ message: error.message })

const asRecord = (value: unknown): Readonly<Record<string, unknown>> => {
  const json = settingsToJson(value)
  return typeof json === "object" && json !== null && !Array.isArray(json) ? { ...json } : {}
}

const shown = (effective: EffectiveSettings) => ({
  settings: asRecord(effective.settings),
  settings_origin: originLevels(effective)
})

const modelOf = (file: string) =>
  Effect.mapError(Effect.fromNullishOr(fileModelOf(file)), () => new UnknownSettingsFile({ file }))

const make = Effect.gen(function* () {
  const active = yield* ActiveSettings
  const devices = yield* DeviceStore

  // every page of devices asks for it, and which commit is in force is a question to the database
  const sharedSnapshot = makeSharedRead<SettingsSnapshot, SettingsError>()

  const text = (effective: EffectiveSettings) => JSON.stringify(settingsToJson(effective.settings))

  return SettingsView.of({
    effective: (target) => {
      const found =
        target._tag === "Device"
          ? active.ofDevice(target.device)
          : active.ofType(target._tag === "DeviceType" ? target.device_type : undefined)
      return found.pipe(Effect.map(shown), Effect.mapError(unavailable))
    },
    sameUnderName: Effect.fn("SettingsView.sameUnderName")(function* (device: Device, hostname: string) {
      const now = yield* active.ofDevice(device)
      const then = yield* active.ofDevice({ ...device, hostname })
      return text(now) === text(then)
    }, Effect.mapError(unavailable)),
    groups: Effect.gen(function* () {
      const snapshot = yield* active.snapshot
      const members = groupMembers(snapshot, yield* devices.all)
      return snapshot.definitions.groups.map(({ group_priority, name, regex, templates_branch }) => ({
        name,
        regex,
        group_priority,
        templates_branch,
        hostnames: (members.get(name) ?? []).toSorted()
      }))
    }).pipe(Effect.mapError(unavailable)),
    primaryGroups: Effect.fn("SettingsView.primaryGroups")(function* (rows: ReadonlyArray<Device>) {
      const snapshot = yield* Effect.result(sharedSnapshot("", active.snapshot))
      if (Result.isFailure(snapshot)) {
        return SqlError.isSqlError(snapshot.failure) ? yield* snapshot.failure : rows.map(() => DEFAULT_GROUP)
      }
      return rows.map((device) => groupsOfDevice(snapshot.success, device).primary.name)
    }),
    model: Effect.succeed(settingsJsonSchema),
    fileModel: (file) => Effect.map(modelOf(file), ({ jsonSchema }) => jsonSchema)
  })
})

export const layer = Layer.effect(SettingsView, make)
