/**
 * The feed of socket.io clients (docs/events.md#socketio): events of the log and log lines, in their order, each encoded once for all clients that
 * may receive it. Follows the log while a client is connected. Clients with all rights get everything at once; for the others, an event
 * waits until it is known whether they may see its device or job.
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
// A token that ends in another way is found by looking at it again (`http/socket/SocketServer.ts`). Pure.

/** A program whose token was revoked, a user who is not as before, or a person with all that is theirs. */
type Withdrawn = Pick<Identity, "name" | "way"> | Pick<Identity, "person">

/** Whom an event takes the token; null for any other event. */
const withdrawnBy = ({ action, data, kind }: Pick<LiveEvent, "action" | "data" | "kind">): Withdrawn | null => {
  const { name, person } = data
  if (kind === "person") return action === "withdrawn" && typeof person === "string" ? { person } : null
  if (typeof name !== "string") return null
  if (kind === "token" && action === "revoked") return { name, way: "token" }
  return kind === "user" && action !== "created" ? { name, way: "password" } : null
}

// Subscriptions of socket.io clients, and the rooms that they join by them (docs/events.md#socketio).

export type Room = UpdateRoom | LiveLevel

/** Rooms by the key of a message and its value. */
const ROOMS: Readonly<Record<string, Readonly<Record<string, Room>>>> = {
  update: { device: "update_device", job: "update_job" },
  loglevel: Object.fromEntries(liveLevels.map((level) => [level, level])),
  sync: { all: "sync" }
}

const own = <A>(record: Readonly<Record<string, A>>, key: string): A | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined

/** The room that a message asks for: it has one of the keys, with a value that there is. Undefined for anything else. */
export const roomOf = (message: unknown): Room | undefined => {
  if (!isObject(message)) return undefined
  const [key, ...more] = Object.keys(ROOMS).filter((name) => Object.hasOwn(message, name))
  const value = key === undefined ? undefined : message[key]
  if (key === undefined || more.length > 0 || typeof value !== "string") return undefined
  return own(ROOMS[key] ?? {}, value)
}

/** The rooms that hear a line of this level: those of its own level and of all below. */
export const roomsOfLine = (level: LiveLevel): ReadonlyArray<Room> => liveLevels.slice(0, liveLevels.indexOf(level) + 1)

// Events of the log as socket.io clients know them (docs/events.md#socketio): the room and the payload of each event. Kinds that these
// clients do not know, such as a scheduled job or a step of a change, are not sent.

/** Rooms of what is stored; those of log lines are their levels. */
type UpdateRoom = "update_device" | "update_job" | "sync"

/** What the room hears, and what it is about: a job, or the device of this name. */
interface SocketPayload {
  readonly room: UpdateRoom
  readonly about: { readonly job: number } | { readonly hostname: string; readonly record: LiveEvent["object"] }
  readonly payload: Readonly<Record<string, unknown>>
}

type Data = LiveEvent["data"]

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

/** The key with its value, when there is one. */
const given = (key: string, value: unknown) => (value === undefined || value === null ? {} : { [key]: value })

const DEVICE_ACTIONS: ReadonlyMap<string, string> = new Map([
  ["created", "CREATED"],
  ["updated", "UPDATED"],
  ["state", "UPDATED"],
  ["deleted", "DELETED"]
])

const ofDevice = ({ action, object }: LiveEvent): SocketPayload | null => {
  const told = DEVICE_ACTIONS.get(action)
  const { hostname, id } = object ?? {}
  if (told === undefined || object === null || typeof hostname !== "string") return null
  return {
    room: "update_device",
    about: { hostname, record: object },
    payload: { action: told, device_id: id, hostname, object }
  }
}

/** What a job's end tells beside its number and status. */
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
    // one that runs is told of when it has ended
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

/** What clients hear of an event; null for one that they do not know. */
export const socketPayload = (event: LiveEvent): SocketPayload | null => READERS.get(event.kind)?.(event) ?? null

/** How long what a caller may hear counts. */
const KEPT = "1 second"
/** Milliseconds that the answer counts whether a caller may hear the lines of a job. */
const LINES_KEPT = 1000
/** Things that wait for those who do not hear everything; more are not told to them. */
const MAX_WAITING = 20_000
const MAX_ANSWERS = 5_000

/** After which it is known everywhere that a token was revoked, so that who is cut off does not come in again by it. */
const KNOWN_AFTER = "750 millis"

