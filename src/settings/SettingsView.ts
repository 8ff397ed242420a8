/**
 * The settings in force for the API: effective values, groups, and the model that checks values. Follows the applied commit of
 * the settings repository (docs/settings-repository.md#answers and docs/settings-repository.md#groups).
 */
import { Context, Effect, Layer, Predicate, Result, Schema } from "effect"
import { SqlError } from "effect/sql"
import type { Device, DeviceType } from "../domain/Device.ts"
import { DeviceStore } from "../store/DeviceStore.ts"
import { ActiveSettings, type SettingsError } from "./ActiveSettings.ts"
import { groupMembers, originLevels, type SettingsSnapshot } from "./SettingsSnapshot.ts"
import { fileModelOf, settingsJsonSchema, settingsToJson } from "./FileModels.ts"
import type { EffectiveSettings } from "./Layering.ts"
import { DEFAULT_GROUP } from "./SettingsGroups.ts"
import { makeSharedRead } from "../store/GroupedStatement.ts"

/** No usable settings exist: nothing is cloned yet, or they are broken for this target. `message` is only the reason. */
export class SettingsUnavailable extends Schema.TaggedError<SettingsUnavailable>()("SettingsUnavailable", {
  message: Schema.String
}) {
  get httpStatus() {
    return 503 as const
  }
  get refusal() {
    return `Error getting settings: ${this.message}`
  }
}

const isUnusable = <E>(
  error: E
): error is Extract<E, { readonly _tag: "NoSettings" | "SettingsInvalid"; readonly message: string }> =>
  Predicate.isTagged(error, "NoSettings") || Predicate.isTagged(error, "SettingsInvalid")

/** The same for a request that needs the settings: without usable ones it fails with SettingsUnavailable. */
export const requiringSettings = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.catchIf(effect, isUnusable, ({ message }) => Effect.fail(new SettingsUnavailable({ message })))

/** The settings define no group of this name. */
export class UnknownGroup extends Schema.TaggedError<UnknownGroup>()("UnknownGroup", { name: Schema.String }) {
  override get message() {
    return `Could not find a group with name ${this.name}`
  }
  get httpStatus() {
    return 400 as const
  }
}

/** No settings file has this name, so it has no model. */
class UnknownSettingsFile extends Schema.TaggedError<UnknownSettingsFile>()("UnknownSettingsFile", {
  file: Schema.String
}) {
  override get message() {
    return `Filename: '${this.file}' does not map to any model.`
  }
  get httpStatus() {
    return 400 as const
  }
}

type Plain = Readonly<Record<string, unknown>>

/** The target of settings: a device (with another type when given), a device type, or all. */
export type SettingsTarget =
  | { readonly _tag: "Device"; readonly device: Device }
  | { readonly _tag: "DeviceType"; readonly device_type: DeviceType }
  | { readonly _tag: "Everybody" }

/** Plain JSON: the validated settings, and the level of each top-level key. */
interface SettingsWithOrigin {
  readonly settings: Plain
  readonly settings_origin: Readonly<Record<string, string>>
}

/** A group and the hostnames of its devices, ascending. */
export interface GroupView {
  readonly name: string
  readonly regex: string
  readonly group_priority: number
  readonly templates_branch: string | null
  readonly hostnames: ReadonlyArray<string>
}

const unavailable = (error: SettingsError) =>
  SqlError.isSqlError(error) ? error : new SettingsUnavailable({ message: error.message })

const asRecord = (value: unknown): Plain => {
  const json = settingsToJson(value)
  return typeof json === "object" && json !== null && !Array.isArray(json) ? { ...json } : {}
}

const withOrigin = (effective: EffectiveSettings): SettingsWithOrigin => ({
  settings: asRecord(effective.settings),
  settings_origin: originLevels(effective)
})

const textOf = (effective: EffectiveSettings) => JSON.stringify(settingsToJson(effective.settings))

const modelOf = (file: string) =>
  Effect.mapError(Effect.fromNullishOr(fileModelOf(file)), () => new UnknownSettingsFile({ file }))

