/** The jobs about stored images, on the server's own store and on an external firmware server: what their results say. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as fs from "node:fs/promises"
import * as http from "node:http"
import { tmpdir } from "node:os"
import * as path from "node:path"
import * as Engine from "../../../src/Engine.ts"
import { Firmware } from "../../../src/firmware/Firmware.ts"
import { JobEngine } from "../../../src/jobs/engine/JobEngine.ts"
import { ServerConfig } from "../../../src/ServerConfig.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeImageHost, sha1Of } from "../../firmware/ImageHost.ts"
import { jobNamed } from "../../support/Jobs.ts"

const NAME = "EOS-4.32.2F.swi"
const image = Buffer.from("an image")
const sha1 = sha1Of(image)

const makeFolder = Effect.acquireRelease(
  Effect.promise(() => fs.mkdtemp(path.join(tmpdir(), "switchyard-files-"))),
  (folder) => Effect.promise(() => fs.rm(folder, { recursive: true, force: true }))
)

const engineWith = (env: Readonly<Record<string, string>>) =>
  Engine.layer.pipe(
    Layer.merge(Firmware.layer),
    Layer.provideMerge(ServerConfig.layerOf({ LOG_LEVEL: "Error", ...env })),
    Layer.provideMerge(TestDatabase)
  )

/** The result of a job that has ended FINISHED. */
const resultOf = Effect.fnUntraced(function* (name: string, args: Readonly<Record<string, unknown>>) {
  const engine = yield* JobEngine
  const job = yield* engine.ended(yield* engine.start(jobNamed(name), args, { user: "tester" }))
  assert.strictEqual(job.status, "FINISHED", name)
  return job.result
})

const read = async (request: http.IncomingMessage) => {
  let text = ""
  for await (const chunk of request) text += String(chunk)
  return text
}

/** An external firmware server that knows one file; notes what it was asked. */
const makeExternal = Effect.gen(function* () {
  const asked: Array<string> = []
  const server = http.createServer((request, response) => {
    void read(request).then((body) => {
      asked.push(`${request.method} ${request.url} ${body}`)
      const known = request.url === "/firmware" || request.url?.startsWith(`/firmware/${NAME}`) === true
      const data = request.url === "/firmware" ? { files: [NAME] } : { file: { filename: NAME, sha1 } }
      const answer = known ? { status: "success", data } : { status: "error", message: "Could not find file other.swi" }
      response.writeHead(known ? 200 : 404, { "content-type": "application/json" }).end(JSON.stringify(answer))
    })
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
    () => Effect.sync(() => server.close())
  )
  const address = server.address()
  return {
    asked,
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/firmware`
  }
})

describe("The jobs about stored images", () => {
  it.live("report the results of the server's own store", () =>
    Effect.gen(function* () {
      const folder = yield* makeFolder
      const host = yield* makeImageHost(new Map([[NAME, image]]))
      const url = `${host.url}/${NAME}`
      yield* Effect.gen(function* () {
        const get = (args: Readonly<Record<string, unknown>>) => resultOf("get_firmware", args)
        const good = { url, sha1, verify_tls: true }
        assert.strictEqual(yield* get({ ...good, url: null }), "URL must be specified")
        assert.strictEqual(yield* get({ ...good, sha1: null }), "Checksum must be specified")
        assert.strictEqual(yield* get({ ...good, url: `${host.url}/` }), "Invalid URL, could not parse filename")
        assert.strictEqual(yield* get({ ...good, url: "file:///etc/passwd" }), "Invalid URL, could not parse filename")
        assert.strictEqual(yield* get({ ...good, sha1: "0".repeat(40) }), "Checksum mismatch, file corrupt")
        assert.strictEqual(yield* get(good), `File downloaded from: ${url}`)
        assert.strictEqual(yield* resultOf("get_firmware_chksum", { filename: NAME }), sha1)
        const missing = yield* resultOf("get_firmware_chksum", { filename: "other.swi" })
        assert.strictEqual(missing, "Could not find file other.swi")
        assert.strictEqual(yield* resultOf("remove_file", { filename: NAME }), `File ${NAME} removed`)
        assert.strictEqual(yield* resultOf("remove_file", { filename: NAME }), `Failed to remove file ${NAME}`)
        assert.strictEqual(yield* resultOf("remove_file", { filename: "../x" }), "Failed to remove file ../x")
      }).pipe(Effect.provide(engineWith({ DATA_DIR: folder, FIRMWARE_ALLOW_LOCAL: "true" })))
    }).pipe(Effect.scoped)
  )

  it.live("pass everything to an external firmware server if HTTPD_URL names one", () =>
    Effect.gen(function* () {
      const { asked, url } = yield* makeExternal
      yield* Effect.gen(function* () {
        assert.deepStrictEqual(yield* (yield* Firmware).list, { files: [NAME], defaults: [] })
        assert.strictEqual(yield* resultOf("get_firmware_chksum", { filename: NAME }), sha1)
        const missing = yield* resultOf("get_firmware_chksum", { filename: "other.swi" })
        assert.strictEqual(missing, "Could not find file other.swi")
        assert.strictEqual(yield* resultOf("remove_file", { filename: NAME }), `File ${NAME} removed`)
        const order = { url: `http://images.example.org/${NAME}`, sha1, verify_tls: false }
        assert.strictEqual(yield* resultOf("get_firmware", order), `File downloaded from: ${order.url}`)
        assert.strictEqual(asked.at(-1), `POST /firmware ${JSON.stringify(order)}`)
      }).pipe(Effect.provide(engineWith({ HTTPD_URL: url })))
    }).pipe(Effect.scoped)
  )

  it.live("report a missing external firmware server", () =>
    Effect.gen(function* () {
      const order = { url: `http://images.example.org/${NAME}`, sha1, verify_tls: false }
      assert.match(String(yield* resultOf("get_firmware", order)), /^Could not download firmware: /)
      const checksum = yield* resultOf("get_firmware_chksum", { filename: NAME })
      assert.strictEqual(checksum, `Failed to get checksum for ${NAME}`)
      assert.strictEqual(yield* resultOf("remove_file", { filename: NAME }), "Failed to remove file")
    }).pipe(Effect.provide(engineWith({ HTTPD_URL: "http://127.0.0.1:1/firmware" })), Effect.scoped)
  )
})
