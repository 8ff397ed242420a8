/** Initialisations that were begun, step by step: each job leads to the next one until the switch is managed. */
import { Group, List, Stack, Text } from "@mantine/core"
import type { Data } from "../../api/Calls.ts"
import { useAsk } from "../../api/useAsk.ts"
import { Asked } from "../../parts/Asked.tsx"
import { JobStatus } from "../../parts/JobStatus.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { Tone } from "../../parts/Tone.tsx"

type JobRecord = Data<"GET /job/:id">["jobs"][number]

const STEPS: Readonly<Record<string, string>> = {
  discover_device: "Discovery",
  init_access_device_step1: "Step 1: place, addresses, base configuration, move to the new address",
  init_fabric_device_step1: "Step 1: place, addresses, base configuration, move to the new address",
  init_device_step2: "Step 2: log in at the new address, read facts, save"
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** Names of the tasks that a job has done, and which of them failed. */
const tasksOf = ({ result }: JobRecord): ReadonlyArray<{ readonly name: string; readonly failed: boolean }> => {
  const devices = isRecord(result) && isRecord(result["devices"]) ? Object.values(result["devices"]) : []
  return devices.flatMap((device) => {
    const tasks = isRecord(device) && Array.isArray(device["job_tasks"]) ? device["job_tasks"] : []
    return tasks.flatMap((task: unknown) =>
      isRecord(task) && typeof task["task_name"] === "string"
        ? [{ name: task["task_name"], failed: task["failed"] === true }]
        : []
    )
  })
}

const hostnameOf = ({ start_arguments }: JobRecord): string | undefined => {
  const name = isRecord(start_arguments) ? start_arguments["new_hostname"] : undefined
  return typeof name === "string" ? name : undefined
}

const deviceOf = ({ start_arguments }: JobRecord): number | undefined => {
  const id = isRecord(start_arguments) ? start_arguments["device_id"] : undefined
  return typeof id === "number" ? id : undefined
}

const Outcome = ({ id }: { readonly id: number }) => {
  const { data } = useAsk("GET /device/:id", { params: { id } }, { kinds: ["device"] })
  const device = data?.answer.data.devices[0]
  if (device?.state !== "MANAGED") return null
  return (
    <List.Item>
      <Tone tone="good">MANAGED</Tone>{" "}
      <PlainLink to={`/device/${encodeURIComponent(device.hostname)}`}>{device.hostname}</PlainLink>
      {device.management_ip === null ? "" : ` at ${device.management_ip}`}
    </List.Item>
  )
}

const Step = ({ id }: { readonly id: number }) => {
  const asked = useAsk("GET /job/:id", { params: { id } }, { kinds: ["job", "device"] })
  return (
    <Asked of={asked} what={`Job ${id}`}>
      {({ data: { jobs } }) =>
        jobs.map((job) => {
          const device = deviceOf(job)
          return (
            <div key={job.id}>
              <List.Item>
                {STEPS[job.function_name] ?? job.function_name} <JobStatus job={job} />{" "}
                <PlainLink to={`/job/${job.id}`}>job {job.id}</PlainLink>
                {job.exception !== null && <Text size="sm">{job.exception.message}</Text>}
                {tasksOf(job).length > 0 && (
                  <Text size="sm">
                    {tasksOf(job)
                      .map(({ failed, name }) => (failed ? `${name} (failed)` : name))
                      .join(" → ")}
                  </Text>
                )}
              </List.Item>
              {job.next_job_id !== null && <Step id={job.next_job_id} />}
              {job.next_job_id === null && job.finish_time !== null && device !== undefined && <Outcome id={device} />}
            </div>
          )
        })
      }
    </Asked>
  )
}

const Title = ({ id }: { readonly id: number }) => {
  const { data } = useAsk("GET /job/:id", { params: { id } })
  const [job] = data?.answer.data.jobs ?? []
  const name = job === undefined ? undefined : hostnameOf(job)
  return (
    <Text fw={600}>
      {name ?? "Initialisation"} (job {id})
    </Text>
  )
}

/** The jobs with which the initialisations began. */
export const Begun = ({ jobs }: { readonly jobs: ReadonlyArray<number> }) => (
  <Stack gap="xs" role="region" aria-label="Initialisations">
    {jobs.map((id) => (
      <div key={id}>
        <Group>
          <Title id={id} />
        </Group>
        <List listStyleType="decimal" withPadding>
          <Step id={id} />
        </List>
      </div>
    ))}
  </Stack>
)
