/** A whole in its parts, each with its number and word below the bar. The order of the parts is that of the bar. */
import type { ReactNode } from "react"
import { number } from "../../src/domain/words/Units.ts"
import { PlainLink } from "./PlainLink.tsx"
import type { ToneName } from "./tones.ts"

export interface BarPart {
  readonly key: string
  readonly count: number
  /** `being checked`. */
  readonly label: string
  readonly tone: ToneName
  /** Striped, for what moves right now; another part of the same tone is filled. */
  readonly striped?: boolean
  /** Path and query behind `/ui` of the list that it counts. */
  readonly to?: string
}

interface Props {
  /** What is divided, for screen readers: `Switches of rollout 26`. */
  readonly label: string
  readonly parts: ReadonlyArray<BarPart>
  /** Without the legend, as in rows; its numbers stand in the label. */
  readonly bare?: boolean
  readonly thin?: boolean
}

const Legend = ({ parts }: { readonly parts: ReadonlyArray<BarPart> }) => (
  <ul className="bar-legend">
    {parts.map(({ count, key, label, striped = false, to, tone }) => {
      const said: ReactNode = (
        <>
          <i data-tone={tone} {...(striped ? { "data-striped": true } : {})} /> <b>{number(count)}</b> {label}
        </>
      )
      return <li key={key}>{to === undefined ? said : <PlainLink to={to}>{said}</PlainLink>}</li>
    })}
  </ul>
)

export const StackedBar = ({ bare = false, label, parts, thin = false }: Props) => {
  const present = parts.filter(({ count }) => count > 0)
  const said = present.map((part) => `${number(part.count)} ${part.label}`).join(", ")
  return (
    <div>
      <div
        role="img"
        aria-label={`${label}: ${said === "" ? "nothing yet" : said}`}
        className="bar"
        {...(thin ? { "data-thin": true } : {})}
      >
        {present.map(({ count, key, striped = false, tone }) => (
          <i key={key} data-tone={tone} style={{ flexGrow: count }} {...(striped ? { "data-striped": true } : {})} />
        ))}
      </div>
      {!bare && <Legend parts={present} />}
    </div>
  )
}
