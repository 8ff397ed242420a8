/** What a person sees before they ask: whether their switches answer, their switches, and what they did last. */
import { Text, Title } from "@mantine/core"
import { IconChevronRight } from "@tabler/icons-react"
import { counted, switches } from "../../../src/domain/words/Units.ts"
import { jobTitle } from "../../../src/domain/words/JobWords.ts"
import { stateWords, syncWord } from "../../../src/domain/words/DeviceWords.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useIdentity } from "../../app/useSession.ts"
import { JobStatus } from "../../parts/JobStatus.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { StatusWord } from "../../parts/StatusWord.tsx"
import { When } from "../../parts/When.tsx"

const KINDS = ["device", "reachability", "sync"]
const SHOWN = 5

const Standing = () => {
  const all = useAsk("GET /devices", { query: { "filter[state]": "MANAGED", per_page: 1 } }, { kinds: KINDS })
  const silent = useAsk("GET /devices", { query: { "filter[unreachable]": "true", per_page: 3 } }, { kinds: KINDS })
  const total = all.data?.matching ?? null
  const names = silent.data?.answer.data.devices.map(({ hostname }) => hostname)
  const count = silent.data?.matching ?? names?.length ?? 0
  if (total === null || names === undefined || total === 0) return null
  return (
    <section className="group" aria-label="Your switches now">
      {count === 0 ? (
        <StatusWord tone="good">{total === 1 ? "Your switch answers" : `All ${switches(total)} answer`}</StatusWord>
      ) : (
        <>
          <StatusWord tone="bad">{counted(count, "switch does not answer", "switches do not answer")}</StatusWord>
          <Text size="sm">
            {names.join(", ")}
            {count > names.length && ` and ${count - names.length} more`}
          </Text>
        </>
      )}
    </section>
  )
}

const Switches = () => {
  const asked = useAsk("GET /devices", { query: { sort: "hostname", per_page: SHOWN } }, { kinds: KINDS, keep: true })
  const devices = asked.data?.answer.data.devices ?? []
  if (devices.length === 0) return null
  return (
    <section aria-label="My switches">
      <div className="find-head">
        <Title order={2}>
          My switches <span>{asked.data?.matching}</span>
        </Title>
        <PlainLink to="/devices">All</PlainLink>
      </div>
      <ul className="find-list">
        {devices.map((device) => (
          <li key={device.id}>
            <PlainLink to={`/device/${encodeURIComponent(device.hostname)}?tab=ports`}>
              <b>{device.hostname}</b>
              {device.state === "MANAGED" ? (
                <StatusWord word={syncWord(device)} raw={String(device.synchronized)} />
              ) : (
                <StatusWord of={stateWords} value={device.state} />
              )}
              <IconChevronRight size={16} stroke={1.75} aria-hidden />
            </PlainLink>
          </li>
        ))}
      </ul>
    </section>
  )
}

const Done = () => {
  const me = useIdentity().data ?? ""
  const asked = useAsk(
    "GET /jobs",
    { query: { "filter[scheduled_by]": me, sort: "-id", per_page: 3, filter_jobresult: "config,diff" } },
    { kinds: ["job"], enabled: me !== "" }
  )
  const jobs = asked.data?.answer.data.jobs ?? []
  if (jobs.length === 0) return null
  return (
    <section aria-label="What I did">
      <div className="find-head">
        <Title order={2}>What I did</Title>
      </div>
      <ul className="find-list">
        {jobs.map((job) => (
          <li key={job.id}>
            <PlainLink to={`/job/${job.id}`}>
              <span>
                <b>{jobTitle(job.function_name)}</b>
                <br />
                <Text size="xs" span>
                  <When at={job.finish_time ?? job.start_time} never="not begun" />
                </Text>
              </span>
              <JobStatus job={job} />
              <IconChevronRight size={16} stroke={1.75} aria-hidden />
            </PlainLink>
          </li>
        ))}
      </ul>
    </section>
  )
}

export const Home = () => (
  <>
    <Standing />
    <Switches />
    <Done />
  </>
)
