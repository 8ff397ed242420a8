/** The listener for switches: boot files and firmware images over plain HTTP, and nothing of the API. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { HttpServer } from "effect/http"
import * as fs from "node:fs/promises"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { RepositoryStore } from "../../src/store/RepositoryStore.ts"
import { ApiServer } from "../support/ApiServer.ts"

/** A port without a listener. */
const freePort = Effect.callback<number>((resume) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    server.close(() => resume(Effect.succeed(port)))
  })
})

const folder = Effect.acquireRelease(
  Effect.promise(async () => {
    const made = await fs.mkdtemp(path.join(tmpdir(), "switchyard-ztp-"))
    await fs.mkdir(path.join(made, "firmware"))
    await fs.writeFile(path.join(made, "firmware", "EOS-4.32.2F.swi"), "0123456789")
    return made
  }),
  (made) => Effect.promise(() => fs.rm(made, { recursive: true }))
)

const get = (url: string, init: RequestInit = {}) =>
  Effect.promise(async () => {
    const response = await fetch(url, init)
    return [response.status, await response.text()] as const
  })

it.live("switches get boot files and images from a port of their own, without the API", () =>
  Effect.gen(function* () {
    const port = yield* freePort
    const variables = { ZTP_HTTP_PORT: String(port), ZTP_HTTP_HOST: "127.0.0.1", DATA_DIR: yield* folder }
    yield* Effect.gen(function* () {
      const files = { "eos/dhcp-init.j2": "username {{ admin }}\n", "eos/access.j2": "secret" }
      const commit = { name: "templates", ref: "", url: "x", commit: "c", description: "", files } as const
      yield* Effect.flatMap(RepositoryStore, (store) => store.put(commit)).pipe(Effect.provide(RepositoryStore.layer))
      const ztp = `http://127.0.0.1:${port}`
      const { address } = yield* HttpServer.HttpServer
      const api = `http://127.0.0.1:${"port" in address ? address.port : 0}`
      assert.notStrictEqual(api, ztp)
      for (const base of [ztp, api]) {
        assert.deepStrictEqual(yield* get(`${base}/templates/eos/dhcp-init.j2`), [200, "username {{ admin }}\n"])
        const part = yield* get(`${base}/firmware/EOS-4.32.2F.swi`, { headers: { range: "bytes=4-" } })
        assert.deepStrictEqual(part, [206, "456789"])
      }
      assert.strictEqual((yield* get(`${api}/api/v1.0/devices`))[0], 200)
      for (const hidden of [
        "/api/v1.0/devices",
        "/api/doc/",
        "/api/openapi.json",
        "/api/health/live",
        "/templates/eos/access.j2",
        "/templates/junos/dhcp-init.j2",
        "/firmware/",
        "/firmware/..%2f..%2fetc%2fpasswd",
        "/"
      ]) {
        assert.strictEqual((yield* get(ztp + hidden))[0], 404, hidden)
      }
      assert.strictEqual((yield* get(`${ztp}/templates/eos/dhcp-init.j2`, { method: "POST", body: "x" }))[0], 404)
    }).pipe(Effect.provide(ApiServer(variables)))
  }).pipe(Effect.scoped)
)

it.live("without ZTP_HTTP_PORT nothing but the API listens", () =>
  Effect.gen(function* () {
    const port = yield* freePort
    yield* Effect.gen(function* () {
      const answer = yield* Effect.exit(Effect.tryPromise(() => fetch(`http://127.0.0.1:${port}/`)))
      assert.strictEqual(answer._tag, "Failure")
      const { address } = yield* HttpServer.HttpServer
      assert.notStrictEqual("port" in address ? address.port : port, port)
    }).pipe(Effect.provide(ApiServer()))
  }).pipe(Effect.scoped)
)
