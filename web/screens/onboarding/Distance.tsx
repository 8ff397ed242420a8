/** How far the templates are from reality: a percentage, the differences in groups, those of the most switches first, and how that was by commit. */
import { Button, NativeSelect } from "@mantine/core"
import { useState } from "react"
import type { Data } from "../../../src/api/Calls.ts"
import { inNaturalOrder } from "../../../src/domain/Natural.ts"
import { foldNames } from "../../../src/domain/NameRanges.ts"
import { counted, momentOf, number, stampTime, switches } from "../../../src/domain/words/Units.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useWords } from "../../app/useAddress.ts"
import { Asked } from "../../parts/Asked.tsx"
import { ColumnsChart } from "../../parts/Charts.tsx"
import { DiffView } from "../../parts/DiffView.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { Panel, PanelBody } from "../../parts/Panel.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { SmallTable } from "../../parts/SmallTable.tsx"
import { StackedBar } from "../../parts/StackedBar.tsx"
import { Stat } from "../../parts/Stat.tsx"
import { When } from "../../parts/When.tsx"
import { useZone } from "../../parts/zone.ts"
import { percent, sameEvents, useOnboarding } from "./useOnboarding.ts"

type Measured = Data<"GET /onboarding/distance">
type Point = Data<"GET /onboarding/history">["history"][number]

/** Groups that are shown at first, and that each press adds. */
const STEP = 10
/** Columns of the chart, and rows of its table. */
const SHOWN = 40
/** Names of a group that are written out. */
const NAMES = 8

const Now = ({ distance: { is_measuring, now } }: { readonly distance: Measured }) => (
  <Panel title="Now">
    <PanelBody>
      <Stat
        figure={percent(now.distance)}
        tone={now.differing === 0 ? "good" : "warn"}
        words={`of ${number(now.lines)} lines differ${is_measuring ? ", being measured" : ""}`}
        bar={
          <StackedBar
            label="Switches"
            parts={[
              { key: "reached", count: now.reached, label: "without a difference", tone: "good" },
              {
                key: "differs",
                count: Math.max(0, now.devices - now.reached - now.unrendered),
                label: "with a difference",
                tone: "warn"
              },
              { key: "unrendered", count: now.unrendered, label: "for which nothing can be generated", tone: "quiet" }
            ]}
          />
        }
      />
    </PanelBody>
  </Panel>
)

const Unrendered = ({ reasons }: { readonly reasons: Measured["unrendered"] }) => {
  const rows = Object.entries(reasons).toSorted(([one], [other]) => inNaturalOrder(one, other))
  if (rows.length === 0) return null
  return (
    <Panel title="Nothing can be generated" count={rows.length}>
      <PanelBody>
        <SmallTable
          label="Switches for which nothing can be generated"
          heads={["Switch", "Why"]}
          rows={rows}
          keyOf={([name]) => name}
          cells={([name, why]) => [
            <PlainLink key="name" to={`/device/${encodeURIComponent(name)}`}>
              {name}
            </PlainLink>,
            why
          ]}
        />
      </PanelBody>
    </Panel>
  )
}

const titleOf = ({ count, places }: Measured["groups"][number]): string =>
  `${switches(count)}${places > count ? `, ${counted(places, "place")}` : ""}`

const Groups = ({ distance: { groups, left_out } }: { readonly distance: Measured }) => {
  const [shown, setShown] = useState(STEP)
  if (groups.length === 0) return null
  return (
    <Panel
      title="Differences"
      count={groups.length + left_out}
      aside="− runs and is not generated, + is generated and does not run"
    >
      {groups.slice(0, shown).map((group) => (
        <section key={group.key} className="onboarding-group" aria-label={`${titleOf(group)}: ${group.key}`}>
          <h3>{titleOf(group)}</h3>
          <span className="onboarding-why">
            {foldNames(group.hostnames, NAMES)}
            {group.count > group.hostnames.length && ` and ${group.count - group.hostnames.length} more`}
          </span>
          <DiffView diff={group.diff} label={`Lines of ${titleOf(group)}: ${group.key}`} maxHeight={320} />
        </section>
      ))}
      {groups.length > shown && (
        <PanelBody>
          <Button size="xs" variant="subtle" onClick={() => setShown(shown + STEP)}>
            {number(groups.length - shown)} more
          </Button>
        </PanelBody>
      )}
      {groups.length <= shown && left_out > 0 && (
        <PanelBody>{number(left_out)} rarer ones are left out; choose a switch to see its own.</PanelBody>
      )}
    </Panel>
  )
}

