/** Alerts: what is open and why, what could not be delivered, what is silenced, and who is told of what. */
import { Alert } from "@mantine/core"
import { useAsk } from "../../api/useAsk.ts"
import { useMay } from "../../app/useSession.ts"
import { Asked } from "../../parts/Asked.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { PageHead } from "../../parts/PageHead.tsx"
import { Entries, Entry, Panel } from "../../parts/Panel.tsx"
import { StatusBadge } from "../../parts/StatusBadge.tsx"
import { When } from "../../parts/When.tsx"
import { wordOf } from "../../../src/domain/words/Word.ts"
import { alertWords } from "../../../src/domain/words/ServerWords.ts"
import { alertLine } from "../../../src/domain/words/RuleSentence.ts"
import { counted } from "../../../src/domain/words/Units.ts"
import { type AlertRow, OpenAlerts } from "./OpenAlerts.tsx"
import { SilenceForm, Silences } from "./Silences.tsx"
import { Undelivered } from "./Undelivered.tsx"
import { WhoIsTold } from "./WhoIsTold.tsx"

const Ended = ({ alerts }: { readonly alerts: ReadonlyArray<AlertRow> }) =>
  alerts.length > 0 && (
    <Panel title="Over" count={alerts.length}>
      <Entries label="Alerts that are over">
        {alerts.map(({ acknowledged_by, id, level, opened_at, resolved_at, title }) => (
          <Entry
            key={id}
            title={<span className="entry-plain">{alertLine(title)}</span>}
            time={
              resolved_at === null ? (
                <When at={opened_at} />
              ) : (
                <>
                  over <When at={resolved_at} />
                </>
              )
            }
          >
            {wordOf(alertWords, level).text}, began <When at={opened_at} />
            {acknowledged_by !== null && `, looked after by ${acknowledged_by}`}
          </Entry>
        ))}
      </Entries>
    </Panel>
  )

export default function Alerts() {
  const may = useMay()
  const asked = useAsk("GET /alerts", {}, { kinds: ["alert", "repository", "job"], every: 15_000 })
  const alerts = asked.data?.answer.data.alerts ?? []
  const open = alerts.filter(({ is_open }) => is_open)
  const taken = open.filter(({ acknowledged_at }) => acknowledged_at !== null)
  return (
    <>
      <PageHead
        title="Alerts"
        badges={open.length > taken.length && <StatusBadge tone="bad">{open.length - taken.length} open</StatusBadge>}
        facts={
          open.length === 0
            ? "What went wrong, and who was told"
            : `${counted(open.length, "alert")} open, ${taken.length} looked after`
        }
        actions={may("POST", "/alerts/mutes") && <SilenceForm />}
      />
      <Asked of={asked} what="the alerts">
        {({ data: { deliveries, problem, receivers, rules } }) => (
          <>
            {problem !== null && (
              <Alert variant="outline" mb="sm" title="alerts.yml has a mistake" className="problem">
                {problem}
              </Alert>
            )}
            {open.length === 0 ? (
              <Panel title="Open" count={0}>
                <Empty title="No alert is open.">
                  {rules.length === 0
                    ? "Without rules, nothing becomes an alert: see below."
                    : "An alert ends by itself when its cause has ended."}
                </Empty>
              </Panel>
            ) : (
              <OpenAlerts alerts={open} />
            )}
            <Undelivered dead={deliveries.dead} waiting={deliveries.waiting} />
            <Silences />
            <WhoIsTold receivers={receivers} rules={rules} />
            <Ended alerts={alerts.filter(({ is_open, sent_at }) => !is_open && sent_at !== null).slice(0, 20)} />
          </>
        )}
      </Asked>
    </>
  )
}
