/** Alerts: the newest, who receives which, mutes, and messages that were given up. */
import { WordShown } from "../../parts/Worded.tsx"
import { textOf, wordOf } from "../../../src/domain/words/Word.ts"
import { alertWords } from "../../../src/domain/words/ServerWords.ts"
import { Alert, Title } from "@mantine/core"
import type { Data } from "../../../src/api/Calls.ts"
import { ask } from "../../api/call.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useMay } from "../../app/useSession.ts"
import { AskFirst } from "../../parts/AskFirst.tsx"
import { Asked } from "../../parts/Asked.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { SmallTable } from "../../parts/SmallTable.tsx"
import { Tone } from "../../parts/Tone.tsx"
import { When } from "../../parts/When.tsx"
import { DeadLetters } from "./DeadLetters.tsx"
import { Mutes } from "./Mutes.tsx"

type AlertList = Data<"GET /alerts">

const Newest = ({ alerts }: Pick<AlertList, "alerts">) =>
  alerts.length === 0 ? (
    <Empty>There has been no alert. The rules below say who receives which alerts.</Empty>
  ) : (
    <SmallTable
      label="Newest alerts"
      heads={["Level", "What", "How often", "Opened", "Notified", "Over"]}
      rows={alerts}
      keyOf={({ id }) => id}
      cells={({ count, level, opened_at, receivers, resolved_at, sent_at, title }) => [
        <WordShown
          word={{ ...wordOf(alertWords, level), ...(resolved_at === null ? {} : { tone: "quiet" }) }}
          raw={level}
        />,
        title,
        count,
        <When at={opened_at} />,
        <>
          {receivers.join(", ")} <When at={sent_at} never="not yet" />
        </>,
        <When at={resolved_at} never="not yet" />
      ]}
    />
  )

const test = async (name: string) => {
  const { answer } = await ask("POST /alerts/receivers/:name/test", { params: { name } })
  if (!answer.data.is_taken) throw new Error(`${name} did not accept it: ${answer.data.answer}`)
}

const Told = ({ receivers, rules }: Pick<AlertList, "receivers" | "rules">) => {
  const may = useMay()
  if (receivers.length + rules.length === 0)
    return (
      <Empty>
        No alerts are sent. <PlainLink to="/manual/alerts">Alerts</PlainLink> says how to write alerts.yml.
      </Empty>
    )
  return (
    <>
      <SmallTable
        label="Receivers"
        heads={["Receiver", "Type", "Problem", "Test"]}
        rows={receivers}
        keyOf={({ name }) => name}
        cells={({ name, problem, type }) => [
          name,
          type,
          problem === null ? "" : <Tone tone="bad">{problem}</Tone>,
          may("POST", `/alerts/receivers/${name}/test`) && (
            <AskFirst label={`Test ${name}`} size="xs" act={() => test(name)}>
              One message goes to {name} now. If this dialog closes automatically, the receiver accepted it.
            </AskFirst>
          )
        ]}
      />
      <SmallTable
        label="Rules"
        heads={["Rule", "Level", "To"]}
        rows={rules}
        keyOf={({ name }) => name}
        cells={({ level, name, to }) => [name, textOf(alertWords, level), to.join(", ")]}
      />
    </>
  )
}

const Heading = ({ children }: { readonly children: string }) => (
  <Title order={2} mt="md" mb="xs">
    {children}
  </Title>
)

export const Alerts = () => {
  const asked = useAsk("GET /alerts", {}, { kinds: ["alert", "repository"], every: 30_000 })
  return (
    <>
      <Asked of={asked} what="the alerts">
        {({ data: { alerts, deliveries, problem, receivers, rules } }) => (
          <>
            {problem !== null && (
              <Alert variant="outline" mb="sm" title="alerts.yml has a mistake" className="problem">
                {problem}
              </Alert>
            )}
            <Heading>Newest alerts</Heading>
            <Newest alerts={alerts} />
            <Heading>Messages that were given up</Heading>
            <DeadLetters dead={deliveries.dead} waiting={deliveries.waiting} />
            <Heading>Who is told</Heading>
            <Told receivers={receivers} rules={rules} />
          </>
        )}
      </Asked>
      <Heading>Mutes</Heading>
      <Mutes />
    </>
  )
}
