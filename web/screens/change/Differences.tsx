/** What would change: the scope in numbers and places, then the differences in groups of equal ones. */
import { Alert, Button, Select, TextInput } from "@mantine/core"
import { useDebouncedCallback } from "@mantine/hooks"
import { IconMapPin, IconPlugConnectedX, IconSearch } from "@tabler/icons-react"
import { useRef, useState } from "react"
import type { Data } from "../../../src/api/Calls.ts"
import { number, switches } from "../../../src/domain/words/Units.ts"
import { riskWords } from "../../../src/domain/words/ChangeWords.ts"
import { useLetter } from "../../app/useLeaps.ts"
import { Empty } from "../../parts/Empty.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { changingOf, type Group, machinesSentence, placeOf, type Scope, typesOf, uplinksSentence } from "./about.ts"
import { DiffGroup, JobNames } from "./DiffGroup.tsx"
import { useViewed } from "./useViewed.ts"

type Words = Readonly<Record<string, string | undefined>>
type Diffs = Data<"GET /job/:id/diffs">

/** How many, in how many ways, where, and what hangs there. */
const ScopeCard = ({ diffs, scope }: { readonly diffs: Diffs; readonly scope: Scope }) => {
  const place = placeOf(scope)
  const total = (of: "added" | "removed") => diffs.groups.reduce((sum, group) => sum + group[of] * group.count, 0)
  return (
    <section className="review-card" aria-label="Scope">
      <div className="review-figures">
        {[
          [number(scope.devices), `${scope.devices === 1 ? "switch" : "switches"} chosen`],
          [number(changingOf(scope)), "would change"],
          [number(diffs.groups.length), diffs.groups.length === 1 ? "way" : "different ways"]
        ].map(([figure, words]) => (
          <div key={words}>
            <b>{figure}</b>
            <span>{words}</span>
          </div>
        ))}
        <div>
          <b>
            +{number(total("added"))} <span className="lesser">−{number(total("removed"))}</span>
          </b>
          <span>lines in all</span>
        </div>
      </div>
      <p className="review-where">
        <IconMapPin size={15} stroke={1.75} aria-hidden />
        <span>
          {place !== null && `${place}: `}
          {typesOf(scope)}.{scope.device_types.every(({ name }) => name !== "CORE") && " No core."}
          {` ${machinesSentence(scope.machines)}`}
          {scope.uplinks.length > 0 && ` Touches ${uplinksSentence(scope.uplinks)}.`}
        </span>
      </p>
    </section>
  )
}

const Search = ({ change, text }: { readonly text: string; readonly change: (text: string) => void }) => {
  const [typed, setTyped] = useState(text)
  const tell = useDebouncedCallback(change, 250)
  return (
    <TextInput
      type="search"
      aria-label="Search in differences"
      placeholder="Search in differences"
      leftSection={<IconSearch size={15} stroke={1.75} />}
      value={typed}
      className="review-search"
      onChange={({ currentTarget: { value } }) => {
        setTyped(value)
        tell(value)
      }}
    />
  )
}

const LEVELS = [
  { value: "", label: "Any risk" },
  ...(["high", "medium", "low"] as const).map((level) => ({ value: level, label: riskWords[level].text }))
]

/** Switches that the preview could not compare. */
const NotCompared = ({ count, job }: { readonly count: number; readonly job: number }) => (
  <section className="review-card review-group" aria-label="Not compared">
    <div className="review-group-head">
      <span className="review-toggle">
        <IconPlugConnectedX size={18} stroke={1.75} aria-hidden />
        <span>
          <b>{switches(count)} could not be compared</b>
          <span className="review-line">They are left out of this change.</span>
        </span>
      </span>
      <PlainLink to={`/job/${job}`}>Show why</PlainLink>
    </div>
  </section>
)

interface Props {
  readonly job: number
  readonly diffs: Diffs
  readonly scope: Scope
  readonly remarks: ReadonlyArray<string>
  readonly words: Words
  readonly change: (changes: Words) => void
}

export const Differences = ({ change, diffs, job, remarks, scope, words }: Props) => {
  const { failed, left_out } = diffs
  const risk = words["risk"] ?? ""
  const groups = diffs.groups.filter((group) => risk === "" || group.risk.level === risk)
  const viewed = useViewed("job", job, groups)
  const place = useRef<HTMLDivElement>(null)
  const toggleOf = (group: Group | undefined) =>
    place.current?.querySelector<HTMLButtonElement>(`[data-group="${CSS.escape(group?.key ?? "")}"] .review-toggle`)
  /** Marks the difference that has the focus, else the first that was not viewed, and goes on to the next. */
  const markByKey = () => {
    const focused = document.activeElement?.closest("[data-group]")?.getAttribute("data-group")
    const group = groups.find(({ key }) => key === focused) ?? groups.find((one) => !viewed.isViewed(one))
    if (group === undefined) return
    const next = viewed.isViewed(group) ? group : groups.find((one) => one !== group && !viewed.isViewed(one))
    void viewed.mark(group)
    toggleOf(next ?? group)?.focus()
  }
  useLetter("v", markByKey, groups.length > 0)
  const uplinks = new Set(scope.uplinks.map(({ hostname }) => hostname))
  const isNarrowed = (words["search"] ?? "") !== "" || risk !== ""
  return (
    <div className="review-main" ref={place}>
      <ScopeCard diffs={diffs} scope={scope} />
      {remarks.map((remark) => (
        <Alert key={remark} color="yellow" variant="outline">
          {remark}
        </Alert>
      ))}
      {(groups.length > 0 || isNarrowed) && (
        <div className="review-bar">
          <Search text={words["search"] ?? ""} change={(search) => change({ search })} />
          <Select
            aria-label="Risk"
            data={LEVELS}
            value={risk}
            allowDeselect={false}
            w={130}
            onChange={(level) => change({ risk: level ?? "" })}
          />
          <span className="review-viewed" role="status">
            {viewed.count} of {groups.length} viewed
            <progress max={Math.max(1, groups.length)} value={viewed.count} aria-hidden />
          </span>
        </div>
      )}
      {viewed.error !== null && <Problem error={viewed.error} title="The mark was not kept" />}
      {groups.length === 0 && isNarrowed && (
        <Empty
          title="Nothing matches"
          action={
            <Button size="xs" variant="default" onClick={() => change({ search: undefined, risk: undefined })}>
              Clear filters
            </Button>
          }
        />
      )}
      {groups.length === 0 && !isNarrowed && failed === 0 && (
        <Empty title={scope.devices === 0 ? "No switch was chosen" : `All ${scope.devices} already run this`}>
          {scope.devices === 0
            ? "Every managed switch is in sync, so there was nothing to compare."
            : "Nothing differs from the settings in force. Fetch the settings if a commit is missing here."}
        </Empty>
      )}
      {groups.map((group) => (
        <DiffGroup
          key={group.key}
          file={`job-${job}`}
          names={<JobNames group={group} job={job} />}
          group={group}
          search={words["search"] ?? ""}
          isViewed={viewed.isViewed(group)}
          touchesUplinks={group.hostnames.some((name) => uplinks.has(name))}
          mark={() => void viewed.mark(group)}
        />
      ))}
      {failed > 0 && <NotCompared count={failed} job={job} />}
      {left_out > 0 && (
        <p>
          {switches(left_out)} {left_out === 1 ? "differs" : "differ"} by too much to be shown here; their own
          configuration screens show it.
        </p>
      )}
    </div>
  )
}
