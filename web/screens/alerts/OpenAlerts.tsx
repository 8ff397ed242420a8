/** Open alerts by cause: since when, why for each switch, who was told, and who looks after them. */
import { Button, Group, Modal, Stack, Textarea } from "@mantine/core"
import { useDisclosure } from "@mantine/hooks"
import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import type { Data } from "../../../src/api/Calls.ts"
import { alertWords } from "../../../src/domain/words/ServerWords.ts"
import { alertLine } from "../../../src/domain/words/RuleSentence.ts"
import { wordOf } from "../../../src/domain/words/Word.ts"
import { request } from "../../api/call.ts"
import { useMay } from "../../app/useSession.ts"
import { Chips } from "../../parts/Chips.tsx"
import { Entries, Entry, Panel } from "../../parts/Panel.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { toast } from "../../parts/Toast.tsx"
import { StatusWord } from "../../parts/StatusWord.tsx"
import { useAct } from "../../parts/useAct.ts"
import { When } from "../../parts/When.tsx"

export type AlertRow = Data<"GET /alerts">["alerts"][number]

/** After something was done with alerts, all that is shown of them is asked again. */
export const useAlertsAgain = () => {
  const client = useQueryClient()
  return () =>
    client.invalidateQueries({
      predicate: ({ queryKey: [name] }) =>
        typeof name === "string" && (name.startsWith("GET /alerts") || name === "GET /attention")
    })
}

const Acknowledge = ({ alert: { acknowledged_at, id, title } }: { readonly alert: AlertRow }) => {
  const [isOpen, { close, open }] = useDisclosure(false)
  const [comment, setComment] = useState("")
  const { busy, error, run } = useAct()
  const again = useAlertsAgain()
  const save = async () => {
    const done = await run(async () => {
      const text = comment.trim()
      await request("POST /alerts/:id/acknowledge", { params: { id }, body: text === "" ? {} : { comment: text } })
      await again()
    })
    if (!done) return
    close()
    toast({ title: "You look after it", text: alertLine(title) })
  }
  return (
    <>
      <Button size="xs" variant="default" onClick={open}>
        {acknowledged_at === null ? "Acknowledge…" : "Take over…"}
      </Button>
      <Modal
        opened={isOpen}
        onClose={close}
        title="Look after this alert?"
        closeButtonProps={{ "aria-label": "Close" }}
      >
        <Stack gap="sm">
          <span>{alertLine(title)}</span>
          <span>Others see that you look after it. It ends by itself when its cause has ended.</span>
          <Textarea
            label="What are you doing about it?"
            autosize
            minRows={2}
            maxLength={255}
            value={comment}
            onChange={({ currentTarget: { value } }) => setComment(value)}
          />
          {error !== null && <Problem error={error} title="Not acknowledged" />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button loading={busy} onClick={() => void save()}>
              Acknowledge
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  )
}

const Reason = ({ reason }: { readonly reason: AlertRow["reasons"][number] }) => (
  <div>
    {reason.sentence} {reason.devices.length > 0 && <Chips names={reason.devices} />}{" "}
    {reason.job_id !== null && <PlainLink to={`/job/${reason.job_id}`}>Job {reason.job_id}</PlainLink>}
    {reason.repository !== null && (
      <PlainLink to={`/repository?name=${encodeURIComponent(reason.repository)}`}>Show the commit</PlainLink>
    )}
  </div>
)

const One = ({ alert }: { readonly alert: AlertRow }) => {
  const may = useMay()
  const { acknowledged_at, acknowledged_by, acknowledged_comment, level, opened_at, reasons, receivers, sent_at } =
    alert
  const word = wordOf(alertWords, level)
  return (
    <Entry
      tone={acknowledged_at === null ? word.tone : "quiet"}
      title={alertLine(alert.title)}
      time={
        <>
          began <When at={opened_at} />
        </>
      }
      actions={may("POST", `/alerts/${alert.id}/acknowledge`) && <Acknowledge alert={alert} />}
    >
      {/* a single reason that says what the title says is not said twice */}
      {reasons
        .filter(
          ({ devices, job_id, repository, sentence }) =>
            reasons.length > 1 ||
            sentence !== alert.title ||
            devices.length > 0 ||
            job_id !== null ||
            repository !== null
        )
        .map((reason) => (
          <Reason
            key={`${reason.sentence} ${reason.devices[0] ?? ""}`}
            reason={reason.sentence === alert.title ? { ...reason, sentence: "" } : reason}
          />
        ))}
      <div>
        {word.text}. Told {receivers.join(", ")} <When at={sent_at} never="not yet" />
      </div>
      {acknowledged_by !== null && (
        <div>
          <StatusWord tone="good">{acknowledged_by}</StatusWord> looks after it since <When at={acknowledged_at} />
          {acknowledged_comment !== null && `: “${acknowledged_comment}”`}
        </div>
      )}
    </Entry>
  )
}

const earliest = (alerts: ReadonlyArray<AlertRow>): string | undefined =>
  alerts.map(({ opened_at }) => opened_at).toSorted()[0]

export const OpenAlerts = ({ alerts }: { readonly alerts: ReadonlyArray<AlertRow> }) => (
  <>
    {[...Map.groupBy(alerts, ({ rule }) => rule)].map(([rule, same]) => (
      <Panel
        key={rule}
        title={same[0]?.cause ?? rule}
        count={same.length}
        aside={
          <>
            the first began <When at={earliest(same)} />
          </>
        }
      >
        <Entries label={same[0]?.cause ?? rule}>
          {same.map((alert) => (
            <One key={alert.id} alert={alert} />
          ))}
        </Entries>
      </Panel>
    ))}
  </>
)
