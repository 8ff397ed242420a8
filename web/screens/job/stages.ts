/** The stage of a device in a rollout, for people: few stages, in order. Pure. */
import type { ChangePhase } from "../../../machines/change/ChangeRow.ts"
import { stageWords } from "../../../src/domain/words/JobWords.ts"
import type { ToneName } from "../../parts/tones.ts"

interface Standing {
  readonly phase: string | null
  readonly failed: boolean | null
}

export interface Stage {
  readonly key: string
  readonly label: string
  readonly tone: ToneName
}

/** All stages, in the order in which they are shown. */
export const stages = (
  ["failed", "unknown", "waiting", "loaded", "committed", "proved", "reverting", "confirmed", "done"] as const
).map((key) => ({ key, label: stageWords[key].text, tone: stageWords[key].tone })) satisfies ReadonlyArray<Stage>

type StageKey = keyof typeof stageWords

const ofPhase = {
  planned: "waiting",
  loading: "loaded",
  discarding: "loaded",
  committing: "committed",
  committed: "committed",
  looking: "committed",
  proved: "proved",
  confirming: "proved",
  outlasting: "proved",
  saving: "proved",
  restoring: "reverting",
  withdrawing: "reverting",
  expiring: "reverting",
  confirmed: "confirmed",
  unchanged: "done",
  discarded: "done",
  reverted: "failed",
  unknown: "unknown"
} as const satisfies Readonly<Record<ChangePhase, StageKey>>

const stageIn = (phase: string): StageKey | undefined => Object.entries(ofPhase).find(([known]) => known === phase)?.[1]

/** The stage of a device. A phase that is not listed here is unknown, never a success. */
export const stageOf = ({ failed, phase }: Standing): StageKey => {
  if (phase === "unknown") return "unknown"
  if (failed === true) return "failed"
  if (phase === null) return failed === null ? "waiting" : "done"
  return stageIn(phase) ?? "unknown"
}
