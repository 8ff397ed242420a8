/**
 * Opens a port when its routes are ready. The library listens first and attaches the handler when all routes have been built,
 * so that a request of a client that is quick is heard by nobody and never answered; here routes come first, and what
 * arrives between the two steps that are left is held until the handler is there.
 */
import { Context, Effect, Layer } from "effect"
import { HttpRouter, HttpServer, type HttpServerResponse } from "effect/http"
import type * as http from "node:http"
import type { ListenOptions } from "node:net"
import type { Duplex } from "node:stream"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"

// What answers requests under a path of its own, on the same ports but beside the routes: what a library of Node answers itself, such as
// socket.io. Adds itself while the routes are built.

export interface Mount {
  /** Begins the paths that it answers. */
  readonly path: string
  readonly request: (request: http.IncomingMessage, response: http.ServerResponse) => void
  readonly upgrade: (request: http.IncomingMessage, socket: Duplex, head: Buffer) => void
  /** Ends its connections; what comes after is refused. */
  readonly close: Effect.Effect<void>
}

const make = Effect.sync(() => {
  const asides: Array<Mount> = []
  return Mounts.of({
    add: (aside) => Effect.sync(() => void asides.push(aside)),
    all: () => asides
  })
})

/** Those of this process. */
export class Mounts extends Context.Service<
  Mounts,
  { readonly add: (aside: Mount) => Effect.Effect<void>; readonly all: () => ReadonlyArray<Mount> }
>()("switchyard/http/core/Mounts") {
  static readonly layer = Layer.effect(Mounts, make)
}

/** Hands requests for these paths to whom they are for, and all others to those who listen on the server by now. */
export const routeToMounts = (server: http.Server, asides: ReadonlyArray<Mount>): void => {
  if (asides.length === 0) return
  const asideOf = ({ url = "" }: http.IncomingMessage) => asides.find(({ path }) => url.startsWith(path))

  for (const event of ["request", "checkContinue"] as const) {
    const others = server.listeners(event)
    server.removeAllListeners(event)
    server.on(event, (request: http.IncomingMessage, response: http.ServerResponse) => {
      const aside = asideOf(request)
      if (aside === undefined) return others.forEach((other) => Reflect.apply(other, server, [request, response]))
      if (event === "checkContinue") response.writeContinue()
      aside.request(request, response)
    })
  }
  const others = server.listeners("upgrade")
  server.removeAllListeners("upgrade")
  server.on("upgrade", (request: http.IncomingMessage, socket: Duplex, head: Buffer) => {
    const aside = asideOf(request)
    if (aside !== undefined) aside.upgrade(request, socket, head)
    else for (const other of others) Reflect.apply(other, server, [request, socket, head])
  })
}

/** Everything that begins a request on a server of Node. */
const BEGINNINGS = ["request", "checkContinue", "upgrade"] as const

/** Holds requests; the function that it yields makes ready, and hands them to whoever listens by then. */
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
  readonly where: Pick<ListenOptions, "host" | "port">
  readonly scheme: "http" | "https"
}

/** Listens, and hands what comes to the handler. */
const open = <E, R>(
  { server, where }: Listener,
  handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
  asides: ReadonlyArray<Mount>
) =>
  Effect.gen(function* () {
    const node = server()
    const release = holdRequests(node)
    const listener = yield* NodeHttpServer.make(() => node, { ...where, ...LISTENING })
    yield* listener.serve(handler)
    // before the server waits for its connections, which are theirs
    yield* Effect.addFinalizer(() => Effect.forEach(asides, ({ close }) => close, { discard: true }))
    release(() => routeToMounts(node, asides))
    return listener
  })

const logAddress = ({ scheme }: Listener, { address }: HttpServer.HttpServer["Service"]) =>
  "port" in address ? Effect.logInfo(`Listening on ${scheme}://${address.address}:${address.port}`) : Effect.void

/** What there is beside a server and its routes. */
export interface ListeningOptions {
  /** Other servers of the same routes. */
  readonly listeners: ReadonlyArray<Listener>
  /** What answers beside the routes, as it is when these are built. */
  readonly asides: () => ReadonlyArray<Mount>
  /** Is done before the end waits for requests. */
  readonly beforeEnd: Effect.Effect<void>
}

const NOTHING: ListeningOptions = { listeners: [], asides: () => [], beforeEnd: Effect.void }

/** Builds the routes once, then listens, on what is beside it first; the first server's address is `HttpServer.address`. */
export const listening = <A, E, R>(
  first: Listener,
  routes: Layer.Layer<A, E, R>,
  { asides, beforeEnd, listeners }: ListeningOptions = NOTHING
) =>
  Layer.effect(
    HttpServer.HttpServer,
    Effect.gen(function* () {
      const handler = yield* HttpRouter.toHttpEffect(routes)
      for (const listener of listeners) yield* logAddress(listener, yield* open(listener, handler, asides()))
      const listener = yield* open(first, handler, asides())
      yield* Effect.addFinalizer(() => beforeEnd)
      return listener
    })
  ).pipe(Layer.provideMerge(NodeHttpServer.layerHttpServices), HttpServer.withLogAddress)
