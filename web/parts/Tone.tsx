/** The standing of something: an icon and a word in the colour of its tone. Icon and word say it without the colour. */
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
import type { ToneName } from "./tones.ts"

const ICONS: Readonly<Record<ToneName, Icon>> = {
  good: IconCircleCheck,
  warn: IconAlertTriangle,
  bad: IconCircleX,
  info: IconRefresh,
  wait: IconUserCheck,
  quiet: IconCircleDashed
}

interface Props {
  readonly tone: ToneName
  readonly children: ReactNode
  /** Whether it is a pill, as in the head of a screen. */
  readonly badge?: boolean
}

export const Tone = ({ badge = false, children, tone }: Props) => {
  const ToneIcon = ICONS[tone]
  return (
    <span className="tone" data-tone={tone} {...(badge ? { "data-badge": true } : {})}>
      <ToneIcon size={14} stroke={1.75} aria-hidden />
      <span>{children}</span>
    </span>
  )
}
