/** Tones of words and drawings, and what states of devices and jobs have. Pure. */

export type ToneName = "good" | "warn" | "bad" | "info" | "quiet"

/** How a state of a device stands. */
export const toneOfState = (state: string): ToneName => {
  if (state === "MANAGED") return "good"
  if (state === "INIT" || state === "DISCOVERED" || state === "DHCP_BOOT") return "info"
  return state === "UNKNOWN" ? "warn" : "quiet"
}

/** How a job's status stands; `outcome` is there when it has ended. */
export const toneOfJob = (status: string, outcome?: string | null): ToneName => {
  if (status === "EXCEPTION" || status === "ABORTED") return "bad"
  if (status !== "FINISHED") return "info"
  return outcome === undefined || outcome === null || outcome === "success" ? "good" : "bad"
}
