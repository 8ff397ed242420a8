/** The checks of a job: while they run with the time that is left, and how each ended, in groups by name. */
import { switches } from "../../../src/domain/words/Units.ts"
import { useAsk } from "../../api/useAsk.ts"
import { CheckGroups, ChecksBadge, SkippedChecks } from "../../parts/Checks.tsx"
import { Countdown } from "../../parts/Countdown.tsx"
import type { JobRecord } from "./Job.tsx"
import { isPreview } from "./jobKind.ts"
import type { ShownProgress } from "./useProgress.ts"

/** Milliseconds between two readings while checks run: a reading that changes nothing causes no event. */
const EVERY = 3000

interface Props {
  readonly job: JobRecord
  readonly progress: ShownProgress
}

/** The switches whose checks run now, and when the first of their timers ends. */
const Running = ({ devices }: Pick<ShownProgress, "devices">) => {
  const checking = devices.filter(({ failed, phase }) => phase === "checking" && failed === null)
  const [until] = checking.flatMap(({ timer_until }) => timer_until ?? []).toSorted()
  if (checking.length === 0) return null
  return (
    <p className="card-body" role="timer">
      Checks run on {switches(checking.length)}.
      {until !== undefined && (
        <>
          {" "}
          What is not confirmed goes back in <Countdown until={until} over="a moment" />.
        </>
      )}
    </p>
  )
}

export const Checks = ({ job, progress: { devices } }: Props) => {
  const isChecking = devices.some(({ phase }) => phase === "checking")
  const asked = useAsk(
    "GET /job/:id/checks",
    { params: { id: job.id } },
    { keep: true, kinds: ["job", "change"], ...(isChecking ? { every: EVERY } : {}) }
  )
  const found = asked.data?.answer.data
  if (found === undefined) return null
  const { checks, skipped } = found
  return (
    <>
      <SkippedChecks skipped={skipped} />
      {(checks.length > 0 || isChecking) && (
        <section className="card" aria-labelledby="checks-head">
          <header className="card-head">
            <h2 id="checks-head">{isPreview(job) ? "Checks that a rollout would make" : "Checks"}</h2>
            {checks.length > 0 && <ChecksBadge checks={checks} />}
          </header>
          <Running devices={devices} />
          <CheckGroups checks={checks} />
        </section>
      )}
    </>
  )
}
