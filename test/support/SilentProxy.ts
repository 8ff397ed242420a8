/**
 * A way to a server on which connections can fall silent: they stay open, and nothing that is said on them arrives any more,
 * as when a firewall forgets them or the machine behind them loses its power. It can also end: then connections are closed,
 * and new ones are refused, as when the server has ended.
 */
import { Effect } from "effect"
import * as net from "node:net"

export interface SilentProxy {
  readonly port: number
  /** Silences the connections that are open now; new ones are not concerned. */
  readonly silence: Effect.Effect<void>
  /** Closes the connections that are open now. */
  readonly cut: Effect.Effect<void>
  readonly end: Effect.Effect<void>
}

interface Proxy {
  readonly server: net.Server
  readonly pairs: Set<readonly [net.Socket, net.Socket]>
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

/** To the server on this port of this machine, which may be another one for each connection, until the scope closes. */
export const make = (target: number | (() => number)) =>
  Effect.acquireRelease(
    Effect.callback<Proxy>((resume) => {
      const pairs = new Set<readonly [net.Socket, net.Socket]>()
      const server = net.createServer({ noDelay: true }, (near) => {
        const far = net.connect({
          port: typeof target === "number" ? target : target(),
          host: "127.0.0.1",
          noDelay: true
        })
        const pair = [near, far] as const
        pairs.add(pair)
        for (const [from, to] of [pair, [far, near] as const]) {
          from.pipe(to)
          from.on("error", () => to.destroy())
          from.on("close", () => {
            to.destroy()
            pairs.delete(pair)
          })
        }
      })
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed({ server, pairs })))
    }),
    ended
  ).pipe(
    Effect.map((proxy): SilentProxy => {
      const { pairs, server } = proxy
      const address = server.address()
      return {
        port: typeof address === "object" && address !== null ? address.port : 0,
        cut: cut(proxy),
        end: ended(proxy),
        silence: Effect.sync(() => {
          for (const [near, far] of pairs) {
            near.unpipe(far).pause()
            far.unpipe(near).pause()
          }
        })
      }
    })
  )
