/** A request that would weaken approvals, such as a new user or an accepted host key: it is carried out in the asker's name once another person approves it. */
import { Text, TextInput, Title } from "@mantine/core"
import { IconCheck, IconX } from "@tabler/icons-react"
import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { decisionWords } from "../../../src/domain/words/ChangeWords.ts"
import { request } from "../../api/call.ts"
import { useIdentity } from "../../app/useSession.ts"
import { Confirm } from "../../parts/Confirm.tsx"
import { KeyValues } from "../../parts/KeyValues.tsx"
import { StatusBadge } from "../../parts/StatusBadge.tsx"
import { toast } from "../../parts/Toast.tsx"
import { When } from "../../parts/When.tsx"
import type { RequestApproval } from "./inbox.ts"

type Call = "POST /approvals/:id/approve" | "POST /approvals/:id/reject"

const AGREED = "Approved"

const Bar = ({ approval: { asked_by, id, operation } }: { readonly approval: RequestApproval }) => {
  const client = useQueryClient()
  const isYours = useIdentity().data === asked_by
  const [comment, setComment] = useState("")
  const said = comment.trim()
  const decide = (call: Call, fallback: string, done: string) => async () => {
    await request(call, { params: { id }, body: { comment: said === "" ? fallback : said } })
    toast({ title: done })
    await client.invalidateQueries()
  }
  return (
    <div className="inbox-bar">
      {isYours ? (
        <span>Somebody else decides this: an administrator who could ask for it too.</span>
      ) : (
        <TextInput
          aria-label="Comment"
          placeholder="Comment (needed to reject)"
          value={comment}
          onChange={(event) => setComment(event.currentTarget.value)}
        />
      )}
      {isYours ? (
        <Confirm
          label="Take back…"
          question={`Take back request ${id}?`}
          verb="Take back"
          act={decide("POST /approvals/:id/reject", "Taken back", `Taken back: ${operation}`)}
        >
          <Text>Nothing is changed.</Text>
        </Confirm>
      ) : (
        <>
          <Confirm
            label="Reject…"
            question={`Reject request ${id}?`}
            verb="Reject"
            danger
            incomplete={said === ""}
            icon={<IconX size={15} stroke={1.75} />}
            act={decide("POST /approvals/:id/reject", "", `Rejected: ${operation}`)}
          >
            <Text>
              {said === ""
                ? "Write a comment first: it is the reason that the asker reads."
                : `Nothing is changed. ${asked_by} reads: “${said}”`}
            </Text>
          </Confirm>
          <Confirm
            label="Approve and carry out"
            question={`Approve request ${id}?`}
            verb="Approve and carry out"
            variant="filled"
            icon={<IconCheck size={15} stroke={1.75} />}
            act={decide("POST /approvals/:id/approve", AGREED, `Carried out: ${operation}`)}
          >
            <Text>
              It is carried out at once, in the name of {asked_by}: {operation}.
            </Text>
          </Confirm>
        </>
      )}
    </div>
  )
}

export const OneRequest = ({ approval }: { readonly approval: RequestApproval }) => {
  const {
    asked_at,
    asked_by,
    body,
    comment,
    decided_at,
    decided_by,
    decision,
    expires_at,
    id,
    method,
    operation,
    path
  } = approval
  return (
    <>
      <div className="inbox-head">
        <Title order={2}>
          {operation.charAt(0).toUpperCase()}
          {operation.slice(1)} <span className="review-number">#{id}</span>
        </Title>
        <p>
          <b>{asked_by}</b> asked <When at={asked_at} />
        </p>
      </div>
      {decision !== null && (
        <p>
          <StatusBadge of={decisionWords} value={decision} /> {decided_by !== null && `by ${decided_by}`},{" "}
          <When at={decided_at} />
          {comment !== null && comment !== "" && `: “${comment}”`}
        </p>
      )}
      <section className="review-card" aria-label="What was asked">
        <header className="review-card-head">
          <h2>What was asked</h2>
        </header>
        <div className="review-card-body">
          <KeyValues
            label="Request"
            items={[
              { key: "What", value: operation },
              { key: "Call", value: <code>{`${method} ${path}`}</code> },
              { key: "Expires", value: <When at={expires_at} /> }
            ]}
          />
          {body !== null && body !== undefined && (
            <details className="inbox-data">
              <summary>Show data</summary>
              <pre tabIndex={0} aria-label="Data of the request">
                {JSON.stringify(body, null, 2)}
              </pre>
            </details>
          )}
        </div>
      </section>
      {decision === null && <Bar approval={approval} />}
    </>
  )
}
