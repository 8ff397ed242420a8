/** Upgrades: the selected one with the progress of each of its devices, and all others. */
import { StatusWord } from "../../parts/StatusWord.tsx"
import { inSentence } from "../../../src/domain/words/Word.ts"
import { upgradeStepWords, upgradeWords } from "../../../src/domain/words/JobWords.ts"
import { Group, Stack, Text, Title } from "@mantine/core"
import { useAsk } from "../../api/useAsk.ts"
import type { Data } from "../../../src/api/Calls.ts"
import { useWords } from "../../app/useAddress.ts"
import { Asked } from "../../parts/Asked.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { JobStatus } from "../../parts/JobStatus.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { SmallTable } from "../../parts/SmallTable.tsx"
import { When } from "../../parts/When.tsx"

type Campaign = Data<"GET /job/:id/upgrade">
type Device = Campaign["devices"][number]

const ORDER: ReadonlyArray<Device["state"]> = ["failed", "returning", "working", "waiting", "done"]

const Counts = ({ devices }: Pick<Campaign, "devices">) => (
  <Group gap="md" role="status" aria-label="How far the upgrade is">
    {ORDER.map((state) => {
      const count = devices.filter((device) => device.state === state).length
      return count === 0 ? null : (
        <StatusWord key={state} tone={upgradeWords[state].tone}>
          {count} {inSentence(upgradeWords[state].text)}
        </StatusWord>
      )
    })}
  </Group>
)

/** Failed devices first, then in their order. */
const sorted = (devices: ReadonlyArray<Device>): ReadonlyArray<Device> =>
  devices.toSorted((a, b) => Number(b.state === "failed") - Number(a.state === "failed"))

const version = ({ version: now, version_before: before }: Device): string =>
  before !== null && now !== null && before !== now ? `${before} → ${now}` : (now ?? before ?? "")

/** The last sentence, and earlier problems. */
const Why = ({ message, said }: Device) => (
  <>
    {message ?? ""}
    {said !== null && (
      <details>
        <summary>What was met</summary>
        <pre tabIndex={0}>{said}</pre>
      </details>
    )}
  </>
)

const Looked = ({ id }: { readonly id: string }) => {
  const asked = useAsk("GET /job/:id/upgrade", { params: { id } }, { kinds: ["firmware", "job", "device"] })
  return (
    <section aria-label={`Upgrade ${id}`}>
      <Title order={2}>
        Upgrade <PlainLink to={`/job/${id}`}>{id}</PlainLink>
      </Title>
      <Asked of={asked} what="the upgrade">
        {({ data: { devices, steps } }) => (
          <>
            <Text size="sm">{steps.map((step) => upgradeStepWords[step].text).join(" → ")}</Text>
            {devices.length === 0 ? (
              <Empty>It has not chosen its devices yet: it waits for its turn or its time.</Empty>
            ) : (
              <>
                <Counts devices={devices} />
                <SmallTable
                  label="Devices of the upgrade"
                  heads={["Device", "Step of the order", "State", "At", "Done", "Version", "Why"]}
                  rows={sorted(devices)}
                  keyOf={({ hostname }) => hostname}
                  cells={(device) => [
                    <PlainLink to={`/device/${encodeURIComponent(device.hostname)}`}>{device.hostname}</PlainLink>,
                    device.group === 0 ? "" : device.group,
                    <StatusWord of={upgradeWords} value={device.state} />,
                    device.step === null ? "" : upgradeStepWords[device.step].text,
                    `${device.steps_done.length} of ${steps.length}`,
                    version(device),
                    <Why {...device} />
                  ]}
                />
              </>
            )}
          </>
        )}
      </Asked>
    </section>
  )
}

export const Campaigns = () => {
  const [{ job = "" }] = useWords()
  const jobs = useAsk(
    "GET /jobs",
    { query: { "filter[function_name]": "device_upgrade", sort: "-id", per_page: 20 } },
    { kinds: ["job"], keep: true }
  )
  return (
    <Stack gap="sm">
      {job !== "" && <Looked id={job} />}
      <Asked of={jobs} what="the upgrades">
        {({ data }) =>
          data.jobs.length === 0 ? (
            <Empty>No upgrades yet. Begin one under Upgrade.</Empty>
          ) : (
            <SmallTable
              label="Upgrades"
              heads={["Upgrade", "Status", "Devices", "By", "Ticket, comment", "Began", "Ended"]}
              rows={data.jobs}
              keyOf={({ id }) => id}
              cells={(one) => [
                <PlainLink to={`/firmware?tab=campaigns&job=${one.id}`} label={`Upgrade ${one.id}`}>
                  {one.id}
                </PlainLink>,
                <JobStatus job={one} />,
                one.counts === null || one.counts.devices === 0
                  ? ""
                  : `${one.counts.succeeded} of ${one.counts.devices} done`,
                one.scheduled_by ?? "",
                [one.ticket_ref, one.comment].filter(Boolean).join(": "),
                <When at={one.start_time} never="not yet" />,
                <When at={one.finish_time} never="not yet" />
              ]}
            />
          )
        }
      </Asked>
    </Stack>
  )
}
