/** What a branch of a repository would change if it came into force (docs/settings-repository.md#check-of-a-branch). */
import { Schema } from "effect"
import { CommitEffects } from "./CommitEffects.ts"
import { Remark } from "./Remark.ts"

/** Devices that would get the same difference. `hostnames` are the first hundred of `count`; `diff` is that of the first one. */
export const DiffGroup = Schema.Struct({
  count: Schema.Int,
  hostnames: Schema.Array(Schema.String),
  added: Schema.Int,
  removed: Schema.Int,
  diff: Schema.String
})
export type DiffGroup = typeof DiffGroup.Type

/** The check of a branch. Nothing of it is in force. `at` is UTC. */
export const CheckedBranch = Schema.Struct({
  repository: Schema.Literals(["settings", "templates"]),
  branch: Schema.String,
  commit: Schema.String,
  committer: Schema.String,
  at: Schema.String,
  /** The commit in force that it was compared with. */
  in_force: Schema.NullOr(Schema.String),
  /** Whether a refresh would take it. */
  accepted: Schema.Boolean,
  problems: Schema.Array(Remark),
  warnings: Schema.Array(Remark),
  /** What it means beside what devices would get. */
  effects: CommitEffects,
  /** Managed devices whose settings or templates it changes, how many of them were rendered, and how many of these would change. */
  devices: Schema.Struct({
    concerned: Schema.Int,
    rendered: Schema.Int,
    changed: Schema.Int,
    failed: Schema.Int
  }),
  /** Small groups first: they are what was not meant. */
  groups: Schema.Array(DiffGroup),
  /** Devices that cannot be rendered from it, with the reason; a hundred at most, first those that can be rendered from what is in force. */
  failures: Schema.Array(
    Schema.Struct({ hostname: Schema.String, message: Schema.String, by_the_branch: Schema.Boolean })
  ),
  /** Something was left out: groups, lines of a difference, or devices that were not rendered in the time there is. */
  truncated: Schema.Boolean
})
export type CheckedBranch = typeof CheckedBranch.Type
