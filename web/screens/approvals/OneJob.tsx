/** A job that waits, in one look: how many switches, what, which risk, how it goes back; the differences; when and how; and the decision. */
import { Alert, TextInput, Title } from "@mantine/core"
import {
  IconArrowBackUp,
  IconChevronRight,
  IconListCheck,
  IconGitPullRequest,
  IconServer2,
  IconShieldCheck
} from "@tabler/icons-react"
import { type ReactNode, useState } from "react"
import type { Data } from "../../../src/api/Calls.ts"
import { decisionWords, riskWord } from "../../../src/domain/words/ChangeWords.ts"
import { jobTitle } from "../../../src/domain/words/JobWords.ts"
import { counted, switches } from "../../../src/domain/words/Units.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useMay } from "../../app/useSession.ts"
import { Asked } from "../../parts/Asked.tsx"
import { type JobChecks, SkippedChecks } from "../../parts/Checks.tsx"
import { ApproveButton, countOf, RejectButton, TakeBackButton } from "../../parts/Decide.tsx"
import { KeyValues } from "../../parts/KeyValues.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { StatusBadge } from "../../parts/StatusBadge.tsx"
import { StatusWord } from "../../parts/StatusWord.tsx"
import { When } from "../../parts/When.tsx"
import {
  machinesSentence,
  oneOf,
  type Scope,
  scopeSentence,
  subjectsOf,
  typesOf,
  uplinksSentence
} from "../change/about.ts"
import { expectedTime, wayBack } from "../change/checks.ts"
import type { JobApproval } from "./inbox.ts"

type Diffs = Data<"GET /job/:id/diffs">

interface PieceProps {
  readonly icon: ReactNode
  readonly title: string
  readonly tone?: "bad" | "warn"
  readonly children: ReactNode
}

const Piece = ({ children, icon, title, tone }: PieceProps) => (
  <div {...(tone === undefined ? {} : { "data-tone": tone })}>
    {icon}
    <b>{title}</b>
    <span className="review-line">{children}</span>
  </div>
)

const ICON = { size: 18, stroke: 1.75, "aria-hidden": true } as const

const riskTitle = ({ approval, uplinks }: Scope): string => {
  const risk = approval?.risk ?? null
  if (risk === null) return "Risk not known"
  if (risk.level === "low") return uplinks.length === 0 ? "Low risk" : "Touches uplinks"
  return `${risk.level === "high" ? "High risk" : "Some risk"} on ${switches(risk.devices)}`
}

const riskTone = ({ approval, uplinks }: Scope): "bad" | "warn" | undefined => {
  const level = approval?.risk?.level ?? "high"
  if (level === "high") return "bad"
  return level === "medium" || uplinks.length > 0 ? "warn" : undefined
}