const makeGroups = Effect.gen(function* () {
  const active = yield* ActiveSettings
  const devices = yield* DeviceStore

  // every page of devices needs it, and the commit in force is a query to the database
  const sharedSnapshot = makeSharedRead<SettingsSnapshot, SettingsError>()

  const groups = Effect.gen(function* () {
    const snapshot = yield* active.snapshot
    const members = groupMembers(snapshot, yield* devices.members)
    return snapshot.definitions.groups.map(({ group_priority, name, regex, templates_branch }) => ({
      name,
      regex,
      group_priority,
      templates_branch,
      hostnames: (members.get(name) ?? []).toSorted()
    }))
  }).pipe(Effect.mapError(unavailable))

  const hostnamesIn = Effect.fn("SettingsView.hostnamesIn")(function* (isMeant: (name: string) => boolean) {
    const snapshot = yield* active.snapshot
    const meant = snapshot.definitions.groups.filter(({ name }) => isMeant(name))
    if (meant.length === 0) return []
    const members = (yield* devices.members).filter((device) => meant.some((one) => one.matches(device)))
    return members.map(({ hostname }) => hostname)
  }, Effect.mapError(unavailable))

  const group = Effect.fn("SettingsView.group")(function* (name: string) {
    const found = (yield* groups).find((one) => one.name === name)
    return found ?? (yield* new UnknownGroup({ name }))
  })

  const primaryGroups = Effect.fn("SettingsView.primaryGroups")(function* (rows: ReadonlyArray<Device>) {
    const snapshot = yield* Effect.result(sharedSnapshot("", active.snapshot))
    if (Result.isFailure(snapshot)) {
      return SqlError.isSqlError(snapshot.failure) ? yield* snapshot.failure : rows.map(() => DEFAULT_GROUP)
    }
    return rows.map((device) => snapshot.success.layering.membership(device).primary.name)
  })

  return { groups, hostnamesIn, group, primaryGroups }
})

const make = Effect.gen(function* () {
  const active = yield* ActiveSettings
  const groups = yield* makeGroups

  const effective = (target: SettingsTarget) => {
    const found =
      target._tag === "Device"
        ? active.ofDevice(target.device)
        : active.ofType(target._tag === "DeviceType" ? target.device_type : undefined)
    return found.pipe(Effect.map(withOrigin), Effect.mapError(unavailable))
  }

  const sameUnderName = Effect.fn("SettingsView.sameUnderName")(function* (device: Device, hostname: string) {
    const now = yield* active.ofDevice(device)
    const then = yield* active.ofDevice({ ...device, hostname })
    return textOf(now) === textOf(then)
  }, Effect.mapError(unavailable))

  return SettingsView.of({
    ...groups,
    effective,
    sameUnderName,
    model: Effect.succeed(settingsJsonSchema),
    fileModel: (file) => Effect.map(modelOf(file), ({ jsonSchema }) => jsonSchema)
  })
})

type Answer<A, E = never> = Effect.Effect<A, SettingsUnavailable | SqlError.SqlError | E>

/** Reads the settings in force. */
export class SettingsView extends Context.Service<
  SettingsView,
  {
    readonly effective: (target: SettingsTarget) => Answer<SettingsWithOrigin>
    /** True when the device would have the same settings under the new hostname. */
    readonly sameUnderName: (device: Device, hostname: string) => Answer<boolean>
    /** All groups in the order of definition, DEFAULT included, over all devices of the database. */
    readonly groups: Answer<ReadonlyArray<GroupView>>
    /** The devices in any of the named groups, each once. */
    readonly hostnamesIn: (isMeant: (name: string) => boolean) => Answer<ReadonlyArray<string>>
    readonly group: (name: string) => Answer<GroupView, UnknownGroup>
    /** The primary group of each device, in the order of the devices; `DEFAULT` while no settings are in force. */
    readonly primaryGroups: (devices: ReadonlyArray<Device>) => Effect.Effect<ReadonlyArray<string>, SqlError.SqlError>
    /** JSON schema of the settings, with its parts under `definitions` and references to them. */
    readonly model: Effect.Effect<Plain>
    /** The same schema for the content of a file of this name. */
    readonly fileModel: (file: string) => Effect.Effect<Plain, UnknownSettingsFile>
  }
>()("switchyard/settings/SettingsView") {
  static readonly layer = Layer.effect(SettingsView, make)
}
