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
  | { readonly type: "state"; readonly connected: true }
  /** `retryAt`: the next attempt, in milliseconds since 1970. */
  | { readonly type: "state"; readonly connected: false; readonly retryAt: number }
  | { readonly type: "gap" }

/** The event, and the message between tabs, that ends a pause. */
const NOW = "now"

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

/** Ends early when the signal or `hurry` does. */
const pause = (milliseconds: number, signal: AbortSignal, hurry: EventTarget) =>
  new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener("abort", end)
      hurry.removeEventListener(NOW, end)
      resolve()
    }
    const timer = setTimeout(end, milliseconds)
    signal.addEventListener("abort", end)
    hurry.addEventListener(NOW, end)
  })

/** Follows without end, with longer pauses while the server is unreachable. */
const followForEver = async (receive: (news: StreamNews) => void, signal: AbortSignal, hurry: EventTarget) => {
  let position: string | null = null
  let wait: number = PATIENCE.first
  while (!signal.aborted) {
    const began = performance.now()
    position = await follow(receive, position, signal)
    if (signal.aborted) return
    wait = performance.now() - began > 5000 ? PATIENCE.first : Math.min(wait * 2, PATIENCE.longest)
    receive({ type: "state", connected: false, retryAt: Date.now() + wait })
    await pause(wait, signal, hurry)
    // without a number to resume from, the missed events are unknown
    if (position === null) receive({ type: "gap" })
  }
}

/** A stream that is followed. */
export interface Listening {
  /** Ends the pause before the next attempt. */
  readonly tryNow: () => void
  readonly stop: () => void
}

/** Receives the events of the tab that holds the stream; this tab holds it if no other does. */
export const listen = (receive: (news: StreamNews) => void): Listening => {
  const ended = new AbortController()
  const hurry = new EventTarget()
  const channel = new BroadcastChannel("switchyard.events")
  channel.addEventListener("message", ({ data }: MessageEvent<StreamNews | typeof NOW>) => {
    if (data === NOW) hurry.dispatchEvent(new Event(NOW))
    else receive(data)
  })
  const broadcast = (news: StreamNews) => {
    if (ended.signal.aborted) return
    channel.postMessage(news)
    receive(news)
  }
  const own = () => followForEver(broadcast, ended.signal, hurry)
  // browsers give locks to encrypted pages and to localhost; elsewhere each tab has a stream
  const held =
    "locks" in navigator ? navigator.locks.request("switchyard.events", { signal: ended.signal }, own) : own()
  held.catch((cause: unknown) => {
    if (!ended.signal.aborted) throw cause
  })
  return {
    tryNow: () => {
      channel.postMessage(NOW)
      hurry.dispatchEvent(new Event(NOW))
    },
    stop: () => {
      ended.abort()
      channel.close()
    }
  }
}
