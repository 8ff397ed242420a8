/** A name server that can be silent, and programs that ask it: their `/etc/resolv.conf` and `/etc/hosts` are others, in a namespace of their own. */
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { createSocket } from "node:dgram"
import * as fs from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"

/** Namespaces and the port of name servers need root, who may not make them in every container. */
export const canBeSilent =
  process.getuid?.() === 0 &&
  process.platform === "linux" &&
  spawnSync("unshare", ["--mount", "sh", "-c", "mount --bind /etc/hosts /etc/hosts"]).status === 0

/** Tests beside this one have servers of their own. */
const anyAddress = () => `127.99.${1 + Math.floor(Math.random() * 250)}.${1 + Math.floor(Math.random() * 250)}`
const SCRIPT = 'mount --bind "$0" /etc/resolv.conf && mount --bind "$1" /etc/hosts && shift && exec "$@"'
const HOSTS = "127.0.0.1 localhost\n"

/** How long the resolver of a program waits for each of its questions. */
interface Patience {
  readonly seconds: number
  readonly attempts: number
}

/** Names without a name server that answers; `known` are names of this machine, which need none. Ends with the scope. */
export const make = Effect.fnUntraced(function* ({ attempts, seconds }: Patience, known: ReadonlyArray<string> = []) {
  const folder = yield* Effect.acquireRelease(
    Effect.promise(() => fs.mkdtemp(path.join(tmpdir(), "switchyard-names-"))),
    (made) => Effect.promise(() => fs.rm(made, { recursive: true, force: true }))
  )
  const address = anyAddress()
  // it hears each question and answers none; the port of name servers cannot be chosen in resolv.conf
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
    /** What a program is started by. */
    words: ["unshare", "--mount", "sh", "-c", SCRIPT, resolver, hosts] as const,
    /** From now on these names, and no others, need no name server. */
    knows
  }
})
