/**
 * socket.io for the web client and other programs (docs/events.md#socketio): one server of the library for all ports, under `/socket.io/`.
 * The caller is checked when the client joins the namespace and every few seconds, so that a connection ends with its token. Then the
 * client joins rooms by messages.
 */
import { Cause, Clock, Duration, Effect, Exit, Layer, Option, Schedule, Scope } from "effect"
import * as http from "node:http"
import type { Duplex } from "node:stream"
import { Server, type Socket } from "socket.io"
import type { Identity } from "../../domain/access/Identity.ts"
import { eventSubscribers } from "../../runtime/metrics/Metrics.ts"
import { ServerConfig, type ServerSettings } from "../../ServerConfig.ts"
import { StreamTimes } from "../core/OpenStreams.ts"
import { makeSocketAdmission } from "./SocketAdmission.ts"
import { makeSocketBridge, type Room, roomOf } from "../../events/SocketBridge.ts"
import { Mounts } from "../core/Listening.ts"
import { dataSecurityHeaders } from "../core/GlobalMiddleware.ts"

// Bounds of a connection (docs/events.md#limits): a client that sends too many messages or does not read is disconnected and may reconnect.
// Packets and frames are batched.

/** Packets that a client may send at once, and in a second. */
const BURST = 100
const PER_SECOND = 20
/** Packets that may wait for a client. Their texts are shared by all clients. */
const MAX_WAITING = 25_000

type Connection = Socket["conn"]

/** Watches a connection until it closes. */
const keepWithinBounds = (connection: Connection): void => {
  let left = BURST
  let at = performance.now()
  let waiting = 0
  // the client notices the closed transport and reconnects
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

/** Sends the packets of one turn together. The library would send the first packet alone, and a polling client would need two requests. */
const gatherPackets = (connection: Connection): void => {
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
 * Writes the frames of one turn together: with hundreds of clients, one system call for each frame was most of the work. `upgraded` finds
 * the socket of a connection that became a websocket, by the connection's id.
 */
const gatherFrames = (connection: Connection, upgraded: (id: string) => Duplex | undefined): void => {
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
/** Milliseconds for a connected client to join the namespace. */
const JOIN_TIMEOUT = 10_000

/** Milliseconds between checks of the tokens of connected clients. */
const LOOK_AGAIN = 5000

/** Messages of both directions are called `events`. */
interface Events {
  readonly events: (...message: ReadonlyArray<unknown>) => void
}
/** The caller of a socket, and the names of their rooms. */
interface Joined {
  rooms?: (room: Room) => string
  caller?: Identity
}
type LiveServer = Server<Events, Events, Record<string, never>, Joined>
type LiveSocket = Socket<Events, Events, Record<string, never>, Joined>

const corsOf = ({ ALLOWED_ORIGINS }: Pick<ServerSettings, "ALLOWED_ORIGINS">) =>
  ALLOWED_ORIGINS.length === 0 ? { origin: true } : { origin: [...ALLOWED_ORIGINS], credentials: true }

/** A client joins a room by its name; the acknowledgement says whether the room exists. */
const hearMessages = (socket: LiveSocket): void => {
  socket.on("events", (...message) => {
    const answer = message.at(-1)
    const room = roomOf(message[0])
    const name = room === undefined ? undefined : socket.data.rooms?.(room)
    if (name !== undefined) void socket.join(name)
    if (typeof answer === "function") answer(name !== undefined)
  })
}

/** Runs `then` when a socket is closed for any reason. */
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
  const bridge = yield* makeSocketBridge
  const admission = yield* makeSocketAdmission
  const clock = yield* Clock.Clock
  const fork = Effect.runForkWith(yield* Effect.context<never>())

  /** The persons of admitted sockets. The library lists them later, and many can connect at once. */
  const persons = new Map<LiveSocket, string>()

  /** The caller receives events until the socket closes. */
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
      // a client whose token cannot be checked now is disconnected and reconnects
      Effect.catchCause((cause) =>
        Effect.andThen(
          Effect.logWarning("A client of socket.io could not be let in", Cause.squash(cause)),
          Effect.sync(() => socket.conn.close())
        )
      )
    )

  /** Connections that have asked to join. */
  const joining = new WeakSet<Socket["conn"]>()
  /** Each connection joins once; the library checks that only after the first was admitted. */
  const connect = (socket: LiveSocket, next: (error?: Error) => void): void => {
    if (joining.has(socket.conn)) socket.conn.close(true)
    else {
      joining.add(socket.conn)
      void fork(admit(socket, next))
    }
  }

  /** Sockets of connections that were upgraded to websockets, by id. */
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

  /** Disconnects clients whose token changed or ended; they may reconnect. */
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

/** The answer after the server has closed. */
const closedAnswer = (response: http.ServerResponse): void => {
  response.writeHead(503, { connection: "close", "content-type": "application/json" })
  response.end(JSON.stringify({ status: "error", message: "The server stops" }))
}

const serve = Effect.gen(function* () {
  const mounts = yield* Mounts
  const { inner, io } = yield* make
  let isClosed = false
  const close = Effect.suspend(() => {
    if (isClosed) return Effect.void
    isClosed = true
    return Effect.promise(() => io.close())
  })
  yield* mounts.add({
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
