/** Large images: downloaded into the store and served to switches in constant memory, with ranges. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { createHash } from "node:crypto"
import * as http from "node:http"
import { Readable } from "node:stream"
import { JobEngine } from "../../src/jobs/engine/JobEngine.ts"
import * as Campus from "../support/Campus.ts"
import { TestDatabase } from "../support/TestDatabase.ts"
import * as Site from "./FirmwareSite.ts"
import { seconds, TEST } from "../support/Patience.ts"
import { GetFirmware } from "../../src/domain/jobs/UpkeepJobs.ts"

const MIB = 1024 * 1024
const LONG = process.env["LONG_TESTS"] === "true"
const SIZE = (LONG ? 1024 : 50) * MIB
/** The permitted memory in addition to the image: buffers of the streams, and uncollected garbage. */
const ALLOWANCE = 160 * MIB

/** SHA-1 of so many zero bytes. */
const sha1OfZeros = (size: number): string => {
  const sum = createHash("sha1")
  const block = Buffer.alloc(MIB)
  for (let at = 0; at < size; at += MIB) sum.update(block)
  return sum.digest("hex")
}

/** A host of an image of so many zero bytes, made while they are sent. */
const makeZeros = Effect.gen(function* () {
  const block = Buffer.alloc(MIB)
  const server = http.createServer((_, response) => {
    response.writeHead(200, { "content-length": SIZE })
    Readable.from(Array.from({ length: SIZE / MIB }, () => block)).pipe(response)
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
    () => Effect.sync(() => server.close())
  )
  const address = server.address()
  return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/${Site.IMAGE}`
})

/** The highest resident memory while an effect runs, above what it was before, in bytes. */
const growth = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const before = process.memoryUsage.rss()
    let most = before
    const timer = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 10)
    const value = yield* Effect.ensuring(
      effect,
      Effect.sync(() => clearInterval(timer))
    )
    return { value, bytes: most - before }
  })

const readAll = (url: string, headers: Record<string, string> = {}) =>
  Effect.promise(async () => {
    const response = await fetch(url, { headers })
    const sum = createHash("sha1")
    let size = 0
    for await (const chunk of response.body ?? []) {
      sum.update(chunk)
      size += chunk.length
    }
    return { status: response.status, headers: response.headers, size, sha1: sum.digest("hex") }
  })

it.live(
  `an image of ${SIZE / MIB} MiB is stored and served with flat memory, completely and in parts`,
  () =>
    Effect.gen(function* () {
      const folders = yield* Campus.makeFolders
      const lab = yield* Site.makeSiteLab([])
      const server = Site.serverWith(Site.environment(lab, folders)).pipe(Layer.provideMerge(TestDatabase))
      yield* Effect.gen(function* () {
        const engine = yield* JobEngine
        const url = yield* Site.imageUrl
        const file = `${url}/${Site.IMAGE}`
        const sha1 = sha1OfZeros(SIZE)
        const args = { url: yield* makeZeros, sha1, verify_tls: true }
        const download = Effect.flatMap(engine.start(GetFirmware, args, { user: "tester" }), engine.ended)
        const stored = yield* growth(download)
        assert.strictEqual(stored.value.result, `File downloaded from: ${args.url}`)
        const served = yield* growth(readAll(file))
        assert.deepInclude(served.value, { status: 200, size: SIZE, sha1 })
        assert.isBelow(Math.max(stored.bytes, served.bytes), ALLOWANCE)
        const part = yield* readAll(file, { range: `bytes=${SIZE - 10}-` })
        assert.deepInclude(part, { status: 206, size: 10 })
        assert.strictEqual(part.headers.get("content-range"), `bytes ${SIZE - 10}-${SIZE - 1}/${SIZE}`)
        for (const hidden of [".digests/x", ".incoming", "..%2f..%2fetc%2fpasswd", "missing.swi", "%2e%2e/x"]) {
          assert.strictEqual((yield* readAll(`${url}/${hidden}`)).status, 404, hidden)
        }
      }).pipe(Effect.provide(server))
    }).pipe(Effect.scoped),
  LONG ? seconds(600) : TEST
)
