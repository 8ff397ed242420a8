/**
 * What a commit of a repository means before it is in force: whom it takes what away from, and whether that is so much that somebody has
 * to confirm it (docs/settings-repository.md#effects). The shape, the sentences for people, and the rule. Pure.
 */
import { Schema } from "effect"
import { Remark } from "./Remark.ts"

/** The longest list of names; the counts beside it count all. */
export const MOST_NAMES = 50
/** The most ports, VLANs, groups and rules that are listed. */
export const MOST_LISTED = 200

const Names = Schema.Array(Schema.String)

/** What says something about the devices of a group: a window, a role, a rule of alerts, a branch of the templates, or settings. */
export const GroupUse = Schema.Struct({
  kind: Schema.Literals(["window", "freeze", "role", "alert rule", "templates_branch", "settings"]),
  name: Schema.String
})
export type GroupUse = typeof GroupUse.Type

/** Members of something, before and after; the names are the first of those counted. */
const Moved = {
  before: Schema.Int,
  after: Schema.Int,
  gained: Schema.Int,
  lost: Schema.Int,
  gained_names: Names,
  lost_names: Names
}

/** A group with other members; `used_by` says what else changes by that. */
export const GroupEffect = Schema.Struct({ name: Schema.String, ...Moved, used_by: Schema.Array(GroupUse) })
export type GroupEffect = typeof GroupEffect.Type

/** A window, role or rule of alerts that is for other devices, or for none any more. */
export const RuleEffect = Schema.Struct({ ...GroupUse.fields, ...Moved })
export type RuleEffect = typeof RuleEffect.Type

/** A port that names a VLAN which is not what it was. */
export const NamingPort = Schema.Struct({
  hostname: Schema.String,
  interface: Schema.String,
  as: Schema.Literals(["untagged", "tagged", "vxlan"])
})
export type NamingPort = typeof NamingPort.Type

/**
 * A VLAN that devices had. `vanished`: they have it no more; `renamed` and `renumbered`: its key has another name or id; `moved`: its name
 * stands under another key. `port_list` are ports that name it in a way which means nothing, or something else, from then on.
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
})
export type VlanEffect = typeof VlanEffect.Type

/** How many of a kind there were, and which go. */
export const RemovedKind = Schema.Struct({
  kind: Schema.Literals(["VLANs", "directories of devices", "groups", "templates"]),
  before: Schema.Int,
  removed: Schema.Int,
  names: Names
})
export type RemovedKind = typeof RemovedKind.Type

/**
 * Configurations that change. A refresh renders some devices (`rendered`) for all that are concerned (`is_sample`): `changed`, `losing`
 * and `failed` count the devices that these stand for. `losing` lose more lines than they get. `devices` are those that were rendered,
 * those with the most removed lines first.
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
  devices: Schema.Array(Schema.Struct({ hostname: Schema.String, added: Schema.Int, removed: Schema.Int }))
})
export type ConfigurationEffect = typeof ConfigurationEffect.Type

/** A name that templates print and nobody has defined, with the devices concerned. */
export const UndefinedName = Schema.Struct({ ...Remark.fields, devices: Schema.Int, hostnames: Names })
export type UndefinedName = typeof UndefinedName.Type

/** What a commit means. */
export const CommitEffects = Schema.Struct({
  /** Emptied ones first. */
  groups: Schema.Array(GroupEffect),
  rules: Schema.Array(RuleEffect),
  /** Those that ports name first. */
  vlans: Schema.Array(VlanEffect),
  /** Keys at the top of files that are not there any more. */
  keys: Schema.Array(Schema.Struct({ file: Schema.String, key: Schema.String })),
  removed: Schema.Array(RemovedKind),
  configurations: ConfigurationEffect,
  undefined_names: Schema.Array(UndefinedName),
  /** Why it must be confirmed, as sentences; empty when it need not be. */
  confirm: Schema.Array(Schema.String),
  /** Something was left out of a list. */
  truncated: Schema.Boolean
})
export type CommitEffects = typeof CommitEffects.Type

/** A commit that waits until somebody confirms it. `at` is UTC. */
export const WaitingCommit = Schema.Struct({
  commit: Schema.String,
  at: Schema.String,
  by: Schema.String,
  job_id: Schema.Int,
  message: Schema.String,
  effects: CommitEffects
})
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

/** Of a commit that changes nothing, or that nothing was in force before. */
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

/** What is too much without a question: percent of a kind, and percent of the managed devices. */
export interface EffectLimits {
  readonly removed: number
  readonly losing: number
}

/** Fewer are never too many, whatever part of all they are. */
const AT_LEAST = 5
/** A site without any VLAN is no site: all of them are too many, however few. */
const ALL_VLANS = 2

