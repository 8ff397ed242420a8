/** A port of this machine that nobody listens on, for a process that has to be told its port. */
import { Effect } from "effect"
import * as net from "node:net"

export const freePort = Effect.callback<number>((resume) => {
  const server = net.createServer()
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    server.close(() => resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0)))
  })
})
