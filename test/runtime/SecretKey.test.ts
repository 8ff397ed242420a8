import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Layer, Path, Redacted, Result } from "effect"
import { SecretKey } from "../../src/runtime/SecretKey.ts"
import { ServerConfig } from "../../src/ServerConfig.ts"

const open = (environment: Readonly<Record<string, string>>) =>
  Effect.provide(SecretKey, SecretKey.layer.pipe(Layer.fresh, Layer.provide(ServerConfig.layerOf(environment))), {
    local: true
  })

const bytes = (key: SecretKey["Service"], purpose = "test") =>
  Buffer.from(Redacted.value(key.keyFor(purpose))).toString("hex")

describe("the key of this installation", () => {
  it.live("is created once and kept in a file that no other user reads", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const folder = (yield* Path.Path).join(yield* files.makeTempDirectoryScoped(), "data")
      const all = yield* Effect.all([open({ DATA_DIR: folder }), open({ DATA_DIR: folder })], {
        concurrency: "unbounded"
      })
      const later = yield* open({ DATA_DIR: folder })
      assert.strictEqual(new Set([...all, later].map((key) => bytes(key))).size, 1)
      assert.deepStrictEqual(yield* files.readDirectory(folder), ["secret.key"])
      assert.strictEqual((yield* files.stat(`${folder}/secret.key`)).mode & 0o777, 0o600)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.live("comes from SECRET_KEY, and differs by purpose", () =>
    Effect.gen(function* () {
      const key = yield* open({ SECRET_KEY: "a".repeat(32), DATA_DIR: "/nowhere" })
      const other = yield* open({ SECRET_KEY: "b".repeat(32), DATA_DIR: "/nowhere" })
      assert.notStrictEqual(bytes(key), bytes(other))
      assert.notStrictEqual(bytes(key), bytes(key, "another"))
      assert.strictEqual(key.digester("x")("text"), key.digester("x")("text"))
      assert.notStrictEqual(key.digester("x")("text"), other.digester("x")("text"))
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("is refused if it is too short, without being repeated, and if its file contains something else", () =>
    Effect.gen(function* () {
      const short = yield* Effect.result(open({ SECRET_KEY: "hunter2" }))
      assert.isTrue(Result.isFailure(short))
      assert.notInclude(JSON.stringify(short), "hunter2")
      assert.notInclude(String(Result.isFailure(short) ? short.failure : ""), "hunter2")
      const files = yield* FileSystem.FileSystem
      const folder = yield* files.makeTempDirectoryScoped()
      yield* files.writeFileString(`${folder}/secret.key`, "short")
      const wrong = yield* Effect.result(open({ DATA_DIR: folder }))
      assert.match(String(Result.isFailure(wrong) ? wrong.failure : ""), /secret\.key is not one/)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})
