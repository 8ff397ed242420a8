/**
 * What clients of socket.io hear (docs/events.md#socketio): events of the log and lines, in their order, each written once for all who may
 * hear it. Follows the log while somebody is connected. Who may hear everything waits for nobody; the others wait until it was found out
 * whether they may hear of a device or a job.
 */
import { Context, Effect, Layer, Queue, RcRef, Schedule, type Scope } from "effect"
import type { SqlError } from "effect/sql"
import type { Identity } from "../../domain/access/Identity.ts"
import { lineText } from "../../runtime/Logging.ts"
import { LiveFeed, type LiveItem } from "../../runtime/LiveFeed.ts"
import { failingWithoutDatabase } from "../../store/DatabaseClient.ts"
import { EventFeed } from "../EventFeed.ts"
import { makeHearing } from "../Hearing.ts"
import { type ConnectedCaller, makeConnectedCallers } from "./Callers.ts"
import { type Withdrawn, withdrawnBy } from "./Withdrawals.ts"
import { socketPayload, type SocketPayload } from "./Payloads.ts"
import { type Room, roomsOfLine } from "./Rooms.ts"

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
export interface Wires {
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

const make = Effect.gen(function* () {
  const feed = yield* EventFeed
  const told = yield* LiveFeed
  const hearing = yield* makeHearing
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

  return SocketBridge.of({
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
  })
})

/** Tells connected clients what happens. */
export class SocketBridge extends Context.Service<
  SocketBridge,
  {
    /** From now on these are the connections. */
    readonly sendBy: (wires: Wires) => Effect.Effect<void>
    /** How many connections there are now: for metrics. */
    readonly connections: () => number
    /** Somebody is connected until the scope closes; all that happens from now on is heard. Yields the names of their rooms. */
    readonly connected: (identity: Identity) => Effect.Effect<(room: Room) => string, SqlError.SqlError, Scope.Scope>
  }
>()("switchyard/events/socket/SocketBridge") {
  static readonly layer = Layer.effect(SocketBridge, make)
}
