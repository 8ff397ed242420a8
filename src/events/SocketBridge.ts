/**
 * The feed of socket.io clients (docs/events.md#socketio): events of the log and log lines, in order, each encoded once for all clients that
 * may receive it. Follows the log while a client is connected. Clients with all rights get everything at once; for other clients, an event
 * waits until the check whether they may see its device or job.
 */
import { Effect, Queue, RcRef, Schedule, type Scope } from "effect"
import type { SqlError } from "effect/sql"
import type { Identity } from "../domain/access/Identity.ts"
import { failingWithoutDatabase } from "../store/DatabaseClient.ts"
import { EventFeed } from "./EventFeed.ts"
import { type ConnectedCaller, makeConnectedCallers, makeEventAccess } from "./EventAccess.ts"
import { isObject } from "../domain/fields/Values.ts"
import type { LiveEvent } from "../domain/events/Event.ts"
import { lineText } from "../runtime/Logging.ts"
import { LiveFeed, type LiveItem, type LiveLevel, liveLevels } from "../runtime/LiveFeed.ts"

// Connections that end at once (docs/events.md#socketio): their token was revoked, their user was removed or changed, or their person was withdrawn.
// Other ends of a token are found by repeated checks (`http/socket/SocketServer.ts`). Pure.

/** A program whose token was revoked, a changed or removed user, or a withdrawn person with all connections. */
type Withdrawn = Pick<Identity, "name" | "way"> | Pick<Identity, "person">

/** The callers whose connections this event ends; null for any other event. */
const withdrawnBy = ({ action, data, kind }: Pick<LiveEvent, "action" | "data" | "kind">): Withdrawn | null => {
  const { name, person } = data
  if (kind === "person") return action === "withdrawn" && typeof person === "string" ? { person } : null
  if (typeof name !== "string") return null
  if (kind === "token" && action === "revoked") return { name, way: "token" }
  return kind === "user" && action !== "created" ? { name, way: "password" } : null
}

// Subscriptions of socket.io clients, and the rooms that they join (docs/events.md#socketio).

export type Room = UpdateRoom | LiveLevel

/** Rooms by the key of a message and its value. */
const ROOMS: Readonly<Record<string, Readonly<Record<string, Room>>>> = {
  update: { device: "update_device", job: "update_job" },
  loglevel: Object.fromEntries(liveLevels.map((level) => [level, level])),
  sync: { all: "sync" }
}

const own = <A>(record: Readonly<Record<string, A>>, key: string): A | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined

/** The room that a message requests: it has exactly one known key with a known value. Undefined for any other message. */
export const roomOf = (message: unknown): Room | undefined => {
  if (!isObject(message)) return undefined
  const [key, ...more] = Object.keys(ROOMS).filter((name) => Object.hasOwn(message, name))
  const value = key === undefined ? undefined : message[key]
  if (key === undefined || more.length > 0 || typeof value !== "string") return undefined
  return own(ROOMS[key] ?? {}, value)
}

/** The rooms that receive a line of this level: those of its own level and of all lower levels. */
export const roomsOfLine = (level: LiveLevel): ReadonlyArray<Room> => liveLevels.slice(0, liveLevels.indexOf(level) + 1)

// Events of the log in the format of socket.io clients (docs/events.md#socketio): the room and the payload of each event. Kinds that are not
// part of this format, such as a scheduled job or a step of a change, are not sent.

/** Rooms of stored events; the rooms of log lines are their levels. */
type UpdateRoom = "update_device" | "update_job" | "sync"

/** The payload for a room, and its subject: a job, or the device of this name. */
interface SocketPayload {
  readonly room: UpdateRoom
  readonly about: { readonly job: number } | { readonly hostname: string; readonly record: LiveEvent["object"] }
  readonly payload: Readonly<Record<string, unknown>>
}

type Data = LiveEvent["data"]

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

/** The key with its value, if there is one. */
const given = (key: string, value: unknown) => (value === undefined || value === null ? {} : { [key]: value })

const DEVICE_ACTIONS: ReadonlyMap<string, string> = new Map([
  ["created", "CREATED"],
  ["updated", "UPDATED"],
  ["state", "UPDATED"],
  ["deleted", "DELETED"]
])

