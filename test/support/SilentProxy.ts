/**
 * A way to a server on which connections can fall silent: they stay open, and nothing that is said on them arrives any more,
 * as when a firewall forgets them or the machine behind them loses its power. It can also end: then connections are closed,
 * and new ones are refused, as when the server has ended; or swallow all that is said, as a network that is cut. Both can be mended.
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
  /** Silences the connections that are open, and those that come. */
  readonly swallow: Effect.Effect<void>
  /** After `end` or `swallow`: connections that come lead to the server again, and the silent ones are closed. */
  readonly mend: Effect.Effect<void>
}

type Pair = readonly [net.Socket, net.Socket]

interface Proxy {
  readonly server: net.Server
  readonly pairs: Set<Pair>
  swallows: boolean
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

const silence = ([near, far]: Pair) => {
  near.unpipe(far).pause()
  far.unpipe(near).pause()
}

const join = (proxy: Proxy, near: net.Socket, port: number) => {
  const far = net.connect({ port, host: "127.0.0.1", noDelay: true })
  const pair = [near, far] as const
  proxy.pairs.add(pair)
  for (const [from, to] of [pair, [far, near] as const]) {
    from.pipe(to)
    from.on("error", () => to.destroy())
    from.on("close", () => {
      to.destroy()
      proxy.pairs.delete(pair)
    })
  }
  if (proxy.swallows) silence(pair)
}

const listening = ({ server }: Proxy, { host, port }: Place) =>
  Effect.callback<void>((resume) => void server.listen(port, host, () => resume(Effect.void)))

/** Where a proxy is found. */
interface Place {
  readonly host: string
  /** 0 for any that is free. */
  readonly port: number
}

const ANYWHERE: Place = { host: "127.0.0.1", port: 0 }

/** To the server on this port of 127.0.0.1, which may be another one for each connection, until the scope closes. */
export const make = Effect.fnUntraced(function* (target: number | (() => number), place: Place = ANYWHERE) {
  const server = net.createServer({ noDelay: true })
  const proxy: Proxy = { server, pairs: new Set(), swallows: false }
  server.on("connection", (near) => join(proxy, near, typeof target === "number" ? target : target()))
  yield* Effect.acquireRelease(listening(proxy, place), () => ended(proxy))
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  const silenced = Effect.sync(() => proxy.pairs.forEach(silence))
  const setSwallows = (value: boolean) =>
    Effect.sync(() => {
      proxy.swallows = value
    })
  const made: SilentProxy = {
    port,
    cut: cut(proxy),
    end: ended(proxy),
    silence: silenced,
    swallow: Effect.andThen(setSwallows(true), silenced),
    mend: Effect.suspend(() =>
      server.listening ? Effect.andThen(setSwallows(false), cut(proxy)) : listening(proxy, { ...place, port })
    )
  }
  return made
})
