/**
 * The effects that a commit of a repository would have: the items that it removes and the devices that lose them
 * (docs/settings-repository.md#effects), and the check of a branch (docs/settings-repository.md#check-of-a-branch). The
 * sentences for people are in `words/EffectSentences.ts`.
 */
import { Schema } from "effect"
import { CommitSignature } from "./CommitSignature.ts"
import { Risk, RiskyLine } from "./DiffGroups.ts"
import { Remark } from "./Repository.ts"

/** So many removed lines are more than a setting that is replaced or left out. */
export const MANY_LINES = 10
/** The longest list of names; the counts next to it count all. */
export const MOST_NAMES = 50
/** The most ports, VLANs, groups and rules that are listed. */
export const MOST_LISTED = 200

const Names = Schema.Array(Schema.String)

/** Things that refer to the devices of a group: a window, a role, an alert rule, a branch of the templates, or settings. */
export const GroupUse = Schema.Struct({
  kind: Schema.Literals(["window", "freeze", "role", "alert rule", "templates_branch", "settings"]),
  name: Schema.String
}).annotate({ identifier: "GroupUse" })
export type GroupUse = typeof GroupUse.Type

/** Members before and after; the names are the first of those counted. */
const Moved = {
  before: Schema.Int,
  after: Schema.Int,
  gained: Schema.Int,
  lost: Schema.Int,
  gained_names: Names,
  lost_names: Names
}

/** A group whose members change; `used_by` says what else changes with it. */
export const GroupEffect = Schema.Struct({ name: Schema.String, ...Moved, used_by: Schema.Array(GroupUse) }).annotate({
  identifier: "GroupEffect"
})
export type GroupEffect = typeof GroupEffect.Type

/** A window, role or alert rule that applies to other devices, or to none any more. */
export const RuleEffect = Schema.Struct({ ...GroupUse.fields, ...Moved }).annotate({ identifier: "RuleEffect" })
export type RuleEffect = typeof RuleEffect.Type

/** A port that names a VLAN whose meaning changes. */
export const NamingPort = Schema.Struct({
  hostname: Schema.String,
  interface: Schema.String,
  as: Schema.Literals(["untagged", "tagged", "vxlan"])
}).annotate({ identifier: "NamingPort" })
export type NamingPort = typeof NamingPort.Type

/**
 * A VLAN that devices had. `vanished`: they no longer have it; `renamed` and `renumbered`: its key has another name or id;
 * `moved`: its name is now under another key. `port_list` are ports that name it in a way that will have another meaning or
 * none.
 */
export const VlanEffect = Schema.Struct({
  change: Schema.Literals(["vanished", "renamed", "renumbered", "moved"]),
  key: Schema.String,
  vlan_name: Schema.String,
  vlan_id: Schema.Int,
  new_key: Schema.NullOr(Schema.String),
  new_name: Schema.NullOr(Schema.String),
  new_id: Schema.NullOr(Schema.Int),
  devices: Schema.Int,
  ports: Schema.Int,
  port_list: Schema.Array(NamingPort)
}).annotate({ identifier: "VlanEffect" })
export type VlanEffect = typeof VlanEffect.Type

/** How many of a kind existed, and which are removed. */
export const RemovedKind = Schema.Struct({
  kind: Schema.Literals(["VLANs", "directories of devices", "groups", "templates"]),
  before: Schema.Int,
  removed: Schema.Int,
  names: Names
}).annotate({ identifier: "RemovedKind" })
export type RemovedKind = typeof RemovedKind.Type

/**
 * Configurations that change. A refresh renders some devices (`rendered`) as a sample of all that are concerned (`is_sample`):
 * `changed`, `losing` and `failed` count the devices that the sample represents. `losing` lose at least `MANY_LINES` more lines
 * than they get. `devices` are the rendered devices, those with the most removed lines first.
 */
export const ConfigurationEffect = Schema.Struct({
  managed: Schema.Int,
  concerned: Schema.Int,
  rendered: Schema.Int,
  is_sample: Schema.Boolean,
  changed: Schema.Int,
  losing: Schema.Int,
  failed: Schema.Int,
  added: Schema.Int,
  removed: Schema.Int,
  devices: Schema.Array(
    Schema.Struct({ hostname: Schema.String, added: Schema.Int, removed: Schema.Int }).annotate({
      identifier: "ChangedConfiguration"
    })
  )
}).annotate({ identifier: "ConfigurationEffect" })
export type ConfigurationEffect = typeof ConfigurationEffect.Type

/** A name that templates print although it is undefined, with the devices concerned. */
export const UndefinedName = Schema.Struct({ ...Remark.fields, devices: Schema.Int, hostnames: Names }).annotate({
  identifier: "UndefinedName"
})
export type UndefinedName = typeof UndefinedName.Type

