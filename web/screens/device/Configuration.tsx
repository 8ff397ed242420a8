/** What the device runs, what would be generated for it, what earlier jobs gave it, and the difference of any two of these. */
import { Button, Group, NativeSelect } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { diff } from "../../../src/drivers/ConfigDiff.ts"
import { ask, CallFailed } from "../../api/call.ts"
import { useMay } from "../../app/useSession.ts"
import { AskFirst } from "../../parts/AskFirst.tsx"
import { DiffView } from "../../parts/DiffView.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { saveFile } from "../../parts/saveFile.ts"
import { Waiting } from "../../parts/Waiting.tsx"
import { When } from "../../parts/When.tsx"
import type { TabProps } from "./Device.tsx"
import { useRouter } from "@tanstack/react-router"

/** Earlier jobs that are offered. */
const EARLIER = 5

interface Text {
  readonly text: string
  readonly job?: number
  readonly at?: string
}

const earlier = async (hostname: string, previous: number): Promise<Text> => {
  const { answer } = await ask("GET /device/:hostname/previous_config", { params: { hostname }, query: { previous } })
  const { config = "", finish_time, job_id } = answer.data
  return { text: config, job: job_id, at: finish_time }
}

const read = async (hostname: string, which: string): Promise<Text> => {
  const params = { hostname }
  if (which === "running")
    return { text: (await ask("GET /device/:hostname/running_config", { params })).answer.data.config }
  if (which === "generated")
    return {
      text: (await ask("GET /device/:hostname/generate_config", { params })).answer.data.config.generated_config ?? ""
    }
  return earlier(hostname, Number(which))
}

const CHOICES = [
  { value: "running", label: "running now" },
  { value: "generated", label: "generated now" },
  ...Array.from({ length: EARLIER }, (_, index) => ({
    value: String(index),
    label: index === 0 ? "of the newest job" : `${index} ${index === 1 ? "job" : "jobs"} before that`
  }))
]

const useText = (hostname: string, which: string) =>
  useQuery({
    queryKey: ["configuration", hostname, which],
    queryFn: () => read(hostname, which),
    enabled: which !== "",
    retry: (count, error) => error instanceof CallFailed && error.status >= 502 && count < 2
  })

const Restore = ({ hostname, job }: { readonly hostname: string; readonly job: number }) => {
  const router = useRouter()
  const start = (dry_run: boolean) => async () => {
    const { answer } = await ask("POST /device/:hostname/previous_config", {
      params: { hostname },
      body: { job_id: job, dry_run }
    })
    router.history.push(dry_run ? `/ui/change?job=${answer.job_id}` : `/ui/job/${answer.job_id}`)
  }
  return (
    <>
      <AskFirst label="Try to restore it" act={start(true)}>
        A dry run shows what would change; nothing is changed.
      </AskFirst>
      <AskFirst label="Restore it" danger act={start(false)}>
        The device gets the configuration of job {job} again, and is UNMANAGED afterwards, because the settings say
        something else.
      </AskFirst>
    </>
  )
}

export default function Configuration({ device: { hostname } }: TabProps) {
  const may = useMay()
  const [one, setOne] = useState("generated")
  const [other, setOther] = useState("")
  const first = useText(hostname, one)
  const second = useText(hostname, other)
  const error = first.error ?? second.error
  const job = first.data?.job
  const difference =
    first.data !== undefined && second.data !== undefined ? diff(first.data.text, second.data.text) : undefined
  return (
    <>
      <Group align="end" mb="sm">
        <NativeSelect
          label="Configuration"
          data={CHOICES}
          value={one}
          onChange={(event) => setOne(event.currentTarget.value)}
        />
        <NativeSelect
          label="Compared with"
          data={[{ value: "", label: "nothing" }, ...CHOICES]}
          value={other}
          onChange={(event) => setOther(event.currentTarget.value)}
        />
        {first.data !== undefined && (
          <Button variant="default" onClick={() => saveFile(`${hostname}-${one}.cfg`, first.data.text)}>
            Save as a file
          </Button>
        )}
        {job !== undefined && may("POST", `/device/${hostname}/previous_config`) && (
          <Restore hostname={hostname} job={job} />
        )}
      </Group>
      {first.data?.at !== undefined && (
        <p>
          Of job {job}, <When at={first.data.at} />
        </p>
      )}
      {error !== null && <Problem error={error} title="A configuration could not be read" />}
      {(first.isLoading || second.isLoading) && <Waiting what={`the configuration of ${hostname}`} />}
      {other === "" && first.data !== undefined && (
        <pre tabIndex={0} aria-label="Configuration text" className="config">
          {first.data.text}
        </pre>
      )}
      {difference === "" && <Empty>Both are the same.</Empty>}
      {difference !== undefined && difference !== "" && <DiffView diff={difference} label="Difference of the two" />}
    </>
  )
}
