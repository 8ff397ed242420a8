/** Silences: the switches, groups and rules of which nobody is told, until when and why. */
import { Button, Group, Modal, Stack, TextInput } from "@mantine/core"
import { useDisclosure } from "@mantine/hooks"
import { IconBellOff } from "@tabler/icons-react"
import type { FormEvent } from "react"
import type { Data } from "../../../src/api/Calls.ts"
import { AwaitsApproval, request } from "../../api/call.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useDraft } from "../../app/useDraft.ts"
import { useMay } from "../../app/useSession.ts"
import { Asked } from "../../parts/Asked.tsx"
import { Confirm } from "../../parts/Confirm.tsx"
import { Entries, Entry, Panel } from "../../parts/Panel.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { useAct } from "../../parts/useAct.ts"
import { When } from "../../parts/When.tsx"
import { useAlertsAgain } from "./OpenAlerts.tsx"

const EMPTY = { device: "", group: "", rule: "", reason: "", minutes: "120" }

type Draft = typeof EMPTY

const isDraft = (value: unknown): value is Draft =>
  typeof value === "object" &&
  value !== null &&
  Object.keys(EMPTY).every((name) => typeof Reflect.get(value, name) === "string")

const FIELDS = [
  { name: "device", label: "Switches, such as lhv-*", required: false },
  { name: "group", label: "Group", required: false },
  { name: "rule", label: "Rule", required: false },
  { name: "reason", label: "Reason", required: true },
  { name: "minutes", label: "For how many minutes", required: true }
] as const

const Fields = ({ close, done }: { readonly close: () => void; readonly done: () => Promise<unknown> }) => {
  const [draft, setDraft, forgetDraft] = useDraft("mute", EMPTY, isDraft)
  const { busy, error, run } = useAct()
  const save = async () => {
    const given = Object.entries(draft).filter(([, text]) => text.trim() !== "")
    await request("POST /alerts/mutes", { body: { ...Object.fromEntries(given), minutes: Number(draft.minutes) } })
    forgetDraft()
    await done()
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (await run(save)) close()
  }
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="sm">
        {FIELDS.map(({ label, name, required }) => (
          <TextInput
            key={name}
            label={label}
            required={required}
            {...(name === "minutes" ? { type: "number", min: 1, max: 43_200 } : {})}
            value={draft[name]}
            onChange={({ currentTarget: { value } }) => setDraft({ ...draft, [name]: value })}
          />
        ))}
        {error !== null && <Problem error={error} title="Not silenced" />}
        <Group justify="flex-end">
          <Button type="submit" loading={busy} disabled={error instanceof AwaitsApproval}>
            Silence
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** A button with the form of a silence. */
export const SilenceForm = () => {
  const [isOpen, { close, open }] = useDisclosure(false)
  const again = useAlertsAgain()
  return (
    <>
      <Button variant="default" onClick={open}>
        Silence…
      </Button>
      <Modal opened={isOpen} onClose={close} title="Silence alerts" closeButtonProps={{ "aria-label": "Close" }}>
        <Fields close={close} done={again} />
      </Modal>
    </>
  )
}

type Mute = Data<"GET /alerts/mutes">["mutes"][number]

/** `Alerts of lhv-* by rule drift`. */
const silenced = ({ group, hostname, rule }: Mute): string =>
  [
    "Alerts",
    ...(rule === null ? [] : [`by the rule ${rule}`]),
    ...(hostname === null ? [] : [`of ${hostname}`]),
    ...(group === null ? [] : [`of the group ${group}`])
  ].join(" ")

export const Silences = () => {
  const may = useMay()
  const again = useAlertsAgain()
  const asked = useAsk("GET /alerts/mutes", {}, { every: 60_000, kinds: ["alert"] })
  const remove = async (id: number) => {
    await request("DELETE /alerts/mutes/:id", { params: { id } })
    await again()
  }
  if (asked.data?.answer.data.mutes.length === 0) return null
  return (
    <Panel title="Silenced" count={asked.data?.answer.data.mutes.length ?? 0}>
      <Asked of={asked} what="the silences">
        {({ data: { mutes } }) => (
          <Entries label="Silences">
            {mutes.map((mute) => (
              <Entry
                key={mute.id}
                icon={IconBellOff}
                tone={mute.is_in_force ? "wait" : "quiet"}
                title={silenced(mute)}
                time={
                  <>
                    until <When at={mute.ends_at} />
                  </>
                }
                actions={
                  may("DELETE", `/alerts/mutes/${mute.id}`) && (
                    <Confirm
                      label="End now…"
                      question={`End the silence of ${silenced(mute).toLowerCase()}?`}
                      verb="End the silence"
                      size="xs"
                      act={() => remove(mute.id)}
                    >
                      Alerts are sent from now on. What happened before is not told afterwards.
                    </Confirm>
                  )
                }
              >
                {mute.reason}: {mute.created_by}, {mute.is_in_force ? "since" : "from"} <When at={mute.begins_at} />
              </Entry>
            ))}
          </Entries>
        )}
      </Asked>
    </Panel>
  )
}
