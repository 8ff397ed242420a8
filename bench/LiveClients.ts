/**
 * Clients of live events in a process of their own: half of them as the web client is, by socket.io, half by SSE. Prints `connected`, and
 * when it is told to end what they have heard. Arguments: port, clients.
 */
import * as http from "node:http"
import { io } from "socket.io-client"

const [port = 0, clients = 200] = process.argv.slice(2).map(Number)
/** Of so many sockets the moment of each device event is kept. */
const SAMPLES = 5

/** Epoch milliseconds at which each device event was heard, by socket, in order. */
const heard: Array<Array<number>> = []
const counts: Array<number> = []
/** Milliseconds from the row to here, of every event of every stream. */
const delays: Array<number> = []
const streamed: Array<number> = []

const openSocket = (place: number) =>
  new Promise<void>((resolve, reject) => {
    const transports = place % 4 === 0 ? ["polling"] : ["websocket"]
    const socket = io(`http://127.0.0.1:${port}`, { transports, forceNew: true })
    socket.once("connect_error", reject)
    counts[place] = 0
    heard[place] = []
    socket.on("events", (payload: unknown) => {
      if (typeof payload !== "object" || payload === null || !("device_id" in payload)) return
      counts[place] = (counts[place] ?? 0) + 1
      if (place < SAMPLES) heard[place]?.push(Date.now())
    })
    socket.once("connect", () => {
      socket.emit("events", { update: "device" })
      socket.emit("events", { update: "job" })
      socket.emit("events", { loglevel: "INFO" })
      resolve()
    })
  })

const openStream = (place: number) =>
  new Promise<void>((resolve, reject) => {
    streamed[place] = 0
    const headers = { accept: "text/event-stream" }
    const agent = new http.Agent({ maxSockets: 1 })
    const request = http.get({ agent, host: "127.0.0.1", port, path: "/api/v1.0/events", headers }, (response) => {
      if (response.statusCode !== 200) return reject(new Error(`status ${response.statusCode}`))
      let rest = ""
      response.setEncoding("utf8").on("data", (text: string) => {
        const lines = `${rest}${text}`.split("\n")
        rest = lines.pop() ?? ""
        for (const line of lines) {
          const at = /^data: .*?"at":"([^"]+)"/.exec(line)?.[1]
          if (at === undefined) continue
          streamed[place] = (streamed[place] ?? 0) + 1
          delays.push(Date.now() - Date.parse(`${at}Z`))
        }
      })
      resolve()
    })
    request.once("error", reject)
  })

const part = (share: number): number => {
  const sorted = delays.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

process.on("SIGTERM", () => {
  const sse = {
    p50: part(0.5),
    p95: part(0.95),
    max: part(1),
    least: Math.min(...streamed),
    most: Math.max(...streamed)
  }
  const told = JSON.stringify({ heard: heard.slice(0, SAMPLES), counts, sse })
  process.stdout.write(`${told}\n`, () => process.exit(0))
})
for (let place = 0; place < clients / 2; place++) await openSocket(place)
for (let place = 0; place < clients / 2; place++) await openStream(place)
process.stdout.write("connected\n")
