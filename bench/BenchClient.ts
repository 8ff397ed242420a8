/**
 * Clients of the API for benchmarks: one for single calls, and many light connections for load, which read no more of an
 * answer than where it ends, because they share the processors with the server.
 */
import * as http from "node:http"
import * as net from "node:net"

const agent = new http.Agent({ keepAlive: true, maxSockets: 64 })

/** An answer: `data` is parsed JSON, `milliseconds` from the request to the last byte. */
export interface Answer {
  readonly status: number
  readonly body: unknown
  readonly milliseconds: number
}

const call = (port: number, token: string | undefined, method: string, target: string, body?: unknown) =>
  new Promise<Answer>((resolve, reject) => {
    const started = performance.now()
    const headers = {
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` })
    }
    const request = http.request(
      { agent, method, headers, port, host: "127.0.0.1", path: `/api/v1.0${target}` },
      (response) => {
        const parts: Array<Buffer> = []
        response.on("data", (part: Buffer) => parts.push(part))
        response.once("end", () => {
          const milliseconds = performance.now() - started
          const text = Buffer.concat(parts).toString()
          resolve({ status: response.statusCode ?? 0, body: text === "" ? null : JSON.parse(text), milliseconds })
        })
      }
    )
    request.once("error", reject)
    request.end(body === undefined ? undefined : JSON.stringify(body))
  })

/** Calls paths below /api/v1.0 of the server on this port, with this token. */
export const makeClient = (port: number, token?: string) => ({
  get: (target: string) => call(port, token, "GET", target),
  post: (target: string, body: unknown) => call(port, token, "POST", target, body),
  put: (target: string, body: unknown) => call(port, token, "PUT", target, body)
})
export type Client = ReturnType<typeof makeClient>

/** The value below which this part of all values lies. */
export const percentile = (values: ReadonlyArray<number>, part: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? 0

const HEAD_END = Buffer.from("\r\n\r\n")
const BUFFER_BYTES = 65_536

/** What is read: targets, one after the other while `goesOn`, with a token if the server asks for one. */
interface Reading {
  readonly target: () => string
  readonly goesOn: () => boolean
  readonly token?: string | undefined
}

/**
 * Sends requests over one connection, one after the other, until `goesOn` says no. Answers are read into one buffer: a new
 * one for each of them would make so much garbage that collecting it keeps the server from the processors.
 */
const connection = (port: number, { goesOn, target, token }: Reading, took: (milliseconds: number) => void) =>
  new Promise<void>((resolve, reject) => {
    const buffer = Buffer.alloc(BUFFER_BYTES)
    const authorization = token === undefined ? "" : `Authorization: Bearer ${token}\r\n`
    let started = 0
    // bytes of an answer that have not come; below zero between two answers
    let missing = -1
    const send = () => {
      if (!goesOn()) return socket.end(resolve)
      started = performance.now()
      return socket.write(`GET /api/v1.0${target()} HTTP/1.1\r\nHost: 127.0.0.1\r\n${authorization}\r\n`)
    }
    const readHead = (size: number): number => {
      const end = buffer.subarray(0, size).indexOf(HEAD_END)
      const head = buffer.toString("latin1", 0, end < 0 ? size : end)
      if (end < 0 || !head.startsWith("HTTP/1.1 200")) throw new Error(head)
      return end + HEAD_END.length + Number(/content-length: (\d+)/i.exec(head)?.[1])
    }
    const read = (size: number): boolean => {
      missing = (missing < 0 ? readHead(size) : missing) - size
      if (missing > 0) return true
      took(performance.now() - started)
      missing = -1
      send()
      return true
    }
    const socket = net.connect({ port, host: "127.0.0.1", noDelay: true, onread: { buffer, callback: read } })
    socket.once("error", reject)
    socket.once("connect", send)
  })

/** What load was answered with: times in milliseconds. */
export interface Load {
  readonly rate: number
  readonly p50: number
  readonly p99: number
  readonly max: number
  readonly count: number
}

/** Reads targets over so many connections while `goesOn`. */
export const load = async (
  port: number,
  connections: number,
  target: () => string,
  goesOn: () => boolean,
  token?: string
): Promise<Load> => {
  const times: Array<number> = []
  const started = performance.now()
  await Promise.all(
    Array.from({ length: connections }, () =>
      connection(port, { target, goesOn, token }, (time) => void times.push(time))
    )
  )
  const seconds = (performance.now() - started) / 1000
  return {
    rate: times.length / seconds,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    max: percentile(times, 1),
    count: times.length
  }
}

/** `goesOn` for so many seconds from now. */
export const forSeconds = (seconds: number): (() => boolean) => {
  const until = performance.now() + seconds * 1000
  return () => performance.now() < until
}

/**
 * Asks every so many milliseconds while `goesOn`, whether the answers before have come or not, so that a slow one hides no other. Yields the
 * milliseconds of each answer.
 */
export const askSteadily = async (
  api: Client,
  target: () => string,
  every: number,
  goesOn: () => boolean
): Promise<ReadonlyArray<number>> => {
  const times: Array<Promise<number>> = []
  while (goesOn()) {
    times.push(api.get(target()).then(({ milliseconds }) => milliseconds))
    await new Promise((resolve) => setTimeout(resolve, every))
  }
  return Promise.all(times)
}
