/**
 * Ends that fall silent: a way to a server whose connections stay open while nothing arrives any more, as when a firewall forgets them or
 * the machine behind them loses its power (it can also end, or be lost for a while in one of several manners); switches that are given
 * up soon; and a name server that does not answer.
 */
import { Effect } from "effect"
import * as net from "node:net"
import { afterAll, beforeAll } from "@effect/vitest"
import type { DriverTimeouts } from "../../src/drivers/Driver.ts"
import { dialect } from "../../src/drivers/eos/Dialect.ts"
import { SLOWNESS } from "./Patience.ts"
import { spawnSync } from "node:child_process"
import { createSocket } from "node:dgram"
import * as fs from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"

/** How a connection is lost: connections are closed, and new ones too; nothing arrives on old and new ones; nothing listens any more. */
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
  /** New connections work again; earlier ones are closed. */
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

// Switches: how soon a silent one is given up.

/**
 * In all tests of the file or suite that calls this, the driver of EOS, or the one with these deadlines, waits so many seconds for an
 * answer instead of minutes.
 */
export const givenUpAfter = (seconds: DriverTimeouts, timeouts: DriverTimeouts = dialect.timeouts): void => {
  const usual = { ...timeouts }
  beforeAll(() => {
    for (const [step, count] of Object.entries(seconds)) Object.assign(timeouts, { [step]: count * SLOWNESS })
  })
  afterAll(() => void Object.assign(timeouts, usual))
}

// A name server that can be silent, and programs that ask it, with an `/etc/resolv.conf` and `/etc/hosts` in a namespace of their own.

/** Namespaces and the port of name servers need root, who may not create them in every container. */
export const canBeSilent =
  process.getuid?.() === 0 &&
  process.platform === "linux" &&
  spawnSync("unshare", ["--mount", "sh", "-c", "mount --bind /etc/hosts /etc/hosts"]).status === 0

/** Parallel tests have servers of their own. */
const anyAddress = () => `127.99.${1 + Math.floor(Math.random() * 250)}.${1 + Math.floor(Math.random() * 250)}`
const SCRIPT = 'mount --bind "$0" /etc/resolv.conf && mount --bind "$1" /etc/hosts && shift && exec "$@"'
const HOSTS = "127.0.0.1 localhost\n"

/** How long the resolver of a program waits for each of its questions. */
interface Patience {
  readonly seconds: number
  readonly attempts: number
}

/** Names without a name server that answers; `known` are names of this machine, which need none. Ends with the scope. */
export const makeSilentNames = Effect.fnUntraced(function* (
  { attempts, seconds }: Patience,
  known: ReadonlyArray<string> = []
) {
  const folder = yield* Effect.acquireRelease(
    Effect.promise(() => fs.mkdtemp(path.join(tmpdir(), "switchyard-names-"))),
    (made) => Effect.promise(() => fs.rm(made, { recursive: true, force: true }))
  )
  const address = anyAddress()
  // it receives each question and answers none; the port of name servers cannot be chosen in resolv.conf
  yield* Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createSocket>>((resume) => {
      const socket = createSocket("udp4")
      socket.once("error", (error) => resume(Effect.die(error)))
      socket.bind(53, address, () => resume(Effect.succeed(socket)))
    }),
    (socket) => Effect.sync(() => void socket.close())
  )
  const [resolver, hosts] = [path.join(folder, "resolv.conf"), path.join(folder, "hosts")]
  const knows = (names: ReadonlyArray<string>) =>
    Effect.promise(() => fs.writeFile(hosts, HOSTS + names.map((name) => `127.0.0.1 ${name}\n`).join("")))
  yield* Effect.promise(() =>
    fs.writeFile(resolver, `nameserver ${address}\noptions timeout:${seconds} attempts:${attempts}\n`)
  )
  yield* knows(known)
  return {
    address,
    /** The starter of a program. */
    words: ["unshare", "--mount", "sh", "-c", SCRIPT, resolver, hosts] as const,
    /** From now on these names, and no others, need no name server. */
    knows
  }
})
