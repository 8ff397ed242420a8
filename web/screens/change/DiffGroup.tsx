/** Switches that change in the same way: their number and names, the risk in words, whether it was viewed, and the difference of one of them. */
import { Button, Checkbox } from "@mantine/core"
import { IconChevronDown, IconChevronRight } from "@tabler/icons-react"
import { type ReactNode, useState } from "react"
import { foldNames } from "../../../src/domain/NameRanges.ts"
import { riskWord } from "../../../src/domain/words/ChangeWords.ts"
import { switches } from "../../../src/domain/words/Units.ts"
import { useAsk } from "../../api/useAsk.ts"
import { DiffView } from "../../parts/DiffView.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { StatusWord } from "../../parts/StatusWord.tsx"
import { type Group, subjectsOf } from "./about.ts"

interface Props {
  readonly group: Group
  /** The name of the file as which the difference is saved, without its ending. */
  readonly file: string
  /** Every name of the group. */
  readonly names: ReactNode
  readonly search: string
  readonly isViewed: boolean
  readonly touchesUplinks: boolean
  readonly mark: () => void
}

/** Names of switches, each a link. */
export const SwitchNames = ({ names }: { readonly names: ReadonlyArray<string> }) => (
  <p className="review-names">
    {names.map((name, index) => (
      <span key={name}>
        {index > 0 && ", "}
        <PlainLink to={`/device/${encodeURIComponent(name)}`}>{name}</PlainLink>
      </span>
    ))}
  </p>
)

/** Every name of a group of a job, each a link to its switch. */
export const JobNames = ({ group, job }: { readonly group: Group; readonly job: number }) => {
  const isCut = group.count > group.hostnames.length
  const asked = useAsk("GET /job/:id/diffs", { params: { id: job }, query: { group: group.key } }, { enabled: isCut })
  const names = (isCut ? asked.data?.answer.data.groups[0]?.hostnames : undefined) ?? group.hostnames
  return <SwitchNames names={names} />
}

export const DiffGroup = ({ file, group, isViewed, mark, names, search, touchesUplinks }: Props) => {
  const [opened, setOpened] = useState<boolean | null>(null)
  const isOpen = opened ?? !isViewed
  const [showsNames, setShowsNames] = useState(false)
  const { added, count, diff, hostnames, removed, risk } = group
  const title = `${switches(count)}: +${added} −${removed}`
  const Chevron = isOpen ? IconChevronDown : IconChevronRight
  return (
    <section className="review-card review-group" aria-label={title} data-group={group.key}>
      <div className="review-group-head">
        <button type="button" className="review-toggle" aria-expanded={isOpen} onClick={() => setOpened(!isOpen)}>
          <Chevron size={16} stroke={1.75} aria-hidden />
          <span>
            <b>{switches(count)}</b> <span className="added">+{added}</span> <span className="removed">−{removed}</span>
            <span className="review-line">
              {foldNames(hostnames, 4)}
              {count > hostnames.length && ` and ${count - hostnames.length} more`} · {subjectsOf(diff)}
            </span>
          </span>
        </button>
        <div className="review-group-side">
          {risk.level === "low" && touchesUplinks ? (
            <StatusWord tone="warn">Touches uplinks</StatusWord>
          ) : (
            <StatusWord
              word={riskWord(risk)}
              raw={`score ${group.score === null ? "not known" : Math.round(group.score)}`}
            />
          )}
          <Checkbox
            label="Viewed"
            aria-label={`Viewed: ${switches(count)}, ${hostnames[0] ?? ""}`}
            aria-keyshortcuts="v"
            checked={isViewed}
            onChange={() => {
              setOpened(null)
              mark()
            }}
          />
        </div>
      </div>
      {isOpen && (
        <>
          {showsNames && names}
          <DiffView diff={diff} find={search} label={`Difference of ${title}`} file={`${file}-${group.key}.patch`} />
          {count > 1 && (
            <div className="review-group-foot">
              <Button size="xs" variant="subtle" onClick={() => setShowsNames(!showsNames)}>
                {showsNames ? "Hide the names" : `All ${count} names`}
              </Button>
            </div>
          )}
        </>
      )}
    </section>
  )
}
