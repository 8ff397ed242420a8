/**
 * The risk of a configuration change: the score of its diff (docs/changes.md#change-score), and the form of the rules for
 * changes that no job pushes without a person. Pure; each platform's record has its own tables, and `auto_push.yml` of the
 * templates may add rules but remove none.
 */
/** Patterns of changed lines in a diff, with their `+` or `-`, and the weight of each. */
export type RiskRule = readonly [pattern: RegExp, weight: number]

/** The rules for platforms that have none of their own. The first rule that matches a changed line counts. */
export const usualRisk: ReadonlyArray<RiskRule> = [
  [/^[+-] *description/, 0],
  [/^[+-] *name/, 0],
  [/^[+-] *!/, 0],
  // commands that run later or elsewhere, logins and their rights
  [/^[+-] *(?:no |default )*(?:event-handler|event manager|daemon|schedule|kron|alias|action|trigger|exec)(?: |$)/, 20],
  [
    /^[+-] *(?:no |default )*(?:management api|aaa(?! \S+ dot1x)|username|role|user|enable (?:secret|password)|password|line vty)(?: |$)/,
    20
  ],
  [/^[+-] *dot1x/, 0.5],
  [/^[+-] *ntp/, 0.5],
  [/^[+-] *snmp/, 0.5],
  [/^[+-] *vrf/, 5],
  [/^-.*ip address/, 10],
  [/^- *vlan/, 10],
  [/^[+-] *spanning-tree mode/, 50],
  [/^[+-] *spanning-tree/, 5],
  [/^-.*(routing|router)/, 50],
  [/^- *neighbor/, 10],
  [/^[+-] *address-family/, 10],
  [/^[+-] *redistribute/, 10]
]

const OTHER_LINE = 1
const SHARE_OF_CHANGED_LINES = 0.2
const SHARE_OF_WEIGHTS = 0.8

const weightOf = (rules: ReadonlyArray<RiskRule>, line: string): number =>
  rules.find(([pattern]) => pattern.test(line))?.[1] ?? OTHER_LINE

/** The score of one device, not rounded; 0 for an empty diff. `diff` has no file header lines, `rules` are its platform's. */
export const deviceScore = (config: string, diff: string, rules = usualRisk): number => {
  if (diff === "") return 0
  const lines = diff.split("\n")
  const changed = lines.filter((line) => line.startsWith("+") || line.startsWith("-"))
  const share = (changed.length / config.split("\n").length) * 100
  const weights = changed.reduce((sum, line) => sum + weightOf(rules, line), 0)
  const unlike = new Set(lines).size / lines.length
  return (share * SHARE_OF_CHANGED_LINES + weights * SHARE_OF_WEIGHTS) * unlike
}

/** A device in a job: its score, or null without one, and whether it failed. */
interface DeviceScore {
  readonly score: number | null
  readonly failed: boolean
}

/** The score of a job, 1–100: the worst device's, 100 when one failed; null when the job had no devices. */
export const jobScore = (devices: ReadonlyArray<DeviceScore>): number | null => {
  if (devices.length === 0) return null
  if (devices.some(({ failed, score }) => failed || score === null)) return 100
  const worst = Math.max(...devices.map(({ score }) => score ?? 0))
  return Math.min(100, Math.max(1, Math.floor(worst + 0.5)))
}

/** A dry run below this score may be pushed at once if the caller asked for it (auto_push). */
export const AUTO_PUSH_BELOW = 10

export const riskLevels = ["low", "medium", "high"] as const
export type RiskLevel = (typeof riskLevels)[number]

/** From this score or weight of a line on the risk is high. */
const HIGH = 50

/** The risk in a word, of a score or of the weight of one line. */
export const riskLevelOf = (score: number): RiskLevel => {
  if (score >= HIGH) return "high"
  return score >= AUTO_PUSH_BELOW ? "medium" : "low"
}

// Changes that no job pushes without a person: the form of the rules, and of the words of a platform that the rules need. Each
// platform's record has its own; a commit of the templates may add rules (`auto_push.yml`) but remove none.

/** True for a line without its indentation. */
export type LineTest = (text: string) => boolean

/** A kind of change that needs a person. All given properties must hold for one changed line. */
export interface AutoPushRule {
  /** The name of the rule in a refusal. */
  readonly name: string
  /** A sentence without a full stop. */
  readonly message: string
  readonly change: "added" | "removed" | "any"
  readonly line: LineTest
  /** One of the sections around the line; null where that does not matter. */
  readonly section: LineTest | null
  /** `management`: in a section by which the device is managed; `managementAcl`: about an access list that such a section uses. */
  readonly where: "anywhere" | "management" | "managementAcl"
  /** Lines of a VLAN that the last port has left through an edit of this job do not count. */
  readonly exceptOrphans: boolean
}

/** The words of a platform. */
export interface PlatformWords {
  /** Lines that end in a list of VLANs: the text before the list, and the list. */
  readonly lists: RegExp
  /** Sections of ports, and the lines in them that use a VLAN, with its number. */
  readonly port: RegExp
  readonly portVlan: RegExp
  /** Lines about one VLAN, with its number. */
  readonly ofVlan: RegExp
  /** Sections of interfaces, and the lines in them that set an address, with the address. */
  readonly interfaces: RegExp
  readonly address: RegExp
  /** Sections by which any device of the platform is managed, in addition to the interface with its address. */
  readonly management: RegExp
  /** Lines that use an access list, and those that define one, with its name. */
  readonly aclUse: RegExp
  readonly aclDefinition: RegExp
  readonly rules: ReadonlyArray<AutoPushRule>
}

/** A rule from its pattern; a missing property matches everything. */
export const rule = (
  name: string,
  message: string,
  line: RegExp,
  more: Partial<Omit<AutoPushRule, "name" | "message" | "line" | "section">> & { readonly section?: RegExp } = {}
): AutoPushRule => {
  const { section, ...rest } = more
  return {
    name,
    message,
    change: "any",
    where: "anywhere",
    exceptOrphans: false,
    ...rest,
    line: (text) => line.test(text),
    section: section === undefined ? null : (text) => section.test(text)
  }
}
