/** Changes of configurations: how long each phase took, and how they ended (docs/changes.md#the-way-of-a-change). */
import { counter, durations, secondsSince } from "./Family.ts"

export const phaseSeconds = durations(
  "switchyard_change_phase_duration_seconds",
  "Time that changes spent in a phase, as far as this process has moved them on",
  [0.01, 0.05, 0.25, 1, 5, 30, 120, 600],
  "phase"
)
export const changesEnded = counter(
  "switchyard_changes_ended_total",
  "Changes of devices that have ended, by their last phase",
  "result"
)
export const commits = counter("switchyard_commits_total", "Commits that switches have answered")

export const changeMetrics = [phaseSeconds, changesEnded, commits]

const ENDS: ReadonlySet<string> = new Set(["confirmed", "reverted", "unchanged", "discarded", "unknown"])

/** Lets the ends of changes be counted from zero on. */
export const countChangesFromZero = (): void => {
  for (const end of ENDS) changesEnded.add(0, end)
}

/** Since when changes of this process are in their phase, by id. Those that another process takes over are forgotten with the oldest. */
const since = new Map<number, number>()
const MOST = 20_000

const remember = (id: number): void => {
  since.delete(id)
  since.set(id, performance.now())
  if (since.size <= MOST) return
  const [oldest] = since.keys()
  if (oldest !== undefined) since.delete(oldest)
}

/** Notes that a change has moved on from one phase to another, or within one. */
export const moved = (id: number, from: string, to: string): void => {
  const began = since.get(id)
  if (began !== undefined) phaseSeconds.record(secondsSince(began), from)
  if (to === "committed") commits.add(1)
  if (!ENDS.has(to)) return remember(id)
  changesEnded.add(1, to)
  since.delete(id)
}

/** Notes that another process has the change now. */
export const lost = (id: number): void => void since.delete(id)
