/** A name server that is silent, and programs that ask it: their `/etc/resolv.conf` is another one, in a namespace of their own. */
import { Effect } from "effect"
import { createSocket } from "node:dgram"
import * as fs from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"

/** Namespaces need root. */
export const canBeSilent = process.getuid?.() === 0 && process.platform === "linux"

/** What a program is started by so that each name that it looks up hangs for a minute; ends with the scope. */
export const make = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.promise(() => fs.mkdtemp(path.join(tmpdir(), "switchyard-names-"))),
    (made) => Effect.promise(() => fs.rm(made, { recursive: true, force: true }))
  )
  // it hears each question and answers none; the port of name servers cannot be chosen in resolv.conf
  yield* Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createSocket>>((resume) => {
      const socket = createSocket("udp4")
      socket.bind(53, "127.99.53.53", () => resume(Effect.succeed(socket)))
    }),
    (socket) => Effect.sync(() => void socket.close())
  )
  const file = path.join(folder, "resolv.conf")
  yield* Effect.promise(() => fs.writeFile(file, "nameserver 127.99.53.53\noptions timeout:30 attempts:2\n"))
  const script = 'mount --bind "$0" /etc/resolv.conf && exec "$@"'
  return ["unshare", "--mount", "sh", "-c", script, file] as const
})
