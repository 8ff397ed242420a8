/** Renders a moment after the last key; an answer to an older text is dropped. */
import { useDebouncedValue } from "@mantine/hooks"
import { useEffect, useState } from "react"
import { ask } from "../../api/call.ts"
import type { Data } from "../../../src/api/Calls.ts"

export interface Trial {
  readonly text: string
  readonly template?: string
  readonly whole?: boolean
}

export type TrialResult = Data<"POST /device/:hostname/render">

const PAUSE = 400

const isAbort = (cause: unknown): boolean => cause instanceof DOMException && cause.name === "AbortError"

export const useTrial = (hostname: string, trial: Trial) => {
  const body = JSON.stringify(trial)
  const [asked] = useDebouncedValue(body, PAUSE)
  const [result, setResult] = useState<TrialResult | null>(null)
  const [error, setError] = useState<unknown>(null)
  const [isWaiting, setWaiting] = useState(false)
  const [round, setRound] = useState(0)
  useEffect(() => {
    const stopped = new AbortController()
    setWaiting(true)
    const wanted: unknown = JSON.parse(asked)
    ask("POST /device/:hostname/render", { params: { hostname }, body: wanted, signal: stopped.signal })
      .then(({ answer }) => {
        setResult(answer.data)
        setError(null)
        setWaiting(false)
      })
      .catch((cause: unknown) => {
        if (isAbort(cause)) return
        setError(cause)
        setWaiting(false)
      })
    return () => stopped.abort()
  }, [hostname, asked, round])
  return { result, error, isWaiting, again: () => setRound(round + 1) }
}
