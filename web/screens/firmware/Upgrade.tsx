/** An upgrade before it begins: switches, image, steps, order and time. */
import { Autocomplete, Checkbox, Fieldset, Group, Select, Stack, Text, TextInput } from "@mantine/core"
import { useRouter } from "@tanstack/react-router"
import { ask } from "../../api/call.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useWords } from "../../app/useAddress.ts"
import { useMay } from "../../app/useSession.ts"
import { Confirm } from "../../parts/Confirm.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { Order } from "./Order.tsx"
import { bodyOf, lackOf, STEPS, stepsOf } from "./upgradeForm.ts"

export const Upgrade = () => {
  const router = useRouter()
  const may = useMay()
  const [words, change] = useWords()
  const { comment = "", filename = "", group = "", hostname = "", start = "", ticket = "", url = "" } = words
  const steps = stepsOf(words)
  const versions = useAsk("GET /firmware_versions")
  const images = useAsk("GET /firmware_images")
  const groups = (versions.data?.answer.data.groups ?? []).filter(({ devices }) => devices > 0)
  const count = hostname === "" ? groups.find((one) => one.group === group)?.devices : 1
  const files = images.data?.answer.data.images.map(({ file }) => file) ?? []
  const isStaggered = words["staggered"] !== "no"
  const lacks = lackOf(words)
  const begin = async () => {
    const { answer } = await ask("POST /firmware/upgrade", { body: bodyOf(words) })
    router.history.push(`/ui/firmware?tab=campaigns&job=${answer.job_id}`)
  }
  const text = (name: string) => ({
    value: words[name] ?? "",
    onChange: ({ currentTarget: { value } }: { readonly currentTarget: { readonly value: string } }) =>
      change({ [name]: value })
  })
  return (
    <Stack gap="sm">
      {versions.error !== null && <Problem error={versions.error} title="The groups could not be read" />}
      <Group align="flex-end">
        <Select
          label="Group"
          data={groups.map((one) => ({ value: one.group, label: `${one.group} (${one.devices})` }))}
          value={group === "" ? null : group}
          clearable
          clearButtonProps={{ "aria-label": "No group" }}
          onChange={(chosen) => change({ group: chosen ?? undefined, hostname: undefined })}
        />
        <TextInput label="Or one device" {...text("hostname")} />
        <Autocomplete
          label="Image"
          data={files}
          value={filename}
          onChange={(chosen) => change({ filename: chosen })}
          w={280}
        />
      </Group>
      <Fieldset legend="Steps, in this order">
        <Group>
          {STEPS.map(({ label, step }) => (
            <Checkbox
              key={step}
              label={label}
              checked={steps.has(step)}
              onChange={({ currentTarget: { checked } }) => change({ [step]: checked ? undefined : "no" })}
            />
          ))}
        </Group>
      </Fieldset>
      <Group align="flex-end">
        <Checkbox
          label="Reboot one group after the other, so that no switch loses its last uplink"
          disabled={!steps.has("reboot")}
          checked={isStaggered}
          onChange={({ currentTarget: { checked } }) => change({ staggered: checked ? undefined : "no" })}
        />
      </Group>
      <Group align="flex-end">
        <TextInput label="Begin at (UTC)" description="YYYY-MM-DD HH:MM:SS; empty for now" {...text("start")} />
        <TextInput label="Fetched from" description="Empty for this server" {...text("url")} w={280} />
        <TextInput label="Ticket" {...text("ticket")} />
        <TextInput label="Comment" {...text("comment")} w={280} />
      </Group>
      {group !== "" && hostname === "" && steps.has("reboot") && isStaggered && <Order group={group} />}
      {lacks !== undefined && <Empty>{lacks}</Empty>}
      {may("POST", "/firmware/upgrade") && (
        <Group>
          <Confirm label="Start the upgrade" danger={steps.has("reboot")} disabled={lacks !== undefined} act={begin}>
            <Text>
              {hostname === "" ? `${count ?? 0} managed devices of ${group}` : hostname}
              {filename === "" ? "" : `, image ${filename}`}:{" "}
              {STEPS.filter(({ step }) => steps.has(step))
                .map(({ label }) => label.toLowerCase())
                .join(", ")}
              .
            </Text>
            {steps.has("reboot") && (
              <Text fw={600}>The switches reboot: devices connected to them are cut off for minutes.</Text>
            )}
            {start !== "" && <Text>It begins at {start} UTC.</Text>}
            {url !== "" && <Text>The image comes from {url}.</Text>}
            {[ticket, comment].filter(Boolean).length > 0 && (
              <Text>{[ticket, comment].filter(Boolean).join(": ")}</Text>
            )}
          </Confirm>
        </Group>
      )}
    </Stack>
  )
}
