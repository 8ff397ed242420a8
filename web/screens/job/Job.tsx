/** One job: its status, the progress of its devices, failures, and the possible actions. */
import { jobTitle } from "../../../src/domain/words/JobWords.ts"
import { Group, Stack, Text } from "@mantine/core"
import { useAsk } from "../../api/useAsk.ts"
import { usePart } from "../../app/useAddress.ts"
import { Asked } from "../../parts/Asked.tsx"
import { Countdown } from "../../parts/Countdown.tsx"
import { JobStatus } from "../../parts/JobStatus.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { ScreenTitle } from "../../parts/ScreenTitle.tsx"
import { When } from "../../parts/When.tsx"
import type { Data } from "../../../src/api/Calls.ts"
import { Actions } from "./Actions.tsx"
import { Failures } from "./Failures.tsx"
import { Tiles } from "./Tiles.tsx"
import { useProgress } from "./useProgress.ts"

export type JobRecord = Data<"GET /job/:id">["jobs"][number]

const hashOf = (commit: string | null): string => (commit === null ? "" : commit.slice(0, 10))

const Waits = ({ job: { waiting_for: waiting } }: { readonly job: JobRecord }) => {
  if (waiting === null) return null
  return (
    <Text role="status">
      {waiting.message}
      {"until" in waiting && waiting.until !== null && (
        <>
          {" "}
          Until <When at={waiting.until} />.
        </>
      )}
      {"job_id" in waiting && (
        <>
          {" "}
          See <PlainLink to={`/job/${waiting.job_id}`}>job {waiting.job_id}</PlainLink>.
        </>
      )}
    </Text>
  )
}

const Head = ({ job }: { readonly job: JobRecord }) => (
  <Stack gap={2} mb="sm">
    <Group gap="md">
      <JobStatus job={job} />
      <span title={job.function_name}>{jobTitle(job.function_name)}</span>
      <span>by {job.scheduled_by ?? "the server"}</span>
      {job.ticket_ref !== null && <span>ticket {job.ticket_ref}</span>}
      {job.change_score !== null && <span>change score {job.change_score}</span>}
    </Group>
    {job.comment !== null && <Text>{job.comment}</Text>}
    <Group gap="md">
      <Text size="sm">
        began <When at={job.start_time} never="not yet" />
      </Text>
      <Text size="sm">
        ended <When at={job.finish_time} never="not yet" />
      </Text>
      {job.settings_commit !== null && <Text size="sm">settings {hashOf(job.settings_commit)}</Text>}
      {job.templates_commit !== null && <Text size="sm">templates {hashOf(job.templates_commit)}</Text>}
      {job.next_job_id !== null && (
        <Text size="sm">
          goes on as <PlainLink to={`/job/${job.next_job_id}`}>job {job.next_job_id}</PlainLink>
        </Text>
      )}
    </Group>
    <Waits job={job} />
    {job.abort_reason !== null && (
      <Text>
        Stopped by {job.aborted_by ?? "the server"}: {job.abort_reason}
      </Text>
    )}
  </Stack>
)

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** The result of a job without devices. */
const Result = ({ result }: { readonly result: unknown }) => {
  if (result === null || result === undefined || (isRecord(result) && "devices" in result)) return null
  return (
    <pre tabIndex={0} aria-label="Result">
      {typeof result === "string" ? result : JSON.stringify(result, null, 2)}
    </pre>
  )
}

export default function Job() {
  const id = usePart("id")
  const asked = useAsk(
    "GET /job/:id",
    { params: { id }, query: { filter_jobresult: "config,diff" } },
    { kinds: ["job", "lock"] }
  )
  const progress = useProgress(id)
  return (
    <>
      <ScreenTitle>{`Job ${id}`}</ScreenTitle>
      <Asked of={asked} what="the job">
        {({ data: { jobs } }) =>
          jobs.map((job) => (
            <div key={job.id}>
              <Head job={job} />
              {job.exception !== null && <Problem error={job.exception.message} title="The job could not run" />}
              {job.function_name === "device_upgrade" && (
                <PlainLink to={`/firmware?tab=campaigns&job=${job.id}`}>Each switch, step by step</PlainLink>
              )}
              <Actions job={job} devices={progress.devices} unpausable={progress.unpausable} />
              <Failures devices={progress.devices} />
              {progress.timer !== undefined && (
                <Text role="timer" my="xs">
                  The last timer on a switch ends in <Countdown until={progress.timer} />: unconfirmed changes are then
                  rolled back automatically.
                </Text>
              )}
              <Tiles devices={progress.devices} isDryRun={job.function_name.endsWith("(dry_run)")} />
              <Result result={job.result} />
            </div>
          ))
        }
      </Asked>
    </>
  )
}
