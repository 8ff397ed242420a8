/** The store of firmware images: what becomes visible, what does not, and what happens to downloads that are disturbed. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { randomBytes } from "node:crypto"
import * as fs from "node:fs/promises"
import { isIPv6 } from "node:net"
import { networkInterfaces, tmpdir } from "node:os"
import * as path from "node:path"
import * as ImageStore from "../../src/firmware/ImageStore.ts"
import { makeOutboundGuard } from "../../src/runtime/OutboundHosts.ts"
import { type ImageHost, makeImageHost, sha1Of } from "./ImageHost.ts"

const MIB = 1024 * 1024
const NAME = "EOS-4.32.2F.swi"
const image = randomBytes(3 * MIB)
const sha1 = sha1Of(image)

/** Where images may come from while a site names no hosts. */
const guardOf = (allowLocal: boolean) =>
  makeOutboundGuard({
    hosts: Option.none(),
    trusted: [],
    allowOwn: allowLocal,
    allowLink: allowLocal,
    allowPrivate: false
  })

const makeFolder = Effect.acquireRelease(
  Effect.promise(() => fs.mkdtemp(path.join(tmpdir(), "switchyard-images-"))),
  (folder) => Effect.promise(() => fs.rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
)

const makeScene = (options: Partial<ImageStore.ImageStoreOptions> = {}) =>
  Effect.gen(function* () {
    const folder = yield* makeFolder
    const host = yield* makeImageHost(new Map([[NAME, image]]))
    const store = ImageStore.makeImageStore({ folder, maxBytes: 8 * MIB, guard: guardOf(true), ...options })
    const add = (sum = sha1, url = `${host.url}/${NAME}`) => store.add(NAME, { url, sha1: sum, verifyTls: true })
    const visible = Effect.map(store.list, ({ files }) => files)
    const stored = Effect.promise(() => fs.readFile(path.join(folder, NAME)))
    const incoming = Effect.promise(() => fs.readdir(path.join(folder, ".incoming")).catch(() => []))
    return { folder, host, store, add, visible, stored, incoming }
  })

const cutAt = (host: ImageHost, ...bytes: ReadonlyArray<number>) => {
  host.cuts.push(...bytes)
}

describe("The image store", () => {
  it.live("shows an image when it is complete, with its checksums", () =>
    Effect.gen(function* () {
      const { add, incoming, store, stored, visible } = yield* makeScene()
      assert.deepStrictEqual(yield* visible, [])
      yield* add()
      assert.deepStrictEqual(yield* visible, [NAME])
      assert.isTrue((yield* stored).equals(image))
      assert.deepInclude(Option.getOrThrow(yield* store.image(NAME)), { size: image.length, sha1 })
      assert.deepStrictEqual(yield* incoming, [])
    }).pipe(Effect.scoped)
  )

  it.live("never shows an image with a wrong checksum, and keeps none of it", () =>
    Effect.gen(function* () {
      const { add, incoming, visible } = yield* makeScene()
      const error = yield* Effect.flip(add("0".repeat(40)))
      assert.strictEqual(error.message, "Checksum mismatch, file corrupt")
      assert.deepStrictEqual([yield* visible, yield* incoming], [[], []])
    }).pipe(Effect.scoped)
  )

  it.live("continues an interrupted download at its end", () =>
    Effect.gen(function* () {
      const { add, host, stored } = yield* makeScene()
      cutAt(host, MIB, MIB)
      yield* add()
      assert.isTrue((yield* stored).equals(image))
      assert.strictEqual(host.ranges.length, 3)
      assert.match(host.ranges[1] ?? "", /^bytes=\d+-$/)
    }).pipe(Effect.scoped)
  )

  it.live("starts over when the other server knows no ranges, or when the rest is of another file", () =>
    Effect.gen(function* () {
      const { add, folder, host, stored } = yield* makeScene()
      host.knowsRanges = false
      yield* Effect.promise(async () => {
        await fs.mkdir(path.join(folder, ".incoming"), { recursive: true })
        await fs.writeFile(path.join(folder, ".incoming", `${sha1}-${NAME}`), randomBytes(MIB))
      })
      yield* add()
      assert.isTrue((yield* stored).equals(image))
      yield* Effect.promise(() => fs.rm(path.join(folder, NAME)))
      host.knowsRanges = true
      yield* Effect.promise(() => fs.writeFile(path.join(folder, ".incoming", `${sha1}-${NAME}`), randomBytes(MIB)))
      yield* add()
      assert.isTrue((yield* stored).equals(image))
    }).pipe(Effect.scoped)
  )

  it.live("combines two simultaneous downloads of one name into one fetch and one complete file", () =>
    Effect.gen(function* () {
      const { add, host, stored, visible } = yield* makeScene()
      yield* Effect.all([add(), add()], { concurrency: 2 })
      assert.deepStrictEqual(yield* visible, [NAME])
      assert.isTrue((yield* stored).equals(image))
      assert.strictEqual(host.ranges.length, 1)
    }).pipe(Effect.scoped)
  )

  it.live("refuses an oversized image before it fills the disk", () =>
    Effect.gen(function* () {
      const { add, incoming, visible } = yield* makeScene({ maxBytes: MIB })
      assert.match((yield* Effect.flip(add())).message, /larger than 1048576 bytes/)
      assert.deepStrictEqual([yield* visible, yield* incoming], [[], []])
    }).pipe(Effect.scoped)
  )

  it.live("requests nothing from this machine's own addresses, in any spelling", () =>
    Effect.gen(function* () {
      const { add, host } = yield* makeScene({ guard: guardOf(false) })
      const port = new URL(host.url).port
      const own = Object.values(networkInterfaces())
        .flatMap((all) => all ?? [])
        .map(({ address }) => (isIPv6(address) ? `[${address}]` : address))
      const hosts = ["127.0.0.1", "127.9.9.9", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "169.254.169.254"]
      const spelled = ["2130706433", "0x7f.1", "0177.0.0.1", "127.1", "%31%32%37.0.0.1", "０.０.０.０"]
      for (const name of [...hosts, ...own, ...spelled, "[64:ff9b::7f00:1]", "[2002:7f00:1::]"]) {
        const error = yield* Effect.flip(add(sha1, `http://${name}:${port}/${NAME}`))
        assert.match(error.message, /address of this machine or of its link/, name)
      }
      assert.deepStrictEqual(host.ranges, [])
    }).pipe(Effect.scoped)
  )

  it.live("follows a redirect only to permitted hosts", () =>
    Effect.gen(function* () {
      const hosts = Option.some(["127.0.0.1"])
      const rules = { hosts, trusted: [], allowOwn: false, allowLink: false, allowPrivate: false }
      const { add, host } = yield* makeScene({ guard: makeOutboundGuard(rules) })
      yield* add(sha1, `${host.url}/moved/${NAME}`)
      host.ranges.length = 0
      for (const other of ["127.0.0.2", "[::1]", "169.254.169.254", "10.0.0.7"]) {
        const error = yield* Effect.flip(
          add("0".repeat(40), `${host.url}/moved//${other}:${new URL(host.url).port}/${NAME}`)
        )
        assert.match(error.message, /OUTBOUND_HOSTS/, other)
      }
      assert.deepStrictEqual(host.ranges, [])
    }).pipe(Effect.scoped)
  )

  it.live("reports the other server's answer, and follows its redirects", () =>
    Effect.gen(function* () {
      const { add, host, stored } = yield* makeScene()
      const error = yield* Effect.flip(add(sha1, `${host.url}/nothing.swi`))
      assert.strictEqual(error.message, "Could not download firmware: the server answers 404")
      yield* add(sha1, `${host.url}/moved/${NAME}`)
      assert.isTrue((yield* stored).equals(image))
    }).pipe(Effect.scoped)
  )

  it.live("links the default of a family, and removes the link with its image", () =>
    Effect.gen(function* () {
      const { add, folder, store } = yield* makeScene()
      yield* add()
      yield* store.setDefault(NAME)
      const defaults = [{ default: "EOS-stable.swi", file: NAME }]
      assert.deepStrictEqual(yield* store.list, { files: [NAME], defaults })
      yield* store.remove(NAME)
      assert.deepStrictEqual(yield* store.list, { files: [], defaults: [] })
      assert.deepStrictEqual(yield* Effect.promise(() => fs.readdir(path.join(folder, ".digests"))), [])
      assert.strictEqual((yield* Effect.flip(store.remove(NAME))).message, `Could not find file ${NAME}`)
    }).pipe(Effect.scoped)
  )

  it.live("recomputes the checksum of a manually changed file", () =>
    Effect.gen(function* () {
      const { add, folder, store } = yield* makeScene()
      yield* add()
      yield* Effect.promise(() => fs.writeFile(path.join(folder, NAME), "damaged"))
      assert.strictEqual((yield* store.recompute(NAME)).sha1, sha1Of(Buffer.from("damaged")))
      assert.strictEqual(Option.getOrThrow(yield* store.image(NAME)).size, 7)
    }).pipe(Effect.scoped)
  )
})
