/**
 * The configuration of a device: what it runs, what it should run, the difference, who brought each line, any two compared, and a search over
 * all devices and over time. The choice is in the address, so that it can be sent to a colleague.
 */
import { Button, Group, SegmentedControl, Title } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { lazy, Suspense } from "react"
import { ask, CallFailed } from "../../api/call.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useWords } from "../../app/useAddress.ts"
import { useMay } from "../../app/useSession.ts"
import { Asked } from "../../parts/Asked.tsx"
import { DiffView } from "../../parts/DiffView.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { saveFile } from "../../parts/saveFile.ts"
import { NoRights } from "../../parts/NoRights.tsx"
import { Skeleton } from "../../parts/Skeleton.tsx"
import { When } from "../../parts/When.tsx"
import { Blame } from "./Blame.tsx"
import { useDrifted, useHandMade, useWanted } from "./differences.ts"
import type { TabProps } from "./record.ts"

const Compare = lazy(() => import("./Compare.tsx"))
const Search = lazy(() => import("./Search.tsx"))

/** The views, each with the call that it needs. */
const VIEWS: ReadonlyArray<{ readonly value: string; readonly label: string; readonly reads: string }> = [
  { value: "runs", label: "Runs", reads: "/device/NAME/running_config" },
  { value: "should", label: "Should run", reads: "/device/NAME/generate_config" },
  { value: "difference", label: "Difference", reads: "/device/NAME/config_diff" },
  { value: "lines", label: "Who wrote each line", reads: "/device/NAME/config_blame" },
  { value: "compare", label: "Compare", reads: "/device/NAME/config_diff" },
  { value: "search", label: "Search", reads: "/configs" }
]

const read = async (hostname: string, which: string): Promise<string> => {
  const params = { hostname }
  if (which === "running") return (await ask("GET /device/:hostname/running_config", { params })).answer.data.config
  if (which === "generated") {
    return (await ask("GET /device/:hostname/generate_config", { params })).answer.data.config.generated_config ?? ""
  }
  const { answer } = await ask("GET /device/:hostname/previous_config", { params, query: { job_id: which } })
  return answer.data.config ?? ""
}

interface TextProps {
  readonly hostname: string
  /** `running`, `generated`, or a job. */
  readonly which: string
  /** Shown in its place if it cannot be read. */
  readonly instead?: React.ReactNode
}

export const ConfigText = ({ hostname, instead, which }: TextProps) => {
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ["configuration", hostname, which],
    queryFn: () => read(hostname, which),
    staleTime: which === "generated" ? 0 : Number.POSITIVE_INFINITY,
    retry: (count, failure) => failure instanceof CallFailed && failure.status >= 502 && count < 2
  })
  if (error !== null)
    return (
      <>
        <Problem error={error} title="It could not be read now" again={() => void refetch()} />
        {instead}
      </>
    )
  if (data === undefined) return <Skeleton what={`the configuration of ${hostname}`} lines={12} />
  return (
    <>
      <Group mb="xs">
        <Button variant="default" onClick={() => saveFile(`${hostname}-${which}.cfg`, data)}>
          Save as a file
        </Button>
        {which === "running" && (
          <Button variant="default" loading={isFetching} onClick={() => void refetch()}>
            Read again
          </Button>
        )}
      </Group>
      <pre tabIndex={0} aria-label="Configuration text" className="config">
        {data}
      </pre>
    </>
  )
}

/** What its newest job gave it, when the switch itself cannot be asked. */
const LastKnown = ({ hostname }: { readonly hostname: string }) => {
  const { data } = useAsk("GET /device/:hostname/configs", { params: { hostname } }, { kinds: ["job"] })
  const newest = data?.answer.data.configs.find(({ failed, has_config }) => has_config && !failed)
  if (newest === undefined) return null
  return (
    <section className="last-known" aria-label="Last known configuration">
      <p>
        This is what job {newest.job_id} gave it <When at={newest.finish_time} />.
      </p>
      <ConfigText hostname={hostname} which={String(newest.job_id)} />
    </section>
  )
}

/** The running configuration against the generated one, for a switch that no job has given anything yet. */
const FirstDifference = ({ hostname }: { readonly hostname: string }) => {
  const asked = useAsk(
    "GET /device/:hostname/config_diff",
    { params: { hostname }, query: { from: "running", to: "generated" } },
    { once: true }
  )
  return (
    <Asked of={asked} what="the difference">
      {({ data: { diff } }) =>
        diff === "" ? (
          <Empty title="Nothing differs">{hostname} runs what the settings say.</Empty>
        ) : (
          <DiffView diff={diff} label="What it runs against what it should run" />
        )
      }
    </Asked>
  )
}

/** What the settings want otherwise, and what was changed by hand. */
const Difference = ({ hostname }: { readonly hostname: string }) => {
  const isDrifted = useDrifted(hostname)
  const wanted = useWanted(hostname)
  const handMade = useHandMade(hostname, isDrifted)
  if (wanted.job === null) return <FirstDifference hostname={hostname} />
  if (wanted.diff === undefined) return <Skeleton what="the difference" lines={8} />
  const hasHandMade = isDrifted && handMade.diff !== undefined && handMade.diff !== ""
  return (
    <>
      {hasHandMade && (
        <>
          <Title order={2} mb="xs">
            Changed by hand
          </Title>
          <DiffView diff={handMade.diff ?? ""} label="What was changed by hand" />
        </>
      )}
      {wanted.diff !== "" && (
        <>
          <Title order={2} my="xs">
            What the settings want otherwise than job {wanted.job} gave it
          </Title>
          <DiffView diff={wanted.diff} label="What it runs against what it should run" />
        </>
      )}
      {wanted.diff === "" && !hasHandMade && (
        <Empty title="Nothing differs">
          The settings want what job {wanted.job} gave {hostname}.
        </Empty>
      )}
    </>
  )
}

export default function Configuration({ device: { hostname } }: TabProps) {
  const may = useMay()
  const [{ from, to, view }, change] = useWords()
  // links of earlier releases name two configurations and no view
  const wanted = view ?? (from !== undefined || to !== undefined ? "compare" : "runs")
  const views = VIEWS.filter(({ reads }) => may("GET", reads.replace("NAME", hostname)))
  const [first] = views
  if (first === undefined) return <NoRights needs="read configurations" />
  const shown = views.some(({ value }) => value === wanted) ? wanted : first.value
  return (
    <>
      <div className="scroll-sideways">
        <SegmentedControl
          aria-label="View"
          mb="sm"
          data={views.map(({ label, value }) => ({ label, value }))}
          value={shown}
          onChange={(value) => change({ view: value })}
        />
      </div>
      {shown === "runs" && (
        <ConfigText hostname={hostname} which="running" instead={<LastKnown hostname={hostname} />} />
      )}
      {shown === "should" && <ConfigText hostname={hostname} which="generated" />}
      {shown === "difference" && <Difference hostname={hostname} />}
      {shown === "lines" && <Blame hostname={hostname} />}
      <Suspense fallback={<Skeleton what="the screen" />}>
        {shown === "compare" && <Compare hostname={hostname} />}
        {shown === "search" && <Search hostname={hostname} />}
      </Suspense>
    </>
  )
}
