/**
 * Opens a port when its routes are ready. The library listens first and attaches the handler after all routes are built, so a quick
 * client's request would never be answered. Here the routes are built first, and requests that arrive before the handler is attached are
 * held.
 */
import { Context, Effect, Layer } from "effect"
import { HttpRouter, HttpServer, type HttpServerResponse } from "effect/http"
import type * as http from "node:http"
import type { Duplex } from "node:stream"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { addressUnavailable, type ListeningAddress } from "../../runtime/ListeningAddress.ts"

// Mounts: Node handlers under a path of their own, on the same ports as the routes, such as socket.io. They register while the routes are
// built.

interface Mount {
  /** The prefix of its paths. */
  readonly path: string
  readonly request: (request: http.IncomingMessage, response: http.ServerResponse) => void
  readonly upgrade: (request: http.IncomingMessage, socket: Duplex, head: Buffer) => void
  /** Ends its connections and refuses later ones. */
  readonly close: Effect.Effect<void>
}

const make = Effect.sync(() => {
  const mounts: Array<Mount> = []
  return Mounts.of({
    add: (mount) => Effect.sync(() => void mounts.push(mount)),
    all: () => mounts
  })
})

/** The mounts of this process. */
export class Mounts extends Context.Service<
  Mounts,
  { readonly add: (mount: Mount) => Effect.Effect<void>; readonly all: () => ReadonlyArray<Mount> }
>()("switchyard/http/core/Mounts") {
  static readonly layer = Layer.effect(Mounts, make)
}

/** Routes requests with a mount's prefix to the mount, and all others to the listeners that the server has now. */
const routeToMounts = (server: http.Server, mounts: ReadonlyArray<Mount>): void => {
  if (mounts.length === 0) return
  const mountOf = ({ url = "" }: http.IncomingMessage) => mounts.find(({ path }) => url.startsWith(path))

  for (const event of ["request", "checkContinue"] as const) {
    const others = server.listeners(event)
    server.removeAllListeners(event)
    server.on(event, (request: http.IncomingMessage, response: http.ServerResponse) => {
      const mount = mountOf(request)
      if (mount === undefined) return others.forEach((other) => Reflect.apply(other, server, [request, response]))
      if (event === "checkContinue") response.writeContinue()
      mount.request(request, response)
    })
  }
  const others = server.listeners("upgrade")
  server.removeAllListeners("upgrade")
  server.on("upgrade", (request: http.IncomingMessage, socket: Duplex, head: Buffer) => {
    const mount = mountOf(request)
    if (mount !== undefined) mount.upgrade(request, socket, head)
    else for (const other of others) Reflect.apply(other, server, [request, socket, head])
  })
}

/** The events of a Node server that begin a request. */
const BEGINNINGS = ["request", "checkContinue", "upgrade"] as const

/** Holds requests. The function that it yields makes the handler ready, then passes the requests on. */
const holdRequests = (server: http.Server): ((ready: () => void) => void) => {
  const held: Array<() => void> = []
  const holders = BEGINNINGS.map((event) => {
    const hold = (...request: ReadonlyArray<unknown>) => void held.push(() => void server.emit(event, ...request))
    server.on(event, hold)
    return () => void server.off(event, hold)
  })
  return (ready) => {
    for (const stop of holders) stop()
    ready()
    for (const pass of held) pass()
  }
}

const LISTENING = { gracefulShutdownTimeout: "3 seconds" } as const

/** A server of Node and where it listens. */
export interface Listener {
  readonly server: () => http.Server
  readonly where: ListeningAddress
  readonly scheme: "http" | "https"
}

/** Listens and serves requests with the handler. */
const open = <E, R>(
  listener: Listener,
  handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
  mounts: ReadonlyArray<Mount>
) =>
  Effect.gen(function* () {
    const node = listener.server()
    const release = holdRequests(node)
    const { host, port } = listener.where
    const opened = yield* NodeHttpServer.make(() => node, { host, port, ...LISTENING }).pipe(
      Effect.mapError((error) => addressUnavailable(listener.where, error))
    )
    yield* opened.serve(handler)
    // the server would wait for these connections
    yield* Effect.addFinalizer(() => Effect.forEach(mounts, ({ close }) => close, { discard: true }))
    release(() => routeToMounts(node, mounts))
    return opened
  })

const logAddress = ({ scheme }: Listener, { address }: HttpServer.HttpServer["Service"]) =>
  "port" in address ? Effect.logInfo(`Listening on ${scheme}://${address.address}:${address.port}`) : Effect.void

/** Options of `listening`. */
interface ListeningOptions {
  /** More listeners for the same routes. */
  readonly listeners: ReadonlyArray<Listener>
  /** The mounts, read after the routes are built. */
  readonly mounts: () => ReadonlyArray<Mount>
  /** Runs before the shutdown waits for requests. */
  readonly beforeEnd: Effect.Effect<void>
}

const NOTHING: ListeningOptions = { listeners: [], mounts: () => [], beforeEnd: Effect.void }

/** Builds the routes once, then opens the other listeners and the first. The first one's address is `HttpServer.address`. */
export const listening = <A, E, R>(
  first: Listener,
  routes: Layer.Layer<A, E, R>,
  { mounts, beforeEnd, listeners }: ListeningOptions = NOTHING
) =>
  Layer.effect(
    HttpServer.HttpServer,
    Effect.gen(function* () {
      const handler = yield* HttpRouter.toHttpEffect(routes)
      for (const listener of listeners) yield* logAddress(listener, yield* open(listener, handler, mounts()))
      const listener = yield* open(first, handler, mounts())
      yield* Effect.addFinalizer(() => beforeEnd)
      return listener
    })
  ).pipe(Layer.provideMerge(NodeHttpServer.layerHttpServices), HttpServer.withLogAddress)
