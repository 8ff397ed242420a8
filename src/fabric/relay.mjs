/**
 * Connects to addresses of a fabric for processes outside of its network. Runs in the site's network; listens on the socket that
 * its argument names, where each connection first says `ADDRESS PORT` in a line. Ends with its input. A plain script, so that it starts
 * as it lies there, from sources and from a package.
 */
import { createConnection, createServer } from "node:net"

const [, , socket = ""] = process.argv

const connect = (near, address, port, rest) => {
  const far = createConnection({ host: address, port, noDelay: true })
  far.write(rest)
  near.pipe(far).pipe(near)
  near.on("close", () => far.destroy())
  far.on("close", () => near.destroy())
  far.on("error", () => near.destroy())
}

const server = createServer((near) => {
  near.on("error", () => undefined)
  let heard = Buffer.alloc(0)
  const hear = (chunk) => {
    heard = Buffer.concat([heard, chunk])
    const end = heard.indexOf(10)
    if (end < 0) return
    near.off("data", hear)
    near.pause()
    const [address = "", port = ""] = heard.subarray(0, end).toString().split(" ")
    connect(near, address, Number(port), heard.subarray(end + 1))
  }
  near.on("data", hear)
})

server.listen(socket, () => process.stdout.write("listening\n"))
process.stdin.on("end", () => process.exit(0)).resume()
