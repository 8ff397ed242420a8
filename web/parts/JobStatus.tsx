/** The status of a job in one word: its outcome when it has ended, the thing it waits for while it waits. */
import { Tone } from "./Tone.tsx"
import { toneOfJob } from "./tones.ts"

interface Shown {
  readonly status: string
  readonly outcome: string | null
  readonly waiting_for: { readonly reason: string } | null
}

const WAITS: Readonly<Record<string, string>> = {
  approval: "waits for approval",
  lock: "waits for another job",
  place: "waits for a place",
  timer: "waits for timers",
  pause: "paused",
  window: "waits for its window"
}

const ENDS: Readonly<Record<string, string>> = {
  success: "success",
  partial: "partly failed",
  failed: "failed",
  aborted: "aborted"
}

/** The word. */
export const statusWord = ({ outcome, status, waiting_for }: Shown): string => {
  if (outcome !== null) return ENDS[outcome] ?? outcome
  if (waiting_for !== null) return WAITS[waiting_for.reason] ?? "waits"
  return status.toLowerCase()
}

export const JobStatus = ({ job }: { readonly job: Shown }) => (
  <Tone tone={job.waiting_for !== null && job.outcome === null ? "warn" : toneOfJob(job.status, job.outcome)}>
    {statusWord(job)}
  </Tone>
)
