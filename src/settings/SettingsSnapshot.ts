/**
 * All settings of one commit, read and ready to be layered. A snapshot never changes: a refresh builds another one from
 * the new commit's files and the old one stays in force until the new one has passed its checks.
 */
import { Array as Arr, Result } from "effect"
import { remark } from "../domain/Repository.ts"
import type { AlertRules } from "../domain/events/alerts/AlertFile.ts"
import { type FileRefusal, mayHideFiles } from "../git/FileText.ts"
import { located } from "./Finding.ts"
import { alertsOf } from "./AlertsText.ts"
import { Layering } from "./Layering.ts"
import {
  ALERTS_FILE,
  isSettingsPath,
  pathSet,
  type PathSet,
  structureProblem,
  structureProblems
} from "./RepositoryPaths.ts"
import { SettingsFile } from "./SettingsFile.ts"
import { type GroupDefinitions, readGroups } from "./SettingsGroups.ts"
import type { SettingsProblem } from "./SettingsProblem.ts"
import { SettingValidator } from "./SettingValidator.ts"

/** What a snapshot is built from. */
export interface SnapshotInput {
  /** Text of each file by its path in the repository. */
  readonly files: ReadonlyMap<string, string>
  /** Files that could not be read, each with the reason. */
  readonly refused?: ReadonlyMap<string, FileRefusal>
  /** What messages put before paths: the name of the repository, or the directory that somebody checks. */
  readonly root: string
  /** Server setting SETTINGS_KEYS_TO_MERGE. */
  readonly keysToMerge?: ReadonlyArray<string>
  /** The snapshot in force, whose unchanged files need not be read again. */
  readonly previous?: SettingsSnapshot
}

/** The settings of one commit. */
export interface SettingsSnapshot {
  readonly root: string
  readonly files: ReadonlyMap<string, SettingsFile>
  readonly paths: PathSet
  readonly definitions: GroupDefinitions
  readonly validator: SettingValidator
  readonly layering: Layering
  /** Files beside the settings that are no text, which nobody reads. */
  readonly ignored: ReadonlyArray<string>
  /** What `alerts.yml` of the commit says; null where it has none. */
  readonly alerts: AlertRules | null
}

const keepUnchanged = ({ files, previous }: SnapshotInput): ReadonlyMap<string, SettingsFile> => {
  const kept = new Map<string, SettingsFile>()
  for (const [path, text] of files) {
    if (path === ALERTS_FILE) continue
    const known = previous?.files.get(path)
    kept.set(path, known?.text === text ? known : new SettingsFile(path, text))
  }
  return kept
}

const groupsOf = (
  files: ReadonlyMap<string, SettingsFile>
): Result.Result<GroupDefinitions, ReadonlyArray<SettingsProblem>> => {
  const file = files.get("global/groups.yml")
  if (file === undefined) return Result.succeed({ groups: [], warnings: [] })
  if (file.shape !== undefined) return Result.fail([file.shape])
  return Result.flatMap(
    Result.mapError(file.content, (problem) => [problem]),
    ({ values }) => readGroups(values)
  )
}

/** Whether settings are missing where a file could not be read: it is one of theirs, or their files could stand behind it. */
const isMissed = (path: string, refusal: FileRefusal): boolean =>
  isSettingsPath(path) || path === ALERTS_FILE || mayHideFiles(path, refusal)

const refusals = ({ refused = new Map(), root }: SnapshotInput): ReadonlyArray<SettingsProblem> =>
  [...refused].flatMap(([path, refusal]) => {
    if (!isMissed(path, refusal)) return []
    const message = `File ${root}/${path} cannot be read: ${refusal.reason}`
    const { line } = refusal
    return [
      {
        ...structureProblem(path, message),
        ...(line === null ? {} : { findings: [located(remark(message, { file: path, line }))] })
      }
    ]
  })

/**
 * Reads the files of a commit. Fails with all problems of structure and of the group definitions; values in other files
 * are validated when they are layered (see `checkSettings`).
 */
export const buildSnapshot = (
  input: SnapshotInput
): Result.Result<SettingsSnapshot, Arr.NonEmptyReadonlyArray<SettingsProblem>> => {
  const files = keepUnchanged(input)
  const refused = input.refused ?? new Map<string, FileRefusal>()
  const missed = [...refused].flatMap(([path, refusal]) => (isMissed(path, refusal) ? [path] : []))
  const paths = pathSet([...files.keys(), ...missed])
  const groups = groupsOf(files)
  const names = Result.isSuccess(groups) ? groups.success.groups.map((group) => group.name) : []
  const alerts = alertsOf(input.files.get(ALERTS_FILE))
  const problems = [
    ...structureProblems(paths, names, input.root),
    ...refusals(input),
    ...(Result.isFailure(groups) ? groups.failure : []),
    ...(Result.isFailure(alerts) ? [alerts.failure] : [])
  ]
  if (Arr.isReadonlyArrayNonEmpty(problems)) return Result.fail(problems)
  const definitions = Result.isSuccess(groups) ? groups.success : { groups: [], warnings: [] }
  const validator = input.previous?.validator ?? new SettingValidator()
  const keysToMerge = new Set(input.keysToMerge ?? [])
  const layering = new Layering({ files, paths, groups: definitions.groups, validator, keysToMerge })
  const rules = Result.isSuccess(alerts) ? alerts.success : null
  const ignored = [...refused.keys()].filter((path) => !missed.includes(path))
  return Result.succeed({ root: input.root, files, ignored, paths, definitions, validator, layering, alerts: rules })
}