const ofDevice = ({ action, object }: LiveEvent): SocketPayload | null => {
  const socketAction = DEVICE_ACTIONS.get(action)
  const { hostname, id } = object ?? {}
  if (socketAction === undefined || object === null || typeof hostname !== "string") return null
  return {
    room: "update_device",
    about: { hostname, record: object },
    payload: { action: socketAction, device_id: id, hostname, object }
  }
}

/** The fields of a job's end in addition to its number and status. */
const endOf = (status: string | undefined, { exception, function: name, next_job_id }: Data) =>
  status === "EXCEPTION"
    ? name === "refresh_repo"
      ? {}
      : { exception: text(exception) ?? "" }
    : given("next_job_id", next_job_id)

const jobKeys = (action: string, data: Data): Readonly<Record<string, unknown>> | null => {
  const status = text(data["status"])
  switch (action) {
    case "running":
      return { function_name: data["function"], ...given("scheduled_by", data["scheduled_by"]) }
    case "ended":
      return endOf(status, data)
    // a running job is reported when it has ended
    case "aborted":
      return status === "ABORTED" ? { message: text(data["reason"]) ?? "" } : null
    default:
      return null
  }
}

const ofJob = ({ action, data, job_id: job }: LiveEvent): SocketPayload | null => {
  const keys = jobKeys(action, data)
  if (keys === null || job === null) return null
  return { room: "update_job", about: { job }, payload: { job_id: job, status: data["status"], ...keys } }
}

const ofSync = ({ data, hostname }: LiveEvent): SocketPayload | null => {
  if (hostname === null || !isObject(data)) return null
  const { by, cause, job_id = null, timestamp } = data
  return {
    room: "sync",
    about: { hostname, record: null },
    payload: { syncevent_hostname: hostname, syncevent_data: { cause, timestamp, by, job_id } }
  }
}

const READERS: ReadonlyMap<string, (event: LiveEvent) => SocketPayload | null> = new Map([
  ["device", ofDevice],
  ["job", ofJob],
  ["sync", ofSync]
])

/** The payload of an event; null for an event outside the format. */
export const socketPayload = (event: LiveEvent): SocketPayload | null => READERS.get(event.kind)?.(event) ?? null

/** The interval at which the access of callers is read again. */
const KEPT = "1 second"
/** Milliseconds for which the check counts whether a caller may receive the lines of a job. */
const LINES_KEPT = 1000
/** The largest number of messages that wait for clients with limited access; further ones are dropped for them. */
const MAX_WAITING = 20_000
const MAX_ANSWERS = 5_000

/** The time after which every replica knows that a token was revoked, so a disconnected client cannot connect again with it. */
const KNOWN_AFTER = "750 millis"

/** The connections. */
interface Wires {
  /** Sends a payload to all clients in these rooms. */
  readonly emit: (rooms: ReadonlyArray<string>, payload: unknown) => void
  /** Ends the connections of these callers. */
  readonly cutOff: (withdrawn: Withdrawn) => void
}

/** A message to be sent, and its subject: `line` for a log line, which may belong to a job. */
interface Outgoing {
  readonly rooms: ReadonlyArray<Room>
  readonly payload: unknown
  readonly about: SocketPayload["about"] | { readonly line: number | null }
}

const outgoingOf = (found: SocketPayload): Outgoing => ({ ...found, rooms: [found.room] })

const roomsOf = (callers: ReadonlyArray<ConnectedCaller>, rooms: ReadonlyArray<Room>): ReadonlyArray<string> =>
  callers.flatMap(({ key }) => rooms.map((room) => `${key}:${room}`))

