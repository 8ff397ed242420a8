/** All changes by where they stand, the newest first, and the form that previews a new one. Nothing here touches a switch's configuration. */
import { Button } from "@mantine/core"
import { IconGitPullRequest, IconPlus } from "@tabler/icons-react"
import { useRouter } from "@tanstack/react-router"
import { useEffect } from "react"
import type { Data } from "../../../src/api/Calls.ts"
import { jobWord } from "../../../src/domain/words/JobWords.ts"
import { switches } from "../../../src/domain/words/Units.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useWords } from "../../app/useAddress.ts"
import { useMay } from "../../app/useSession.ts"
import { Asked } from "../../parts/Asked.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { PageHead } from "../../parts/PageHead.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { StatusWord } from "../../parts/StatusWord.tsx"
import { When } from "../../parts/When.tsx"
import { Commits } from "./Commits.tsx"
import { Selection } from "./Selection.tsx"
import { type Change, changesOf, type View, views } from "./changes.ts"
import { chosenBy, sentenceOf } from "./selection.ts"
import "./change.css"

type JobRecord = Data<"GET /jobs">["jobs"][number]

/** So many of the newest jobs are looked through. */
const LOOKED_AT = 200

const LABELS: Readonly<Record<View, string>> = {
  open: "Open",
  waiting: "Waiting",
  rolling: "Rolling out",
  done: "Done"
}

const NOTHING: Readonly<Record<View, readonly [title: string, text: string]>> = {
  open: ["No change is open", "A preview stays here until it is rolled out, or nothing differed."],
  waiting: ["Nothing waits", "Rollouts that wait for an approval, a window or another job are listed here."],
  rolling: ["Nothing rolls out now", "Rollouts that run are listed here."],
  done: ["No change has ended yet", "Rollouts that have ended are listed here, newest first."]
}

const titleOf = (job: JobRecord): string => job.comment || sentenceOf(chosenBy(job.start_arguments))

const Progress = ({ change: { preview, push } }: { readonly change: Change<JobRecord> }) => {
  const counts = (push ?? preview)?.counts ?? null
  if (counts === null || counts.devices === 0) return null
  if (push === undefined)
    return <>{counts.changed === 0 ? "nothing differs" : `${switches(counts.changed)} would change`}</>
  return (
    <>
      {counts.succeeded} of {counts.devices} done
      {counts.failed > 0 && `, ${counts.failed} failed`}
    </>
  )
}

const Row = ({ change }: { readonly change: Change<JobRecord> }) => {
  const { id, job, push } = change
  return (
    <li className="change-row">
      <PlainLink to={`/change/${id}`} className="change-title">
        {titleOf(job)} <span className="review-number">#{id}</span>
      </PlainLink>
      {push === undefined && job.outcome === "success" ? (
        <StatusWord tone="quiet">Previewed</StatusWord>
      ) : (
        <StatusWord word={jobWord(job)} raw={job.status} />
      )}
      <span className="review-line">
        {job.scheduled_by ?? "the server"}
        {job.ticket_ref !== null && ` · ${job.ticket_ref}`} · <When at={job.start_time ?? job.scheduled_time} /> ·{" "}
        <Progress change={change} />
      </span>
    </li>
  )
}

const isView = (value: string | undefined): value is View => views.some((view) => view === value)

const List = ({ shown }: { readonly shown: View }) => {
  const query = {
    "filter[function_name][contains]": "sync_devices",
    sort: "-id",
    per_page: LOOKED_AT,
    filter_jobresult: "config,diff"
  }
  const asked = useAsk("GET /jobs", { query }, { kinds: ["job", "approval"], keep: true })
  return (
    <Asked of={asked} what="the changes">
      {({ data: { jobs } }) => {
        const all = changesOf(jobs)
        const [title, text] = NOTHING[shown]
        const rows = all.filter(({ view }) => view === shown)
        return (
          <>
            <nav className="change-views" aria-label="Views">
              {views.map((view) => (
                <PlainLink
                  key={view}
                  to={view === "open" ? "/change" : `/change?view=${view}`}
                  className={view === shown ? "change-view current" : "change-view"}
                >
                  {LABELS[view]} <span className="review-count">{all.filter((one) => one.view === view).length}</span>
                </PlainLink>
              ))}
            </nav>
            {rows.length === 0 ? (
              <Empty icon={IconGitPullRequest} title={title}>
                {text}
              </Empty>
            ) : (
              <ul className="review-card change-list" aria-label={LABELS[shown]}>
                {rows.map((change) => (
                  <Row key={change.id} change={change} />
                ))}
              </ul>
            )}
          </>
        )
      }}
    </Asked>
  )
}

/** Earlier addresses of one change. */
const useEarlierAddress = (job: string | undefined) => {
  const router = useRouter()
  useEffect(() => {
    if (job !== undefined) router.history.replace(`/ui/change/${job}`)
  }, [job, router])
}

export default function Changes() {
  const [words, change] = useWords()
  const may = useMay()
  useEarlierAddress(words["job"])
  const isNew =
    words["new"] !== undefined || ["hostnames", "group", "device_type"].some((way) => (words[way] ?? "") !== "")
  const view = isView(words["view"]) ? words["view"] : "open"
  return (
    <>
      <PageHead
        title="Changes"
        facts="What would change, what waits, and what was rolled out"
        main={
          isNew || !may("POST", "/device_syncto") ? undefined : (
            <Button onClick={() => change({ new: "1" })} leftSection={<IconPlus size={15} stroke={1.75} />}>
              New change
            </Button>
          )
        }
      />
      <div className="review">
        <div className="review-main">
          {isNew && may("POST", "/device_syncto") && (
            <section className="review-card review-card-body" aria-label="New change">
              <Selection
                words={words}
                cancel={() =>
                  change({ new: undefined, hostnames: undefined, group: undefined, device_type: undefined })
                }
              />
            </section>
          )}
          <List shown={view} />
        </div>
        <aside className="review-side" aria-label="Newest commits">
          {may("GET", "/repository/settings/commits") && <Commits />}
        </aside>
      </div>
    </>
  )
}
