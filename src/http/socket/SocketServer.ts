/**
 * socket.io for the web client and other programs (docs/events.md#socketio): one server of the library for all ports of this process, under
 * `/socket.io/`. Who connects is asked for when the client joins the namespace, and again every few seconds,
 * so that a connection ends with its token; then it joins rooms by messages.
 */
import { Cause, Clock, Duration, Effect, Exit, Layer, Option, Schedule, Scope } from "effect"
import * as http from "node:http"
import type { Duplex } from "node:stream"
import { Server, type Socket } from "socket.io"
import type { Identity } from "../../domain/access/Identity.ts"
import { type Room, roomOf, SocketBridge } from "../../events/SocketBridge.ts"
import { eventSubscribers } from "../../runtime/metrics/EventMetrics.ts"
import { ServerConfig, type ServerSettings } from "../../ServerConfig.ts"
import { makeSocketAdmission } from "./SocketAdmission.ts"
import { StreamTimes } from "../core/OpenStreams.ts"
import { Mounts } from "../core/Listening.ts"
import { dataSecurityHeaders } from "../core/GlobalMiddleware.ts"

// One connection of socket.io: kept within bounds (docs/events.md#limits), so that who sends too many messages, or does not fetch what is
// told, is cut off and may come again; and told with few writes.

/** Packets that somebody may send at once, and in a second. */
const BURST = 100
const PER_SECOND = 20
/** Packets that may wait to be fetched. Their texts are shared by all who are told. */
const MAX_WAITING = 25_000

type Connection = Socket["conn"]

/** Watches a connection until it closes. */
export const keepWithinBounds = (connection: Connection): void => {
  let left = BURST
  let at = performance.now()
  let waiting = 0
  // the client sees that the transport has closed, and connects again
  const cutOff = () => connection.close(true)

  connection.on("packet", () => {
    const now = performance.now()
    left = Math.min(BURST, left + ((now - at) * PER_SECOND) / 1000) - 1
    at = now
    if (left < 0) cutOff()
  })
  connection.on("packetCreate", () => {
    waiting += 1
    if (waiting > MAX_WAITING) cutOff()
  })
  connection.on("flush", (packets) => {
    waiting = Math.max(0, waiting - packets.length)
  })
}

/**
 * Sends what is told in one moment at once: the library sends the first packet by itself, and a client that fetches what it hears by
 * requests had to come twice for each moment.
 */
export const gatherPackets = (connection: Connection): void => {
  connection.on("packetCreate", () => {
    const { transport } = connection
    if (!transport.writable || connection.readyState !== "open") return
    transport.writable = false
    process.nextTick(() => {
      transport.writable = true
      transport.emit("ready")
    })
  })
}

/**
 * Writes the frames of one moment at once: with hundreds of clients a system call for each was most of the work. `upgraded` finds the wire of
 * a connection that has become a websocket, by the connection's id.
 */
export const gatherFrames = (connection: Connection, upgraded: (id: string) => Duplex | undefined): void => {
  const { name, sid } = connection.transport
  let wire: Duplex | undefined = name === "websocket" ? connection.request.socket : undefined
  let isGathering = false
  connection.on("upgrade", () => {
    wire = upgraded(sid)
  })
  connection.on("flush", () => {
    const current = wire
    if (current === undefined || isGathering) return
    isGathering = true
    current.cork()
    process.nextTick(() => {
      isGathering = false
      current.uncork()
    })
  })
}

const PATH = "/socket.io/"
const REFUSED = "Connection rejected by server"
/** Messages are a few words; in bytes. */
const MAX_MESSAGE = 16_384
/** Milliseconds within which a client that has connected joins the namespace. */
const JOIN_TIMEOUT = 10_000

/** Milliseconds after which it is asked again whether the tokens of those who are connected still count. */
const LOOK_AGAIN = 5000

/** What a client sends and hears; both are called `events`. */
interface Events {
  readonly events: (...message: ReadonlyArray<unknown>) => void
}
/** The names of the rooms of whoever is connected. */
interface Joined {
  rooms?: (room: Room) => string
  caller?: Identity
}
type LiveServer = Server<Events, Events, Record<string, never>, Joined>
type LiveSocket = Socket<Events, Events, Record<string, never>, Joined>

const corsOf = ({ ALLOWED_ORIGINS }: Pick<ServerSettings, "ALLOWED_ORIGINS">) =>
  ALLOWED_ORIGINS.length === 0 ? { origin: true } : { origin: [...ALLOWED_ORIGINS], credentials: true }

/** A client joins the room that it asks for; an acknowledgement says whether there is one. */
const hearMessages = (socket: LiveSocket): void => {
  socket.on("events", (...message) => {
    const answer = message.at(-1)
    const room = roomOf(message[0])
    const name = room === undefined ? undefined : socket.data.rooms?.(room)
    if (name !== undefined) void socket.join(name)
    if (typeof answer === "function") answer(name !== undefined)
  })
}

/** Does something when a socket has gone, in whichever way. */
const whenGone = (socket: LiveSocket, then: () => void): void => {
  if (socket.conn.readyState !== "open") {
    then()
    return
  }
  const gone = () => {
    socket.off("disconnect", gone)
    socket.conn.off("close", gone)
    then()
  }
  socket.once("disconnect", gone)
  socket.conn.once("close", gone)
}

