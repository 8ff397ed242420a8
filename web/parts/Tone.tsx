/** A word in a colour that says how things stand. The word says it as well, for those who see no colours. */
import type { ReactNode } from "react"

export type ToneName = "good" | "warn" | "bad" | "info" | "quiet"

export const Tone = ({ children, tone }: { readonly tone: ToneName; readonly children: ReactNode }) => (
  <span className="tone" data-tone={tone}>
    {children}
  </span>
)

/** How a state of a device stands. */
export const toneOfState = (state: string): ToneName => {
  if (state === "MANAGED") return "good"
  if (state === "INIT" || state === "DISCOVERED" || state === "DHCP_BOOT") return "info"
  return state === "UNKNOWN" ? "warn" : "quiet"
}

/** How a job's status stands; `outcome` is there when it has ended. */
export const toneOfJob = (status: string, outcome?: string | null): ToneName => {
  if (status === "EXCEPTION" || status === "ABORTED") return "bad"
  if (status === "FINISHED")
    return outcome === undefined || outcome === null || /^success/i.test(outcome) ? "good" : "bad"
  return "info"
}
