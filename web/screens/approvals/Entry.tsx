/** A request in the list: what, by whom, how large, the risk, and until when. */
import { jobTitle } from "../../../src/domain/words/JobWords.ts"
import { decisionWords, riskWord } from "../../../src/domain/words/ChangeWords.ts"
import { switches } from "../../../src/domain/words/Units.ts"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { StatusWord } from "../../parts/StatusWord.tsx"
import { When } from "../../parts/When.tsx"
import { oneOf } from "../change/about.ts"
import type { InboxEntry, InboxView } from "./inbox.ts"

/** The title of a request. */
export const titleOf = (entry: InboxEntry): string => {
  if (entry.kind === "request") {
    const { operation } = entry.approval
    return `${operation.charAt(0).toUpperCase()}${operation.slice(1)}`
  }
  const { function_name, title } = entry.approval
  return title === null || title === "" ? jobTitle(function_name) : title
}

const Size = ({ entry }: { readonly entry: InboxEntry }) => {
  if (entry.kind === "request") return <>{entry.approval.path.replace(/^\//, "")}</>
  const { devices, function_name } = entry.approval
  return <>{devices === null ? jobTitle(function_name) : switches(devices)}</>
}

const Standing = ({ entry }: { readonly entry: InboxEntry }) => {
  if (entry.decision !== null) return <StatusWord of={decisionWords} value={entry.decision} />
  if (entry.kind === "request") return <StatusWord tone="wait">Waiting</StatusWord>
  const { risk } = entry.approval
  if (risk === null) return <StatusWord tone="wait">Waiting</StatusWord>
  return risk.level === "low" ? (
    <StatusWord word={riskWord(risk)} raw={risk.level} />
  ) : (
    <StatusWord tone={risk.level === "high" ? "bad" : "warn"}>
      {risk.level === "high" ? "High risk" : "Some risk"} on {switches(risk.devices)}
    </StatusWord>
  )
}

interface Props {
  readonly entry: InboxEntry
  readonly isShown: boolean
  readonly view: InboxView
}

export const Entry = ({ entry, isShown, view }: Props) => {
  const id = entry.kind === "job" ? entry.approval.job_id : entry.approval.id
  return (
    <PlainLink to={`/approvals?view=${view}&of=${entry.key}`} className={isShown ? "inbox-entry shown" : "inbox-entry"}>
      <span className="inbox-line">
        <span>
          <b>{titleOf(entry)}</b> <span className="review-number">#{id}</span>
        </span>
        <When at={entry.decision === null ? entry.asked_at : (entry.approval.decided_at ?? entry.asked_at)} />
      </span>
      <span>
        {entry.is_yours ? "You" : entry.asked_by} · <Size entry={entry} />
        {entry.is_yours &&
          entry.decision === null &&
          entry.kind === "job" &&
          `: ${oneOf(entry.approval.approvers)} decides`}
      </span>
      <span className="inbox-line">
        <Standing entry={entry} />
        {entry.decision === null && (
          <span>
            expires <When at={entry.expires_at} />
          </span>
        )}
      </span>
      {entry.decision !== null && (
        <span>
          {entry.approval.decided_by ?? "the server"}
          {entry.approval.comment !== null && entry.approval.comment !== "" && `: “${entry.approval.comment}”`}
        </span>
      )}
    </PlainLink>
  )
}
