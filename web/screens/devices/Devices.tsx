/** All devices: views, a search and filters, sorted by the server, and chosen for actions on many. */
import { Button } from "@mantine/core"
import { IconGitCompare, IconPlugConnected, IconServer2 } from "@tabler/icons-react"
import { useRouter } from "@tanstack/react-router"
import { useMemo, useState } from "react"
import { counted, number, switches } from "../../../src/domain/words/Units.ts"
import { inSentence, textOf } from "../../../src/domain/words/Word.ts"
import { typeWords } from "../../../src/domain/words/DeviceWords.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useWords } from "../../app/useAddress.ts"
import { useMay } from "../../app/useSession.ts"
import { csvOf } from "../../parts/csv.ts"
import { DataTable, type Marks } from "../../parts/DataTable.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { activeFilters, FilterBar, withoutFilters } from "../../parts/FilterBar.tsx"
import { PageHead } from "../../parts/PageHead.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { SavedViews } from "../../parts/SavedViews.tsx"
import { saveFile } from "../../parts/saveFile.ts"
import { Skeleton } from "../../parts/Skeleton.tsx"
import { TableTools } from "../../parts/TableTools.tsx"
import { useAct } from "../../parts/useAct.ts"
import { useTableChoice } from "../../parts/useTableChoice.ts"
import { cardWith, columnsWith, type DeviceRow } from "./columns.tsx"
import { fieldsWith, viewsWith } from "./filters.ts"
import { MarkedActions } from "./MarkedActions.tsx"
import { allDevices, devicesBetween, useDevicePages } from "./useDevicePages.ts"
import { useStandings } from "./useStandings.ts"

/** The number of devices of a type, or of all. Like all that is not the rows, it is asked for when they are here. */
const useCount = (isReady: boolean, type?: string): number | undefined => {
  const query = { per_page: 1, ...(type === undefined ? {} : { "filter[device_type]": type }) }
  return (
    useAsk("GET /devices", { query }, { kinds: ["device"], keep: true, enabled: isReady }).data?.matching ?? undefined
  )
}

/** `308 switches: 2 core, 6 distribution, 300 access`. */
const useFacts = (isReady: boolean, total: number | undefined): string => {
  const counts = {
    CORE: useCount(isReady, "CORE"),
    DIST: useCount(isReady, "DIST"),
    ACCESS: useCount(isReady, "ACCESS"),
    UNKNOWN: useCount(isReady, "UNKNOWN")
  }
  if (total === undefined || total === 0) return ""
  const types = Object.entries(counts).flatMap(([type, count]) =>
    count === undefined || count === 0 ? [] : [`${number(count)} ${inSentence(textOf(typeWords, type))}`]
  )
  return `${switches(total)}${types.length === 0 ? "" : `: ${types.join(", ")}`}`
}

/** The names of the groups, for a person who may read them. */
const useGroups = (isReady: boolean): ReadonlyArray<string> => {
  const { data } = useAsk("GET /groups", {}, { enabled: useMay()("GET", "/groups") && isReady, kinds: ["repository"] })
  return Object.keys(data?.answer.data.groups ?? {})
}

const useMarks = (words: Readonly<Record<string, string | undefined>>, count: number) => {
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set())
  const marks: Marks<DeviceRow> = {
    has: ({ hostname }) => marked.has(hostname),
    set: (rows, isMarked) => {
      const names = new Set(rows.map(({ hostname }) => hostname))
      setMarked((before) => (isMarked ? before.union(names) : before.difference(names)))
    },
    nameOf: ({ hostname }) => hostname,
    read: (first, last) => devicesBetween(words, first, last),
    isAll: count > 0 && marked.size >= count
  }
  return { marked, marks, clear: () => setMarked(new Set()) }
}

export default function Devices() {
  const router = useRouter()
  const may = useMay()
  const [words, change] = useWords()
  const { answers, count, error, isKnown, refetch, rowAt, see } = useDevicePages(words)
  const standings = useStandings(isKnown)
  const columns = useMemo(() => columnsWith(standings), [standings])
  const card = useMemo(() => cardWith(standings), [standings])
  const choice = useTableChoice("devices", columns)
  const groups = useGroups(isKnown)
  const fields = useMemo(() => fieldsWith(groups), [groups])
  const overview = useAsk(
    "GET /overview",
    {},
    { kinds: ["device", "sync"], enabled: isKnown && may("GET", "/overview") }
  )
  const total = useCount(isKnown)
  const { clear, marked, marks } = useMarks(words, count)
  const { busy, error: failure, run } = useAct()
  const isFiltered = activeFilters(fields, words).length > 0 || (words["search"] ?? "") !== ""
  const save = () => run(async () => saveFile("devices.csv", csvOf(choice.shown, await allDevices(words)), "text/csv"))
  const go = (path: string) => router.history.push(`/ui${path}`)
  const mayAdd = may("POST", "/discover_device") || may("POST", "/device")
  return (
    <>
      <PageHead
        title="Devices"
        facts={useFacts(isKnown, total)}
        actions={
          mayAdd && (
            <Button
              variant="default"
              leftSection={<IconPlugConnected size={16} stroke={1.75} />}
              onClick={() => go("/new")}
            >
              Add switches
            </Button>
          )
        }
        main={
          may("POST", "/device_syncto") && (
            <Button leftSection={<IconGitCompare size={16} stroke={1.75} />} onClick={() => go("/change")}>
              Preview changes
            </Button>
          )
        }
      />
      <SavedViews list="devices" ready={viewsWith(overview.data?.answer.data.devices)} />
      <FilterBar
        search={{ label: "Search devices", placeholder: "Name, address, serial, MAC, model" }}
        fields={fields}
        {...(isKnown && total !== undefined
          ? {
              count:
                isFiltered || count !== total ? `${number(count)} of ${number(total)} shown` : counted(count, "device")
            }
          : {})}
      >
        <TableTools choice={choice} save={() => void save()} isSaving={busy} />
      </FilterBar>
      {error !== null && <Problem error={error} title="The devices could not be read" again={refetch} />}
      {failure !== null && <Problem error={failure} title="The list could not be saved" />}
      {!isKnown && error === null && <Skeleton what="the devices" lines={8} />}
      {isKnown && count === 0 && isFiltered && (
        <Empty
          title="Nothing matches"
          action={
            <Button variant="default" onClick={() => change(withoutFilters(fields, words))}>
              Clear filters
            </Button>
          }
        />
      )}
      {isKnown && count === 0 && !isFiltered && (
        <Empty icon={IconServer2} title="No switches yet">
          They appear here when they start up and ask for an address, or when you add them.
        </Empty>
      )}
      {count > 0 && (
        <DataTable
          label="Devices"
          columns={choice.shown}
          count={count}
          rowAt={rowAt}
          keyOf={({ id }) => id}
          open={({ hostname }) => go(`/device/${encodeURIComponent(hostname)}`)}
          inSight={see}
          sort={words["sort"] ?? "hostname"}
          onSort={(sort) => change({ sort })}
          marks={marks}
          answers={answers}
          card={card}
          height="calc(100dvh - var(--app-shell-footer-offset, 0px) - 262px)"
        />
      )}
      {marked.size > 0 && <MarkedActions names={[...marked]} clear={clear} />}
    </>
  )
}
