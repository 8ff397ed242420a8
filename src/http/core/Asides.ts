/**
 * What answers requests under a path of its own, on the same ports but beside the routes: what a library of Node answers itself, such as
 * socket.io. Adds itself while the routes are built.
 */
import { Context, Effect, Layer } from "effect"
import type * as http from "node:http"
import type { Duplex } from "node:stream"

export interface Aside {
  /** Begins the paths that it answers. */
  readonly path: string
  readonly request: (request: http.IncomingMessage, response: http.ServerResponse) => void
  readonly upgrade: (request: http.IncomingMessage, socket: Duplex, head: Buffer) => void
  /** Ends its connections; what comes after is refused. */
  readonly close: Effect.Effect<void>
}

const make = Effect.sync(() => {
  const asides: Array<Aside> = []
  return Asides.of({
    add: (aside) => Effect.sync(() => void asides.push(aside)),
    all: () => asides
  })
})

/** Those of this process. */
export class Asides extends Context.Service<
  Asides,
  { readonly add: (aside: Aside) => Effect.Effect<void>; readonly all: () => ReadonlyArray<Aside> }
>()("switchyard/http/core/Asides") {
  static readonly layer = Layer.effect(Asides, make)
}

/** Hands requests for these paths to whom they are for, and all others to those who listen on the server by now. */
export const divert = (server: http.Server, asides: ReadonlyArray<Aside>): void => {
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
