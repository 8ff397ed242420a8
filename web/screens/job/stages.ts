/** The stage of a device in a rollout, for people: few stages, in order. Pure. */
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
export const stages = [
  { key: "failed", label: "failed", tone: "bad" },
  { key: "unknown", label: "unknown", tone: "bad" },
  { key: "waiting", label: "waits", tone: "quiet" },
  { key: "loaded", label: "loaded", tone: "info" },
  { key: "committed", label: "committed", tone: "info" },
  { key: "proved", label: "proved", tone: "info" },
  { key: "reverting", label: "going back", tone: "warn" },
  { key: "confirmed", label: "confirmed", tone: "good" },
  { key: "done", label: "done", tone: "good" }
] as const satisfies ReadonlyArray<Stage>

type StageKey = (typeof stages)[number]["key"]

const ofPhase: Readonly<Record<string, StageKey>> = {
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
}

/** The stage of a device. A phase that is not listed here is unknown, never a success. */
export const stageOf = ({ failed, phase }: Standing): StageKey => {
  if (phase === "unknown") return "unknown"
  if (failed === true) return "failed"
  if (phase === null) return failed === null ? "waiting" : "done"
  return ofPhase[phase] ?? "unknown"
}
