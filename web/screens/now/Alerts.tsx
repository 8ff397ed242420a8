/** Alerts that are open. */
import { Worded } from "../../parts/Worded.tsx"
import { alertWords } from "../../../src/domain/words/ServerWords.ts"
import { List, Title } from "@mantine/core"
import { useAsk } from "../../api/useAsk.ts"
import { useMay } from "../../app/useSession.ts"
import { Asked } from "../../parts/Asked.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { Tone } from "../../parts/Tone.tsx"
import { When } from "../../parts/When.tsx"

const SHOWN = 10

export const Alerts = () => {
  const may = useMay()
  const asked = useAsk(
    "GET /alerts",
    {},
    { kinds: ["alert", "job", "reachability", "drift"], enabled: may("GET", "/alerts") }
  )
  if (!may("GET", "/alerts")) return null
  return (
    <section aria-label="Alerts">
      <Title order={2} mt="md">
        Alerts
      </Title>
      <Asked of={asked} what="the alerts">
        {({ data: { alerts, deliveries, problem, rules } }) => {
          const open = alerts.filter(({ is_open }) => is_open)
          return (
            <>
              {problem !== null && <Problem error={problem} title="The rules of alerts are not in force" />}
              {deliveries.dead > 0 && <Tone tone="bad">{deliveries.dead} messages could not be delivered</Tone>}
              {open.length === 0 ? (
                <Empty>
                  {rules.length === 0
                    ? "No rules are set: write alerts.yml, as the manual says under alerts."
                    : "No alert is open. The screen Alerts has the rules, their receivers and what is silenced."}
                </Empty>
              ) : (
                <List size="sm">
                  {open.slice(0, SHOWN).map(({ id, level, opened_at, title }) => (
                    <List.Item key={id}>
                      <Worded of={alertWords} value={level} /> {title}, since <When at={opened_at} />
                    </List.Item>
                  ))}
                </List>
              )}
            </>
          )
        }}
      </Asked>
    </section>
  )
}
