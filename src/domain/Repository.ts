/**
 * Knowledge about the repositories of settings and templates: commits and their fate (docs/settings-repository.md#commits), the
 * commits that a job works on, remarks with their place in a file, and the origin of a template variable
 * (docs/templates.md#trying-templates).
 */
import { Context, Schema } from "effect"
import { CommitSignature } from "./CommitSignature.ts"

// A mistake or a doubt in a repository, with its place: authors of settings and templates read it in the answer of a refresh,
// on request, and from `switchyard check`.

/**
 * `file` is a path in the repository; line and column count from 1; `path` are the keys that lead to a value, such as
 * `vxlans->student->vlan_id`. Unknown parts are null.
 */
export const Remark = Schema.Struct({
  file: Schema.NullOr(Schema.String),
  line: Schema.NullOr(Schema.Int),
  column: Schema.NullOr(Schema.Int),
  path: Schema.NullOr(Schema.String),
  message: Schema.String
}).annotate({ identifier: "Remark" })
export type Remark = typeof Remark.Type

/** A place in a text, counted from 1. */
export interface TextPlace {
  readonly line: number
  readonly column: number
}

const NOWHERE = { file: null, line: null, column: null, path: null } as const

/** A remark with the known part of its place. */
export const remark = (message: string, place: Partial<Omit<Remark, "message">> = {}): Remark => ({
  ...NOWHERE,
  ...place,
  message
})

/** The keys and positions that lead to a value, as messages show them. */
export const pathText = (path: ReadonlyArray<unknown>): string => path.map(String).join("->")

/** The place for people: `global/vxlans.yml, line 3, column 14`; empty when the file is unknown. */
export const placeText = ({ column, file, line }: Remark): string => {
  if (file === null) return ""
  return line === null ? file : `${file}, line ${line}${column === null ? "" : `, column ${column}`}`
}

/** The remark in one text, its place first, then the keys. */
export const remarkText = (one: Remark): string =>
  [placeText(one), one.path ?? "", one.message].filter((part) => part !== "").join(": ")

const keyOf = (one: Remark): string => JSON.stringify([one.file, one.line, one.column, one.path, one.message])

/** Collects remarks, each once, up to a number; the rest is only counted. */
export class RemarkList {
  readonly #all = new Map<string, Remark>()
  readonly #most: number
  #more = 0

  constructor(most: number) {
    this.#most = most
  }

