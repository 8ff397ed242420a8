/** A small reader of server-sent events over `node:http`, which can stop reading, hang up and resume. */
import { Effect } from "effect"
import * as http from "node:http"
import * as https from "node:https"

/** One message; `id` is the number that a client would resume from. */
export interface Message {
  readonly id: string | undefined
  readonly event: string
  // messages differ by their kind, and each test says what it expects of them
  readonly data: Record<string, unknown>
}

export interface Source {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly messages: ReadonlyArray<Message>
  /** The last number that was named, also by messages without data. */
  readonly lastId: () => string | undefined
  /** Whether the answer has ended, or the connection. */
  readonly hasEnded: () => boolean
  /** The answer if it was not a stream. */
  readonly text: () => string
  readonly pause: () => void
  readonly resume: () => void
  readonly hangUp: () => void
}

const fieldOf = (line: string): readonly [name: string, value: string] => {
  const colon = line.indexOf(":")
  return colon < 0 ? [line, ""] : [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, "")]
}

/** Opens a stream; returns when its head has arrived. It is closed with the scope. */
export const openSource = (url: string, headers: Readonly<Record<string, string>> = {}) =>
  Effect.acquireRelease(
    Effect.callback<Source>((resume) => {
      const messages: Array<Message> = []
      let lastId: string | undefined
      let hasEnded = false
      let rest = ""
      let all = ""
      const read = (block: string) => {
        const fields = block.split("\n").map(fieldOf)
        const last = (name: string) => fields.findLast(([found]) => found === name)?.[1]
        lastId = last("id") ?? lastId
        const data = last("data")
        if (data !== undefined)
          messages.push({ id: last("id"), event: last("event") ?? "message", data: JSON.parse(data) })
      }
      // a proxy of a test has a certificate that it has signed itself
      const client = url.startsWith("https:") ? https : http
      const request = client.get(
        url,
        { headers: { accept: "text/event-stream", ...headers }, agent: false, rejectUnauthorized: false },
        (response) => {
          response.setEncoding("utf8")
          response.on("data", (chunk: string) => {
            if (response.statusCode !== 200) all += chunk
            const blocks = (rest + chunk).split("\n\n")
            rest = blocks.pop() ?? ""
            for (const block of blocks) read(block)
          })
          response.on("close", () => (hasEnded = true))
          response.on("error", () => (hasEnded = true))
          resume(
            Effect.succeed({
              status: response.statusCode ?? 0,
              headers: response.headers,
              messages,
              lastId: () => lastId,
              hasEnded: () => hasEnded,
              text: () => all,
              pause: () => void response.pause(),
              resume: () => void response.resume(),
              hangUp: () => void request.destroy()
            })
          )
        }
      )
      request.on("error", (error) => (hasEnded ? undefined : resume(Effect.die(error))))
    }),
    ({ hangUp }) => Effect.sync(hangUp)
  )

/** Waits until the condition holds. */
export const until = (condition: () => boolean) => Effect.repeat(Effect.sleep("10 millis"), { until: condition })
