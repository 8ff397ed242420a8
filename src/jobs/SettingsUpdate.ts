/** Checks a commit of the settings repository, and finds the devices whose settings it changes (contract §6.2, §7.2). */
import { Context, Effect, Equal, Layer, Option, Result } from "effect"
import type { SqlError } from "effect/sql"
import type { GitFailed } from "../git/GitCommand.ts"
import { commitText, type GitCommit } from "../git/GitCommit.ts"
import type { GitRefNotFound } from "../git/GitRef.ts"
import type { GitRepository } from "../git/GitRepository.ts"
import type { Device } from "../domain/Device.ts"
import { ServerConfig } from "../ServerConfig.ts"
import { affectedDevices, changedFiles } from "../settings/AffectedDevices.ts"
import { downstreamDevices } from "../settings/DownstreamDevices.ts"
import { effectiveSettings } from "../settings/EffectiveSettings.ts"
import { templatesBranches } from "../settings/GroupView.ts"
import type { Layered } from "../settings/Layering.ts"
import { isWithinSettings } from "../settings/RepositoryPaths.ts"
import { checkSettingsGently } from "../settings/SettingsCheck.ts"
import { refreshAnswer, type SettingsProblem } from "../settings/SettingsProblem.ts"
import { buildSnapshot, type SettingsSnapshot } from "../settings/SettingsSnapshot.ts"
import { DeviceStore } from "../store/DeviceStore.ts"
import { LinknetStore } from "../store/LinknetStore.ts"
import { MgmtDomainStore } from "../store/MgmtDomainStore.ts"
import type { AppliedCommit } from "../store/RepositoryStore.ts"
import { type CheckedCommit, RefreshRefused } from "./RefreshRefused.ts"

/** All problems as one answer: the first one decides the status, every message is in the text. */
const refused = (problems: ReadonlyArray<SettingsProblem>): RefreshRefused => {
  const answers = problems.map(refreshAnswer)
  return new RefreshRefused({
    status: answers[0]?.status ?? 500,
    message: answers.map(({ message }) => message).join("\n")
  })
}

/** Whether two sets of settings are the same for everything that is rendered from them. */
const sameSettings =
  (compared: WeakMap<object, WeakMap<object, boolean>>) =>
  (before: Layered, after: Layered): boolean => {
    if (Result.isFailure(before) || Result.isFailure(after)) return false
    const [one, other] = [before.success.settings, after.success.settings]
    const known = compared.get(one)?.get(other)
    if (known !== undefined) return known
    const same = Equal.equals(one, other)
    const row = compared.get(one) ?? new WeakMap<object, boolean>()
    compared.set(one, row.set(other, same))
    return same
  }

const make = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const links = yield* LinknetStore
  const domains = yield* MgmtDomainStore
  const config = yield* ServerConfig

  const snapshotOf = (files: ReadonlyMap<string, string>, root: string, refusedFiles?: ReadonlyMap<string, string>) =>
    buildSnapshot({
      files,
      root,
      keysToMerge: config.SETTINGS_KEYS_TO_MERGE,
      ...(refusedFiles === undefined ? {} : { refused: refusedFiles })
    })

  /** Devices in changed files whose settings really differ; a device whose configuration cannot change is left alone. */
  const concerned = Effect.fnUntraced(function* (
    before: SettingsSnapshot,
    after: SettingsSnapshot,
    inventory: ReadonlyArray<Device>,
    below: ReadonlyMap<number, ReadonlyArray<Device>>
  ) {
    const { hostnames, warnings } = affectedDevices(changedFiles(before, after), after, inventory)
    for (const warning of warnings) yield* Effect.logWarning(warning)
    const named = new Set(hostnames)
    const same = sameSettings(new WeakMap())
    const changed: Array<string> = []
    for (const [index, device] of inventory.entries()) {
      if (index % 200 === 0) yield* Effect.yieldNow
      if (!named.has(device.hostname) || device.device_type === "UNKNOWN") continue
      const under = below.get(device.id)
      if (!same(effectiveSettings(before, device, under), effectiveSettings(after, device, under)))
        changed.push(device.hostname)
    }
    return changed
  })

  const check = Effect.fn("SettingsUpdate.check")(function* (
    repository: GitRepository,
    commit: GitCommit,
    applied: Option.Option<AppliedCommit>
  ) {
    const tree = yield* repository.readTree(commit.hash, isWithinSettings)
    const built = snapshotOf(tree.files, repository.directory, tree.refused)
    if (Result.isFailure(built)) return yield* refused(built.failure)
    const snapshot = built.success
    const inventory = yield* devices.all
    const linknets = yield* links.all
    const { problems, warnings } = yield* checkSettingsGently(snapshot, {
      devices: inventory,
      linknets,
      managementDomains: yield* domains.all,
      globalUniqueVlans: config.GLOBAL_UNIQUE_VLANS
    })
    for (const warning of warnings) yield* Effect.logWarning(warning)
    if (problems.length > 0) return yield* refused(problems)
    const before = Option.map(applied, ({ files }) => snapshotOf(new Map(Object.entries(files)), repository.directory))
    const affected =
      Option.isSome(before) && Result.isSuccess(before.value)
        ? yield* concerned(before.value.success, snapshot, inventory, downstreamDevices(inventory, linknets))
        : []
    const files = Object.fromEntries(tree.files)
    const description = commitText(commit)
    const row: AppliedCommit = {
      name: "settings",
      ref: "",
      url: repository.address,
      commit: commit.hash,
      description,
      files
    }
    return { commits: [row], affected, branches: templatesBranches(snapshot) }
  })

  return SettingsUpdate.of({ check })
})

/** What a refresh asks about a commit of the settings. */
export class SettingsUpdate extends Context.Service<
  SettingsUpdate,
  {
    /** Fails with every problem of the commit; yields what to put in force and whom it concerns. */
    readonly check: (
      repository: GitRepository,
      commit: GitCommit,
      applied: Option.Option<AppliedCommit>
    ) => Effect.Effect<CheckedCommit, RefreshRefused | GitFailed | GitRefNotFound | SqlError.SqlError>
  }
>()("switchyard/jobs/SettingsUpdate") {
  static readonly layer = Layer.effect(SettingsUpdate, make)
}
