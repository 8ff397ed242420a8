/**
 * How risky a change looks, from its diff: the share of the configuration that changes, and what kind of lines they are
 * (docs/changes.md#change-score). Pure; the rules are a table.
 */

/** Changed lines of a diff, with their `+` or `-`, and how much each counts. */
export type RiskRule = readonly [pattern: RegExp, weight: number]

/** The rules of the platforms that have none of their own. In order, the first that matches a changed line counts. */
export const usualRisk: ReadonlyArray<RiskRule> = [
  [/^[+-] *description/, 0],
  [/^[+-] *name/, 0],
  [/^[+-] *!/, 0],
  // what runs commands later or elsewhere, and who may log in and what they may do
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

/** A device in a job: its score, or null when it has none, and whether it failed. */
export interface DeviceScore {
  readonly score: number | null
  readonly failed: boolean
}

/** The score of a job, 1–100: the worst device's, 100 when one failed; null when there were no devices. */
export const jobScore = (devices: ReadonlyArray<DeviceScore>): number | null => {
  if (devices.length === 0) return null
  if (devices.some(({ failed, score }) => failed || score === null)) return 100
  const worst = Math.max(...devices.map(({ score }) => score ?? 0))
  return Math.min(100, Math.max(1, Math.floor(worst + 0.5)))
}

/** A dry run below this score may be pushed at once when that was asked for (auto_push). */
export const AUTO_PUSH_BELOW = 10
