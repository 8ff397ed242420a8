/** A word in a colour that says how things stand. The word says it as well, for those who see no colours. */
import type { ReactNode } from "react"
import type { ToneName } from "./tones.ts"

export const Tone = ({ children, tone }: { readonly tone: ToneName; readonly children: ReactNode }) => (
  <span className="tone" data-tone={tone}>
    {children}
  </span>
)
