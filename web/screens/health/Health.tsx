/** The health of the server: its parts, figures with a verdict, waiting work, replicas and repositories. */
import { duration, size } from "../../../src/domain/words/Units.ts"
import { textOf } from "../../../src/domain/words/Word.ts"
import { jobTitle, statusWords } from "../../../src/domain/words/JobWords.ts"
import { partWords, retainedWords } from "../../../src/domain/words/ServerWords.ts"
import { Alert, Title } from "@mantine/core"
import type { Data } from "../../../src/api/Calls.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useMay } from "../../app/useSession.ts"
import { Asked } from "../../parts/Asked.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { SmallTable } from "../../parts/SmallTable.tsx"
import { Tone } from "../../parts/Tone.tsx"
import type { ToneName } from "../../parts/tones.ts"
import { When } from "../../parts/When.tsx"
import { Findings } from "./Findings.tsx"

const EVERY = 10_000

type Status = Data<"GET /system/status">

interface Figure {
  readonly name: string
  readonly text: string
  readonly tone: ToneName
}

const graded = (value: number, warn: number, bad: number): ToneName =>
  value >= bad ? "bad" : value >= warn ? "warn" : "good"

const figuresOf = ({ database, dead_letters, disk, process, queue }: Status): ReadonlyArray<Figure> => {
  const lag = process.loop_lag_seconds.p99
  const used = disk === null ? 0 : 1 - disk.free_bytes / disk.size_bytes
  return [
    { name: "Runs for", text: duration(process.uptime_seconds), tone: "quiet" },
    { name: "Delay of the event loop, 99 %", text: duration(lag), tone: graded(lag, 0.1, 1) },
    {
      name: "Event loop at work",
      text: `${Math.round(process.loop_utilization * 100)} %`,
      tone: graded(process.loop_utilization, 0.7, 0.95)
    },
    { name: "Memory", text: size(process.memory_bytes), tone: "quiet" },
    ...(process.open_files === null
      ? []
      : [{ name: "Open files", text: String(process.open_files), tone: "quiet" as const }]),
    disk === null
      ? { name: "Disk", text: "not known", tone: "warn" }
      : {
          name: "Disk free",
          text: `${size(disk.free_bytes)} of ${size(disk.size_bytes)}`,
          tone: graded(used, 0.85, 0.95)
        },
    database === null
      ? { name: "Database", text: "does not answer", tone: "bad" }
      : {
          name: "Database",
          text: `PostgreSQL ${database.version}${database.is_embedded ? ", embedded" : ""}, ${size(database.size_bytes)}, schema ${database.schema_version}`,
          tone: "good"
        },
    ...(database === null || database.connections.length === 0
      ? []
      : [
          {
            name: "Connections",
            text: database.connections.map(({ count, state }) => `${count} ${state}`).join(", "),
            tone: "quiet" as const
          }
        ]),
    ...(queue === null
      ? []
      : [
          {
            name: "Oldest job that waits",
            text: queue.oldest_seconds === 0 ? "none waits" : duration(queue.oldest_seconds),
            tone: graded(queue.oldest_seconds, 60, 600)
          }
        ]),
    ...(dead_letters === null
      ? []
      : [{ name: "Messages not delivered", text: String(dead_letters), tone: graded(dead_letters, 1, 100) }])
  ]
}

const Repositories = () => {
  const settings = useAsk("GET /repository/:name", { params: { name: "settings" } }, { kinds: ["repository"] })
  const templates = useAsk("GET /repository/:name", { params: { name: "templates" } }, { kinds: ["repository"] })
  const rows = [
    { name: "settings", asked: settings },
    { name: "templates", asked: templates }
  ]
  return (
    <SmallTable
      label="Repositories"
      heads={["Repository", "In force"]}
      rows={rows}
      keyOf={({ name }) => name}
      cells={({ asked, name }) => [
        <PlainLink to={`/repository?name=${name}`}>{name}</PlainLink>,
        <Asked of={asked} what={`the commit of ${name}`}>
          {({ data }) => data}
        </Asked>
      ]}
    />
  )
}

