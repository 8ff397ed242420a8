/** Mutes: the devices, groups and rules for which no alert is sent, until when and why. */
import { Button, Group, Modal, Stack, TextInput } from "@mantine/core"
import { useDisclosure } from "@mantine/hooks"
import { useQueryClient } from "@tanstack/react-query"
import type { FormEvent } from "react"
import { AwaitsApproval, request } from "../../api/call.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useDraft } from "../../app/useDraft.ts"
import { useMay } from "../../app/useSession.ts"
import { AskFirst } from "../../parts/AskFirst.tsx"
import { Asked } from "../../parts/Asked.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { SmallTable } from "../../parts/SmallTable.tsx"
import { useAct } from "../../parts/useAct.ts"
import { When } from "../../parts/When.tsx"

const EMPTY = { device: "", group: "", rule: "", reason: "", minutes: "120" }

type Draft = typeof EMPTY

const isDraft = (value: unknown): value is Draft =>
  typeof value === "object" &&
  value !== null &&
  Object.keys(EMPTY).every((name) => typeof Reflect.get(value, name) === "string")

const FIELDS = [
  { name: "device", label: "Devices, such as lhv-*", required: false },
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
        {error !== null && <Problem error={error} title="Not muted" />}
        <Group justify="flex-end">
          <Button type="submit" loading={busy} disabled={error instanceof AwaitsApproval}>
            Mute
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

const MuteForm = ({ done }: { readonly done: () => Promise<unknown> }) => {
  const [isOpen, { close, open }] = useDisclosure(false)
  return (
    <>
      <Button size="xs" variant="default" mb="xs" onClick={open}>
        Mute alerts
      </Button>
      <Modal opened={isOpen} onClose={close} title="Mute alerts" closeButtonProps={{ "aria-label": "Close" }}>
        <Fields close={close} done={done} />
      </Modal>
    </>
  )
}

export const Mutes = () => {
  const may = useMay()
  const client = useQueryClient()
  const asked = useAsk("GET /alerts/mutes", {}, { every: 60_000 })
  const again = () => client.invalidateQueries({ queryKey: ["GET /alerts/mutes"] })
  const remove = async (id: number) => {
    await request("DELETE /alerts/mutes/:id", { params: { id } })
    await again()
  }
  return (
    <>
      {may("POST", "/alerts/mutes") && <MuteForm done={again} />}
      <Asked of={asked} what="the mutes">
        {({ data: { mutes } }) =>
          mutes.length === 0 ? (
            <Empty>Nothing is muted. Before work on switches, “Mute alerts” keeps receivers quiet.</Empty>
          ) : (
            <SmallTable
              label="Mutes"
              heads={["Devices", "Group", "Rule", "Reason", "From", "Until", "By", "Remove"]}
              rows={mutes}
              keyOf={({ id }) => id}
              cells={({ begins_at, created_by, ends_at, group, hostname, id, reason, rule }) => [
                hostname ?? "any",
                group ?? "any",
                rule ?? "any",
                reason,
                <When at={begins_at} />,
                <When at={ends_at} />,
                created_by,
                may("DELETE", `/alerts/mutes/${id}`) && (
                  <AskFirst label={`Remove mute ${id}`} size="xs" act={() => remove(id)}>
                    Alerts are sent from now on. Earlier events are not reported afterwards.
                  </AskFirst>
                )
              ]}
            />
          )
        }
      </Asked>
    </>
  )
}
