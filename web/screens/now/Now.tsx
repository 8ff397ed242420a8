/** The present status of the network: problems first, each number a link to its list. */
import { inSentence, textOf } from "../../../src/domain/words/Word.ts"
import { outOfSync, stateWords } from "../../../src/domain/words/DeviceWords.ts"
import { Grid, Title } from "@mantine/core"
import { useAsk } from "../../api/useAsk.ts"
import { Asked } from "../../parts/Asked.tsx"
import { ScreenTitle } from "../../parts/ScreenTitle.tsx"
import { Commits } from "../change/Commits.tsx"
import { Locks } from "../jobs/Locks.tsx"
import { Alerts } from "./Alerts.tsx"
import { Checklist } from "../first-run/Checklist.tsx"
import { Count } from "./Count.tsx"
import { NotInForce } from "./NotInForce.tsx"
import { RunningJobs } from "./RunningJobs.tsx"

const listOf = (filter: string, value: string) =>
  `/devices?${encodeURIComponent(`filter[${filter}]`)}=${encodeURIComponent(value)}`

const Counts = () => {
  const asked = useAsk("GET /overview", {}, { kinds: ["device", "sync", "drift", "reachability", "job", "change"] })
  return (
    <Asked of={asked} what="the counts">
      {({ data: { devices, jobs } }) => (
        <div className="counts">
          <Count number={devices.unreachable} label="not answering" to={listOf("unreachable", "true")} bad />
          <Count number={jobs.failed_today} label="failed today" to="/jobs?show=failed_today" bad />
          <Count number={devices.drifted} label="changed by hand" to={listOf("drifted", "true")} bad />
          {Object.entries(devices.unsynchronized_by).map(([cause, number]) => (
            <Count
              key={cause}
              number={number}
              label={inSentence(outOfSync(cause))}
              to={listOf("unsynchronized_by", cause)}
              warn
            />
          ))}
          <Count number={devices.in_change} label="changing" to={listOf("in_change", "true")} />
          <Count number={jobs.running} label="jobs running" to="/jobs?show=running" />
          <Count number={jobs.waiting} label="jobs waiting" to="/jobs?show=waiting" />
          {Object.entries(devices.by_state).map(([state, number]) => (
            <Count
              key={state}
              number={number}
              label={inSentence(textOf(stateWords, state))}
              to={listOf("state", state)}
              good={state === "MANAGED"}
            />
          ))}
          <Count number={devices.total} label="devices" to="/devices" />
        </div>
      )}
    </Asked>
  )
}

export default function Now() {
  return (
    <>
      <ScreenTitle>Overview</ScreenTitle>
      <Checklist />
      <NotInForce />
      <Locks />
      <Counts />
      <Grid mt="md">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Title order={2}>Jobs under way</Title>
          <RunningJobs />
          <Alerts />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Commits />
        </Grid.Col>
      </Grid>
    </>
  )
}
