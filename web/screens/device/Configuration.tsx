/** The running, generated and earlier configurations of the device, the diff of any two, and the origin of each line. */
import { momentOf, stampTime } from "../../../src/domain/words/Units.ts"
import { Button, Group, NativeSelect } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { useRouter } from "@tanstack/react-router"
import type { Data } from "../../../src/api/Calls.ts"
import { ask, CallFailed } from "../../api/call.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useWords } from "../../app/useAddress.ts"
import { useMay } from "../../app/useSession.ts"
import { AskFirst } from "../../parts/AskFirst.tsx"
import { Asked } from "../../parts/Asked.tsx"
import { DiffView } from "../../parts/DiffView.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { saveFile } from "../../parts/saveFile.ts"
import { Waiting } from "../../parts/Waiting.tsx"
import { Blame } from "./Blame.tsx"
import type { TabProps } from "./Device.tsx"

type Entry = Data<"GET /device/:hostname/configs">["configs"][number]

const BLAME = "lines"

const read = async (hostname: string, which: string): Promise<string> => {
  const params = { hostname }
  if (which === "running") return (await ask("GET /device/:hostname/running_config", { params })).answer.data.config
  if (which === "generated") {
    return (await ask("GET /device/:hostname/generate_config", { params })).answer.data.config.generated_config ?? ""
  }
  const { answer } = await ask("GET /device/:hostname/previous_config", { params, query: { job_id: which } })
  return answer.data.config ?? ""
}

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
        The device gets the configuration of job {job} again, and is not managed afterwards, because the settings say
        something else.
      </AskFirst>
    </>
  )
}

const Text = ({
  hostname,
  job,
  which
}: {
  readonly hostname: string
  readonly job?: Entry
  readonly which: string
}) => {
  const may = useMay()
  const { data, error } = useQuery({
    queryKey: ["configuration", hostname, which],
    queryFn: () => read(hostname, which),
    retry: (count, failure) => failure instanceof CallFailed && failure.status >= 502 && count < 2
  })
  if (error !== null) return <Problem error={error} title="The configuration could not be read" />
  if (data === undefined) return <Waiting what={`the configuration of ${hostname}`} />
  return (
    <>
      <Group mb="xs">
        <Button variant="default" onClick={() => saveFile(`${hostname}-${which}.cfg`, data)}>
          Save as a file
        </Button>
        {job !== undefined && !job.failed && may("POST", `/device/${hostname}/previous_config`) && (
          <Restore hostname={hostname} job={job.job_id} />
        )}
      </Group>
      <pre tabIndex={0} aria-label="Configuration text" className="config">
        {data}
      </pre>
    </>
  )
}

const Difference = ({
  from,
  hostname,
  to
}: {
  readonly hostname: string
  readonly from: string
  readonly to: string
}) => {
  const asked = useAsk(
    "GET /device/:hostname/config_diff",
    { params: { hostname }, query: { from, to } },
    { once: true }
  )
  return (
    <Asked of={asked} what="the difference">
      {({ data: { diff } }) =>
        diff === "" ? <Empty>Both are the same.</Empty> : <DiffView diff={diff} label="Difference of the two" />
      }
    </Asked>
  )
}

/** Entries are told apart by their seconds. */
const finishedAt = (at: string): string => {
  const moment = momentOf(at)
  return moment === undefined ? at : stampTime(moment)
}

const labelOf = ({ by, failed, finish_time, job_id }: Entry): string =>
  `job ${job_id}, ${finishedAt(finish_time)}, ${by ?? "no user"}${failed ? ", failed" : ""}`

/** The choice is in the address, so that a comparison can be sent to a colleague. */
export default function Configuration({ device: { hostname } }: TabProps) {
  const [{ from = "generated", to = "" }, change] = useWords()
  const asked = useAsk("GET /device/:hostname/configs", { params: { hostname } }, { kinds: ["job"] })
  return (
    <Asked of={asked} what={`the configurations of ${hostname}`}>
      {({ data: { configs } }) => {
        const stored = configs.filter(({ has_config }) => has_config)
        const choices = [
          { value: "running", label: "running now" },
          { value: "generated", label: "generated now" },
          ...stored.map((entry) => ({ value: String(entry.job_id), label: labelOf(entry) }))
        ]
        const job = stored.find(({ job_id }) => String(job_id) === from)
        return (
          <>
            <Group align="end" mb="sm">
              <NativeSelect
                label="Configuration"
                data={[...choices, { value: BLAME, label: "of the newest job, who brought each line" }]}
                value={from}
                onChange={(event) => change({ from: event.currentTarget.value })}
              />
              {from !== BLAME && (
                <NativeSelect
                  label="Compared with"
                  data={[{ value: "", label: "nothing" }, ...choices]}
                  value={to}
                  onChange={(event) => change({ to: event.currentTarget.value || undefined })}
                />
              )}
            </Group>
            {from === BLAME && <Blame hostname={hostname} />}
            {from !== BLAME && to !== "" && <Difference hostname={hostname} from={from} to={to} />}
            {from !== BLAME && to === "" && (
              <Text hostname={hostname} which={from} {...(job === undefined ? {} : { job })} />
            )}
          </>
        )
      }}
    </Asked>
  )
}
