/**
 * A way to a server on which connections can fall silent: they stay open, and nothing that is said on them arrives any more,
 * as when a firewall forgets them or the machine behind them loses its power. It can also end: then connections are closed,
 * and new ones are refused, as when the server has ended. Or the way is lost for a while, in one of several manners.
 */
import { Effect } from "effect"
import * as net from "node:net"

/** How a way is lost: connections are closed, and new ones too; nothing arrives on old and new ones; nobody listens any more. */
export const losses = ["cut", "silent", "refused"] as const
export type Loss = (typeof losses)[number]

export interface SilentProxy {
  readonly port: number
  /** Silences the connections that are open now; new ones are not concerned. */
  readonly silence: Effect.Effect<void>
  /** Closes the connections that are open now. */
  readonly cut: Effect.Effect<void>
  readonly end: Effect.Effect<void>
  /** Nothing comes through any more, on connections of now and on new ones. */
  readonly lose: (how: Loss) => Effect.Effect<void>
  /** New connections come through again; those of before are closed. */
  readonly restore: Effect.Effect<void>
}

type Pair = readonly [net.Socket, net.Socket]

interface Proxy {
  readonly server: net.Server
  readonly pairs: Set<Pair>
  lost: Loss | null
}

const hush = ([near, far]: Pair): void => {
  near.unpipe(far).pause()
  far.unpipe(near).pause()
}

const portOf = (server: net.Server): number => {
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

const cut = ({ pairs }: Proxy) =>
  Effect.sync(() => {
    for (const pair of pairs) for (const socket of pair) socket.destroy()
  })

const ended = (proxy: Proxy) =>
  Effect.andThen(
    cut(proxy),
    Effect.sync(() => void proxy.server.close())
  )

/** Where a proxy is found; port 0 is any that is free. */
export interface Place {
  readonly host: string
  readonly port: number
}

const ANYWHERE: Place = { host: "127.0.0.1", port: 0 }

/** To the server on this port of 127.0.0.1, which may be another one for each connection, until the scope closes. */
export const make = (target: number | (() => number), place: Place = ANYWHERE) =>
  Effect.acquireRelease(
    Effect.callback<Proxy>((resume) => {
      const pairs = new Set<Pair>()
      const server = net.createServer({ noDelay: true }, (near) => {
        if (proxy.lost === "cut") return void near.destroy()
        const far = net.connect({
          port: typeof target === "number" ? target : target(),
          host: "127.0.0.1",
          noDelay: true
        })
        const pair = [near, far] as const
        pairs.add(pair)
        for (const [from, to] of [pair, [far, near] as const]) {
          if (proxy.lost === null) from.pipe(to)
          from.on("error", () => to.destroy())
          from.on("close", () => {
            to.destroy()
            pairs.delete(pair)
          })
        }
      })
      const proxy: Proxy = { server, pairs, lost: null }
      server.listen(place.port, place.host, () => resume(Effect.succeed(proxy)))
    }),
    ended
  ).pipe(
    Effect.map((proxy): SilentProxy => {
      const { pairs, server } = proxy
      const port = portOf(server)
      const listening = Effect.callback<void>((resume) => {
        if (server.listening) return resume(Effect.void)
        server.listen(port, place.host, () => resume(Effect.void))
      })
      return {
        port,
        cut: cut(proxy),
        end: ended(proxy),
        silence: Effect.sync(() => pairs.forEach(hush)),
        lose: (how) =>
          Effect.suspend(() => {
            proxy.lost = how
            if (how === "silent") return Effect.sync(() => pairs.forEach(hush))
            return how === "cut" ? cut(proxy) : ended(proxy)
          }),
        restore: Effect.suspend(() => {
          proxy.lost = null
          return Effect.andThen(cut(proxy), listening)
        })
      }
    })
  )
