/** Words about checks: what must hold, which ports they read, and how they ended. */
import type { ChecksEnd } from "../../../machines/change/ChangeChecks.ts"
import type { BeforePolicy, ConditionKind, PortRole } from "../checks/Check.ts"
import type { TryEnd } from "../checks/TriedChecks.ts"
import type { Word, Words } from "./Word.ts"

/** What must hold, in one word. */
export const conditionWords = {
  equal: { text: "Is the same as before", tone: "quiet" },
  no_lost: { text: "Nothing is gone", tone: "quiet" },
  no_new: { text: "Nothing is new", tone: "quiet" },
  at_least_share: { text: "A share of before remains", tone: "quiet" },
  at_least: { text: "At least so many", tone: "quiet" },
  at_most: { text: "At most so many", tone: "quiet" },
  grows_at_most: { text: "Grows at most by", tone: "quiet" },
  within: { text: "Is within limits", tone: "quiet" },
  every: { text: "Is so for each", tone: "quiet" }
} as const satisfies Words<ConditionKind>

/** What happens when a check fails before the change already. */
export const beforeWords = {
  warn: { text: "Goes on and says so", tone: "quiet" },
  refuse: { text: "Does not change the switch", tone: "quiet" }
} as const satisfies Words<BeforePolicy>

/** The roles of ports that a check can ask for. */
export const portRoleWords = {
  access: { text: "Access ports", tone: "quiet" },
  uplink: { text: "Uplinks", tone: "quiet" },
  downlink: { text: "Downlinks", tone: "quiet" },
  mlag_peer: { text: "Peer links", tone: "quiet" },
  fabric: { text: "Links of the fabric", tone: "quiet" }
} as const satisfies Words<PortRole>

/** How the checks of a change ended. */
export const checksEndWords = {
  held: { text: "Checks hold", tone: "good" },
  failed: { text: "A check failed", tone: "bad" },
  unread: { text: "A check could not be read", tone: "bad" }
} as const satisfies Words<ChecksEnd>

/** What a check says of a switch without a change. */
export const tryWords = {
  holds: { text: "Holds", tone: "good" },
  fails: { text: "Would fail", tone: "bad" },
  compares: { text: "Needs a change", tone: "quiet" },
  unread: { text: "Could not be read", tone: "bad" }
} as const satisfies Words<TryEnd>

/** How a check of a job ended on its switches, by the worst of them; what only a dry run has planned has not ended. */
export const checkOfJobWord = ({ failed, held, undecided, unread }: EndsOfCheck): Word => {
  if (failed > 0) return { text: "Failed", tone: "bad" }
  if (unread > 0) return { text: "Could not be read", tone: "bad" }
  if (undecided > 0) return { text: "Did not decide", tone: "warn" }
  return held > 0 ? { text: "Holds", tone: "good" } : { text: "Would be made", tone: "quiet" }
}

/** On how many switches a check ended in each way. */
interface EndsOfCheck {
  readonly failed: number
  readonly held: number
  readonly undecided: number
  readonly unread: number
}

/** How one check ended: it holds, failed, could not be read, or did not decide. */
export const heldWord = ({ held, ignored }: { readonly held: boolean | null; readonly ignored?: string }): Word => {
  if (held === true) return { text: "Holds", tone: "good" }
  if (ignored !== undefined) return { text: "Did not decide", tone: "warn" }
  return held === false ? { text: "Failed", tone: "bad" } : { text: "Could not be read", tone: "bad" }
}
