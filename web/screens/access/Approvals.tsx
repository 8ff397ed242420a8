/** Requests that would weaken approvals and therefore wait for another person: approved or rejected, with a comment. */
import { Group, Text } from "@mantine/core"
import { useQueryClient } from "@tanstack/react-query"
import { request } from "../../api/call.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useIdentity } from "../../app/useSession.ts"
import type { Data } from "../../../src/api/Calls.ts"
import { AskFirst } from "../../parts/AskFirst.tsx"
import { Asked } from "../../parts/Asked.tsx"
import { useComment } from "../../parts/Decide.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { SmallTable } from "../../parts/SmallTable.tsx"
import { Tone } from "../../parts/Tone.tsx"
import { When } from "../../parts/When.tsx"

type Approval = Data<"GET /approvals">["approvals"][number]

const Standing = ({ approval: { decided_by, decision } }: { readonly approval: Approval }) => {
  if (decision === null) return <Tone tone="warn">waits</Tone>
  return (
    <Tone tone={decision === "approved" ? "good" : "quiet"}>
      {decided_by === null ? decision : `${decision} by ${decided_by}`}
    </Tone>
  )
}

/** The requester can only withdraw it; the server says which other users can decide. */
const Decision = ({ approval: { asked_by, id, operation } }: { readonly approval: Approval }) => {
  const client = useQueryClient()
  const me = useIdentity().data
  const { comment, field } = useComment()
  const decide = (name: "POST /approvals/:id/approve" | "POST /approvals/:id/reject") => async () => {
    await request(name, { params: { id }, body: { comment } })
    await client.invalidateQueries()
  }
  return (
    <Group gap="xs" wrap="nowrap">
      {me !== asked_by && (
        <AskFirst label={`Approve ${id}`} size="xs" act={decide("POST /approvals/:id/approve")}>
          It is carried out at once, in the name of {asked_by}: {operation}.{field}
        </AskFirst>
      )}
      <AskFirst
        label={me === asked_by ? `Take back ${id}` : `Reject ${id}`}
        size="xs"
        danger
        act={decide("POST /approvals/:id/reject")}
      >
        Nothing is changed.
        {field}
      </AskFirst>
    </Group>
  )
}

export const Approvals = () => {
  const asked = useAsk("GET /approvals", {}, { kinds: ["approval"], every: 30_000 })
  return (
    <Asked of={asked} what="the requests that wait">
      {({ data: { approvals } }) =>
        approvals.length === 0 ? (
          <Empty>
            Nothing waits. Where the site wants it, changes of users, host keys and the like wait here for another
            person.
          </Empty>
        ) : (
          <SmallTable
            label="Waiting for another person"
            heads={["Request", "What", "Call", "Asked by", "Until", "Standing", "Decide"]}
            rows={approvals}
            keyOf={({ id }) => id}
            cells={(approval) => [
              approval.id,
              approval.operation,
              <>
                <code>
                  {approval.method} {approval.path}
                </code>
                {approval.body !== null && (
                  <Text size="sm">
                    <code className="value">{JSON.stringify(approval.body)}</code>
                  </Text>
                )}
              </>,
              approval.asked_by,
              <When at={approval.expires_at} />,
              <>
                <Standing approval={approval} />
                {approval.comment !== null && <Text size="sm">{approval.comment}</Text>}
              </>,
              approval.decision === null && <Decision approval={approval} />
            ]}
          />
        )
      }
    </Asked>
  )
}