const InOneLook = ({
  checks,
  diffs,
  preview,
  scope
}: {
  readonly checks: JobChecks["checks"]
  readonly scope: Scope
  readonly diffs: Diffs | undefined
  readonly preview: number
}) => {
  const { approval, machines, not_compared, rollout, uplinks } = scope
  const tone = riskTone(scope)
  const subjects = [...new Set((diffs?.groups ?? []).map(({ diff }) => subjectsOf(diff)))]
  return (
    <section className="review-card" aria-label="In one look">
      <header className="review-card-head">
        <h2>In one look</h2>
        <PlainLink to={`/change/${preview}`}>Open the full review</PlainLink>
      </header>
      <div className="inbox-look">
        <Piece icon={<IconServer2 {...ICON} />} title={scopeSentence(countOf(scope), scope)}>
          {typesOf(scope)}.
          {not_compared !== null &&
            not_compared > 0 &&
            ` ${switches(not_compared)} could not be compared and are left out.`}
          {` ${machinesSentence(machines)}`}
        </Piece>
        <Piece
          icon={<IconGitPullRequest {...ICON} />}
          title={diffs === undefined ? "Differences" : counted(diffs.groups.length, "different change")}
        >
          {subjects.slice(0, 4).join("; ")}
          {subjects.length > 4 && ` and ${subjects.length - 4} more`}
        </Piece>
        <Piece icon={<IconShieldCheck {...ICON} />} title={riskTitle(scope)} {...(tone === undefined ? {} : { tone })}>
          {approval?.risk?.reason != null && `${approval.risk.reason.replace(/^[+-]\s*/, "")}. `}
          {uplinks.length === 0 ? "No uplink is touched." : `Uplinks: ${uplinksSentence(uplinks)}.`}
        </Piece>
        {checks.length > 0 && (
          <Piece icon={<IconListCheck {...ICON} />} title={counted(checks.length, "check")}>
            {checks.map(({ name, sentence }) => `${name} ${sentence}`).join("; ")}.
          </Piece>
        )}
        <Piece
          icon={<IconArrowBackUp {...ICON} />}
          title={rollout === null || rollout.timer_seconds === null ? "No safety timer" : "Goes back by itself"}
        >
          {rollout === null ? "" : `${wayBack(rollout)} `}
          {rollout !== null && rollout.stops_at !== null && `It stops at ${counted(rollout.stops_at, "failure")}.`}
        </Piece>
      </div>
    </section>
  )
}

const Differences = ({ diffs, preview }: { readonly diffs: Diffs; readonly preview: number }) => (
  <section className="review-card" aria-label="Differences">
    <header className="review-card-head">
      <h2>Differences</h2>
      <span>
        {diffs.groups.filter(({ viewed }) => viewed).length} of {diffs.groups.length} viewed
      </span>
    </header>
    <ul className="inbox-diffs">
      {diffs.groups.map((group) => (
        <li key={group.key}>
          <PlainLink to={`/change/${preview}`} className="inbox-diff">
            <span className="review-count">{group.count}</span>
            <b>{subjectsOf(group.diff)}</b>
            <span>
              <span className="added">+{group.added}</span> <span className="removed">−{group.removed}</span>
            </span>
            <StatusWord word={riskWord(group.risk)} raw={group.risk.level} />
            <IconChevronRight size={15} stroke={1.75} aria-hidden />
          </PlainLink>
        </li>
      ))}
    </ul>
  </section>
)

const beginsAt = (scope: Scope): ReactNode => {
  const { approval, rollout, window } = scope
  if (approval?.decision === "approved") return "as soon as it was approved"
  const when = approval?.may_decide === true ? "as soon as you approve" : "as soon as somebody approves"
  if (rollout?.emergency != null) return `${when}, as an emergency: ${rollout.emergency}`
  if (window !== null && !window.is_open && rollout?.waits_for_window === true)
    return (
      <>
        when its window opens, <When at={window.opens_at} never="not known" />
      </>
    )
  return when
}

const windowText = ({ window }: Scope): ReactNode => {
  if (window === null) return "none are set"
  if (!window.is_open) return window.why
  return window.closes_at === null ? (
    "open"
  ) : (
    <>
      open, closes <When at={window.closes_at} />
    </>
  )
}

const orderText = ({ rollout }: Scope): string => {
  if (rollout === null) return ""
  const { stages } = rollout
  const canary = stages.filter(({ is_canary }) => is_canary).reduce((sum, { count }) => sum + count, 0)
  const rest = stages.filter(({ is_canary }) => !is_canary)
  const largest = Math.max(0, ...rest.map(({ count }) => count))
  const then = rest.length > 1 ? `${rest.length} stages of up to ${largest}` : `${largest} at once`
  return canary === 0 ? then : `${canary} first, then ${then}`
}

const WhenAndHow = ({ scope }: { readonly scope: Scope }) => (
  <section className="review-card" aria-label="When and how">
    <header className="review-card-head">
      <h2>When and how</h2>
    </header>
    <div className="review-card-body">
      <KeyValues
        label="When and how"
        items={[
          { key: "Begins", value: beginsAt(scope) },
          { key: "Takes", value: expectedTime(scope.rollout?.seconds ?? null) },
          { key: "Window", value: windowText(scope) },
          { key: "Order", value: orderText(scope) }
        ]}
      />
    </div>
  </section>
)

