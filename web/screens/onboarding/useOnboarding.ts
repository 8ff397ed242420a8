/** The onboarded switches and their distance. They are asked again after events, and often while a switch is read or measured. */
import { useState } from "react"
import type { Data } from "../../../src/api/Calls.ts"
import { useAsk } from "../../api/useAsk.ts"

export type Onboarded = Data<"GET /onboarding">["devices"][number]

/** Kinds of events after which a list, a distance or a proposal may differ. */
const KINDS = ["device", "host_key", "interface", "job", "linknet", "mgmtdomain", "repository", "sync"] as const

/** Milliseconds between two questions, while the server works and while it does not: no event announces a measurement. */
const EVERY = { working: 2000, idle: 30_000 } as const

/** The list and the distance of all. Parts of the screen that call this share the answers. */
export const useOnboarding = () => {
  const [every, setEvery] = useState<number>(EVERY.working)
  const asking = { kinds: KINDS, every, keep: true }
  const list = useAsk("GET /onboarding", {}, asking)
  const distance = useAsk("GET /onboarding/distance", {}, asking)
  const devices = list.data?.answer.data.devices
  const isWorking =
    devices?.some(({ state }) => state === "waiting") !== false || distance.data?.answer.data.is_measuring === true
  const wanted = isWorking ? EVERY.working : EVERY.idle
  if (every !== wanted) setEvery(wanted)
  return { list, distance, every }
}

/** What else may change by the same events. */
export const sameEvents = { kinds: KINDS, keep: true } as const

/** `3.4 %`; a dash before the first measurement. */
export const percent = (value: number | null): string => (value === null ? "–" : `${value}\u00a0%`)
