/**
 * The effects of a commit in plain words, and whether it removes so much that a user has to confirm it
 * (docs/settings-repository.md#confirmation). Pure.
 */
import type {
  CommitEffects,
  ConfigurationEffect,
  GroupEffect,
  GroupUse,
  NamingPort,
  RemovedKind,
  RuleEffect,
  UndefinedName,
  VlanEffect
} from "../CommitEffects.ts"
import { counted } from "./Units.ts"

/** The limits above which a confirmation is needed: percent of a kind, and percent of the managed devices. */
export interface EffectLimits {
  readonly removed: number
  readonly losing: number
}

/** A smaller number never needs a confirmation, whatever its percentage. */
const AT_LEAST = 5
/** The loss of every VLAN needs a confirmation, however few there are. */
const ALL_VLANS = 2

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
        `${configurations.losing} of ${configurations.managed} managed devices lose many lines (more than ${limits.losing} % is asked about: REFRESH_MAX_LOSING)`
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
  const named =
    ports === 0 ? "" : `. ${counted(ports, "port names", "ports name")} it${listed(port_list.map(portText), ports, 10)}`
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
    ...(losing > 0
      ? [
          `${is_sample ? "About " : ""}${counted(losing, "device loses", "devices lose")} many lines and ${losing === 1 ? "gets" : "get"} few or none`
        ]
      : []),
    ...(failed > 0 ? [`${is_sample ? "About " : ""}${counted(failed, "device")} cannot be rendered`] : [])
  ]
}

const undefinedSentence = ({ devices, file, hostnames, line, message }: UndefinedName): string =>
  `${file}${line === null ? "" : `, line ${line}`}: ${message}, so nothing is printed for it on ${counted(devices, "device")}${listed(hostnames, devices)}`

/** The effects of a commit in plain words, the most important first. */
export const effectSentences = (effects: CommitEffects): ReadonlyArray<string> => [
  ...effects.groups.map(groupSentence),
  ...effects.rules.map(ruleSentence),
  ...effects.vlans.map(vlanSentence),
  ...effects.removed.map(
    ({ before, kind, names, removed }) => `${removed} of ${before} ${kind} are removed${listed(names, removed, 10)}`
  ),
  ...effects.keys.map(({ file, key }) => `${file} no longer has ${key}`),
  ...configurationSentence(effects.configurations),
  ...effects.undefined_names.map(undefinedSentence)
]

/** The sentence about a commit that waits. */
export const waitingMessage = (name: string, commit: string, confirm: ReadonlyArray<string>): string =>
  [
    `Commit ${commit} is not in force: it removes so much that it must be confirmed.`,
    ...confirm.map((reason) => `${reason}.`),
    `Confirm it with PUT /repository/${name} {"action": "REFRESH", "confirm": "${commit}"}, or refresh once it is corrected. The commit before it stays in force.`
  ].join("\n")