/** The connections of socket.io clients, with their feed. */
export const makeSocketBridge = Effect.gen(function* () {
  const feed = yield* EventFeed
  const liveFeed = yield* LiveFeed
  const access = yield* makeEventAccess
  const callers = makeConnectedCallers(access.of)
  const waiting = yield* Queue.sliding<Outgoing>(MAX_WAITING)
  const withdrawals = yield* Queue.unbounded<Withdrawn>()
  let wires: Wires = { emit: () => {}, cutOff: () => {} }

  const broadcast = (outgoing: Outgoing) => {
    wires.emit(roomsOf(callers.unlimited(), outgoing.rooms), outgoing.payload)
    if (callers.limited().length > 0) Queue.offerUnsafe(waiting, outgoing)
  }

  const broadcastLine = (item: LiveItem) => {
    if (item.kind !== "log") return
    broadcast({ rooms: roomsOfLine(item.level), payload: lineText(item), about: { line: item.job } })
  }

  /** Whether callers may receive the lines of jobs; checked again after a while. */
  const answers = new Map<string, { readonly may: boolean; readonly at: number }>()
  const mayReceiveLines = Effect.fnUntraced(function* (job: number, caller: ConnectedCaller) {
    const key = `${caller.key} ${job}`
    const now = performance.now()
    const known = answers.get(key)
    if (known !== undefined && now - known.at < LINES_KEPT) return known.may
    const may = yield* access.ofJob(job, caller.access)
    if (answers.size >= MAX_ANSWERS) answers.clear()
    answers.set(key, { may, at: now })
    return may
  })

  const permittedCallers = Effect.fnUntraced(function* (
    about: Outgoing["about"],
    limited: ReadonlyArray<ConnectedCaller>
  ) {
    if ("job" in about) return yield* Effect.filter(limited, (caller) => access.ofJob(about.job, caller.access))
    if ("line" in about) {
      const { line } = about
      return line === null ? [] : yield* Effect.filter(limited, (caller) => mayReceiveLines(line, caller))
    }
    const isPermitted = yield* access.ofDevice(about.hostname, about.record)
    return limited.filter((caller) => isPermitted(caller.access))
  })

  const sendToLimited = Effect.fnUntraced(function* ({ about, payload, rooms }: Outgoing) {
    const may = yield* permittedCallers(about, callers.limited())
    yield* Effect.sync(() => wires.emit(roomsOf(may, rooms), payload))
  })

  yield* Queue.take(waiting).pipe(
    Effect.flatMap((outgoing) =>
      Effect.catchCause(failingWithoutDatabase(sendToLimited(outgoing)), (cause) =>
        Effect.logWarning("An event could not be sent to a client", cause)
      )
    ),
    Effect.forever,
    Effect.forkScoped
  )

  const scope = yield* Effect.scope
  yield* Queue.take(withdrawals).pipe(
    Effect.flatMap((somebody) =>
      Effect.forkIn(
        Effect.delay(
          Effect.sync(() => wires.cutOff(somebody)),
          KNOWN_AFTER
        ),
        scope
      )
    ),
    Effect.forever,
    Effect.forkScoped
  )

  /** Follows log and live feed while a client is connected, and for a moment longer. */
  const following = yield* RcRef.make({
    idleTimeToLive: "5 seconds",
    acquire: Effect.gen(function* () {
      yield* feed.follow((events) => {
        for (const event of events) {
          const found = socketPayload(event)
          if (found !== null) broadcast(outgoingOf(found))
          const withdrawn = withdrawnBy(event)
          if (withdrawn !== null) Queue.offerUnsafe(withdrawals, withdrawn)
        }
      })
      yield* liveFeed.listen(broadcastLine)
      yield* callers.refresh.pipe(
        failingWithoutDatabase,
        Effect.catchCause((cause) => Effect.logDebug("What callers may hear could not be asked", cause)),
        Effect.repeat(Schedule.spaced(KEPT)),
        Effect.forkScoped
      )
    })
  })

  return {
    sendBy: (send) =>
      Effect.sync(() => {
        wires = send
      }),
    connections: callers.connections,
    connected: Effect.fn("SocketBridge.connected")(function* (identity) {
      yield* RcRef.get(following)
      const caller = yield* callers.entered(identity)
      return (room: Room) => `${caller.key}:${room}`
    })
  } satisfies SocketBridge
})

/** The connections of socket.io clients, with their feed. */
export interface SocketBridge {
  /** Sets the connections. */
  readonly sendBy: (wires: Wires) => Effect.Effect<void>
  /** The current number of connections, for metrics. */
  readonly connections: () => number
  /** Registers a connection of a caller until the scope closes; the caller receives all later events. Yields a function for room names. */
  readonly connected: (identity: Identity) => Effect.Effect<(room: Room) => string, SqlError.SqlError, Scope.Scope>
}