const Bar = ({ scope }: { readonly scope: Scope }) => {
  const [comment, setComment] = useState("")
  const { approval } = scope
  if (approval === null || approval.decision !== null) return null
  const what = scopeSentence(countOf(scope), scope)
  if (approval.is_yours)
    return (
      <div className="inbox-bar">
        <span>Somebody else decides this: {oneOf(approval.approvers)}.</span>
        <TakeBackButton id={approval.job_id} />
      </div>
    )
  if (!approval.may_decide) return <div className="inbox-bar">{approval.why_not}</div>
  return (
    <div className="inbox-bar">
      <TextInput
        aria-label="Comment"
        placeholder="Comment (needed to reject)"
        value={comment}
        onChange={(event) => setComment(event.currentTarget.value)}
      />
      <RejectButton scope={scope} what={what} written={comment} />
      <ApproveButton scope={scope} what={what} written={comment} />
    </div>
  )
}

const Decided = ({
  approval: { comment, decided_at, decided_by, decision, job_id }
}: {
  readonly approval: JobApproval
}) =>
  decision === null ? null : (
    <p>
      <StatusBadge of={decisionWords} value={decision} /> {decided_by !== null && `by ${decided_by}`},{" "}
      <When at={decided_at} />
      {comment !== null && comment !== "" && `: “${comment}”`} ·{" "}
      <PlainLink to={`/job/${job_id}`}>Open job {job_id}</PlainLink>
    </p>
  )

export const OneJob = ({ approval }: { readonly approval: JobApproval }) => {
  const may = useMay()
  const { asked_at, asked_by, dry_run_job, function_name, is_yours, job_id, reason, ticket_ref, title } = approval
  const preview = dry_run_job ?? job_id
  const scope = useAsk(
    "GET /job/:id/scope",
    { params: { id: job_id } },
    { kinds: ["job", "approval", "sync"], enabled: may("GET", `/job/${job_id}/scope`) }
  )
  const diffs = useAsk(
    "GET /job/:id/diffs",
    { params: { id: preview } },
    { enabled: may("GET", `/job/${preview}/diffs`), kinds: [] }
  ).data?.answer.data
  const planned = useAsk("GET /job/:id/checks", { params: { id: preview } }).data?.answer.data
  const skipped = useAsk("GET /job/:id/checks", { params: { id: job_id } }).data?.answer.data.skipped ?? null
  return (
    <>
      <div className="inbox-head">
        <Title order={2}>
          {title || jobTitle(function_name)} <span className="review-number">#{job_id}</span>
        </Title>
        <p>
          <b>{is_yours ? "You" : asked_by}</b> asked <When at={asked_at} />
          {ticket_ref !== null && ` · ticket ${ticket_ref}`}
        </p>
      </div>
      <Decided approval={approval} />
      <div className="review-card review-card-body">It needs a second person: {reason}.</div>
      <SkippedChecks skipped={skipped} />
      <Asked of={scope} what="what it is about">
        {({ data }) => (
          <>
            {data.outdated.length > 0 && approval.decision === null && (
              <Alert color="yellow" variant="light" role="alert">
                {switches(data.outdated.length)} changed since the preview ({data.outdated.slice(0, 3).join(", ")}):
                such a switch is left out.
              </Alert>
            )}
            <InOneLook
              checks={skipped === null ? (planned?.checks ?? []) : []}
              scope={data}
              diffs={diffs}
              preview={preview}
            />
            {diffs !== undefined && diffs.groups.length > 0 && <Differences diffs={diffs} preview={preview} />}
            <WhenAndHow scope={data} />
            <Bar scope={data} />
          </>
        )}
      </Asked>
    </>
  )
}
