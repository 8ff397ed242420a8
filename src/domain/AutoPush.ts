/**
 * Whether a change may be pushed without a person: which rule of its platform or of the templates repository it breaks, by a
 * comparison of the running configuration with the candidate. The score does not matter here. Pure.
 */
import type { AutoPushRule, PlatformWords } from "./ChangeRisk.ts"
import { type ChangedLine, changedLines, type ConfigLine, configLines } from "./ConfigLines.ts"
import { plainAddress } from "./Network.ts"
import { platformOf, platforms } from "./platforms/Platforms.ts"

/** Why a change needs a person, as in the record of the job. */
export interface Refusal {
  /** Name of the rule. */
  readonly refused: string
  readonly message: string
  /** Lines that break it, with the sections around them. */
  readonly lines: ReadonlyArray<string>
}

/** A change of one device. */
export interface JudgedChange {
  readonly platform: string
  readonly before: string
  readonly after: string
  /** Addresses at which the server manages the device. */
  readonly addresses: ReadonlyArray<string>
  /** True when only edits of its ports have happened to the device since it was synchronized. */
  readonly portEditsOnly: boolean
  /** Rules of the templates repository. */
  readonly siteRules: ReadonlyArray<AutoPushRule>
}

/** The most lines that a refusal shows. */
const SHOWN = 5

/** Names that are already used: our own rules, and the other reasons for a refusal. */
export const ownRuleNames: ReadonlySet<string> = new Set([
  ...platforms.flatMap(({ autoPush }) => (autoPush?.rules ?? []).map(({ name }) => name)),
  "score",
  "not_one_device",
  "dry_run_failed",
  "unknown_platform",
  "not_comparable",
  "rules_unreadable"
])

/** A change with the facts that its rules need. */
interface Scene {
  readonly words: PlatformWords
  /** Sections in which the device has one of its addresses. */
  readonly management: ReadonlySet<string>
  readonly managementAcls: ReadonlySet<string>
  readonly orphans: ReadonlySet<string>
}

const numberIn = (pattern: RegExp, text: string): string | undefined => pattern.exec(text)?.[1]

/** Operators, templates and switches write IPv6 addresses in different forms. */
const managedBy = (words: PlatformWords, lines: ReadonlyArray<ConfigLine>, addresses: ReadonlyArray<string>) => {
  const wanted = new Set(addresses.map(plainAddress))
  return lines.flatMap(({ sections: [section = ""], text }) => {
    const address = words.interfaces.test(section) ? numberIn(words.address, text) : undefined
    return address !== undefined && wanted.has(plainAddress(address)) ? [section] : []
  })
}

const isManagement = ({ management, words }: Pick<Scene, "management" | "words">, { sections, text }: ConfigLine) =>
  [...sections, text].some((line) => management.has(line) || words.management.test(line))

const portVlans = ({ port, portVlan }: PlatformWords, lines: ReadonlyArray<ConfigLine>): ReadonlySet<string> =>
  new Set(
    lines.flatMap(({ sections, text }) =>
      sections.some((section) => port.test(section)) ? (numberIn(portVlan, text) ?? []) : []
    )
  )

/** VLANs that some port of the device had and no port has any more. */
const left = (words: PlatformWords, before: ReadonlyArray<ConfigLine>, after: ReadonlyArray<ConfigLine>) =>
  portVlans(words, before).difference(portVlans(words, after))

const isOrphan = ({ orphans, words }: Scene, { sections, text }: ConfigLine): boolean =>
  [...sections, text].some((line) => orphans.has(numberIn(words.ofVlan, line) ?? ""))

const ofManagementAcl = ({ managementAcls, words }: Scene, { sections, text }: ConfigLine): boolean =>
  [...sections, text].some((line) => managementAcls.has(numberIn(words.aclDefinition, line) ?? ""))

const breaks = (scene: Scene, rule: AutoPushRule, line: ChangedLine): boolean => {
  if (rule.change !== "any" && rule.change !== line.change) return false
  if (!rule.line(line.text)) return false
  if (rule.section !== null && !line.sections.some(rule.section)) return false
  if (rule.where === "management" && !isManagement(scene, line)) return false
  if (rule.where === "managementAcl" && !ofManagementAcl(scene, line)) return false
  return !(rule.exceptOrphans && isOrphan(scene, line))
}

const shown = ({ change, sections, text }: ChangedLine): string =>
  `${change === "added" ? "+" : "-"} ${[...sections, text].join(" / ")}`

const sceneOf = (
  words: PlatformWords,
  { addresses, portEditsOnly }: JudgedChange,
  before: ReadonlyArray<ConfigLine>,
  after: ReadonlyArray<ConfigLine>
): Scene => {
  const both = [...before, ...after]
  const management = new Set(managedBy(words, both, addresses))
  const managementAcls = both.flatMap((line) =>
    isManagement({ management, words }, line) ? (numberIn(words.aclUse, line.text) ?? []) : []
  )
  const orphans = portEditsOnly ? left(words, before, after) : new Set<string>()
  return { words, management, managementAcls: new Set(managementAcls), orphans }
}

/** The first rule that the change breaks; null when no rule forbids the push. */
export const refusalOf = (change: JudgedChange): Refusal | null => {
  const platform = platformOf(change.platform)
  const words = platform?.autoPush ?? null
  if (platform === undefined || words === null) {
    const message = `There are no rules for the platform ${change.platform}, so nothing is pushed to it automatically`
    return { refused: "unknown_platform", message, lines: [] }
  }
  const { comment } = platform.configuration
  const before = configLines(change.before, words.lists, comment)
  const after = configLines(change.after, words.lists, comment)
  const changed = changedLines(before, after)
  const scene = sceneOf(words, change, before, after)
  for (const rule of [...words.rules, ...change.siteRules]) {
    const broken = changed.filter((line) => breaks(scene, rule, line))
    if (broken.length === 0) continue
    return { refused: rule.name, message: rule.message, lines: broken.slice(0, SHOWN).map(shown) }
  }
  return null
}
