/** An external web server for downloads of images: counts requests, can cut answers, forget ranges or wait. */
import { Effect } from "effect"
import { createHash } from "node:crypto"
import * as http from "node:http"

export interface ImageHost {
  readonly url: string
  /** Range header of each request, in order; undefined for a request of the whole. */
  readonly ranges: Array<string | undefined>
  /** Bytes after which the next answers are cut, one entry an answer. */
  readonly cuts: Array<number>
  /** False: ranges are ignored. */
  knowsRanges: boolean
  /** Awaited after the first bytes of an answer, so that a test can act while it is under way. */
  hold: Promise<void> | undefined
  /** Resolves when an answer has been begun and waits. */
  readonly begun: () => Promise<void>
}

/** SHA-1 in hexadecimal. */
export const sha1Of = (content: Uint8Array): string => createHash("sha1").update(content).digest("hex")

const BLOCK = 64 * 1024

const send = async (response: http.ServerResponse, content: Buffer, cut: number | undefined, host: ImageHost) => {
  const end = Math.min(content.length, cut ?? content.length)
  for (let at = 0; at < end; at += BLOCK) {
    const flushed = response.write(content.subarray(at, Math.min(end, at + BLOCK)))
    if (!flushed) await new Promise((resolve) => response.once("drain", resolve))
    if (at === 0 && host.hold !== undefined) {
      announce(host)
      await host.hold
    }
  }
  if (cut === undefined) response.end()
  else setTimeout(() => response.destroy(), 20)
}

const waiters = new WeakMap<ImageHost, Array<() => void>>()
const announce = (host: ImageHost) => {
  for (const resolve of waiters.get(host)?.splice(0) ?? []) resolve()
}

const answer =
  (host: ImageHost, files: ReadonlyMap<string, Buffer>) =>
  (request: http.IncomingMessage, response: http.ServerResponse) => {
    const path = new URL(request.url ?? "/", "http://x").pathname
    if (path.startsWith("/moved/")) {
      response.writeHead(302, { location: path.slice("/moved".length) }).end()
      return
    }
    const content = files.get(path.slice(1))
    host.ranges.push(request.headers.range)
    if (content === undefined) {
      response.writeHead(404).end()
      return
    }
    const from = host.knowsRanges ? Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? 0) : 0
    const rest = content.subarray(from)
    response.writeHead(from > 0 ? 206 : 200, {
      "content-length": rest.length,
      ...(from > 0 ? { "content-range": `bytes ${from}-${content.length - 1}/${content.length}` } : {})
    })
    void send(response, rest, host.cuts.shift(), host)
  }

/** A host of these files for as long as the scope is open. */
export const makeImageHost = Effect.fnUntraced(function* (files: ReadonlyMap<string, Buffer>) {
  const server = http.createServer()
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
    () => Effect.sync(() => (server.close(), server.closeAllConnections()))
  )
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  const host: ImageHost = {
    url: `http://127.0.0.1:${port}`,
    ranges: [],
    cuts: [],
    knowsRanges: true,
    hold: undefined,
    begun: () => new Promise((resolve) => waiters.set(host, [...(waiters.get(host) ?? []), resolve]))
  }
  server.on("request", answer(host, files))
  return host
})
