/** A number that links to the list of the things it counts. It is coloured only above zero. */
import type { ToneName } from "../../parts/tones.ts"
import { PlainLink } from "../../parts/PlainLink.tsx"

interface Props {
  readonly number: number
  readonly label: string
  readonly to: string
  readonly bad?: boolean
  readonly warn?: boolean
  readonly good?: boolean
}

const toneOf = ({ bad = false, good = false, number, warn = false }: Props): ToneName => {
  if (number === 0) return bad ? "good" : "quiet"
  if (bad) return "bad"
  if (warn) return "warn"
  return good ? "good" : "info"
}

export const Count = (props: Props) => (
  <PlainLink to={props.to} className="count" label={`${props.number} ${props.label}`}>
    <b className="tone-number" data-tone={toneOf(props)}>
      {props.number}
    </b>
    {props.label}
  </PlainLink>
)
