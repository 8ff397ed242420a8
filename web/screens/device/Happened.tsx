/** What happened to a device, newest first, with who did it and in which job. */
import { PlainLink } from "../../parts/PlainLink.tsx"
import { Timeline, type TimelineEntry } from "../../parts/Timeline.tsx"
import { inFolds } from "../../parts/timelineFolds.ts"
import type { Happening } from "./happened.ts"

interface Props {
  readonly rows: ReadonlyArray<Happening>
  readonly label: string
  /** The most lines; equal neighbours are one. */
  readonly most?: number
}

const entryOf = ({ at, by, job_id, key, sentence, tone }: Happening): TimelineEntry => {
  const isTold = by !== null || job_id !== null
  return {
    key,
    tone,
    at,
    said: sentence,
    ...(isTold
      ? {
          more: (
            <span className="happened-more">
              {by !== null && `by ${by}`}
              {by !== null && job_id !== null && " · "}
              {job_id !== null && <PlainLink to={`/job/${job_id}`}>job {job_id}</PlainLink>}
            </span>
          )
        }
      : {}),
    fold: { key: `${sentence} ${by}`, said: (count) => `${sentence} (${count} times)` }
  }
}

export const Happened = ({ label, most = Number.POSITIVE_INFINITY, rows }: Props) => {
  const entries = rows.map(entryOf)
  return <Timeline label={label} entries={inFolds(entries).slice(0, most).flat()} />
}
