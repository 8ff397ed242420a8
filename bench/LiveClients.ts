/**
 * Clients of live events in a process of their own: half of them as the web client is, by socket.io, half by SSE. Prints `connected`, and
 * when it is told to end what they have heard. Arguments: port, clients.
 */
import * as http from "node:http"
import { io } from "socket.io-client"
import { POLLING } from "./LivePolling.ts"

const [port = 0, clients = 200] = process.argv.slice(2).map(Number)
/** Of so many sockets the moment of each device event is kept. */
const SAMPLES = 8
/** As a page of operators asks: the phases of each change are for whoever looks at one. LIVE_KINDS= asks for everything. */
const KINDS = process.env["LIVE_KINDS"] ?? "device,job,sync,lock,repository,firmware,drift"
const QUESTION = KINDS === "" ? "" : `?kind=${KINDS}`
/** What stands between the number of an event and its kind; nothing else has both. */
const EVENT = "\nevent: "

/** Epoch milliseconds at which each device event was heard, by socket, in order. */
const heard: Array<Array<number>> = []
const counts: Array<number> = []
/** The numbers of events and the epoch milliseconds at which they were heard, by stream, for as many streams. */
const read: Array<Array<readonly [number, number]>> = []
const streamed: Array<number> = []

const openSocket = (place: number) =>
  new Promise<void>((resolve, reject) => {
    const transports = place % POLLING === 0 ? ["polling"] : ["websocket"]
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
    read[place] = []
    const headers = { accept: "text/event-stream" }
    const agent = new http.Agent({ maxSockets: 1 })
    const request = http.get(
      { agent, host: "127.0.0.1", port, path: `/api/v1.0/events${QUESTION}`, headers },
      (response) => {
        if (response.statusCode !== 200) return reject(new Error(`status ${response.statusCode}`))
        let rest = ""
        response.setEncoding("latin1").on("data", (text: string) => {
          const now = Date.now()
          const all = rest + text
          // little work, because the clients share the processors with the server
          const end = all.lastIndexOf("\n\n") + 2
          rest = all.slice(end === 1 ? 0 : end)
          for (let at = all.indexOf(EVENT); at !== -1 && at < end; at = all.indexOf(EVENT, at + 1)) {
            streamed[place] = (streamed[place] ?? 0) + 1
            if (place < SAMPLES) read[place]?.push([Number(all.slice(all.lastIndexOf(" ", at) + 1, at)), now])
          }
        })
        resolve()
      }
    )
    request.once("error", reject)
  })

process.on("SIGTERM", () => {
  const told = JSON.stringify({ heard: heard.slice(0, SAMPLES), counts, read: read.slice(0, SAMPLES), streamed })
  process.stdout.write(`${told}\n`, () => process.exit(0))
})
for (let place = 0; place < clients / 2; place++) await openSocket(place)
for (let place = 0; place < clients / 2; place++) await openStream(place)
process.stdout.write("connected\n")
