/** What happened, one sentence a line, with its time. Neighbours that say the same are one line that opens. */
import { UnstyledButton } from "@mantine/core"
import { type ReactNode, useState } from "react"
import { ToneIcon } from "./StatusWord.tsx"
import { type Fold, inFolds } from "./timelineFolds.ts"
import type { ToneName } from "./tones.ts"
import { When } from "./When.tsx"

export interface TimelineEntry {
  readonly key: string | number
  readonly tone: ToneName
  /** As the API gives it. */
  readonly at: string | number | null
  readonly said: ReactNode
  /** More, below the sentence. */
  readonly more?: ReactNode
  readonly fold?: Fold
}

interface Props {
  readonly label: string
  readonly entries: ReadonlyArray<TimelineEntry>
  /** Times with seconds, as in an audit. */
  readonly exact?: boolean
}

const Entry = ({ entry, exact }: { readonly entry: TimelineEntry; readonly exact: boolean }) => (
  <li className="moment">
    <span className="moment-dot" data-tone={entry.tone}>
      <ToneIcon tone={entry.tone} size={14} />
    </span>
    <div className="moment-said">
      {entry.said}
      {entry.more}
    </div>
    <When at={entry.at} exact={exact} never="" />
  </li>
)

interface FoldedProps {
  readonly run: readonly [TimelineEntry, ...ReadonlyArray<TimelineEntry>]
  readonly exact: boolean
}

const Folded = ({ exact, run }: FoldedProps) => {
  const [isOpen, setOpen] = useState(false)
  const [first] = run
  if (run.length === 1 || first.fold === undefined) return <Entry entry={first} exact={exact} />
  const said = (
    <UnstyledButton fz="inherit" fw={600} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
      {first.fold.said(run.length)}
    </UnstyledButton>
  )
  return (
    <>
      <Entry entry={{ ...first, said, more: undefined }} exact={exact} />
      {isOpen && run.map((entry) => <Entry key={entry.key} entry={entry} exact={exact} />)}
    </>
  )
}

export const Timeline = ({ entries, exact = false, label }: Props) => (
  <ol className="timeline" aria-label={label}>
    {inFolds(entries).map((run) => (
      <Folded key={run[0].key} run={run} exact={exact} />
    ))}
  </ol>
)
