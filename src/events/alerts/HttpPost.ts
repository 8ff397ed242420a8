/**
 * One POST to a receiver (docs/alerts.md#delivery). The receiver decides nothing here: it is not followed elsewhere, what it answers is read up
 * to a bound, and it has a bounded time.
 */
import { Effect } from "effect"
import { retryAfter } from "../../domain/events/alerts/Backoff.ts"
import { askedFirst } from "../../runtime/NameLookup.ts"
import type { Attempt } from "./Attempt.ts"

/** What is sent. */
export interface Post {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const MAX_ANSWER = 2048

/** The begin of what a receiver answers; an answer without an end is left. */
const beginOf = async ({ body }: Response): Promise<string> => {
  if (body === null) return ""
  const reader = body.getReader()
  const chunks: Array<Uint8Array> = []
  let size = 0
  try {
    while (size < MAX_ANSWER) {
      const { done, value } = await reader.read()
      if (done) break
      chunks.push(value)
      size += value.length
    }
  } catch {
    // what came before counts
  } finally {
    reader.cancel().catch(() => undefined)
  }
  return Buffer.concat(chunks).subarray(0, MAX_ANSWER).toString()
}

/** Why there was no answer, without the URL, which may be a secret. */
const reasonOf = (error: unknown): string => {
  const cause: unknown = error instanceof Error ? error.cause : undefined
  for (const found of [cause, error]) {
    if (found instanceof Error && "code" in found && typeof found.code === "string") return found.code
  }
  return cause instanceof Error ? cause.name : "the connection failed"
}

const ANSWER_TIME = 500

/** Sends it; milliseconds are what all of it may take. */
export const post = ({ body, headers, url }: Post, timeout: number): Effect.Effect<Attempt> =>
  Effect.promise(async (signal): Promise<Attempt> => {
    const until = AbortSignal.any([signal, AbortSignal.timeout(timeout)])
    try {
      await askedFirst(url)
      const response = await fetch(url, { method: "POST", headers, body, redirect: "manual", signal: until })
      const { status } = response
      // what has been taken stays taken, however slowly it is talked about
      const late = new Promise<string>((resolve) =>
        setTimeout(() => resolve(""), response.ok ? ANSWER_TIME : timeout).unref()
      )
      const text = await Promise.race([beginOf(response), late])
      const answer = text.trim() === "" ? String(status) : `${status}: ${text.trim()}`
      if (response.ok) return { _tag: "Sent", answer }
      if (status === 410) return { _tag: "Refused", answer: `${answer} (it wants no more)` }
      return { _tag: "Failed", answer, retryAfter: retryAfter(response.headers.get("retry-after"), Date.now()) }
    } catch (error) {
      const answer = until.aborted ? `it did not answer within ${timeout / 1000} seconds` : reasonOf(error)
      return { _tag: "Failed", answer, retryAfter: null }
    }
  })
