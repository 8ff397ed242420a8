/** Messages to receivers that were given up; they can be sent again one by one or all together. */
import { Group } from "@mantine/core"
import { useQueryClient } from "@tanstack/react-query"
import { request } from "../../api/call.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useWords } from "../../app/useAddress.ts"
import { useMay } from "../../app/useSession.ts"
import { AskFirst } from "../../parts/AskFirst.tsx"
import { Asked } from "../../parts/Asked.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { Pages } from "../../parts/Pages.tsx"
import { SmallTable } from "../../parts/SmallTable.tsx"
import { When } from "../../parts/When.tsx"

const PAGE = 20

export const DeadLetters = ({ dead, waiting }: { readonly dead: number; readonly waiting: number }) => {
  const [{ letters = "1" }, change] = useWords()
  const may = useMay()
  const client = useQueryClient()
  const asked = useAsk(
    "GET /alerts/deliveries",
    { query: { state: "dead", per_page: PAGE, page: letters } },
    { enabled: dead > 0, keep: true, kinds: ["alert"] }
  )
  const done = async (act: Promise<unknown>) => {
    await act
    await client.invalidateQueries({
      predicate: ({ queryKey: [name] }) => typeof name === "string" && name.startsWith("GET /alerts")
    })
  }
  if (dead === 0) return <Empty>None was given up{waiting === 0 ? "" : `; ${waiting} wait for their next try`}.</Empty>
  return (
    <>
      {may("POST", "/alerts/replay") && (
        <Group mb="xs">
          <AskFirst size="xs" label="Try all again" act={() => done(request("POST /alerts/replay", { body: {} }))}>
            All {dead} messages that were given up are sent once more, the oldest of them may be long over.
          </AskFirst>
        </Group>
      )}
      <Asked of={asked} what="the messages">
        {({ data: { deliveries } }, matching) => (
          <>
            <SmallTable
              label="Messages that were given up"
              heads={["Rule", "To", "Made", "Given up", "Tries", "Last answer", "Again"]}
              rows={deliveries}
              keyOf={({ id }) => id}
              cells={({ answer, attempts, created_at, ended_at, id, receiver, rule }) => [
                rule,
                receiver,
                <When at={created_at} />,
                <When at={ended_at} />,
                attempts,
                answer ?? "",
                may("POST", `/alerts/deliveries/${id}/replay`) && (
                  <AskFirst
                    size="xs"
                    label="Try again"
                    act={() => done(request("POST /alerts/deliveries/:id/replay", { params: { id } }))}
                  >
                    The message goes to {receiver} once more, under its own id.
                  </AskFirst>
                )
              ]}
            />
            <Pages
              matching={matching}
              perPage={PAGE}
              page={Number(letters)}
              go={(page) => change({ letters: String(page) })}
            />
          </>
        )}
      </Asked>
    </>
  )
}
