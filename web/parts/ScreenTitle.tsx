/** The earlier name of `PageHead`. */
import type { ReactNode } from "react"
import { PageHead } from "./PageHead.tsx"

interface Props {
  readonly children: string
  readonly aside?: ReactNode
}

export const ScreenTitle = ({ aside, children }: Props) => <PageHead title={children} actions={aside} />
