/** Any two configurations compared: of this device or another, as it runs, as it should run, as a job left it, or as it was at a time. */
import { Group, NativeSelect, TextInput } from "@mantine/core"
import { useRouter } from "@tanstack/react-router"
import type { Data } from "../../../src/api/Calls.ts"
import { jobTitle } from "../../../src/domain/words/JobWords.ts"
import { momentOf, stampTime } from "../../../src/domain/words/Units.ts"
import { ask } from "../../api/call.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useWords } from "../../app/useAddress.ts"
import { useMay } from "../../app/useSession.ts"
import { Asked } from "../../parts/Asked.tsx"
import { Confirm } from "../../parts/Confirm.tsx"
import { DiffView } from "../../parts/DiffView.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { SearchField } from "../../parts/SearchField.tsx"
import { useZone } from "../../parts/zone.ts"

type Entry = Data<"GET /device/:hostname/configs">["configs"][number]

const AT = "at"

const isTime = (word: string): boolean => /^\d{4}-\d{2}-\d{2}/.test(word)

/** `12 Mar 14:03:05, rollout 12 by anna: new VLAN`: entries are told apart by their seconds. */
const useLabels = () => {
  const zone = useZone()
  return ({ by, comment, failed, finish_time, function_name, job_id }: Entry): string => {
    const moment = momentOf(finish_time)
    const when = moment === undefined ? finish_time : stampTime(moment, zone)
    const what = `${jobTitle(function_name)}, job ${job_id}`
    return `${when}, ${what}${by === null ? "" : ` by ${by}`}${comment === null || comment === "" ? "" : `: ${comment}`}${failed ? " (failed)" : ""}`
  }
}

const Which = ({
  change,
  hostname,
  label,
  value
}: {
  readonly hostname: string
  readonly label: string
  readonly value: string
  readonly change: (value: string) => void
}) => {
  const labelOf = useLabels()
  const { data } = useAsk("GET /device/:hostname/configs", { params: { hostname } }, { kinds: ["job"] })
  const stored = (data?.answer.data.configs ?? []).filter(({ has_config }) => has_config)
  return (
    <>
      <NativeSelect
        label={label}
        data={[
          { value: "running", label: "Runs now" },
          { value: "generated", label: "Should run now" },
          { value: AT, label: "At a time…" },
          ...stored.map((entry) => ({ value: String(entry.job_id), label: labelOf(entry) }))
        ]}
        value={isTime(value) ? AT : value}
        onChange={({ currentTarget }) =>
          change(currentTarget.value === AT ? new Date().toISOString().slice(0, 16) : currentTarget.value)
        }
      />
      {isTime(value) && (
        <TextInput
          type="datetime-local"
          label={`${label}: time (UTC)`}
          value={value.slice(0, 16)}
          onChange={(event) => change(event.currentTarget.value || "running")}
        />
      )}
    </>
  )
}

const Restore = ({ hostname, job }: { readonly hostname: string; readonly job: number }) => {
  const router = useRouter()
  const start = (dry_run: boolean) => async () => {
    const { answer } = await ask("POST /device/:hostname/previous_config", {
      params: { hostname },
      body: { job_id: job, dry_run }
    })
    router.history.push(dry_run ? `/ui/change/${answer.job_id}` : `/ui/job/${answer.job_id}`)
  }
  return (
    <Group gap="xs">
      <Confirm
        label="Preview its return…"
        act={start(true)}
        question={`Preview the return to job ${job}?`}
        verb="Preview"
      >
        The preview shows what would change; nothing is changed.
      </Confirm>
      <Confirm
        label="Restore it…"
        danger
        act={start(false)}
        question={`Restore the configuration of job ${job}?`}
        verb="Restore it"
      >
        {hostname} gets the configuration of job {job} again, and is not managed afterwards, because the settings say
        something else.
      </Confirm>
    </Group>
  )
}

/** A time stands for the last job before it; anything else for itself. */
const useJobAt = (hostname: string, which: string) => {
  const wanted = isTime(which)
  const asked = useAsk(
    "GET /device/:hostname/previous_config",
    { params: { hostname }, query: { before: which } },
    { enabled: wanted }
  )
  if (!wanted) return { which, error: null }
  const found = asked.data?.answer.data.job_id
  return { which: found === undefined ? undefined : String(found), error: asked.error }
}

export default function Compare({ hostname }: { readonly hostname: string }) {
  const may = useMay()
  const [{ from = "running", other = "", to = "generated" }, change] = useWords()
  const second = other === "" ? hostname : other
  const before = useJobAt(hostname, from)
  const after = useJobAt(second, to)
  const asked = useAsk(
    "GET /device/:hostname/config_diff",
    {
      params: { hostname },
      query: { from: before.which, to: after.which, ...(second === hostname ? {} : { other: second }) }
    },
    { once: true, enabled: before.which !== undefined && after.which !== undefined }
  )
  const error = before.error ?? after.error
  const job = Number(before.which)
  return (
    <>
      <Group align="end" mb="sm">
        <Which
          hostname={hostname}
          label={`First: ${hostname}`}
          value={from}
          change={(value) => change({ view: "compare", from: value })}
        />
        <SearchField
          label="Second: name of the switch"
          text={second}
          change={(text) =>
            change({ view: "compare", other: text === hostname ? undefined : text.trim() || undefined })
          }
        />
        <Which
          hostname={second}
          label={`Second: ${second}`}
          value={to}
          change={(value) => change({ view: "compare", to: value })}
        />
        {Number.isInteger(job) && may("POST", `/device/${hostname}/previous_config`) && (
          <Restore hostname={hostname} job={job} />
        )}
      </Group>
      {error === null ? (
        <Asked of={asked} what="the difference">
          {({ data: { diff } }) =>
            diff === "" ? <Empty title="Both are the same" /> : <DiffView diff={diff} label="Difference of the two" />
          }
        </Asked>
      ) : (
        <Problem error={error} title="Nothing is stored from before that time" />
      )}
    </>
  )
}
