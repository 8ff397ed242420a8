/**
 * What waits for a decision: for you, asked by you, and decided. A request is chosen in the address, so that a message can lead to it. Live: new
 * ones and decisions of others appear by themselves.
 */
import { SegmentedControl } from "@mantine/core"
import { IconInbox } from "@tabler/icons-react"
import { useAsk } from "../../api/useAsk.ts"
import { useWords } from "../../app/useAddress.ts"
import { useIdentity, useMay } from "../../app/useSession.ts"
import { Asked } from "../../parts/Asked.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { PageHead } from "../../parts/PageHead.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { Entry } from "./Entry.tsx"
import { entriesOf, type InboxEntry, inboxViews, isOfView, type InboxView } from "./inbox.ts"
import { OneJob } from "./OneJob.tsx"
import { OneRequest } from "./OneRequest.tsx"
import "../change/change.css"
import "./approvals.css"

const KINDS = { kinds: ["approval", "job"], every: 60_000 }

const LABELS: Readonly<Record<InboxView, string>> = {
  for_you: "For you",
  yours: "Asked by you",
  decided: "Decided"
}

const NOTHING: Readonly<Record<InboxView, readonly [title: string, text: string]>> = {
  for_you: ["Nothing waits for you", "You get a request here when somebody asks for a change that you may approve."],
  yours: ["You have asked for nothing", "What you ask for stays here until somebody else has decided."],
  decided: ["Nothing was decided yet", "Approved, rejected and expired requests are listed here."]
}

const isView = (value: string | undefined): value is InboxView => inboxViews.some((view) => view === value)

const Detail = ({ entry }: { readonly entry: InboxEntry }) =>
  entry.kind === "job" ? <OneJob approval={entry.approval} /> : <OneRequest approval={entry.approval} />

const Inbox = ({ entries }: { readonly entries: ReadonlyArray<InboxEntry> }) => {
  const [words, change] = useWords()
  const chosen = entries.find(({ key }) => key === words["of"])
  const firstOf = (view: InboxView) => entries.filter((entry) => isOfView(entry, view))
  const view = isView(words["view"]) ? words["view"] : (chosen?.view ?? "for_you")
  const listed = firstOf(view)
  const shown = chosen ?? listed[0]
  const [title, text] = NOTHING[view]
  return (
    <div className="inbox" {...(chosen === undefined ? {} : { "data-chosen": true })}>
      <nav className="inbox-list" aria-label="Requests">
        <SegmentedControl
          fullWidth
          aria-label="Which requests"
          data={inboxViews.map((value) => {
            const count = value === "decided" ? 0 : firstOf(value).length
            return { value, label: count === 0 ? LABELS[value] : `${LABELS[value]} ${count}` }
          })}
          value={view}
          onChange={(next) => change({ view: next, of: undefined })}
        />
        {listed.length === 0 ? (
          <Empty icon={IconInbox} title={title}>
            {text}
          </Empty>
        ) : (
          <ul>
            {listed.map((entry) => (
              <li key={entry.key}>
                <Entry entry={entry} isShown={entry === shown} view={view} />
              </li>
            ))}
          </ul>
        )}
      </nav>
      <section className="inbox-detail" aria-label="Request">
        {chosen !== undefined && (
          <div className="inbox-back">
            <PlainLink to={`/approvals?view=${view}`}>All requests</PlainLink>
          </div>
        )}
        {shown !== undefined && <Detail key={shown.key} entry={shown} />}
      </section>
    </div>
  )
}

export default function Approvals() {
  const may = useMay()
  const me = useIdentity().data ?? ""
  const mayRequests = may("GET", "/approvals")
  const jobs = useAsk("GET /approvals/jobs", {}, KINDS)
  const requests = useAsk("GET /approvals", {}, { ...KINDS, enabled: mayRequests })
  return (
    <>
      <PageHead title="Approvals" facts="Changes that take a second person" />
      <Asked of={jobs} what="what waits for a decision">
        {({ data: { approvals } }) => (
          <Inbox entries={entriesOf(approvals, requests.data?.answer.data.approvals ?? [], me)} />
        )}
      </Asked>
    </>
  )
}