/** The connections. */
interface Wires {
  /** Sends a payload to everybody in one of these rooms. */
  readonly emit: (rooms: ReadonlyArray<string>, payload: unknown) => void
  /** Ends the connections of somebody. */
  readonly cutOff: (somebody: Withdrawn) => void
}

/** Something to be told, and what it is about: `line` for a line of the log, which may be of a job. */
interface Telling {
  readonly rooms: ReadonlyArray<Room>
  readonly payload: unknown
  readonly about: SocketPayload["about"] | { readonly line: number | null }
}

const tellingOf = (found: SocketPayload): Telling => ({ ...found, rooms: [found.room] })

const roomsOf = (callers: ReadonlyArray<ConnectedCaller>, rooms: ReadonlyArray<Room>): ReadonlyArray<string> =>
  callers.flatMap(({ key }) => rooms.map((room) => `${key}:${room}`))

/** The connections of socket.io clients, with their feed. */
export const makeSocketBridge = Effect.gen(function* () {
  const feed = yield* EventFeed
  const told = yield* LiveFeed
  const hearing = yield* makeEventAccess
  const callers = makeConnectedCallers(hearing.of)
  const waiting = yield* Queue.sliding<Telling>(MAX_WAITING)
  const withdrawals = yield* Queue.unbounded<Withdrawn>()
  let wires: Wires = { emit: () => {}, cutOff: () => {} }

  const tell = (telling: Telling) => {
    wires.emit(roomsOf(callers.unlimited(), telling.rooms), telling.payload)
    if (callers.limited().length > 0) Queue.offerUnsafe(waiting, telling)
  }

  const hearThing = (thing: LiveItem) => {
    if (thing.kind !== "log") return
    tell({ rooms: roomsOfLine(thing.level), payload: lineText(thing), about: { line: thing.job } })
  }

  /** Whether callers may hear the lines of jobs; asked again after a while. */
  const answers = new Map<string, { readonly may: boolean; readonly at: number }>()
  const mayHearLines = Effect.fnUntraced(function* (job: number, caller: ConnectedCaller) {
    const key = `${caller.key} ${job}`
    const now = performance.now()
    const known = answers.get(key)
    if (known !== undefined && now - known.at < LINES_KEPT) return known.may
    const may = yield* hearing.ofJob(job, caller.hearing)
    if (answers.size >= MAX_ANSWERS) answers.clear()
    answers.set(key, { may, at: now })
    return may
  })

  const mayHear = Effect.fnUntraced(function* (about: Telling["about"], limited: ReadonlyArray<ConnectedCaller>) {
    if ("job" in about) return yield* Effect.filter(limited, (caller) => hearing.ofJob(about.job, caller.hearing))
    if ("line" in about) {
      const { line } = about
      return line === null ? [] : yield* Effect.filter(limited, (caller) => mayHearLines(line, caller))
    }
    const isHeardBy = yield* hearing.ofDevice(about.hostname, about.record)
    return limited.filter((caller) => isHeardBy(caller.hearing))
  })

  const tellLimited = Effect.fnUntraced(function* ({ about, payload, rooms }: Telling) {
    const may = yield* mayHear(about, callers.limited())
    yield* Effect.sync(() => wires.emit(roomsOf(may, rooms), payload))
  })

  yield* Queue.take(waiting).pipe(
    Effect.flatMap((telling) =>
      Effect.catchCause(failingWithoutDatabase(tellLimited(telling)), (cause) =>
        Effect.logWarning("Somebody could not be told of an event", cause)
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

  /** Follows everything while somebody is connected, and for a moment longer. */
  const following = yield* RcRef.make({
    idleTimeToLive: "5 seconds",
    acquire: Effect.gen(function* () {
      yield* feed.follow((events) => {
        for (const event of events) {
          const found = socketPayload(event)
          if (found !== null) tell(tellingOf(found))
          const withdrawn = withdrawnBy(event)
          if (withdrawn !== null) Queue.offerUnsafe(withdrawals, withdrawn)
        }
      })
      yield* told.listen(hearThing)
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
  /** From now on these are the connections. */
  readonly sendBy: (wires: Wires) => Effect.Effect<void>
  /** How many connections there are now: for metrics. */
  readonly connections: () => number
  /** Somebody is connected until the scope closes; all that happens from now on is heard. Yields the names of their rooms. */
  readonly connected: (identity: Identity) => Effect.Effect<(room: Room) => string, SqlError.SqlError, Scope.Scope>
}