const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`

const listed = (names: ReadonlyArray<string>, count: number, most = 5): string => {
  const shown = names.slice(0, most)
  return shown.length === 0 ? "" : `: ${shown.join(", ")}${count > shown.length ? " …" : ""}`
}

const useText = ({ kind, name }: GroupUse): string => `${kind} ${name}`

const isTooMany = ({ before, kind, removed }: RemovedKind, percent: number): boolean =>
  (removed >= AT_LEAST && removed * 100 > before * percent) ||
  (kind === "VLANs" && percent < 100 && removed === before && removed >= ALL_VLANS)

const emptiedSentence = ({ before, name, used_by }: GroupEffect): string =>
  `Group ${name} loses all of its ${counted(before, "device")}, and is used by ${used_by.map(useText).join(", ")}`

const losesMany = ({ losing, managed }: ConfigurationEffect, percent: number): boolean =>
  losing >= AT_LEAST && losing * 100 > managed * percent

/** Why a commit must be confirmed before it comes into force. */
export const reasonsToAsk = (
  { configurations, groups, removed }: Omit<CommitEffects, "confirm">,
  limits: EffectLimits
): ReadonlyArray<string> => [
  ...groups
    .filter(({ after, before, used_by }) => before > 0 && after === 0 && used_by.length > 0)
    .map(emptiedSentence),
  ...removed
    .filter((kind) => isTooMany(kind, limits.removed))
    .map(
      (kind) =>
        `${kind.removed} of ${kind.before} ${kind.kind} are removed${listed(kind.names, kind.removed)} (more than ${limits.removed} % is asked about: REFRESH_MAX_REMOVED)`
    ),
  ...(losesMany(configurations, limits.losing)
    ? [
        `${configurations.losing} of ${configurations.managed} managed devices lose more lines than they get (more than ${limits.losing} % is asked about: REFRESH_MAX_LOSING)`
      ]
    : [])
]

const movedText = ({ after, before, gained, gained_names, lost, lost_names }: Omit<RuleEffect, "kind" | "name">) => {
  const parts = [
    ...(lost > 0 ? [`loses ${counted(lost, "device")}${listed(lost_names, lost)}`] : []),
    ...(gained > 0 ? [`gains ${counted(gained, "device")}${listed(gained_names, gained)}`] : [])
  ]
  return `${parts.join("; ")} (${before} before, ${after} after)`
}

const groupSentence = (group: GroupEffect): string => {
  const uses = group.used_by.length === 0 ? "" : `. It is used by ${group.used_by.map(useText).join(", ")}`
  return `Group ${group.name} ${movedText(group)}${uses}`
}

const ruleSentence = (rule: RuleEffect): string =>
  rule.after === 0
    ? `${useText(rule)} is for no device any more; it was for ${counted(rule.before, "device")}${listed(rule.lost_names, rule.lost)}`
    : `${useText(rule)} ${movedText(rule)}`

const portText = ({ as, hostname, interface: name }: NamingPort): string => `${hostname} ${name} (${as})`

const vlanSentence = (vlan: VlanEffect): string => {
  const { change, key, new_id, new_key, new_name, port_list, ports, vlan_id, vlan_name } = vlan
  const what = {
    vanished: "vanishes",
    renamed: `is renamed to ${new_name}`,
    renumbered: `gets id ${new_id}`,
    moved: `stands under the key ${new_key}`
  }[change]
  const named = ports === 0 ? "" : `. ${counted(ports, "port names", "ports name")} it${listed(port_list.map(portText), ports, 10)}`
  return `VLAN ${vlan_name} (${vlan_id}, key ${key}) ${what} on ${counted(vlan.devices, "device")}${named}`
}

const configurationSentence = (effect: ConfigurationEffect): ReadonlyArray<string> => {
  const { added, changed, concerned, failed, is_sample, losing, removed, rendered } = effect
  if (concerned === 0) return []
  const about = is_sample ? `About ${changed}` : String(changed)
  const from = is_sample ? ` (${rendered} were rendered, which stand for the others)` : ""
  const lines = `${about} of ${counted(concerned, "device")} get another configuration${from}: ${counted(removed, "line")} removed and ${added} added in those rendered`
  return [
    lines,
    ...(losing > 0 ? [`${is_sample ? "About " : ""}${counted(losing, "device loses", "devices lose")} more lines than ${losing === 1 ? "it gets" : "they get"}`] : []),
    ...(failed > 0 ? [`${is_sample ? "About " : ""}${counted(failed, "device")} cannot be rendered`] : [])
  ]
}

const undefinedSentence = ({ devices, file, hostnames, line, message }: UndefinedName): string =>
  `${file}${line === null ? "" : `, line ${line}`}: ${message}, so nothing is printed for it on ${counted(devices, "device")}${listed(hostnames, devices)}`

/** What a commit means in plain words, the most important first. */
export const effectSentences = (effects: CommitEffects): ReadonlyArray<string> => [
  ...effects.groups.map(groupSentence),
  ...effects.rules.map(ruleSentence),
  ...effects.vlans.map(vlanSentence),
  ...effects.removed.map(
    ({ before, kind, names, removed }) => `${removed} of ${before} ${kind} are removed${listed(names, removed, 10)}`
  ),
  ...effects.keys.map(({ file, key }) => `${file} says nothing of ${key} any more`),
  ...configurationSentence(effects.configurations),
  ...effects.undefined_names.map(undefinedSentence)
]

/** What is said of a commit that waits. */
export const waitingMessage = (name: string, commit: string, confirm: ReadonlyArray<string>): string =>
  [
    `Commit ${commit} is not in force: it takes away too much to do so without a question.`,
    ...confirm.map((reason) => `${reason}.`),
    `Confirm it with PUT /repository/${name} {"action": "REFRESH", "confirm": "${commit}"}, or refresh once it is corrected. The commit before it stays in force.`
  ].join("\n")
