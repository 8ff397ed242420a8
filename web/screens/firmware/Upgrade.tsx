/** An upgrade before it begins: switches, image, steps, order and time. */
import { Autocomplete, Checkbox, Fieldset, Group, Select, Stack, Text, TextInput } from "@mantine/core"
import { useRouter } from "@tanstack/react-router"
import { namesInOrder } from "../../../src/domain/Natural.ts"
import { switches } from "../../../src/domain/words/Units.ts"
import { ask } from "../../api/call.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useWords } from "../../app/useAddress.ts"
import { useHasRight, useMay } from "../../app/useSession.ts"
import { Confirm } from "../../parts/Confirm.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { Order } from "./Order.tsx"
import { bodyOf, lackOf, namesOf, STEPS, stepsOf } from "./upgradeForm.ts"

export const Upgrade = () => {
  const router = useRouter()
  const may = useMay()
  const hasRight = useHasRight()
  const [words, change] = useWords()
  const { comment = "", filename = "", group = "", start = "", ticket = "", url = "" } = words
  const steps = stepsOf(words)
  const skipped = words["skip_checks"]?.trim() ?? ""
  const versions = useAsk("GET /firmware_versions")
  const images = useAsk("GET /firmware_images")
  const groups = (versions.data?.answer.data.groups ?? []).filter(({ devices }) => devices > 0)
  const names = namesOf(words)
  const count = names.length === 0 ? groups.find((one) => one.group === group)?.devices : names.length
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
          onChange={(chosen) => change({ group: chosen ?? undefined, hostnames: undefined })}
        />
        <TextInput label="Or switches" description="Names with commas between them" {...text("hostnames")} w={280} />
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
          label="Restart so that no switch loses its last uplink"
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
        {hasRight("skip_checks", "POST", "/firmware/upgrade") && (
          <TextInput label="Upgrade without checks (reason)" maxLength={255} {...text("skip_checks")} w={280} />
        )}
      </Group>
      {group !== "" && names.length === 0 && steps.has("reboot") && isStaggered && <Order group={group} />}
      {lacks !== undefined && <Empty>{lacks}</Empty>}
      {may("POST", "/firmware/upgrade") && (
        <Group>
          <Confirm label="Start the upgrade" danger={steps.has("reboot")} disabled={lacks !== undefined} act={begin}>
            <Text>
              {names.length === 0 ? `${switches(count ?? 0)} of ${group}` : namesInOrder(names).join(", ")}
              {filename === "" ? "" : `, image ${filename}`}:{" "}
              {STEPS.filter(({ step }) => steps.has(step))
                .map(({ label }) => label.toLowerCase())
                .join(", ")}
              .
            </Text>
            {steps.has("reboot") && (
              <Text fw={600}>The switches restart: what is connected to them is cut off for minutes.</Text>
            )}
            {start !== "" && <Text>It begins at {start} UTC.</Text>}
            {url !== "" && <Text>The image comes from {url}.</Text>}
            {skipped !== "" && <Text fw={600}>Its checks are left out: {skipped}</Text>}
            {[ticket, comment].filter(Boolean).length > 0 && (
              <Text>{[ticket, comment].filter(Boolean).join(": ")}</Text>
            )}
          </Confirm>
        </Group>
      )}
    </Stack>
  )
}
