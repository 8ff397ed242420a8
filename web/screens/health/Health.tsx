/** How the server does: findings first, then its parts, its queue and locks, what it keeps, and versions. */
import { Alert } from "@mantine/core"
import { Signer } from "../../parts/SignedBy.tsx"
import { version as pageVersion } from "../../../package.json"
import type { Data } from "../../../src/api/Calls.ts"
import { jobTitle, statusWords } from "../../../src/domain/words/JobWords.ts"
import { partWords, retainedWords } from "../../../src/domain/words/ServerWords.ts"
import { counted, duration, size } from "../../../src/domain/words/Units.ts"
import { inSentence, textOf } from "../../../src/domain/words/Word.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useMay } from "../../app/useSession.ts"
import { Asked } from "../../parts/Asked.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { KeyValues } from "../../parts/KeyValues.tsx"
import { Entries, Entry, Panel, PanelBody } from "../../parts/Panel.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { SmallTable } from "../../parts/SmallTable.tsx"
import type { ToneName } from "../../parts/tones.ts"
import { When } from "../../parts/When.tsx"
import { Findings, useFindings } from "./Findings.tsx"
import { LockEntry } from "./LockEntry.tsx"

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

/** How many commits are asked for: the one in force is always among them. */
const NEWEST = 1

const Repository = ({ name }: { readonly name: "settings" | "templates" }) => {
  const query = { limit: NEWEST }
  const asked = useAsk("GET /repository/:name/commits", { params: { name }, query }, { kinds: ["repository"] })
  return (
    <Entry
      tone={asked.error === null ? "good" : "bad"}
      title={<PlainLink to={`/repository?name=${name}`}>{name === "settings" ? "Settings" : "Templates"}</PlainLink>}
    >
      <Asked of={asked} what={`the commit of ${name}`}>
        {({ data: { commits, in_force } }) => {
          const present = commits.find(({ commit }) => commit === in_force)
          if (in_force === null) return "Nothing was fetched yet"
          return (
            <>
              <code title={in_force}>{in_force.slice(0, 7)}</code>
              {present !== undefined && (
                <>
                  {" "}
                  {present.subject}, by {present.committer}, <When at={present.at} />
                  <Signer signature={present.signature} />
                </>
              )}
            </>
          )
        }}
      </Asked>
    </Entry>
  )
}

/** Checks that have no better row of their own. */
const isOfRepository = (name: string) => name === "settings" || name === "templates"

const Parts = ({ status }: { readonly status: Status }) => {
  const may = useMay()
  const replicas = status.replicas ?? []
  return (
    <Panel title="Parts">
      <Entries label="Parts of the server">
        {status.checks
          .filter(({ name }) => !isOfRepository(name) || !may("GET", "/repository/settings/commits"))
          .map(({ message = "", name, status: standing }) => (
            <Entry
              key={name}
              tone={standing === "UP" ? "good" : "bad"}
              title={textOf(partWords, name)}
              time={standing === "UP" ? "works" : "does not work"}
            >
              {message}
            </Entry>
          ))}
        {may("GET", "/repository/settings/commits") && (
          <>
            <Repository name="settings" />
            <Repository name="templates" />
          </>
        )}
        {figuresOf(status).map(({ name, text, tone }) => (
          <Entry key={name} tone={tone} title={name} time={text} />
        ))}
        {replicas.length === 0 ? (
          <Entry title="Replicas" time="none">
            This server works alone. <PlainLink to="/manual/operations">How several share the work</PlainLink>
          </Entry>
        ) : (
          replicas.map(({ address, heard_seconds, is_healthy }) => (
            <Entry
              key={address}
              tone={is_healthy ? "good" : "bad"}
              title={`Replica ${address}`}
              time={is_healthy ? "works" : "does not answer"}
            >
              Heard of {duration(heard_seconds)} ago
            </Entry>
          ))
        )}
      </Entries>
    </Panel>
  )
}

const Queue = ({ queue }: Pick<Status, "queue">) => {
  const may = useMay()
  const asked = useAsk("GET /joblocks", {}, { kinds: ["lock", "job"], enabled: may("GET", "/joblocks") })
  const locks = asked.data?.answer.data.locks ?? []
  const jobs = queue?.jobs ?? []
  return (
    <Panel title="Queue and locks" aside={<PlainLink to="/jobs">All jobs</PlainLink>}>
      {jobs.length + locks.length === 0 ? (
        <Empty title="Nothing waits">No job is unfinished, and no lock is held.</Empty>
      ) : (
        <Entries label="Queue and locks">
          {locks.map((lock) => (
            <LockEntry key={lock.name} lock={lock} />
          ))}
          {jobs.map((job) => (
            <Entry
              key={`${job.function_name} ${job.status}`}
              tone="info"
              title={`${counted(job.count, "job")}: ${inSentence(jobTitle(job.function_name))}`}
              time={textOf(statusWords, job.status)}
            />
          ))}
        </Entries>
      )}
    </Panel>
  )
}

const Versions = ({ status }: { readonly status: Status }) => (
  <Panel title="Versions">
    <PanelBody>
      <KeyValues
        label="Versions"
        items={[
          { key: "Server", value: `Switchyard ${status.version}, ${status.git_version}`, copy: status.git_version },
          { key: "This page", value: `Switchyard ${pageVersion}` },
          {
            key: "Database",
            value: status.database === null ? null : `PostgreSQL ${status.database.version}`
          }
        ]}
      />
    </PanelBody>
  </Panel>
)

const Shown = ({ status }: { readonly status: Status }) => {
  const findings = useFindings().data?.answer.data.findings
  const down = status.checks.filter(({ status: standing }) => standing !== "UP")
  const isWell = down.length === 0 && (findings === undefined || findings.length === 0)
  return (
    <>
      {status.remark !== null && (
        <Alert variant="outline" mb="sm" title="To know of">
          {status.remark}
        </Alert>
      )}
      {isWell && (
        <Panel title={`All ${status.checks.length} parts are well`}>
          <Empty>Nothing is stuck. What needs somebody appears here first, with what to do.</Empty>
        </Panel>
      )}
      <Findings />
      <Parts status={status} />
      <Queue queue={status.queue} />
      <Panel title="What is kept">
        <Retained retained={status.retained ?? []} />
      </Panel>
      <Versions status={status} />
    </>
  )
}

export const Health = () => {
  const asked = useAsk("GET /system/status", {}, { every: EVERY })
  return (
    <Asked of={asked} what="how the server does">
      {({ data }) => <Shown status={data} />}
    </Asked>
  )
}
