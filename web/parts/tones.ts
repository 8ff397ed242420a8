/** The tones of words and drawings, and those of device states and job statuses. Pure. */

/** `info` moves by itself; `wait` needs a person. */
export type ToneName = "good" | "warn" | "bad" | "info" | "wait" | "quiet"

/** The tone of a device state. */
export const toneOfState = (state: string): ToneName => {
  if (state === "MANAGED") return "good"
  if (state === "INIT" || state === "DISCOVERED" || state === "DHCP_BOOT") return "info"
  return state === "UNKNOWN" ? "warn" : "quiet"
}

/** The tone of a job status; `outcome` is given once the job has ended. */
export const toneOfJob = (status: string, outcome?: string | null): ToneName => {
  if (status === "EXCEPTION" || status === "ABORTED") return "bad"
  if (status !== "FINISHED") return "info"
  return outcome === undefined || outcome === null || outcome === "success" ? "good" : "bad"
}
