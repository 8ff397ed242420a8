/** The earlier name of `StatusWord`. */
import type { ReactNode } from "react"
import { StatusBadge } from "./StatusBadge.tsx"
import { StatusWord } from "./StatusWord.tsx"
import type { ToneName } from "./tones.ts"

interface Props {
  readonly tone: ToneName
  readonly children: ReactNode
  readonly badge?: boolean
}

export const Tone = ({ badge = false, ...status }: Props) =>
  badge ? <StatusBadge {...status} /> : <StatusWord {...status} />
