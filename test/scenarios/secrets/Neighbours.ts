/** Systems beside the server that ask for secrets: a git server, an inventory that refuses, and a receiver of the audit. */
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { readFileSync, statSync } from "node:fs"
import { createServer as createWebServer, type RequestListener } from "node:http"
import { createServer, type Server } from "node:net"

const listening = <S extends Server>(make: () => S) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly server: S; readonly port: number }>((resume) => {
      const server = make()
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        resume(Effect.succeed({ server, port: typeof address === "object" ? (address?.port ?? 0) : 0 }))
      })
    }),
    ({ server }) => Effect.sync(() => void server.close())
  )

const web = (listener: RequestListener) =>
  Effect.tap(
    listening(() => createWebServer(listener)),
    ({ server }) => Effect.addFinalizer(() => Effect.sync(() => server.closeAllConnections()))
  )

/** What the git server does: it serves, knows the repository no more, takes requests and never answers, or lets nobody in. */
export type GitMode = "serves" | "missing" | "hangs" | "refuses"

/** Serves a working copy over HTTP to who knows the password; `isAsked` tells whether a request hangs. */
export const gitServer = Effect.fnUntraced(function* (folder: string, user: string, password: string) {
  let mode: GitMode = "serves"
  let hanging = 0
  const wanted = `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`
  const { port } = yield* web((request, response) => {
    if (mode === "hangs") {
      hanging += 1
      return
    }
    const allowed = mode !== "refuses" && request.headers.authorization === wanted
    const file = `${folder}/.git${(request.url ?? "").replace(/^\/settings\.git/, "").replace(/\?.*$/, "")}`
    const isThere = mode === "serves" && statSync(file, { throwIfNoEntry: false })?.isFile() === true
    response.writeHead(allowed ? (isThere ? 200 : 404) : 401, { "www-authenticate": "Basic" })
    response.end(allowed && isThere ? readFileSync(file) : `you sent ${request.headers.authorization}`)
  })
  /** To be done after each commit: this way of serving needs a list of what there is. */
  const publish = Effect.sync(() => void execFileSync("git", ["-C", folder, "update-server-info"]))
  yield* publish
  return {
    url: `http://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/settings.git`,
    publish,
    become: (next: GitMode) => Effect.sync(() => void (mode = next)),
    isAsked: () => hanging > 0
  }
})

/** An inventory that refuses every request and tells what it was sent. */
export const inventory = Effect.gen(function* () {
  const heard: Array<string> = []
  const { port } = yield* web((request, response) => {
    heard.push(String(request.headers.authorization))
    response.writeHead(500)
    response.end(`the token ${request.headers.authorization} is not known`)
  })
  return { url: `http://127.0.0.1:${port}`, heard: () => heard }
})

/** A receiver of syslog over TCP that keeps what it gets. */
export const syslog = Effect.gen(function* () {
  let text = ""
  const { port } = yield* listening(() =>
    createServer((socket) => void socket.on("data", (chunk) => (text += String(chunk))).on("error", () => undefined))
  )
  return { url: `tcp://127.0.0.1:${port}`, text: () => text }
})
