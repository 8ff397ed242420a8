/** A server that answers reports of leases as a test says, and remembers them; it can go away and come back at its port. */
import { Effect } from "effect"
import * as http from "node:http"

/** A report as it was sent. */
export interface Report {
  readonly ztp_mac: string
  readonly dhcp_ip: string
  readonly platform: string
  readonly report?: string
  readonly again: boolean
  readonly host: string
  readonly waiting: number
}

export type Reply = readonly [status: number, body: string]

/** The answer of a server that decided about a lease. */
export const decided = (outcome: string, step = "create", message = "as it was told"): Reply => [
  200,
  JSON.stringify({ status: "success", data: { lease: { ztp_mac: "", outcome, step, message, host: "" } } })
]

export const TAKEN = decided("taken")

const listen = (server: http.Server, port: number) =>
  Effect.callback<number>((resume) => {
    server.listen(port, "127.0.0.1", () => {
      const address = server.address()
      resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

const close = (server: http.Server) =>
  Effect.callback<void>((resume) => {
    server.closeAllConnections()
    server.close(() => resume(Effect.void))
  })

/** The server; `reply` may wait before it answers. */
export const makeLeaseServer = (reply: (report: Report, path: string) => Reply | Promise<Reply> = () => TAKEN) =>
  Effect.acquireRelease(
    Effect.gen(function* () {
      const seen: Array<Report> = []
      const lines: Array<string> = []
      const make = () =>
        http.createServer(async (request, response) => {
          let text = ""
          for await (const part of request) text += String(part)
          lines.push(`${request.method} ${request.url} ${request.headers.authorization ?? "-"}`)
          const isReport = request.url === "/api/v1.0/dhcp_leases"
          const report: Report = isReport ? JSON.parse(text) : {}
          if (isReport) seen.push(report)
          const [status, body] = await reply(report, request.url ?? "")
          response.writeHead(status, { "content-type": "application/json" }).end(body)
        })
      let server = make()
      const port = yield* listen(server, 0)
      return {
        url: `http://127.0.0.1:${port}`,
        seen,
        /** Methods, paths and authorizations of all requests. */
        lines,
        stop: Effect.suspend(() => close(server)),
        start: Effect.suspend(() => {
          server = make()
          return listen(server, port)
        })
      }
    }),
    ({ stop }) => stop
  )
