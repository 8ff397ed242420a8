/** Approves or rejects a job that waits for approval, with a comment. */
import { Text, TextInput } from "@mantine/core"
import { useState } from "react"
import { request } from "../api/call.ts"
import { useIdentity, useMay } from "../app/useSession.ts"
import { AskFirst } from "./AskFirst.tsx"

interface Props {
  readonly job: { readonly id: number; readonly scheduled_by: string | null }
}

/** The comment of a decision: its text, and the field for it. */
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
  if (me === scheduled_by) return <Text size="sm">Another person must approve this.</Text>
  return (
    <>
      <AskFirst label="Approve" act={() => request("POST /job/:id/approve", { params: { id }, body: { comment } })}>
        The job begins as soon as it is approved. Another person than the requester must approve it.
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
