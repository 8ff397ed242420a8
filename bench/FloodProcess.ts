/**
 * A hostile client in a process of its own: asks for health, calls every route without a token, and sends the worst bodies that
 * may be sent without one, over so many connections and as fast as it is answered; others are begun and held. Prints how often
 * each status was answered when it is told to end. Arguments: port, connections.
 */
import { HttpApi } from "effect/http-api"
import * as http from "node:http"
import * as net from "node:net"
import { Api } from "../src/api/Api.ts"

const [port = 0, connections = 16] = process.argv.slice(2).map(Number)
const HELD = 40

interface Shot {
  readonly method: string
  readonly path: string
  readonly body?: string
}

const base = "/api/v1.0"
const interfaces = (count: number) =>
  JSON.stringify({ interfaces: Array.from({ length: count }, () => ({ name: "E", ifclass: "custom" })) })
const repeated = JSON.stringify({
  groups: ["A", "B"].map((name) => ({ group: { name, group_priority: 0, regex: "a{1000}".repeat(280) } }))
})

const routes: Array<Shot> = []
HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint: { method, path } }) => {
    const filled = path.replaceAll(/:\w+(\([^)]*\)\$\)|\(.*?\$\))?/g, "1")
    routes.push({ method, path: filled, ...(method === "GET" ? {} : { body: "{}" }) })
  }
})

const shots: ReadonlyArray<Shot> = [
  ...routes,
  ...Array.from({ length: 10 }, () => ({ method: "GET", path: "/api/health" })),
  // the largest that is checked, what is too large, patterns, nesting, nonsense
  ...Array.from({ length: 20 }, () => ({ method: "POST", path: `${base}/settings/model`, body: interfaces(1800) })),
  { method: "POST", path: `${base}/settings/model/interfaces.yml`, body: interfaces(1800) },
  { method: "POST", path: `${base}/settings/model`, body: interfaces(150_000) },
  { method: "POST", path: `${base}/settings/model/groups.yml`, body: repeated },
  { method: "POST", path: `${base}/settings/model`, body: "[".repeat(60_000) },
  { method: "POST", path: `${base}/settings/model`, body: `{"domain_name":"${"a-".repeat(30_000)}"}` },
  { method: "POST", path: `${base}/device`, body: " ".repeat(5_000_000) }
]

const answers = new Map<string, number>()
const count = (what: string) => answers.set(what, (answers.get(what) ?? 0) + 1)
const agent = new http.Agent({ keepAlive: true, maxSockets: connections })

const shoot = ({ body, method, path }: Shot) =>
  new Promise<void>((resolve) => {
    const headers = body === undefined ? {} : { "content-type": "application/json", "content-length": body.length }
    const request = http.request({ agent, method, headers, port, host: "127.0.0.1", path }, (response) => {
      count(String(response.statusCode))
      response.resume().once("close", resolve)
    })
    request.once("error", () => {
      count("cut")
      resolve()
    })
    request.end(body)
  })

/** Begins a body that may be checked and keeps the rest of it, again when the server has had enough. */
const hold = (): void => {
  const socket = net.connect({ port, host: "127.0.0.1" })
  const head = `POST ${base}/settings/model HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 65536\r\n\r\n`
  socket.on("error", () => undefined)
  socket.on("connect", () => socket.write(head + " ".repeat(65_000)))
  socket.on("data", () => count("held body refused"))
  socket.on("close", () => setTimeout(hold, 1000))
}

const flood = async (from: number) => {
  for (let index = from; ; index++) {
    const shot = shots[index % shots.length]
    if (shot !== undefined) await shoot(shot)
  }
}

process.on("SIGTERM", () => {
  process.stdout.write(`${JSON.stringify(Object.fromEntries(answers))}\n`, () => process.exit(0))
})
for (let index = 0; index < HELD; index++) hold()
for (let index = 0; index < connections; index++) void flood(Math.floor((index * shots.length) / connections))
process.stdout.write("flooding\n")
