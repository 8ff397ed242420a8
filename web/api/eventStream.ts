/**
 * The stream of events, read with `fetch` because the browser's own reader cannot send a token. It resumes after the last number that was
 * received. Tabs of one browser share one stream, because a browser opens few connections to a server.
 */
import { type LiveEvent, parseMessages, type StreamMessage } from "../../src/domain/events/Event.ts"
import { renew } from "./session.ts"
import { token } from "./token.ts"

/** An event; events that are not stored (log lines, steps) have no number. */
export type Heard = Pick<LiveEvent, "kind" | "action" | "hostname" | "job_id" | "data"> & { readonly id: number | null }

/** `gap`: events were missed, so the page may be out of date. */
export type StreamNews =
  | { readonly type: "event"; readonly event: Heard }
  | { readonly type: "state"; readonly connected: boolean }
  | { readonly type: "gap" }

const PATIENCE = { first: 500, longest: 15_000 } as const
/** The server sends something at least every 15 seconds; a stream that is silent for longer is dead. */
const SILENCE = 45_000

const eventOf = (message: StreamMessage): Heard | undefined => {
  const data: unknown = JSON.parse(message.data)
  if (typeof data !== "object" || data === null || !("kind" in data) || typeof data.kind !== "string") return undefined
  const at = (key: string): unknown => Reflect.get(data, key)
  const [hostname, job, action, id] = [at("hostname"), at("job_id"), at("action"), at("id")]
  return {
    kind: data.kind,
    action: typeof action === "string" ? action : "",
    hostname: typeof hostname === "string" ? hostname : null,
    job_id: typeof job === "number" ? job : null,
    data: Object.fromEntries(Object.entries(at("data") ?? {})),
    id: typeof id === "number" ? id : null
  }
}

/** Follows one stream until it ends. Returns the number to resume from. */
const follow = async (receive: (news: StreamNews) => void, since: string | null, signal: AbortSignal) => {
  const known = token()
  let position = since
  const silent = new AbortController()
  let timer = setTimeout(() => silent.abort(), SILENCE)
  try {
    const response = await fetch("/api/v1.0/events", {
      headers: {
        accept: "text/event-stream",
        ...(known === null ? {} : { authorization: `Bearer ${known}` }),
        ...(since === null ? {} : { "last-event-id": since })
      },
      signal: AbortSignal.any([signal, silent.signal])
    })
    if (response.status === 401) await renew(known)
    if (!response.ok || response.body === null) return position
    receive({ type: "state", connected: true })
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    let rest = ""
    for (;;) {
      const { done, value = "" } = await reader.read()
      if (done) return position
      clearTimeout(timer)
      timer = setTimeout(() => silent.abort(), SILENCE)
      const parsed = parseMessages(rest + value)
      rest = parsed.rest
      for (const message of parsed.messages) {
        position = message.id ?? position
        if (message.event === "gap" || message.event === "skipped") receive({ type: "gap" })
        const event = message.data === "" ? undefined : eventOf(message)
        if (event !== undefined) receive({ type: "event", event })
      }
    }
  } catch {
    return position
  } finally {
    clearTimeout(timer)
  }
}

const pause = (milliseconds: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, milliseconds)
    signal.addEventListener("abort", () => {
      clearTimeout(timer)
      resolve()
    })
  })

/** Follows without end, with longer pauses while the server is unreachable. */
const followForEver = async (receive: (news: StreamNews) => void, signal: AbortSignal) => {
  let position: string | null = null
  let wait: number = PATIENCE.first
  while (!signal.aborted) {
    const began = performance.now()
    position = await follow(receive, position, signal)
    if (signal.aborted) return
    receive({ type: "state", connected: false })
    wait = performance.now() - began > 5000 ? PATIENCE.first : Math.min(wait * 2, PATIENCE.longest)
    await pause(wait, signal)
    // without a number to resume from, the missed events are unknown
    if (position === null) receive({ type: "gap" })
  }
}

/** Receives the events of the tab that holds the stream; this tab holds it if no other does. Returns a function that stops. */
export const listen = (receive: (news: StreamNews) => void): (() => void) => {
  const ended = new AbortController()
  const channel = new BroadcastChannel("switchyard.events")
  channel.addEventListener("message", ({ data }: MessageEvent<StreamNews>) => receive(data))
  const broadcast = (news: StreamNews) => {
    if (ended.signal.aborted) return
    channel.postMessage(news)
    receive(news)
  }
  const own = () => followForEver(broadcast, ended.signal)
  // browsers give locks to encrypted pages and to localhost; elsewhere each tab has a stream
  const held =
    "locks" in navigator ? navigator.locks.request("switchyard.events", { signal: ended.signal }, own) : own()
  held.catch((cause: unknown) => {
    if (!ended.signal.aborted) throw cause
  })
  return () => {
    ended.abort()
    channel.close()
  }
}
