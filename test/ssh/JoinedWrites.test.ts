import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { once } from "node:events"
import { connect, createServer, Socket } from "node:net"
import { joinWrites } from "../../src/ssh/JoinedWrites.ts"

/** A socket whose writes are joined, and what has arrived at its other end, piece by piece, and when that is over. */
const joined = Effect.acquireRelease(
  Effect.promise(async () => {
    const received: Array<string> = []
    const server = createServer().listen(0, "127.0.0.1")
    await once(server, "listening")
    const address = server.address()
    if (address === null || typeof address === "string") throw new Error("no port")
    const socket = connect({ port: address.port, host: "127.0.0.1", noDelay: true })
    const connected = once(socket, "connect")
    const [peer]: ReadonlyArray<unknown> = await once(server, "connection")
    await connected
    if (!(peer instanceof Socket)) throw new Error("no connection")
    peer.on("data", (bytes: Buffer) => received.push(bytes.toString()))
    joinWrites(socket)
    return { closed: once(peer, "close"), peer, received, server, socket }
  }),
  ({ peer, server, socket }) =>
    Effect.sync(() => {
      socket.destroy()
      peer.destroy()
      server.close()
    })
)

const pause = Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 20)))

describe("a socket with joined writes", () => {
  it.live("sends what is written in one turn as one piece, in order", () =>
    Effect.gen(function* () {
      const { received, socket } = yield* joined
      for (const piece of ["a", "b", "c"]) socket.write(piece)
      yield* pause
      socket.write("d")
      socket.write(Buffer.from("e"))
      yield* pause
      expect(received).toEqual(["abc", "de"])
    }).pipe(Effect.scoped)
  )

  it.live("sends a goodbye that is written in the turn of its end", () =>
    Effect.gen(function* () {
      const { closed, received, socket } = yield* joined
      socket.write("so ")
      socket.write("long")
      socket.end()
      yield* Effect.promise(() => closed)
      expect(received.join("")).toBe("so long")
    }).pipe(Effect.scoped)
  )

  it.live("sends what was written before it is destroyed", () =>
    Effect.gen(function* () {
      const { closed, received, socket } = yield* joined
      socket.write("last ")
      socket.write("words")
      socket.destroy()
      yield* Effect.promise(() => closed)
      expect(received.join("")).toBe("last words")
    }).pipe(Effect.scoped)
  )

  it.live("holds a writer back that is faster than its peer, and loses nothing", () =>
    Effect.gen(function* () {
      const { closed, peer, received, socket } = yield* joined
      peer.pause()
      const piece = "x".repeat(64 * 1024)
      let written = 0
      while (socket.write(piece)) written++
      yield* pause
      for (; written < 200; written++) socket.write(piece)
      expect(socket.writableNeedDrain).toBe(true)
      peer.resume()
      yield* Effect.promise(() => once(socket, "drain"))
      socket.end()
      yield* Effect.promise(() => closed)
      expect(received.join("").length).toBe(201 * piece.length)
    }).pipe(Effect.scoped)
  )
})
