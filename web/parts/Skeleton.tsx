/** The place of what is being read, in the form that it will have. It is drawn when the wait is noticeable. */
import { useEffect, useState } from "react"

/** Milliseconds. */
const NOTICED = 200
/** Percent of the width, line after line. */
const WIDTHS = [37, 92, 84, 88, 40]

interface Props {
  /** The object of the query, as in "Reading the devices". */
  readonly what: string
  readonly lines?: number
}

export const Skeleton = ({ lines = 3, what }: Props) => {
  const [isLong, setLong] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), NOTICED)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div role="status" className="skeleton">
      {isLong && (
        <>
          <span className="unseen">Reading {what}</span>
          {Array.from({ length: lines }, (_, line) => (
            // the lines are all alike
            // oxlint-disable-next-line no-array-index-key
            <i key={line} style={{ width: `${WIDTHS[line % WIDTHS.length]}%` }} />
          ))}
        </>
      )}
    </div>
  )
}
