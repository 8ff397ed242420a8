/** The tools above the drawing: what is looked for, the overlay, drawing or list, blocks; and the cables that differ from the plan. */
import { Button, NativeSelect, SegmentedControl, TextInput } from "@mantine/core"
import { IconAlertTriangle } from "@tabler/icons-react"
import { type FormEvent, useState } from "react"
import { jobTitle } from "../../../src/domain/words/JobWords.ts"
import { counted } from "../../../src/domain/words/Units.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useMay } from "../../app/useSession.ts"
import { CableList } from "./CableList.tsx"
import type { Coloring } from "./coloring.ts"
import { ALL } from "./layout.ts"
import type { NetworkCable } from "./useNetwork.ts"

const OVERLAYS: ReadonlyArray<{ readonly value: Coloring; readonly label: string }> = [
  { value: "synchronized", label: "In sync" },
  { value: "state", label: "State" },
  { value: "version", label: "Version" },
  { value: "job", label: "Job" },
  { value: "errors", label: "Errors" }
]

export type Words = Readonly<Record<string, string | undefined>>
type Change = (changes: Words) => void

/** The newest jobs, of which one can be shown. */
const JobChoice = ({ change, job }: { readonly job: string | undefined; readonly change: Change }) => {
  const may = useMay()
  const { data } = useAsk(
    "GET /jobs",
    { query: { sort: "-id", per_page: 20, filter_jobresult: "config,diff" } },
    { kinds: ["job"], enabled: may("GET", "/jobs") }
  )
  const jobs = data?.answer.data.jobs ?? []
  return (
    <NativeSelect
      aria-label="Job"
      data={[
        { value: "", label: "The job of each switch" },
        ...jobs.map(({ function_name, id }) => ({ value: String(id), label: `${jobTitle(function_name)} ${id}` }))
      ]}
      value={job ?? ""}
      onChange={(event) => change({ job: event.currentTarget.value || undefined })}
    />
  )
}

const FindOnMap = ({ find }: { readonly find: (text: string) => boolean }) => {
  const [text, setText] = useState("")
  const [isMissing, setMissing] = useState(false)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setMissing(text.trim() !== "" && !find(text.trim()))
  }
  return (
    <form onSubmit={submit} role="search">
      <TextInput
        type="search"
        aria-label="Find on the map"
        placeholder="Find on the map"
        value={text}
        error={isMissing ? "No switch has this name" : undefined}
        onChange={(event) => {
          setText(event.currentTarget.value)
          setMissing(false)
        }}
      />
    </form>
  )
}

interface ToolsProps {
  readonly coloring: Coloring
  readonly hasBlocks: boolean
  readonly isList: boolean
  readonly job: string | undefined
  /** The blocks that are open. */
  readonly open: ReadonlySet<string>
  readonly change: Change
  /** Shows a switch; returns whether there is one. */
  readonly find: (text: string) => boolean
}

export const Tools = ({ change, coloring, find, hasBlocks, isList, job, open }: ToolsProps) => (
  <div className="topology-tools topology-card">
    {!isList && <FindOnMap find={find} />}
    <SegmentedControl
      aria-label="Colour by"
      data={OVERLAYS.map(({ label, value }) => ({ label, value }))}
      value={coloring}
      onChange={(color) => change({ color, ...(color === "job" ? {} : { job: undefined }) })}
    />
    {coloring === "job" && <JobChoice change={change} job={job} />}
    <SegmentedControl
      aria-label="Shown as"
      data={[
        { value: "no", label: "Drawing" },
        { value: "yes", label: "List" }
      ]}
      value={isList ? "yes" : "no"}
      onChange={(value) => change({ list: value })}
    />
    {!isList && open.size > 0 && (
      <Button variant="default" onClick={() => change({ open: undefined })}>
        Close the blocks
      </Button>
    )}
    {!isList && !open.has(ALL) && hasBlocks && (
      <Button variant="default" onClick={() => change({ open: ALL })}>
        Open all
      </Button>
    )}
  </div>
)

interface DifferingProps {
  readonly all: number
  readonly cables: ReadonlyArray<NetworkCable>
  readonly nameOf: (id: number) => string
  /** Whether these cables alone are shown; omitted where they always are. */
  readonly isAlone?: boolean
  readonly change?: Change
}

export const Differing = ({ all, cables, change, isAlone = false, nameOf }: DifferingProps) => (
  <div className="topology-differ topology-card">
    <span>
      <IconAlertTriangle size={16} stroke={1.75} aria-hidden /> {cables.length} of {counted(all, "cable")}{" "}
      {cables.length === 1 ? "differs" : "differ"} from the plan
    </span>
    {change !== undefined && (
      <Button
        size="compact-xs"
        variant="subtle"
        aria-pressed={isAlone}
        onClick={() => change({ differs: isAlone ? undefined : "yes", way: undefined })}
      >
        {isAlone ? "Show everything" : "Show"}
      </Button>
    )}
    {isAlone && <CableList cables={cables} nameOf={nameOf} label="Cables that differ from the plan" />}
  </div>
)
