/** The jobs that push, or have pushed, the dry run; a user who may decide about a waiting one does so here. */
import { Group, Text } from "@mantine/core"
import type { Data } from "../../../src/api/Calls.ts"
import { useAsk } from "../../api/useAsk.ts"
import { Decide } from "../../parts/Decide.tsx"
import { JobStatus } from "../../parts/JobStatus.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { When } from "../../parts/When.tsx"

type Pushed = Data<"GET /jobs">["jobs"][number]

/** The newest first; undefined until they are known. */
export const usePushes = (dryRun: number): ReadonlyArray<Pushed> | undefined => {
  const query = { "filter[dry_run_job]": dryRun, sort: "-id", per_page: 5, filter_jobresult: "config,diff" }
  return useAsk("GET /jobs", { query }, { kinds: ["job"] }).data?.answer.data.jobs
}

/** Whether it may be pushed again: no push of it is under way, and none has succeeded. */
export const mayBePushed = (pushes: ReadonlyArray<Pushed>): boolean =>
  pushes.every(({ outcome }) => outcome !== null && outcome !== "success")

export const Pushes = ({ pushes }: { readonly pushes: ReadonlyArray<Pushed> }) => (
  <section aria-label="Pushes of this">
    {pushes.map((job) => (
      <Group key={job.id} gap="sm" my="xs">
        <JobStatus job={job} />
        <span>
          pushed as <PlainLink to={`/job/${job.id}`}>job {job.id}</PlainLink> by {job.scheduled_by ?? "the server"},{" "}
          <When at={job.scheduled_time} />
        </span>
        {job.waiting_for?.reason === "approval" && (
          <>
            <Text size="sm">{job.waiting_for.message}</Text>
            <Decide job={job} />
          </>
        )}
        {job.outcome === "aborted" && job.abort_reason !== null && <Text size="sm">{job.abort_reason}</Text>}
      </Group>
    ))}
  </section>
)