/** The effects of a commit. */
export const CommitEffects = Schema.Struct({
  /** Emptied groups first. */
  groups: Schema.Array(GroupEffect),
  rules: Schema.Array(RuleEffect),
  /** VLANs that ports name come first. */
  vlans: Schema.Array(VlanEffect),
  /** Keys at the top of files that no longer exist. */
  keys: Schema.Array(Schema.Struct({ file: Schema.String, key: Schema.String }).annotate({ identifier: "RemovedKey" })),
  removed: Schema.Array(RemovedKind),
  configurations: ConfigurationEffect,
  undefined_names: Schema.Array(UndefinedName),
  /** Why it must be confirmed, as sentences; empty when no confirmation is needed. */
  confirm: Schema.Array(Schema.String),
  /** True when a list is not complete. */
  truncated: Schema.Boolean
}).annotate({ identifier: "CommitEffects" })
export type CommitEffects = typeof CommitEffects.Type

/** A commit that waits for a confirmation. `at` is UTC. */
export const WaitingCommit = Schema.Struct({
  commit: Schema.String,
  at: Schema.String,
  by: Schema.String,
  job_id: Schema.Int,
  message: Schema.String,
  effects: CommitEffects,
  /** Who signed it; null where signatures are not verified. */
  signature: Schema.NullOr(CommitSignature)
}).annotate({ identifier: "WaitingCommit" })
export type WaitingCommit = typeof WaitingCommit.Type

export const NO_CONFIGURATIONS: ConfigurationEffect = {
  managed: 0,
  concerned: 0,
  rendered: 0,
  is_sample: false,
  changed: 0,
  losing: 0,
  failed: 0,
  added: 0,
  removed: 0,
  devices: []
}

/** The effects of a commit that changes nothing, or before which no commit was in force. */
export const NO_EFFECTS: CommitEffects = {
  groups: [],
  rules: [],
  vlans: [],
  keys: [],
  removed: [],
  configurations: NO_CONFIGURATIONS,
  undefined_names: [],
  confirm: [],
  truncated: false
}

// The effects that a branch of a repository would have if it came into force (docs/settings-repository.md#check-of-a-branch).

/** Devices that would get the same difference. `hostnames` are the first hundred of `count`; `diff` is that of the first device. */
export const DiffGroup = Schema.Struct({
  /** The key of the group, which stays while its change stays the same. */
  key: Schema.String,
  count: Schema.Int,
  hostnames: Schema.Array(Schema.String),
  added: Schema.Int,
  removed: Schema.Int,
  diff: Schema.String,
  /** The highest score of its devices; null where a configuration could not be compared line by line. */
  score: Schema.NullOr(Schema.Finite),
  /** The changed lines that are risky, the worst first. */
  risks: Schema.Array(RiskyLine),
  risk: Risk
}).annotate({ identifier: "BranchDiffGroup" })
export type DiffGroup = typeof DiffGroup.Type

/** A check that a rollout of the branch would make; `hostnames` are the first hundred of `devices`. */
export const BranchCheck = Schema.Struct({
  name: Schema.String,
  /** What it reads and what must hold. */
  sentence: Schema.String,
  devices: Schema.Int,
  hostnames: Schema.Array(Schema.String)
}).annotate({ identifier: "BranchCheck" })
export type BranchCheck = typeof BranchCheck.Type

/** The check of a branch. Nothing of the branch is in force. `at` is UTC. */
export const CheckedBranch = Schema.Struct({
  repository: Schema.Literals(["settings", "templates"]),
  branch: Schema.String,
  commit: Schema.String,
  committer: Schema.String,
  at: Schema.String,
  /** Who signed it; null where signatures are not verified, absent in results of earlier releases. */
  signature: Schema.optionalKey(Schema.NullOr(CommitSignature)),
  /** The commit in force with which the branch was compared. */
  in_force: Schema.NullOr(Schema.String),
  /** Whether a refresh would accept it. */
  accepted: Schema.Boolean,
  problems: Schema.Array(Remark),
  warnings: Schema.Array(Remark),
  /** Its effects in addition to the configurations of devices. */
  effects: CommitEffects,
  /** Files that were probably not meant to be read, such as those of editors. */
  ignored: Schema.Array(Schema.String),
  /** Managed devices whose settings or templates it changes, how many of them were rendered, and how many of these would change. */
  devices: Schema.Struct({
    concerned: Schema.Int,
    rendered: Schema.Int,
    changed: Schema.Int,
    failed: Schema.Int
  }).annotate({ identifier: "BranchDevices" }),
  /** Small groups first: they are probably unintended. */
  groups: Schema.Array(DiffGroup),
  /** The checks that a rollout would make on its devices; absent in results of earlier releases. */
  checks: Schema.optionalKey(Schema.Array(BranchCheck)),
  /**
   * Devices that cannot be rendered from it, with the reason; a hundred at most, first those that can be rendered from the
   * commit in force.
   */
  failures: Schema.Array(
    Schema.Struct({ hostname: Schema.String, message: Schema.String, by_the_branch: Schema.Boolean }).annotate({
      identifier: "BranchFailure"
    })
  ),
  /** True when something is missing: groups, lines of a difference, or devices for which the time was too short. */
  truncated: Schema.Boolean
}).annotate({ identifier: "CheckedBranch" })
export type CheckedBranch = typeof CheckedBranch.Type