const Replicas = ({ replicas }: { readonly replicas: NonNullable<Status["replicas"]> }) =>
  replicas.length === 0 ? (
    <Empty>
      This server works alone. <PlainLink to="/manual/operations">Operations</PlainLink> says how several share the
      work.
    </Empty>
  ) : (
    <SmallTable
      label="Replicas"
      heads={["Address", "Standing", "Heard of"]}
      rows={replicas}
      keyOf={({ address }) => address}
      cells={({ address, heard_seconds, is_healthy }) => [
        address,
        is_healthy ? <Tone tone="good">Works</Tone> : <Tone tone="bad">Does not answer</Tone>,
        `${duration(heard_seconds)} ago`
      ]}
    />
  )

const Retained = ({ retained }: { readonly retained: NonNullable<Status["retained"]> }) =>
  retained.length === 0 ? (
    <Empty>
      Nothing was counted yet. <PlainLink to="/manual/operations">Operations</PlainLink> says what is kept for how long.
    </Empty>
  ) : (
    <SmallTable
      label="What is kept"
      heads={["Kind", "Rows", "Size", "Oldest", "Removed within a day", "Counted"]}
      rows={retained}
      keyOf={({ kind }) => kind}
      cells={({ bytes, due, kind, looked_at, oldest, rows }) => [
        textOf(retainedWords, kind),
        rows,
        bytes === null ? "in the table of another kind" : size(bytes),
        oldest === null ? "none" : <When at={oldest} />,
        due,
        <When at={looked_at} />
      ]}
    />
  )

const Stuck = () => {
  const may = useMay()
  if (!may("GET", "/system/findings")) return null
  return (
    <>
      <Title order={2} mt="md" mb="xs">
        What is stuck
      </Title>
      <Findings />
    </>
  )
}

const Shown = ({ status }: { readonly status: Status }) => (
  <>
    <p>
      Switchyard {status.version}, {status.git_version}
    </p>
    {status.remark !== null && (
      <Alert variant="outline" mb="sm" title="To know of">
        {status.remark}
      </Alert>
    )}
    <SmallTable
      label="Parts of the server"
      heads={["Part", "Standing", "Why"]}
      rows={status.checks}
      keyOf={({ name }) => name}
      cells={({ message = "", name, status: standing }) => [
        textOf(partWords, name),
        standing === "UP" ? <Tone tone="good">Works</Tone> : <Tone tone="bad">Does not work</Tone>,
        message
      ]}
    />
    <Stuck />
    <Title order={2} mt="md" mb="xs">
      Figures
    </Title>
    <SmallTable
      label="Figures of the server"
      heads={["What", "Now"]}
      rows={figuresOf(status)}
      keyOf={({ name }) => name}
      cells={({ name, text, tone }) => [name, <Tone tone={tone}>{text}</Tone>]}
    />
    <Title order={2} mt="md" mb="xs">
      Unfinished jobs
    </Title>
    {status.queue === null || status.queue.jobs.length === 0 ? (
      <Empty>
        No job is unfinished. <PlainLink to="/jobs">Jobs</PlainLink> has those that have ended.
      </Empty>
    ) : (
      <SmallTable
        label="Unfinished jobs"
        heads={["Job", "Status", "Count"]}
        rows={status.queue.jobs}
        keyOf={(job) => `${job.function_name} ${job.status}`}
        cells={(job) => [jobTitle(job.function_name), textOf(statusWords, job.status), job.count]}
      />
    )}
    <Title order={2} mt="md" mb="xs">
      What is kept
    </Title>
    <Retained retained={status.retained ?? []} />
    <Title order={2} mt="md" mb="xs">
      Replicas
    </Title>
    <Replicas replicas={status.replicas ?? []} />
  </>
)

export const Health = () => {
  const may = useMay()
  const asked = useAsk("GET /system/status", {}, { every: EVERY })
  return (
    <>
      <Asked of={asked} what="how the server does">
        {({ data }) => <Shown status={data} />}
      </Asked>
      {may("GET", "/repository/settings") && (
        <>
          <Title order={2} mt="md" mb="xs">
            Repositories
          </Title>
          <Repositories />
        </>
      )}
    </>
  )
}
