/**
 * Devices that failed for the same cause: their number, a sentence, what happened to them, their names, what to do, and the switch's own words
 * folded.
 */
import { Button } from "@mantine/core"
import { IconArrowRight } from "@tabler/icons-react"
import { type ReactNode, useState } from "react"
import { namesInOrder } from "../../src/domain/Natural.ts"
import { PlainLink } from "./PlainLink.tsx"

/** As the API groups failures (`FailureGroup` in src/domain/JobFailures.ts). */
export interface Failures {
  readonly sentence: string
  /** What was done to the switches. */
  readonly did: string | null
  readonly advice: string | null
  readonly count: number
  readonly devices: ReadonlyArray<string>
  /** The message of the first device. */
  readonly said: string | null
}

interface Props {
  readonly group: Failures
  /** Buttons that concern the whole group: `Retry 6`. */
  readonly actions?: ReactNode
}

const FIRST = 12

/** Names of devices as links, the first ones and the number of the others, which opens them. */
const DeviceChips = ({ names }: { readonly names: ReadonlyArray<string> }) => {
  const [isWhole, setWhole] = useState(false)
  const sorted = namesInOrder(names)
  const shown = isWhole ? sorted : sorted.slice(0, FIRST)
  return (
    <ul className="chips">
      {shown.map((name) => (
        <li key={name}>
          <PlainLink to={`/device/${encodeURIComponent(name)}`} className="chip">
            {name}
          </PlainLink>
        </li>
      ))}
      {sorted.length > shown.length && (
        <li>
          <Button size="compact-xs" variant="subtle" onClick={() => setWhole(true)}>
            and {sorted.length - shown.length} more
          </Button>
        </li>
      )}
    </ul>
  )
}

export const FailureGroup = ({ actions, group }: Props) => {
  const { advice, count, devices, did, said, sentence } = group
  return (
    <section className="failure" aria-label={sentence}>
      <b className="failure-count" aria-hidden>
        {count}
      </b>
      <div className="failure-body">
        <div className="failure-head">
          <div>
            <h3>{sentence}</h3>
            {did !== null && <p>{did}</p>}
          </div>
          {actions !== undefined && <div className="failure-actions">{actions}</div>}
        </div>
        <DeviceChips names={devices} />
        {advice !== null && (
          <p className="failure-advice">
            <IconArrowRight size={16} stroke={1.75} aria-hidden /> <b>Try this:</b> {advice}
          </p>
        )}
        {said !== null && (
          <details>
            <summary>What the switch said</summary>
            <pre tabIndex={0} aria-label={`What was said: ${sentence}`}>
              {said}
            </pre>
          </details>
        )}
      </div>
    </section>
  )
}