const commitOf = (commit: string | null) => (commit === null ? "none" : <code>{commit.slice(0, 7)}</code>)

const Chart = ({ history }: { readonly history: ReadonlyArray<Point> }) => {
  const zone = useZone()
  const columns = history.slice(0, SHOWN).toReversed()
  const [first, last] = [columns.at(0), columns.at(-1)]
  if (first === undefined || last === undefined || columns.length < 2) return null
  return (
    <ColumnsChart
      label={`Lines that differ, by measurement: ${number(first.differing)} at first, now ${number(last.differing)}.`}
      series={[{ key: "differing", label: "lines differ", tone: "warn" }]}
      columns={columns.map(({ differing, measured_at }, index) => {
        const at = momentOf(measured_at)
        return {
          name: `${index + 1}: ${at === undefined ? measured_at : stampTime(at, zone)}`,
          tick: "",
          values: [differing]
        }
      })}
    />
  )
}

const History = () => {
  const asked = useAsk("GET /onboarding/history", {}, sameEvents)
  return (
    <Asked of={asked} what="earlier distances">
      {({ data: { history } }) =>
        history.length === 0 ? null : (
          <Panel title="By commit" count={history.length}>
            <PanelBody>
              <Chart history={history} />
              <SmallTable
                label="Distance by commit"
                heads={["Measured", "Distance", "Lines", "Without a difference", "Settings", "Templates"]}
                rows={history.slice(0, SHOWN)}
                keyOf={(row) => `${row.measured_at} ${row.settings_commit} ${row.templates_commit} ${row.differing}`}
                cells={(row) => [
                  <When key="at" at={row.measured_at} />,
                  percent(row.distance),
                  number(row.differing),
                  `${number(row.reached)} of ${number(row.devices)}`,
                  commitOf(row.settings_commit),
                  commitOf(row.templates_commit)
                ]}
              />
            </PanelBody>
          </Panel>
        )
      }
    </Asked>
  )
}

const OfSwitch = ({ every, hostname }: { readonly hostname: string; readonly every: number }) => {
  const asked = useAsk("GET /onboarding/distance", { query: { hostname } }, { ...sameEvents, every })
  return (
    <Asked of={asked} what={`the distance of ${hostname}`}>
      {({ data }) => <Shown distance={data} />}
    </Asked>
  )
}

const Shown = ({ distance }: { readonly distance: Measured }) => (
  <>
    <Now distance={distance} />
    <Unrendered reasons={distance.unrendered} />
    <Groups distance={distance} />
  </>
)

export const Distance = () => {
  const { distance, every, list } = useOnboarding()
  const [words, change] = useWords()
  const names = (list.data?.answer.data.devices ?? [])
    .flatMap(({ config_from, hostname }) => (config_from === null ? [] : [hostname]))
    .toSorted(inNaturalOrder)
  const chosen = names.find((name) => name === words["switch"])
  return (
    <Asked of={distance} what="the distance">
      {({ data }) =>
        data.now.devices === 0 ? (
          <Empty title="Nothing was measured yet">
            A switch is measured when its configuration was read.{" "}
            <PlainLink to="/onboarding">Where each is on its way</PlainLink>
          </Empty>
        ) : (
          <>
            <NativeSelect
              label="Switch"
              maw={280}
              mb="sm"
              value={chosen ?? ""}
              data={[{ value: "", label: "All" }, ...names.map((name) => ({ value: name, label: name }))]}
              onChange={(event) => change({ switch: event.currentTarget.value || undefined })}
            />
            {chosen === undefined ? <Shown distance={data} /> : <OfSwitch hostname={chosen} every={every} />}
            {chosen === undefined && <History />}
          </>
        )
      }
    </Asked>
  )
}
