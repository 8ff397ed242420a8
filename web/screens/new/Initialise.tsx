/** What a new switch is to become: checked against where it hangs before it is begun, or put in the place of another one. */
import { Button, Checkbox, Group, List, Select, Stack, Text, TextInput } from "@mantine/core"
import { useState } from "react"
import { ask } from "../../api/call.ts"
import type { Data } from "../../api/Calls.ts"
import { useMay } from "../../app/useSession.ts"
import { AskFirst } from "../../parts/AskFirst.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { Tone } from "../../parts/Tone.tsx"
import { useAct } from "../../parts/useAct.ts"

export type NewDevice = Data<"GET /new_devices">["devices"][number]
type Findings = Readonly<Record<string, unknown>>

const TYPES = ["ACCESS", "DIST", "CORE"]

const CHECKS = [
  { key: "linknets", label: "Links" },
  { key: "neighbors", label: "Neighbours and management domain" },
  { key: "hostname", label: "Hostname" }
] as const

/** One check of the answer: whether it passed, and the sentence when not. */
const checksOf = (found: Findings) =>
  CHECKS.map(({ key, label }) => {
    const error = found[`${key}_error`]
    return { label, passed: typeof error !== "string", error: typeof error === "string" ? error : "" }
  })

const Checked = ({ found }: { readonly found: Findings }) => (
  <List size="sm" aria-label="Checks" spacing={2}>
    {checksOf(found).map(({ error, label, passed }) => (
      <List.Item key={label}>
        {label}: <Tone tone={passed ? "good" : "bad"}>{passed ? "fits" : "does not fit"}</Tone>
        {error === "" ? "" : ` ${error}`}
      </List.Item>
    ))}
    <List.Item>
      <Tone tone={found["compatible"] === true ? "good" : "bad"}>
        {found["compatible"] === true ? "An initialisation would be accepted" : "An initialisation would be refused"}
      </Tone>
    </List.Item>
  </List>
)

interface Props {
  readonly device: NewDevice
  readonly begun: (job: number) => void
}

export const Initialise = ({ begun, device }: Props) => {
  const may = useMay()
  const [hostname, setHostname] = useState(device.replaces ?? "")
  const [type, setType] = useState("ACCESS")
  const [replace, setReplace] = useState(device.replaces !== null)
  const [found, setFound] = useState<Findings>()
  const { busy, error, run } = useAct()
  const changed = (act: () => void) => {
    act()
    setFound(undefined)
  }
  const body = { hostname, device_type: type, ...(replace ? { replace_hostname: true } : {}) }
  const old = device.places.find(({ was }) => was === hostname)
  const mustLeave = replace && old !== undefined && old.was_state !== "UNMANAGED"
  const check = () =>
    run(async () => {
      const { answer } = await ask("POST /device_initcheck/:id", { params: { id: device.id }, body })
      setFound(answer.data)
    })
  const begin = async () => {
    const { answer } = await ask("POST /device_init/:id", { params: { id: device.id }, body })
    begun(answer.job_id)
  }
  return (
    <Stack gap="xs">
      <Group align="flex-end">
        <TextInput
          label="Hostname"
          value={hostname}
          onChange={({ currentTarget: { value } }) => changed(() => setHostname(value))}
        />
        <Select
          label="Type"
          data={TYPES}
          value={type}
          allowDeselect={false}
          w={120}
          onChange={(chosen) => changed(() => setType(chosen ?? "ACCESS"))}
        />
        <Checkbox
          label="Replaces the device with this hostname"
          checked={replace}
          disabled={type !== "ACCESS"}
          onChange={({ currentTarget: { checked } }) => changed(() => setReplace(checked))}
        />
        {may("POST", `/device_initcheck/${device.id}`) && (
          <Button variant="default" loading={busy} disabled={hostname === ""} onClick={() => void check()}>
            Check
          </Button>
        )}
        {may("POST", `/device_init/${device.id}`) && (
          <AskFirst
            label={replace ? "Replace" : "Initialise"}
            disabled={hostname === "" || device.state !== "DISCOVERED"}
            act={begin}
          >
            <Text>
              {device.hostname} becomes {hostname}, {type}. It gets addresses and its base configuration, and moves to
              its new management address.
            </Text>
            {replace && <Text>It takes the place of {hostname}: its ports and links stay as they are.</Text>}
            {found === undefined && <Text>It has not been checked with these words yet.</Text>}
          </AskFirst>
        )}
      </Group>
      {mustLeave && (
        <Text size="sm">
          <PlainLink to={`/device/${encodeURIComponent(hostname)}`}>{hostname}</PlainLink> is {old?.was_state}: it has
          to be UNMANAGED before it can be replaced.
        </Text>
      )}
      {error !== null && <Problem error={error} title="It cannot be checked" />}
      {found !== undefined && <Checked found={found} />}
    </Stack>
  )
}
