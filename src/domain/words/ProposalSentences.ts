/**
 * What is said of a proposal: in one sentence, as the state of its commit at the forge, and as a comment there (docs/reviewing.md#at-the-forge).
 * Pure.
 */
import type { RiskLevel } from "../ChangeRisk.ts"
import type { Proposal, ProposalCheck } from "../Proposal.ts"
import { signedText } from "./ServerWords.ts"
import { counted, switches } from "./Units.ts"

/** The state of a commit at a forge, in its common words. */
export type ForgeState = "pending" | "success" | "failure" | "error"

/** What is to be said at the forge about the newest commit. */
export interface ForgeWord {
  readonly commit: string
  readonly state: ForgeState
  /** At most 140 characters: the shortest limit of the forges. */
  readonly description: string
}

const RISK_TEXT: Readonly<Record<RiskLevel, string>> = { low: "low risk", medium: "some risk", high: "high risk" }

const STATES: Readonly<Record<ProposalCheck, ForgeState>> = {
  waiting: "pending",
  checking: "pending",
  accepted: "success",
  refused: "failure",
  failed: "error"
}

type Summary = Pick<Proposal, "check" | "commit" | "devices" | "error" | "needs_confirmation" | "risk" | "ways">

/** The result of the check in one sentence. */
export const summaryOf = ({ check, devices, error, needs_confirmation, risk, ways }: Summary): string => {
  if (check === "waiting" || check === "checking") return "Being checked"
  if (check === "failed") return `Could not be checked: ${error ?? "the reason is not known"}`
  if (check === "refused") return "It would be refused: the page says where and why"
  const { changed = 0, failed = 0 } = devices ?? {}
  const change =
    changed === 0
      ? "No switch would change"
      : `${switches(changed)} would change in ${counted(ways, "way")}, ${RISK_TEXT[risk?.level ?? "low"]}`
  const parts = [
    change,
    ...(failed > 0 ? [`${switches(failed)} could not be rendered`] : []),
    ...(needs_confirmation ? ["it removes so much that a person must confirm it"] : [])
  ]
  return parts.join("; ")
}

const LONGEST = 140

const shortened = (text: string): string => (text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 1)}…`)

/** What is to be said at the forge; null before the commit is known. */
export const wordFor = (proposal: Summary): ForgeWord | null =>
  proposal.commit === null
    ? null
    : { commit: proposal.commit, state: STATES[proposal.check], description: shortened(summaryOf(proposal)) }

/** Text of a site in Markdown, as it is: no link, no mention and no markup of it has an effect. */
const verbatim = (text: string): string => text.replaceAll(/[\\`*_{}[\]()#+!|<>@~]/g, (sign) => `\\${sign}`)

const MOST_SENTENCES = 10

/** The comment at the forge, in Markdown. It has no differences: who reads them needs the right for it here. */
export const commentFor = (
  proposal: Summary & Pick<Proposal, "branch" | "signature">,
  sentences: ReadonlyArray<string>,
  url: string | null
): string => {
  const more = sentences.length - MOST_SENTENCES
  const lines = [
    `**Switchyard:** ${verbatim(summaryOf(proposal))}.`,
    "",
    ...sentences.slice(0, MOST_SENTENCES).map((sentence) => `- ${verbatim(sentence)}`),
    ...(more > 0 ? [`- and ${more} more`] : []),
    "",
    ...(url === null ? [] : [`[Differences, risks and effects](${url})`, ""]),
    `Commit ${proposal.commit ?? ""}${proposal.signature === null ? "" : `, ${verbatim(signedText(proposal.signature))}`}. Nothing is in force before it is merged and fetched.`
  ]
  return lines.join("\n")
}
