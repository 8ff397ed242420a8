/** One event of the audit: the user, the client, and each field before and after. */
import { inSentence, plainly, textOf } from "../../../src/domain/words/Word.ts"
import { eventWords } from "../../../src/domain/words/ServerWords.ts"
import { Code, Modal, Text } from "@mantine/core"
import { useAsk } from "../../api/useAsk.ts"
import { Asked } from "../../parts/Asked.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { SmallTable } from "../../parts/SmallTable.tsx"
import { When } from "../../parts/When.tsx"
import { changedIn, restOf } from "./changed.ts"

interface Event {
  readonly id: number
  readonly at: string
  readonly kind: string
  readonly action: string
  readonly actor: string
  readonly way: string
  readonly address: string | null
  readonly hostname: string | null
  readonly job_id: number | null
  readonly data: Readonly<Record<string, unknown>>
}

const Said = ({ event }: { readonly event: Event }) => {
  const changed = changedIn(event.data)
  const rest = restOf(event.data)
  return (
    <>
      <Text>
        <b>{event.actor}</b> ({event.way}
        {event.address !== null && ` from ${event.address}`}), <When at={event.at} />
      </Text>
      <Text mb="sm">
        {event.hostname !== null && (
          <>
            Device <PlainLink to={`/device/${encodeURIComponent(event.hostname)}`}>{event.hostname}</PlainLink>.{" "}
          </>
        )}
        {event.job_id !== null && (
          <>
            <PlainLink to={`/job/${event.job_id}`}>Job {event.job_id}</PlainLink>.
          </>
        )}
      </Text>
      {changed.length > 0 && (
        <SmallTable
          label="What changed"
          heads={["Field", "Before", "After"]}
          rows={changed}
          keyOf={({ field }) => field}
          cells={({ after, before, field }) => [
            field,
            before === "" ? "" : <Code block>{before}</Code>,
            after === "" ? "" : <Code block>{after}</Code>
          ]}
        />
      )}
      {rest.length > 0 && (
        <SmallTable
          label="What it says"
          heads={["Name", "Value"]}
          rows={rest}
          keyOf={([name]) => name}
          cells={([name, text]) => [name, <Code block>{text}</Code>]}
        />
      )}
      {changed.length + rest.length === 0 && <Empty>It has no other details.</Empty>}
    </>
  )
}

interface Props {
  readonly id: string
  readonly close: () => void
}

export const Details = ({ close, id }: Props) => {
  const asked = useAsk("GET /audit", { query: { "filter[id]": id } }, { enabled: id !== "" })
  const event = asked.data?.answer.data.events[0]
  const title =
    event === undefined
      ? `Event ${id}`
      : `Event ${id}: ${inSentence(textOf(eventWords, event.kind))} ${plainly(event.action)}`
  return (
    <Modal opened={id !== ""} onClose={close} title={title} size="lg" closeButtonProps={{ "aria-label": "Close" }}>
      <Asked of={asked} what="the event">
        {() =>
          event === undefined ? (
            <Empty>The audit has no such event, or it is about a device that you may not see.</Empty>
          ) : (
            <Said event={event} />
          )
        }
      </Asked>
    </Modal>
  )
}
