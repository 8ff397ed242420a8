/** What people did with a job, and when it began and ended; the newest first. */
import { useAsk } from "../../api/useAsk.ts"
import { useMay } from "../../app/useSession.ts"
import type { ToneName } from "../../parts/tones.ts"
import { Timeline, type TimelineEntry } from "../../parts/Timeline.tsx"
import { jobWord } from "../../../src/domain/words/JobWords.ts"
import { inSentence } from "../../../src/domain/words/Word.ts"
import type { JobRecord } from "./Job.tsx"

/** What somebody did, as the rest of a sentence about them. Other events are not shown. */
const DEEDS: Readonly<Record<string, { readonly said: string; readonly tone: ToneName }>> = {
  "job started": { said: "asked for it", tone: "quiet" },
  "job aborted": { said: "stopped it", tone: "bad" },
  "job paused": { said: "paused it", tone: "wait" },
  "job resumed": { said: "resumed it", tone: "info" },
  "approval approved": { said: "approved it", tone: "good" },
  "approval rejected": { said: "rejected it", tone: "bad" },
  "window emergency": { said: "called it an emergency", tone: "warn" }
}

const ofRecord = (job: JobRecord): ReadonlyArray<TimelineEntry> => {
  const { finish_time, start_time } = job
  const { text, tone } = jobWord(job)
  return [
    ...(start_time === null ? [] : [{ key: "began", at: start_time, tone: "info" as const, said: "It began" }]),
    ...(finish_time === null ? [] : [{ key: "ended", at: finish_time, tone, said: `It ended: ${inSentence(text)}` }])
  ]
}

const reasonIn = (data: Readonly<Record<string, unknown>>): string => {
  const found = ["reason", "why", "comment"].map((key) => data[key]).find((value) => typeof value === "string")
  return typeof found === "string" && found !== "" ? `: ${found}` : ""
}

export const JobTimeline = ({ job }: { readonly job: JobRecord }) => {
  const may = useMay()
  const path = `/job/${job.id}/audit`
  const asked = useAsk(
    "GET /job/:id/audit",
    { params: { id: job.id } },
    { kinds: ["job", "approval"], enabled: may("GET", path) }
  )
  const deeds = (asked.data?.answer.data.events ?? []).flatMap(({ action, actor, at, data, id, kind }) => {
    const deed = DEEDS[`${kind} ${action}`]
    return deed === undefined
      ? []
      : [{ key: String(id), at, tone: deed.tone, said: `${actor} ${deed.said}${reasonIn(data)}` }]
  })
  const entries = [...ofRecord(job), ...deeds].toSorted((one, other) => String(other.at).localeCompare(String(one.at)))
  if (entries.length === 0) return null
  return (
    <section className="card" aria-labelledby="timeline-head">
      <header className="card-head">
        <h2 id="timeline-head">Timeline</h2>
      </header>
      <div className="card-body">
        <Timeline label="What happened with this job" entries={entries} />
      </div>
    </section>
  )
}
