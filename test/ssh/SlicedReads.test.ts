import { describe, expect, it } from "@effect/vitest"
import { connect, createServer } from "node:net"
import { readInSlices } from "../../src/ssh/SlicedReads.ts"

describe("a socket that is read in slices", () => {
  it("brings everything in order, and its end after it, however slow the listener is", async () => {
    const sent = Buffer.alloc(3_000_000, "switchyard ")
    const server = createServer((peer) => peer.end(sent)).listen(0, "127.0.0.1")
    await new Promise((resolve) => server.once("listening", resolve))
    const address = server.address()
    const socket = connect(typeof address === "object" && address !== null ? address.port : 0, "127.0.0.1")
    readInSlices(socket)
    const received: Array<Buffer> = []
    const heard: Array<string> = []
    socket.on("data", (chunk: Buffer) => {
      const slowly = performance.now() + 1
      while (performance.now() < slowly);
      received.push(chunk)
      heard.push("data")
    })
    socket.on("end", () => heard.push("end"))
    await new Promise((resolve) => socket.once("close", resolve))
    server.close()
    expect(Buffer.concat(received).equals(sent)).toBe(true)
    expect(heard.indexOf("end")).toBe(heard.length - 1)
  })
})
