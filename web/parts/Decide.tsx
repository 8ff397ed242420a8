/** Approves or rejects a job that waits for approval. The question repeats how many switches, where, and the highest risk. */
import { Text, Textarea, TextInput } from "@mantine/core"
import { IconCheck, IconX } from "@tabler/icons-react"
import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import type { Data } from "../../src/api/Calls.ts"
import { riskWord } from "../../src/domain/words/ChangeWords.ts"
import { switches } from "../../src/domain/words/Units.ts"
import { request } from "../api/call.ts"
import { useAsk } from "../api/useAsk.ts"
import { useMay } from "../app/useSession.ts"
import { Confirm } from "./Confirm.tsx"
import { StatusWord } from "./StatusWord.tsx"
import { toast } from "./Toast.tsx"

type Scope = Data<"GET /job/:id/scope">

/** `100 switches`, from the preview that is approved, else from the choice. */
export const countOf = ({ approval, devices, would_change }: Scope): number =>
  approval?.devices ?? would_change ?? devices

interface QuestionProps {
  readonly scope: Scope
  /** `100 switches in South`. */
  readonly what: string
  /** What was written beside the buttons; without it the question asks for a comment. */
  readonly written?: string
  readonly size?: "sm"
}

const useDecide = (id: number, call: "POST /job/:id/approve" | "POST /job/:id/reject", done: string) => {
  const client = useQueryClient()
  return async (comment: string) => {
    await request(call, { params: { id }, body: { comment } })
    toast({ title: done })
    await client.invalidateQueries()
  }
}

const Risk = ({ approval }: Pick<Scope, "approval">) => {
  const risk = approval?.risk ?? null
  if (risk === null) return null
  return (
    <Text component="div">
      Highest risk: <StatusWord word={riskWord(risk)} raw={risk.level} />
      {risk.level !== "low" && ` on ${switches(risk.devices)}`}
    </Text>
  )
}

/** A decision without a comment of its own is recorded with this one. */
const AGREED = "Approved"

export const ApproveButton = ({ scope, what, written }: QuestionProps) => {
  const [comment, setComment] = useState("")
  const { approval } = scope
  const approve = useDecide(approval?.job_id ?? 0, "POST /job/:id/approve", `Approved: ${what}`)
  if (approval === null) return null
  const said = (written ?? comment).trim()
  return (
    <Confirm
      label={written === undefined ? "Approve…" : "Approve and begin"}
      question={`Approve ${what}?`}
      verb="Approve and begin"
      variant="filled"
      letter="a"
      icon={<IconCheck size={15} stroke={1.75} />}
      act={() => approve(said === "" ? AGREED : said)}
    >
      <Risk approval={approval} />
      <Text>
        Job {approval.job_id} begins as soon as you approve, in the name of {approval.asked_by}. It changes exactly what
        was previewed; a switch that differs by then is left out.
      </Text>
      {written === undefined ? (
        <TextInput label="Comment" value={comment} onChange={(event) => setComment(event.currentTarget.value)} />
      ) : (
        said !== "" && <Text>Your comment: “{said}”</Text>
      )}
    </Confirm>
  )
}

export const RejectButton = ({ scope, what, written }: QuestionProps) => {
  const [comment, setComment] = useState("")
  const { approval } = scope
  const reject = useDecide(approval?.job_id ?? 0, "POST /job/:id/reject", `Rejected: ${what}`)
  if (approval === null) return null
  const said = comment.trim() === "" ? (written ?? "").trim() : comment.trim()
  return (
    <Confirm
      label="Reject…"
      question={`Reject ${what}?`}
      verb="Reject"
      danger
      incomplete={said === ""}
      icon={<IconX size={15} stroke={1.75} />}
      act={() => reject(said)}
    >
      <Text>Nothing is changed. {approval.asked_by} reads your comment as the reason.</Text>
      <Textarea
        label="Comment"
        required
        autosize
        minRows={2}
        value={comment === "" ? (written ?? "") : comment}
        onChange={(event) => setComment(event.currentTarget.value)}
      />
    </Confirm>
  )
}

/** Takes back one's own request: the job is stopped before it begins. */
export const TakeBackButton = ({ id }: { readonly id: number }) => {
  const client = useQueryClient()
  const may = useMay()
  if (!may("PUT", `/job/${id}`)) return null
  const stop = async () => {
    await request("PUT /job/:id", { params: { id }, body: { action: "ABORT", abort_reason: "Taken back" } })
    await client.invalidateQueries()
  }
  return (
    <Confirm label="Take back…" question="Take back your request?" verb="Take back" act={stop}>
      <Text>Job {id} is stopped before it begins. Nothing is changed.</Text>
    </Confirm>
  )
}

/** Both buttons for a job that waits, wherever it is shown. */
export const Decide = ({ job: { id } }: { readonly job: { readonly id: number } }) => {
  const may = useMay()
  const asked = useAsk(
    "GET /job/:id/scope",
    { params: { id } },
    { kinds: ["job"], enabled: may("GET", `/job/${id}/scope`) }
  )
  const scope = asked.data?.answer.data
  const approval = scope?.approval ?? null
  if (scope === undefined || approval === null || approval.decision !== null) return null
  if (approval.is_yours) return <TakeBackButton id={id} />
  if (!approval.may_decide) return approval.why_not === null ? null : <Text size="sm">{approval.why_not}</Text>
  const what = switches(countOf(scope))
  return (
    <>
      <RejectButton scope={scope} what={what} />
      <ApproveButton scope={scope} what={what} />
    </>
  )
}
