/** The history of a device as a timeline: its jobs, the actions of people, and why it went out of sync; by kind and by person. */
import { Button, Group, NativeSelect, SegmentedControl } from "@mantine/core"
import { momentOf, stampTime } from "../../../src/domain/words/Units.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useWords } from "../../app/useAddress.ts"
import { useMay } from "../../app/useSession.ts"
import { Asked } from "../../parts/Asked.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { useZone } from "../../parts/zone.ts"
import type { TabProps } from "./record.ts"
import { Happened } from "./Happened.tsx"
import { eventRows, type Happening, jobRows, newestFirst } from "./happened.ts"

const STEP = 100
const MOST = 500

const KINDS = [
  { value: "all", label: "All" },
  { value: "job", label: "Jobs" },
  { value: "change", label: "Changes" },
  { value: "other", label: "Other" }
]

/** Rows by their day. */
const ByDay = ({ rows }: { readonly rows: ReadonlyArray<Happening> }) => {
  const zone = useZone()
  const days = [
    ...Map.groupBy(rows, ({ at }) => {
      const moment = momentOf(at)
      return moment === undefined ? "" : stampTime(moment, zone).replace(/,? *\d+:\d+:\d+.*$/, "")
    })
  ]
  return (
    <>
      {days.map(([day, inDay]) => (
        <section key={day} aria-label={day}>
          <h3 className="happened-day">{day}</h3>
          <Happened rows={inDay} label={`What happened on ${day}`} />
        </section>
      ))}
    </>
  )
}

export default function History({ device: { hostname } }: TabProps) {
  const may = useMay()
  const [{ by = "", events: shown = String(STEP), kind = "all" }, change] = useWords()
  const perPage = Math.min(MOST, Number(shown) || STEP)
  const asked = useAsk(
    "GET /device/:hostname/audit",
    { params: { hostname }, query: { per_page: perPage, sort: "-id" } },
    { kinds: ["device", "change", "sync", "interface", "drift", "host_key", "reachability"], keep: true }
  )
  const jobs = useAsk(
    "GET /jobs",
    {
      query: {
        "filter[finished_devices][contains]": `"${hostname}"`,
        sort: "-id",
        per_page: 50,
        filter_jobresult: "config,diff"
      }
    },
    { kinds: ["job"], enabled: may("GET", "/jobs") }
  )
  return (
    <Asked of={asked} what={`the history of ${hostname}`}>
      {({ data: { events } }) => {
        const rows = newestFirst(eventRows(events), jobRows(jobs.data?.answer.data.jobs ?? [], hostname))
        const people = [...new Set(rows.flatMap((row) => (row.by === null ? [] : [row.by])))].toSorted()
        const found = rows.filter((row) => (kind === "all" || row.kind === kind) && (by === "" || row.by === by))
        return (
          <>
            <Group align="end" mb="sm">
              <SegmentedControl
                aria-label="Kinds"
                data={KINDS}
                value={kind}
                onChange={(value) => change({ kind: value === "all" ? undefined : value })}
              />
              <NativeSelect
                label="Person"
                data={[{ value: "", label: "Everybody" }, ...people]}
                value={by}
                onChange={(event) => change({ by: event.currentTarget.value || undefined })}
              />
            </Group>
            {rows.length === 0 && (
              <Empty title="Nothing is noted yet">
                Changes of the switch, its ports and its configuration will be listed here.{" "}
                <PlainLink to={`/change?hostnames=${encodeURIComponent(hostname)}`}>A preview</PlainLink> shows what a
                rollout would change.
              </Empty>
            )}
            {rows.length > 0 && found.length === 0 && (
              <Empty
                title="Nothing matches"
                action={
                  <Button size="xs" variant="default" onClick={() => change({ by: undefined, kind: undefined })}>
                    Clear filters
                  </Button>
                }
              />
            )}
            <ByDay rows={found} />
            {events.length === perPage && perPage < MOST && (
              <Button mt="sm" variant="default" onClick={() => change({ events: String(perPage + STEP) })}>
                Show older
              </Button>
            )}
          </>
        )
      }}
    </Asked>
  )
}
