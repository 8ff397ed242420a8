/** Messages that did not reach their receiver; they can be sent again one by one or all together. */
import { request } from "../../api/call.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useWords } from "../../app/useAddress.ts"
import { useMay } from "../../app/useSession.ts"
import { Asked } from "../../parts/Asked.tsx"
import { Confirm } from "../../parts/Confirm.tsx"
import { Pages } from "../../parts/Pages.tsx"
import { Entries, Entry, Panel } from "../../parts/Panel.tsx"
import { toast } from "../../parts/Toast.tsx"
import { When } from "../../parts/When.tsx"
import { deliveryActionWords } from "../../../src/domain/words/ServerWords.ts"
import { counted } from "../../../src/domain/words/Units.ts"
import { inSentence, plainly, textOf } from "../../../src/domain/words/Word.ts"
import { useAlertsAgain } from "./OpenAlerts.tsx"

const PAGE = 20

export const Undelivered = ({ dead, waiting }: { readonly dead: number; readonly waiting: number }) => {
  const [{ letters = "1" }, change] = useWords()
  const may = useMay()
  const again = useAlertsAgain()
  const asked = useAsk(
    "GET /alerts/deliveries",
    { query: { state: "dead", per_page: PAGE, page: letters } },
    { enabled: dead > 0, keep: true, kinds: ["alert"] }
  )
  const send = async (act: Promise<unknown>, count: number) => {
    await act
    await again()
    toast({ title: `${counted(count, "message")} on the way again`, text: "If it fails again, it comes back here." })
  }
  if (dead === 0)
    return (
      waiting > 0 && (
        <Panel title="Not delivered" count={0}>
          <Entries label="Messages on their way">
            <Entry tone="info" title={`${counted(waiting, "message")} on the way`}>
              A receiver that does not answer is tried again for three days.
            </Entry>
          </Entries>
        </Panel>
      )
    )
  return (
    <Panel
      title="Not delivered"
      count={dead}
      aside={
        may("POST", "/alerts/replay") && (
          <Confirm
            size="xs"
            label="Send all again…"
            verb="Send all again"
            question={`Send ${counted(dead, "message")} again?`}
            act={() => send(request("POST /alerts/replay", { body: {} }), dead)}
          >
            The oldest of them may be long over.
          </Confirm>
        )
      }
    >
      <Asked of={asked} what="the messages">
        {({ data: { deliveries } }, matching) => (
          <>
            <Entries label="Messages that were not delivered">
              {deliveries.map(({ action, answer, attempts, created_at, ended_at, id, receiver, rule }) => (
                <Entry
                  key={id}
                  tone="bad"
                  title={`${receiver} was not told: ${plainly(rule)}, ${inSentence(textOf(deliveryActionWords, action))}`}
                  time={<When at={ended_at} />}
                  actions={
                    may("POST", `/alerts/deliveries/${id}/replay`) && (
                      <Confirm
                        size="xs"
                        label="Send again…"
                        verb="Send again"
                        question={`Send this to ${receiver} again?`}
                        act={() => send(request("POST /alerts/deliveries/:id/replay", { params: { id } }), 1)}
                      >
                        The message goes to {receiver} once more, under its own id.
                      </Confirm>
                    )
                  }
                >
                  Made <When at={created_at} />, given up after {counted(attempts, "try", "tries")}
                  {answer !== null && `; the last answer: ${answer}`}
                </Entry>
              ))}
            </Entries>
            <Pages
              matching={matching}
              perPage={PAGE}
              page={Number(letters)}
              go={(page) => change({ letters: String(page) })}
            />
          </>
        )}
      </Asked>
    </Panel>
  )
}
