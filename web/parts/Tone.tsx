/** A word in a colour that shows a standing. The word alone says it too, for users who see no colours. */
import type { ReactNode } from "react"
import type { ToneName } from "./tones.ts"

export const Tone = ({ children, tone }: { readonly tone: ToneName; readonly children: ReactNode }) => (
  <span className="tone" data-tone={tone}>
    {children}
  </span>
)
