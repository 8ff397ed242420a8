/**
 * The settings in force: the snapshot of the last commit that passed its checks. The database stores the commit and its files,
 * so after a restart, in another replica or without the remote the settings are the same. Inside a job they are those of the
 * commit that the job works on (`WorkingCommits`).
 */
import { Array as Arr, Context, Effect, Layer, Option, Ref, Result, Schema, Semaphore } from "effect"
import type { SqlError } from "effect/sql"
import type { Device, DeviceType } from "../domain/Device.ts"
import { ServerConfig } from "../ServerConfig.ts"
import { DeviceStore } from "../store/DeviceStore.ts"
import { type AppliedCommit, RepositoryStore } from "../store/RepositoryStore.ts"
import { buildSnapshot, downstreamDevices, type SettingsSnapshot } from "./SettingsSnapshot.ts"
import type { EffectiveSettings, LayeringResult } from "./Layering.ts"
import type { Membership } from "./SettingsGroups.ts"
import { SettingsInvalid } from "./SettingsProblem.ts"
import { WorkingCommits } from "../domain/Repository.ts"
import { NetworkStore } from "../store/NetworkStore.ts"

/** No settings have come into force yet: the repository is not configured, unreachable or was never valid. */
class NoSettings extends Schema.TaggedError<NoSettings>()("NoSettings", {
  /** The job's commit that was requested. */
  commit: Schema.optionalKey(Schema.String)
}) {
  override get message() {
    return this.commit === undefined
      ? "No settings are in force: no commit of the settings repository was read and accepted yet; refresh it to see why"
      : `The settings of commit ${this.commit} are not kept any more`
  }
}

/** Why no settings are available. */
export type SettingsError = NoSettings | SettingsInvalid | SqlError.SqlError

interface InForce {
  readonly commit: string
  readonly snapshot: SettingsSnapshot
}

const fromLayered = (layered: LayeringResult): Effect.Effect<EffectiveSettings, SettingsInvalid> =>
  Result.match(layered, {
    onFailure: (problems) => Effect.fail(new SettingsInvalid({ problems })),
    onSuccess: Effect.succeed
  })

/** The snapshot in force, or that of the current job. */
const makeSnapshot = Effect.gen(function* () {
  const repositories = yield* RepositoryStore
  const config = yield* ServerConfig
  const known = yield* Ref.make(Option.none<InForce>())
  const one = yield* Semaphore.make(1)

  const build = Effect.fnUntraced(function* (
    { commit, files }: Pick<AppliedCommit, "commit" | "files">,
    previous: SettingsSnapshot | undefined
  ) {
    const snapshot = buildSnapshot({
      files: new Map(Object.entries(files)),
      root: "settings",
      keysToMerge: config.SETTINGS_KEYS_TO_MERGE,
      ...(previous === undefined ? {} : { previous })
    })
    if (Result.isFailure(snapshot)) return yield* new SettingsInvalid({ problems: snapshot.failure })
    return { commit, snapshot: snapshot.success } satisfies InForce
  })

  const remembered = (commit: Option.Option<string>) =>
    Effect.map(Ref.get(known), (cached) =>
      Option.isSome(cached) && Option.contains(commit, cached.value.commit) ? cached.value.snapshot : undefined
    )

  const newInForce = Effect.gen(function* () {
    const cached = yield* remembered(yield* repositories.commitOf("settings", ""))
    if (cached !== undefined) return cached
    const previous = Option.getOrUndefined(yield* Ref.get(known))?.snapshot
    const applied = yield* repositories.find("settings", "")
    if (Option.isNone(applied)) return yield* new NoSettings({})
    const built = yield* build(applied.value, previous)
    yield* Ref.set(known, Option.some(built))
    return built.snapshot
  }).pipe(one.withPermits(1))

  /** An older commit serves one job only, so it is not cached. */
  const ofJob = Effect.fnUntraced(function* (commit: string | null) {
    if (commit === null) return yield* new NoSettings({})
    const kept = yield* repositories.filesOf("settings", commit)
    if (Option.isNone(kept)) return yield* new NoSettings({ commit })
    const previous = Option.getOrUndefined(yield* Ref.get(known))?.snapshot
    return (yield* build(kept.value, previous)).snapshot
  }, one.withPermits(1))

  return Effect.gen(function* () {
    const working = yield* WorkingCommits
    const commit =
      working === null ? yield* repositories.commitOf("settings", "") : Option.fromNullishOr(working.settings)
    const cached = yield* remembered(commit)
    if (cached !== undefined) return cached
    return yield* working === null ? newInForce : ofJob(working.settings)
  }).pipe(Effect.withSpan("ActiveSettings.snapshot"))
})

const make = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const { links } = yield* NetworkStore
  const snapshot = yield* makeSnapshot

  /** Access switches below a distribution switch take part in its VXLANs. */
  const below = Effect.fnUntraced(function* (device: Device) {
    if (device.device_type !== "DIST") return undefined
    const cables = yield* links.ofDevice(device.id)
    const ids = cables.flatMap(({ device_a_id, device_b_id }) => [device_a_id, device_b_id])
    return downstreamDevices(yield* devices.byIds(Arr.dedupe(ids)), cables).get(device.id) ?? []
  })

  const ofDevice = Effect.fn("ActiveSettings.ofDevice")(function* (device: Device) {
    return yield* fromLayered((yield* snapshot).layering.forDevice(device, yield* below(device)))
  })

  return ActiveSettings.of({
    snapshot,
    ofDevice,
    ofType: Effect.fn("ActiveSettings.ofType")((type?: DeviceType) =>
      Effect.flatMap(snapshot, (active) => fromLayered(active.layering.forType(type)))
    ),
    membership: Effect.fn("ActiveSettings.membership")((device: Device) =>
      Effect.map(snapshot, (active) => active.layering.membership(device))
    )
  })
})

/** The settings in force, for a device, a type or all devices. */
export class ActiveSettings extends Context.Service<
  ActiveSettings,
  {
    /** The snapshot in force, or that of the current job; reads the commit from the database each time, which costs one small query. */
    readonly snapshot: Effect.Effect<SettingsSnapshot, SettingsError>
    readonly ofDevice: (device: Device) => Effect.Effect<EffectiveSettings, SettingsError>
    /** The settings of a device type, or those for all devices without one. */
    readonly ofType: (type?: DeviceType) => Effect.Effect<EffectiveSettings, SettingsError>
    readonly membership: (device: Device) => Effect.Effect<Membership, SettingsError>
  }
>()("switchyard/settings/ActiveSettings") {
  static readonly layer = Layer.effect(ActiveSettings, make)
}
