/**
 * One POST to a receiver (docs/alerts.md#delivery). The receiver decides nothing here: it is not followed elsewhere, what it answers is read up
 * to a bound, and it has a bounded time.
 */
import { Effect } from "effect"
import type { IncomingMessage } from "node:http"
import { retryAfter } from "../../domain/events/alerts/Receiver.ts"
import * as OutboundFetch from "../../runtime/OutboundFetch.ts"
import type { OutboundGuard } from "../../runtime/OutboundHosts.ts"
import { type Attempt, failed } from "./Attempt.ts"

/** What is sent. */
export interface Post {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const MAX_ANSWER = 2048

/** The begin of what a receiver answers; an answer without an end is left. */
const beginOf = async (response: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  let size = 0
  try {
    for await (const chunk of response) {
      if (!Buffer.isBuffer(chunk)) continue
      chunks.push(chunk)
      size += chunk.length
      if (size >= MAX_ANSWER) break
    }
  } catch {
    // what came before counts
  }
  return Buffer.concat(chunks).subarray(0, MAX_ANSWER).toString()
}

const ANSWER_TIME = 500

const isOk = (status: number): boolean => status >= 200 && status < 300

const attemptOf = (response: IncomingMessage, timeout: number) =>
  Effect.promise(async (): Promise<Attempt> => {
    const status = response.statusCode ?? 0
    // what has been taken stays taken, however slowly it is talked about
    const late = new Promise<string>((resolve) =>
      setTimeout(() => resolve(""), isOk(status) ? ANSWER_TIME : timeout).unref()
    )
    const text = await Promise.race([beginOf(response), late])
    const answer = text.trim() === "" ? String(status) : `${status}: ${text.trim()}`
    if (isOk(status)) return { _tag: "Sent", answer }
    if (status === 410) return { _tag: "Refused", answer: `${answer} (it wants no more)` }
    return { _tag: "Failed", answer, retryAfter: retryAfter(response.headers["retry-after"] ?? null, Date.now()) }
  })

/** Sends it to where the guard lets it; milliseconds are what all of it may take. The URL, which may be a secret, is not told. */
export const post = ({ body, headers, url }: Post, guard: OutboundGuard, timeout: number): Effect.Effect<Attempt> =>
  Effect.flatMap(
    OutboundFetch.open(url, { method: "POST", headers, body, verifyTls: true, guard, idleSeconds: timeout / 1000 }),
    (response) => attemptOf(response, timeout)
  ).pipe(
    Effect.scoped,
    Effect.catchTags({
      // somebody may name the host meanwhile
      OutboundRefused: ({ isHost, message }) =>
        Effect.succeed(failed(isHost ? message : "its certificate is not accepted")),
      OwnFault: ({ message }) => Effect.succeed(failed(message)),
      OutboundAway: ({ code }) => Effect.succeed(failed(code ?? "the connection failed"))
    }),
    Effect.timeoutOrElse({
      duration: timeout,
      orElse: () => Effect.succeed(failed(`it did not answer within ${timeout / 1000} seconds`))
    })
  )
