/** A number that leads somewhere: the figure, what it counts, and a bar if it is a share. The whole is one link. */
import type { ReactNode } from "react"
import { number } from "../../src/domain/words/Units.ts"
import { PlainLink } from "./PlainLink.tsx"
import type { ToneName } from "./tones.ts"

interface Props {
  readonly figure: number | string
  /** What the figure counts: `of 308 in sync`. */
  readonly words: ReactNode
  readonly tone?: ToneName
  /** Path and query behind `/ui` of the list that the figure counts. */
  readonly to?: string
  /** A `StackedBar`. */
  readonly bar?: ReactNode
}

export const Stat = ({ bar, figure, to, tone, words }: Props) => {
  const content = (
    <>
      <b {...(tone === undefined ? {} : { "data-tone": tone })}>
        {typeof figure === "number" ? number(figure) : figure}
      </b>{" "}
      <span>{words}</span>
      {bar}
    </>
  )
  return to === undefined ? (
    <div className="stat">{content}</div>
  ) : (
    <PlainLink to={to} className="stat">
      {content}
    </PlainLink>
  )
}
