/** What the clients do when a server is busy, cuts connections, has many pages, refuses, or loses events; and that their calls are current. */
import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import * as http from "node:http"
import * as path from "node:path"
import { ApiError, EventsLost, ServerAway, Switchyard, WaitTimeout } from "../../../clients/typescript/src/index.ts"
import { clientFiles } from "../../../scripts/make-clients.ts"
import { clients, python, WITHOUT_PYTHON } from "./Clients.ts"

type Answer = (request: http.IncomingMessage, response: http.ServerResponse, count: number) => void

const success = (data: unknown) => JSON.stringify({ status: "success", data })

/** Runs a program against a server of this machine that answers so; gives the addresses that were asked for. */
const against = async (
  answer: Answer,
  program: (client: Switchyard, asked: ReadonlyArray<string>) => Promise<void>
) => {
  const asked: Array<string> = []
  const server = http.createServer((request, response) => {
    asked.push(`${request.method} ${decodeURIComponent(request.url ?? "")}`)
    answer(request, response, asked.length)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const port = typeof address === "object" ? address?.port : 0
  try {
    await program(new Switchyard({ url: `http://127.0.0.1:${port}/`, token: () => "t0ken", timeout: 20 }), asked)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

const busy = (response: http.ServerResponse) => {
  response.writeHead(503, { "retry-after": "0" })
  response.end(JSON.stringify({ status: "error", message: "the database is away" }))
}

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error
  )

describe("The TypeScript client", () => {
  it("asks a GET again after a 503, when Retry-After says, and after a cut connection, and a POST never", async () => {
    await against(
      (request, response, count) => {
        if (count === 1) return busy(response)
        if (count === 2) return void request.socket.destroy()
        if (request.method === "POST") return busy(response)
        assert.strictEqual(request.headers.authorization, "Bearer t0ken")
        response.end(success({ devices: [] }))
      },
      async (client, asked) => {
        assert.deepEqual(await client.listDevices({ sort: "-id" }), { devices: [] })
        assert.deepEqual(
          asked,
          Array.from({ length: 3 }, () => "GET /api/v1.0/devices?sort=-id")
        )
        const error = await failureOf(client.syncDevices({ all: true }))
        assert.instanceOf(error, ApiError)
        assert.deepInclude({ ...error }, { status: 503, messages: ["the database is away"], retryAfter: 0 })
        assert.lengthOf(asked, 4)
      }
    )
    const away = new Switchyard({ url: "http://127.0.0.1:1", retries: 0 })
    assert.instanceOf(await failureOf(away.getVersion()), ServerAway)
  })

  it("reads all pages as they are needed, with filters in the form of the API", async () => {
    await against(
      (request, response) => {
        const page = Number(new URL(request.url ?? "", "http://x").searchParams.get("page"))
        if (page < 3)
          response.setHeader("link", `<http://x/?page=${page + 1}>; rel="next",<http://x/?page=3>; rel="last"`)
        response.end(success({ devices: [{ id: page }] }))
      },
      async (client, asked) => {
        const ids = []
        for await (const { id } of client.allDevices({ filter: { state: "MANAGED", "hostname[contains]": "a&b" } }))
          ids.push(id)
        assert.deepEqual(ids, [1, 2, 3])
        assert.include(asked[0], "filter[state]=MANAGED&filter[hostname][contains]=a&b&page=1")
        for await (const _ of client.allDevices()) break
        assert.lengthOf(asked, 4)
      }
    )
  })

  it.each([
    [{ message: "Device not found" }, "Device not found", undefined],
    [
      { message: ["Required field hostname not found", "Invalid device type"] },
      "Required field hostname not found",
      "hostname"
    ],
    [
      { message: "interfaces.Ethernet1.data.description: holds a line break" },
      "interfaces.Ethernet1.data.description: holds a line break",
      "interfaces.Ethernet1.data.description"
    ],
    [
      { message: { errors: ["Interface Ethernet99 not found"], updated: {} } },
      "Interface Ethernet99 not found",
      undefined
    ],
    [
      { message: "management_ip 10.0.6.6 is used already: management_ip of acc2" },
      "management_ip 10.0.6.6 is used already: management_ip of acc2",
      "management_ip"
    ],
    ["<html>", "<html>", undefined]
  ])("gives status, message and field of %j", async (body, message, field) => {
    await against(
      (_, response) =>
        void response
          .writeHead(400)
          .end(typeof body === "string" ? body : JSON.stringify({ status: "error", ...body })),
      async (client) => {
        const error = await failureOf(client.updateDevice(3, { description: "x" }))
        assert.instanceOf(error, ApiError)
        assert.deepInclude(
          { status: error.status, message: error.message, field: error.field },
          { status: 400, message, field }
        )
      }
    )
  })

  it("waits for the end of a job, tells of its progress, and gives up in time", async () => {
    await against(
      (_, response, count) =>
        void response.end(success({ jobs: [{ id: 7, status: count % 3 === 0 ? "FINISHED" : "RUNNING" }] })),
      async (client) => {
        const seen: Array<string> = []
        const job = await client.wait(
          { status: "success", data: "", job_id: 7 },
          { onProgress: (one) => seen.push(one.status) }
        )
        assert.strictEqual(job.status, "FINISHED")
        assert.deepEqual(seen, ["RUNNING", "RUNNING", "FINISHED"])
        assert.instanceOf(await failureOf(client.wait(7, { timeout: 0 })), WaitTimeout)
        const signal = AbortSignal.abort(new Error("enough"))
        assert.strictEqual(String(await failureOf(client.wait(7, { signal }))), "Error: enough")
      }
    )
  })

  it("follows events over a cut connection and an end, each once, and says when some were lost", async () => {
    const event = (id: number) => `id: ${id}\nevent: job\ndata: {"id":${id},"kind":"job"}\n\n`
    const given: Array<string | undefined> = []
    await against(
      (request, response, count) => {
        given.push(String(request.headers["last-event-id"]))
        response.writeHead(200, { "content-type": "text/event-stream" })
        if (count === 1) response.write(`retry: 3000\nid: 3\n\n${event(4)}${event(5)}`, () => request.socket.destroy())
        else if (count === 2)
          response.end(`: still here\n\n${event(6)}event: end\ndata: {"reason":"the server stops","resume":6}\n\n`)
        else if (count === 3) response.write(event(7))
        else response.write(`event: gap\ndata: {"next":40,"oldest":31}\n\n`)
      },
      async (client, asked) => {
        const ids = []
        for await (const { id } of client.events({ kind: ["job", "device"] })) {
          ids.push(id)
          if (id === 7) break
        }
        assert.deepEqual(ids, [4, 5, 6, 7])
        assert.deepEqual(given, ["undefined", "5", "6"])
        assert.strictEqual(asked[0], "GET /api/v1.0/events?kind=job,device")
        const error = await failureOf(client.events({ since: 2 }).next())
        assert.instanceOf(error, EventsLost)
        assert.strictEqual(error.next, 40)
      }
    )
  })
})

describe("The Python client", () => {
  it("does the same", (context) => {
    if (python === undefined) return context.skip(WITHOUT_PYTHON)
    const words = ["-W", "error", "-B", "-m", "unittest", "discover", "-s", "tests"]
    const env = { PATH: process.env["PATH"], PYTHONPATH: "src" }
    const { status, stderr } = spawnSync(python, words, { cwd: path.join(clients, "python"), env, encoding: "utf8" })
    assert.strictEqual(status, 0, stderr)
  })
})

it("The generated halves of the clients are those of the API", () => {
  for (const { file, text } of clientFiles()) assert.strictEqual(readFileSync(file, "utf8"), text, "run `npm run docs`")
})
