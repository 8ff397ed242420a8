/** A client of socket.io like the web client: its received messages, in order. */
import { Effect } from "effect"
import { io, type ManagerOptions, type Socket, type SocketOptions } from "socket.io-client"
import { seconds } from "./Patience.ts"

/** A job, device or sync event, as far as tests look at it. */
export interface Heard {
  readonly job_id?: number
  readonly status?: string
  readonly function_name?: string
  readonly next_job_id?: number
  readonly exception?: string
  readonly message?: string
  readonly action?: string
  readonly device_id?: number
  readonly hostname?: string
  readonly object?: Readonly<Record<string, unknown>>
  readonly syncevent_hostname?: string
  readonly syncevent_data?: { readonly cause: string; readonly by: string; readonly job_id: number | null }
}

type Options = Partial<ManagerOptions & SocketOptions>

/** All rooms that the web client's pages join. */
export const EVERYTHING = [{ update: "device" }, { update: "job" }, { sync: "all" }, { loglevel: "DEBUG" }]

const withTimeout = <A>(what: string, effect: Effect.Effect<A>) =>
  Effect.timeoutOrElse(effect, {
    duration: seconds(30),
    orElse: () => Effect.die(new Error(`${what} does not happen`))
  })

/** Connects; yields the socket, or the text with which it was refused. */
export const attempt = (url: string, options: Options = {}) =>
  Effect.acquireRelease(
    Effect.sync(() => io(url, { forceNew: true, reconnection: false, ...options })),
    (socket) => Effect.sync(() => socket.disconnect())
  ).pipe(
    Effect.flatMap((socket) =>
      withTimeout(
        "A connection",
        Effect.callback<Socket | string>((resume) => {
          socket.once("connect", () => resume(Effect.succeed(socket)))
          socket.once("connect_error", ({ message }) => resume(Effect.succeed(message)))
        })
      )
    )
  )

/** Sends a message; yields what the server acknowledges. */
export const ask = (socket: Socket, message: unknown) =>
  withTimeout(
    "An acknowledgement",
    Effect.callback<unknown>((resume) => {
      socket.emit("events", message, (answer: unknown) => resume(Effect.succeed(answer)))
    })
  )

/** Connects and joins rooms; receives everything from then on, until the scope closes. */
export const listen = Effect.fnUntraced(function* (
  url: string,
  messages: ReadonlyArray<unknown> = EVERYTHING,
  options: Options = {}
) {
  const socket = yield* attempt(url, options)
  if (typeof socket === "string") return yield* Effect.die(new Error(socket))
  const events: Array<Heard> = []
  const lines: Array<string> = []
  socket.on(
    "events",
    (heard: Heard | string) => void (typeof heard === "string" ? lines.push(heard) : events.push(heard))
  )
  for (const message of messages) yield* ask(socket, message)

  /** Waits until the condition holds. */
  const until = (what: string, condition: () => boolean) =>
    withTimeout(what, Effect.asVoid(Effect.repeat(Effect.sleep(10), { until: condition })))

  return {
    socket,
    events,
    lines,
    until,
    /** Waits for the last event of a job. */
    untilEnd: (id: number) =>
      until(`The end of job ${id}`, () => events.some(({ job_id, status }) => job_id === id && status !== "RUNNING"))
  }
})

export type Listening = Effect.Success<ReturnType<typeof listen>>

/** Events as short sentences: `job 3 RUNNING sync_devices`, `UPDATED acc1`, `sync acc1 refresh_settings`. */
export const sentence = ({
  action,
  function_name,
  hostname,
  job_id,
  status,
  syncevent_data,
  syncevent_hostname
}: Heard) => {
  if (job_id !== undefined) return ["job", job_id, status, function_name].filter((word) => word !== undefined).join(" ")
  if (syncevent_hostname !== undefined) return `sync ${syncevent_hostname} ${syncevent_data?.cause}`
  return `${action} ${hostname}`
}