const make = Effect.gen(function* () {
  const config = yield* ServerConfig
  const bridge = yield* SocketBridge
  const admission = yield* makeSocketAdmission
  const clock = yield* Clock.Clock
  const fork = Effect.runForkWith(yield* Effect.context<never>())

  /** The persons of sockets, from the moment in which they are let in: the library knows of them later, and many can come at once. */
  const persons = new Map<LiveSocket, string>()

  /** Somebody hears what happens until their socket has gone. */
  const letIn = Effect.fnUntraced(function* (socket: LiveSocket, caller: Identity) {
    if (!admission.mayJoin(caller, [...persons.values()])) return new Error(REFUSED)
    persons.set(socket, caller.person)
    whenGone(socket, () => void persons.delete(socket))
    const scope = yield* Scope.make()
    socket.data.caller = caller
    socket.data.rooms = yield* bridge.connected(caller).pipe(
      Scope.provide(scope),
      Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
    )
    whenGone(socket, () => void fork(Scope.close(scope, Exit.void)))
    return undefined
  })

  const admit = (socket: LiveSocket, next: (error?: Error) => void) =>
    admission.callerOf(socket.request, socket.handshake.query["jwt"]).pipe(
      Effect.flatMap((caller) => (caller === null ? Effect.succeed(new Error(REFUSED)) : letIn(socket, caller))),
      Effect.map((refusal) => next(refusal)),
      // who cannot be asked for now comes again by itself when the connection is cut
      Effect.catchCause((cause) =>
        Effect.andThen(
          Effect.logWarning("A client of socket.io could not be let in", Cause.squash(cause)),
          Effect.sync(() => socket.conn.close())
        )
      )
    )

  /** Those that have asked to join. */
  const joining = new WeakSet<Socket["conn"]>()
  /** Each connection joins once; the library itself sees to that only when the first has been let in. */
  const connect = (socket: LiveSocket, next: (error?: Error) => void): void => {
    if (joining.has(socket.conn)) socket.conn.close(true)
    else {
      joining.add(socket.conn)
      void fork(admit(socket, next))
    }
  }

  /** The wires of connections that became websockets later, by their ids. */
  const wires = new Map<string, Duplex>()
  const inner = http.createServer().on("upgrade", ({ url = "" }, wire: Duplex) => {
    const id = new URLSearchParams(url.split("?", 2)[1]).get("sid")
    if (id === null) return
    wires.set(id, wire)
    wire.once("close", () => (wires.get(id) === wire ? wires.delete(id) : false))
  })
  const io: LiveServer = new Server(inner, {
    path: PATH,
    serveClient: false,
    transports: ["polling", "websocket"],
    maxHttpBufferSize: MAX_MESSAGE,
    connectTimeout: JOIN_TIMEOUT,
    cors: corsOf(config),
    allowRequest: (request, answer) => {
      const refusal = admission.refusalOf(request, clock.currentTimeMillisUnsafe())
      answer(refusal, refusal === undefined)
    }
  })
  io.engine.use((_request: unknown, response: http.ServerResponse, next: () => void) => {
    for (const [name, value] of Object.entries(dataSecurityHeaders)) response.setHeader(name, value)
    next()
  })
  io.engine.on("connection", (connection: Socket["conn"]) => {
    connection.once("close", admission.count(connection.request))
    eventSubscribers.add(1, "socket")
    connection.once("close", () => eventSubscribers.add(-1, "socket"))
    keepWithinBounds(connection)
    gatherPackets(connection)
    gatherFrames(connection, (id) => wires.get(id))
  })
  io.use(connect)
  io.on("connection", hearMessages)
  yield* bridge.sendBy({
    emit: (rooms, payload) => {
      const known = rooms.filter((room) => io.sockets.adapter.rooms.has(room))
      if (known.length > 0) io.to(known).emit("events", payload)
    },
    cutOff: (withdrawn) => {
      for (const { conn, data } of io.sockets.sockets.values()) {
        const { caller } = data
        if (caller === undefined) continue
        const isMeant =
          "person" in withdrawn
            ? caller.person === withdrawn.person
            : caller.name === withdrawn.name && caller.way === withdrawn.way
        if (isMeant) conn.close(true)
      }
    }
  })

  /** Who has another token, or none, is cut off: whoever may come in again does so by themselves. */
  const lookAgain = Effect.gen(function* () {
    for (const { conn, data, handshake, request } of io.sockets.sockets.values()) {
      const { caller } = data
      if (caller === undefined || conn.readyState !== "open") continue
      const found = yield* Effect.option(admission.stillIs(request, handshake.query["jwt"], caller))
      if (Option.getOrElse(found, () => true)) continue
      conn.close(true)
    }
  })
  const { renewal } = yield* StreamTimes
  yield* Effect.forkScoped(Effect.repeat(lookAgain, Schedule.spaced(Duration.millis(Math.min(renewal, LOOK_AGAIN)))))
  return { io, inner }
})

/** Refuses what comes when the server has closed. */
const closedAnswer = (response: http.ServerResponse): void => {
  response.writeHead(503, { connection: "close", "content-type": "application/json" })
  response.end(JSON.stringify({ status: "error", message: "The server stops" }))
}

const serve = Effect.gen(function* () {
  const asides = yield* Mounts
  const { inner, io } = yield* make
  let isClosed = false
  const close = Effect.suspend(() => {
    if (isClosed) return Effect.void
    isClosed = true
    return Effect.promise(() => io.close())
  })
  yield* asides.add({
    path: PATH,
    request: (request, response) => {
      if (isClosed) closedAnswer(response)
      else inner.emit("request", request, response)
    },
    upgrade: (request, socket, head) => {
      if (isClosed) socket.destroy()
      else inner.emit("upgrade", request, socket, head)
    },
    close
  })
})

/** Serves socket.io on the ports of the API. */
export const SocketLive = Layer.effectDiscard(serve)
