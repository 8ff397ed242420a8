/**
 * The standing of something in a row: an icon and a word in the colour of its tone. Icon and word say it without the colour. A value of the
 * program is shown as its word; the value itself is in the tooltip, for support and for scripts.
 */
import {
  type Icon,
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleX,
  IconRefresh,
  IconUserCheck
} from "@tabler/icons-react"
import type { ReactNode } from "react"
import { type Word, wordOf, type Words } from "../../src/domain/words/Word.ts"
import type { ToneName } from "./tones.ts"

/** A value with its table, a word that was chosen from several values, or a tone with a text. */
export type Status =
  | { readonly of: Words<string>; readonly value: string }
  | { readonly word: Word; readonly raw: string }
  | { readonly tone: ToneName; readonly children: ReactNode }

const ICONS: Readonly<Record<ToneName, Icon>> = {
  good: IconCircleCheck,
  warn: IconAlertTriangle,
  bad: IconCircleX,
  info: IconRefresh,
  wait: IconUserCheck,
  quiet: IconCircleDashed
}

export const ToneIcon = ({ size = 15, tone }: { readonly tone: ToneName; readonly size?: number }) => {
  const Shape = ICONS[tone]
  return <Shape size={size} stroke={1.75} aria-hidden className="tone-icon" data-tone={tone} />
}

const saidBy = (status: Status): { readonly tone: ToneName; readonly said: ReactNode; readonly raw?: string } => {
  if ("tone" in status) return { tone: status.tone, said: status.children }
  const { raw, word } = "of" in status ? { word: wordOf(status.of, status.value), raw: status.value } : status
  return { tone: word.tone, said: word.text, raw }
}

/** Icon and word, in the class that says how it is drawn. */
export const StatusShown = ({ className, status }: { readonly status: Status; readonly className: string }) => {
  const { raw, said, tone } = saidBy(status)
  return (
    <span className={className} data-tone={tone} title={raw}>
      <ToneIcon tone={tone} size={14} />
      <span>{said}</span>
    </span>
  )
}

export const StatusWord = (status: Status) => <StatusShown status={status} className="tone" />
