/**
 * A free port of this machine, for a process that must be told its port. It lies below the ports that systems assign themselves (from 32768
 * on Linux, from 49152 elsewhere): one of those may be assigned to another process, or to a connection that meets itself, before the
 * process listens.
 */
import { Effect } from "effect"
import * as net from "node:net"

const FIRST = 10_000
const PAST_LAST = 32_000

const any = () => FIRST + Math.floor(Math.random() * (PAST_LAST - FIRST))

/** Whether no process listens on it. */
const isFree = (port: number) =>
  Effect.callback<boolean>((resume) => {
    const server = net.createServer()
    server.once("error", () => resume(Effect.succeed(false)))
    server.listen(port, "127.0.0.1", () => server.close(() => resume(Effect.succeed(true))))
  })

export const freePort: Effect.Effect<number> = Effect.gen(function* () {
  for (;;) {
    const port = any()
    if (yield* isFree(port)) return port
  }
})
