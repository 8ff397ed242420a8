/** Approves a job that waits for it, or rejects it, with a comment. */
import { Text, TextInput } from "@mantine/core"
import { useState } from "react"
import { request } from "../api/call.ts"
import { useIdentity, useMay } from "../app/useSession.ts"
import { AskFirst } from "./AskFirst.tsx"

interface Props {
  readonly job: { readonly id: number; readonly scheduled_by: string | null }
}

/** The comment of a decision: what was written, and the field for it. */
export const useComment = () => {
  const [comment, setComment] = useState("")
  const field = (
    <TextInput
      label="Comment"
      value={comment}
      onChange={(event) => setComment(event.currentTarget.value)}
      data-autofocus
    />
  )
  return { comment, field }
}

export const Decide = ({ job: { id, scheduled_by } }: Props) => {
  const may = useMay()
  const me = useIdentity().data
  const { comment, field } = useComment()
  if (!may("POST", `/job/${id}/approve`)) return null
  if (me === scheduled_by) return <Text size="sm">Somebody else than you has to approve it.</Text>
  return (
    <>
      <AskFirst label="Approve" act={() => request("POST /job/:id/approve", { params: { id }, body: { comment } })}>
        The job begins as soon as it is approved. It takes somebody else than who asked for it.
        {field}
      </AskFirst>
      <AskFirst
        label="Reject"
        danger
        act={() => request("POST /job/:id/reject", { params: { id }, body: { comment } })}
      >
        The job ends, with the comment as its reason.
        {field}
      </AskFirst>
    </>
  )
}