  add(remarks: Iterable<Remark>): void {
    for (const one of remarks) {
      const key = keyOf(one)
      if (this.#all.has(key)) continue
      if (this.#all.size < this.#most) this.#all.set(key, one)
      else this.#more += 1
    }
  }

  get remarks(): ReadonlyArray<Remark> {
    const all = [...this.#all.values()]
    return this.#more === 0 ? all : [...all, remark(`and ${this.#more} more`)]
  }
}

/** Why a refresh refused a commit. `at` is UTC. */
export const CommitRefusal = Schema.Struct({
  job_id: Schema.Int,
  at: Schema.NullOr(Schema.String),
  by: Schema.NullOr(Schema.String),
  message: Schema.String,
  problems: Schema.Array(Remark)
}).annotate({ identifier: "CommitRefusal" })
export type CommitRefusal = typeof CommitRefusal.Type

/**
 * `in_force`; `refused`: by the last refresh that looked at it; `not_applied`: it is newer than the commit in force, and no
 * refresh has looked at it separately; `replaced`: another one came into force after it; `waiting`: it removes too much, and
 * waits until a user confirms it.
 */
export const CommitState = Schema.Literals(["in_force", "refused", "not_applied", "replaced", "waiting"])
export type CommitState = typeof CommitState.Type

/** A commit of a repository. `at` is UTC. */
export const RepositoryCommit = Schema.Struct({
  commit: Schema.String,
  author: Schema.String,
  committer: Schema.String,
  at: Schema.String,
  subject: Schema.String,
  message: Schema.String,
  state: CommitState,
  refusal: Schema.NullOr(CommitRefusal),
  /** Null where signatures are not verified. */
  signature: Schema.NullOr(CommitSignature)
}).annotate({ identifier: "RepositoryCommit" })
export type RepositoryCommit = typeof RepositoryCommit.Type

/** The newest commits as of the last refresh, the newest first. */
export const CommitsOfRepository = Schema.Struct({
  /** The commit in force. */
  in_force: Schema.NullOr(Schema.String),
  commits: Schema.Array(RepositoryCommit)
}).annotate({ identifier: "CommitsOfRepository" })
export type CommitsOfRepository = typeof CommitsOfRepository.Type

/** A branch of the remote, with its newest commit. `at` is UTC. */
export const RepositoryBranch = Schema.Struct({
  branch: Schema.String,
  commit: Schema.String,
  author: Schema.String,
  at: Schema.String,
  subject: Schema.String,
  /** True if its newest commit is the one in force. */
  in_force: Schema.Boolean,
  /** Who signed its newest commit; null where signatures are not verified. */
  signature: Schema.NullOr(CommitSignature)
}).annotate({ identifier: "RepositoryBranch" })
export type RepositoryBranch = typeof RepositoryBranch.Type

// Commits in force that came with a restored backup and have not been refreshed since
// (docs/operations.md#what-happens-afterwards): the repositories may be newer, so that a push of them would undo changes that
// were made after the backup.

export interface RestoredCommits {
  /** Time of the backup, ISO 8601, UTC. */
  readonly backup_of: string
  readonly commits: ReadonlyArray<{ readonly name: string; readonly commit: string }>
}

/** The sentence about them wherever they matter. */
export const restoredSentence = ({ backup_of, commits }: RestoredCommits): string => {
  const named = commits.map(({ commit, name }) => `${name} ${commit.slice(0, 12)}`).join(", ")
  return `The commits in force are those of the backup of ${backup_of} (${named}): the repositories may have newer ones, and nobody has refreshed since the restore. Refresh them first`
}

/** Why a forced push of them is refused. */
export const olderRefusal = (restored: RestoredCommits): string =>
  `${restoredSentence(restored)}, or set confirm_older: true to push what is older all the same`

// The commits that a job works on from its beginning to its end, whatever comes into force meanwhile. They are passed down with
// the fiber: inside such a job settings and templates answer with these commits, elsewhere with those in force.

/** Commits by repository; null where none was in force. `branches` are the template branches of groups. */
export interface CommitSet {
  readonly settings: string | null
  readonly templates: string | null
  readonly branches: Readonly<Record<string, string>>
}

/** The commits of the current work; null: those in force. */
export const WorkingCommits = Context.Reference<CommitSet | null>("switchyard/domain/WorkingCommits", {
  defaultValue: () => null
})

// A template variable of a device, and its origin (docs/templates.md#trying-templates).

/**
 * `settings`: the value in the settings; `computed`: from a setting and the database; `database`: from the records of devices,
 * ports and links; `secret`: from the server's environment; `override`: SETTINGS_OVERRIDE.
 */
export const VariableSource = Schema.Literals(["settings", "computed", "database", "secret", "override"])
export type VariableSource = typeof VariableSource.Type

/** A line of a settings file. */
const SettingPlace = Schema.Struct({ file: Schema.String, line: Schema.NullOr(Schema.Int) }).annotate({
  identifier: "SettingPlace"
})

/** A variable as people may see it. `level` is that of `GET /settings`; `places` are the lines that set it, by level. */
export const DeviceVariable = Schema.Struct({
  name: Schema.String,
  value: Schema.Unknown,
  source: VariableSource,
  level: Schema.NullOr(Schema.String),
  places: Schema.Array(SettingPlace)
}).annotate({ identifier: "TemplateVariable" })
export type DeviceVariable = typeof DeviceVariable.Type
