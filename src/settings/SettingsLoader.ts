/** From a commit of the settings repository to a snapshot; the only part of this room that does I/O. */
import { Array as Arr, Effect, Result } from "effect"
import type { GitFailed } from "../git/GitCommand.ts"
import type { GitRefNotFound } from "../git/GitRef.ts"
import type { GitRepository } from "../git/GitRepository.ts"
import { SettingsInvalid } from "./SettingsProblem.ts"
import type { Remark } from "../domain/Remark.ts"
import { isWithinSettings } from "./RepositoryPaths.ts"
import { checkSettingsGently, type Inventory } from "./SettingsCheck.ts"
import { buildSnapshot, type SettingsSnapshot, type SnapshotInput } from "./SettingsSnapshot.ts"

/**
 * Reads one commit and builds its snapshot. Fails with SettingsInvalid when files are missing or the groups are wrong;
 * whether the values are right is a question to `checkSettings`.
 */
export const loadSnapshot = Effect.fn("settings.loadSnapshot")(function* (
  repository: GitRepository,
  commit: string,
  options: Pick<SnapshotInput, "keysToMerge" | "previous"> = {}
): Effect.fn.Return<SettingsSnapshot, SettingsInvalid | GitFailed | GitRefNotFound> {
  const { files, refused } = yield* repository.readTree(commit, isWithinSettings)
  const snapshot = buildSnapshot({ ...options, files, refused, root: repository.directory })
  if (Result.isFailure(snapshot)) return yield* new SettingsInvalid({ problems: snapshot.failure })
  return snapshot.success
})

/** A snapshot that may come into force, and the remarks of its checks. */
export interface CheckedSnapshot {
  readonly snapshot: SettingsSnapshot
  readonly warnings: ReadonlyArray<Remark>
}

/** Reads a commit and checks it against the inventory. Fails with all problems, in the order of contract §6.2. */
export const loadChecked = Effect.fn("settings.loadChecked")(function* (
  repository: GitRepository,
  commit: string,
  inventory: Inventory,
  options: Pick<SnapshotInput, "keysToMerge" | "previous"> = {}
): Effect.fn.Return<CheckedSnapshot, SettingsInvalid | GitFailed | GitRefNotFound> {
  const snapshot = yield* loadSnapshot(repository, commit, options)
  const { problems, warnings } = yield* checkSettingsGently(snapshot, inventory)
  if (Arr.isReadonlyArrayNonEmpty(problems)) return yield* new SettingsInvalid({ problems })
  return { snapshot, warnings }
})
