/** Reads the tables of all switches now, and shows the progress. */
import { Button, Group, Text } from "@mantine/core"
import { useState } from "react"
import { ask } from "../../api/call.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useMay } from "../../app/useSession.ts"
import { JobStatus } from "../../parts/JobStatus.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { useAct } from "../../parts/useAct.ts"

const Reading = ({ id }: { readonly id: number }) => {
  const { data } = useAsk(
    "GET /job/:id",
    { params: { id }, query: { filter_jobresult: "config,diff" } },
    { kinds: ["job"] }
  )
  const job = data?.answer.data.jobs[0]
  return (
    <Text size="sm" role="status">
      Job <PlainLink to={`/job/${id}`}>{id}</PlainLink> reads the tables
      {job !== undefined && (
        <>
          : <JobStatus job={job} />
          {job.counts !== null && job.counts.devices > 0 && `, ${job.counts.succeeded} of ${job.counts.devices} read`}
        </>
      )}
    </Text>
  )
}

export const ReadTables = () => {
  const may = useMay()
  const { busy, error, run } = useAct()
  const [job, setJob] = useState<number | null>(null)
  if (!may("POST", "/device_read_tables")) return null
  const read = () =>
    run(async () => setJob((await ask("POST /device_read_tables", { body: { all: true } })).answer.job_id))
  return (
    <>
      <Group gap="md" my="xs">
        <Button variant="default" loading={busy} onClick={() => void read()}>
          Read now
        </Button>
        {job !== null && <Reading id={job} />}
      </Group>
      {error !== null && <Problem error={error} title="The tables could not be read" />}
    </>
  )
}
