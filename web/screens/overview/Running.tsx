/** The jobs that run now with their progress, and the last changes of the network. */
import type { Data } from "../../../src/api/Calls.ts"
import { jobTitle } from "../../../src/domain/words/JobWords.ts"
import { duration, switches } from "../../../src/domain/words/Units.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useMay } from "../../app/useSession.ts"
import { Asked } from "../../parts/Asked.tsx"
import { JobStatus } from "../../parts/JobStatus.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { type BarPart, StackedBar } from "../../parts/StackedBar.tsx"
import { When } from "../../parts/When.tsx"

type Job = Data<"GET /jobs">["jobs"][number]
type Totals = Data<"GET /job/:id/progress">["totals"]

/** So many running jobs are followed, the newest first. */
const FOLLOWED = 5
const EVERY = 10_000
const CHANGES = 6

const nameOf = (job: Job): string =>
  job.comment === null || job.comment === "" ? `${jobTitle(job.function_name)} ${job.id}` : job.comment

const partsOf = ({ done, failed, not_begun, waiting, working }: Totals): ReadonlyArray<BarPart> => [
  { key: "done", count: done, label: "done", tone: "good" },
  { key: "working", count: working, label: "under way", tone: "info", striped: true },
  { key: "waiting", count: waiting + not_begun, label: "waiting", tone: "quiet" },
  { key: "failed", count: failed, label: "failed", tone: "bad" }
]

const leftOf = (seconds: number | null): string => {
  if (seconds === null) return ""
  return seconds < 60 ? "under a minute left" : `${duration(Math.round(seconds / 60) * 60)} left`
}

const RunningJob = ({ job }: { readonly job: Job }) => {
  const { data } = useAsk(
    "GET /job/:id/progress",
    { params: { id: job.id }, query: { brief: "true" } },
    { every: EVERY }
  )
  const progress = data?.answer.data
  const totals = progress?.totals
  return (
    <li className="running">
      <div className="running-line">
        <PlainLink to={`/job/${job.id}`}>{nameOf(job)}</PlainLink>
        <JobStatus job={job} />
        <span className="running-left">{leftOf(progress?.seconds_left ?? null)}</span>
      </div>
      {totals !== undefined && totals.devices > 0 && (
        <>
          <StackedBar label={nameOf(job)} parts={partsOf(totals)} bare thin />
          <div className="running-line running-note">
            <span>
              {totals.done + totals.failed} of {switches(totals.devices)} done
              {totals.working > 0 && ` · ${totals.working} under way`}
              {totals.failed > 0 && (
                <>
                  {" · "}
                  <b data-tone="bad">{totals.failed} failed</b>
                </>
              )}
            </span>
            <span className="running-left">{job.scheduled_by ?? "the server"}</span>
          </div>
        </>
      )}
    </li>
  )
}

/** The number of jobs of a kind, as a link to them; nothing for none. */
const Others = ({ count, show, words }: { readonly count: number; readonly words: string; readonly show: string }) =>
  count === 0 ? null : (
    <PlainLink to={`/jobs?show=${show}`}>
      {count} {words}
    </PlainLink>
  )

export const Running = () => {
  const may = useMay()
  const allowed = may("GET", "/jobs")
  const query = { "filter[status]": "RUNNING", sort: "-id", per_page: FOLLOWED, filter_jobresult: "config,diff" }
  const asked = useAsk("GET /jobs", { query }, { kinds: ["job"], enabled: allowed, keep: true })
  const counts = useAsk("GET /overview", {}, { kinds: ["job"], enabled: allowed && may("GET", "/overview") })
  if (!allowed) return null
  const others = counts.data?.answer.data.jobs
  return (
    <section className="card" aria-labelledby="running-head">
      <header className="card-head">
        <h2 id="running-head">Running now</h2>
        {others !== undefined && <Others count={others.waiting} words="waiting" show="waiting" />}
        {others !== undefined && <Others count={others.failed_today} words="failed today" show="failed_today" />}
        <span className="card-note">
          <PlainLink to="/jobs">All jobs</PlainLink>
        </span>
      </header>
      <Asked of={asked} what="the jobs">
        {({ data: { jobs } }, matching) =>
          jobs.length === 0 ? (
            <p className="card-body calm">Nothing is running.</p>
          ) : (
            <ul className="rows">
              {jobs.map((job) => (
                <RunningJob key={job.id} job={job} />
              ))}
              {matching !== null && matching > jobs.length && (
                <li className="running">
                  <PlainLink to="/jobs?show=running">and {matching - jobs.length} more</PlainLink>
                </li>
              )}
            </ul>
          )
        }
      </Asked>
    </section>
  )
}

/** Rollouts and undos that have ended, the newest first. */
export const LastChanges = () => {
  const may = useMay()
  const allowed = may("GET", "/jobs")
  const query = { "filter[changes]": "true", sort: "-id", per_page: CHANGES, filter_jobresult: "config,diff" }
  const asked = useAsk("GET /jobs", { query }, { kinds: ["job"], enabled: allowed, keep: true })
  if (!allowed) return null
  return (
    <section className="card" aria-labelledby="last-head">
      <header className="card-head">
        <h2 id="last-head">Last changes</h2>
      </header>
      <Asked of={asked} what="the last changes">
        {({ data: { jobs } }) =>
          jobs.length === 0 ? (
            <p className="card-body calm">Nothing was rolled out yet.</p>
          ) : (
            <ul className="rows">
              {jobs.map((job) => (
                <li key={job.id} className="running">
                  <div className="running-line">
                    <PlainLink to={`/job/${job.id}`}>{nameOf(job)}</PlainLink>
                    <JobStatus job={job} />
                    <span className="running-left">
                      <When at={job.finish_time ?? job.start_time ?? job.scheduled_time} />
                    </span>
                  </div>
                  <div className="running-note">
                    {job.scheduled_by ?? "the server"}
                    {job.counts !== null && job.counts.devices > 0 && ` · ${switches(job.counts.devices)}`}
                  </div>
                </li>
              ))}
            </ul>
          )
        }
      </Asked>
    </section>
  )
}
