/** Whether the settings of a machine come with a key, as a backup and a restore ask. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { randomBytes } from "node:crypto"
import * as fs from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"
import * as SiteFiles from "../../src/backup/SiteFiles.ts"
import { ServerConfig } from "../../src/ServerConfig.ts"

const makeFolder = Effect.acquireRelease(
  Effect.promise(() => fs.mkdtemp(path.join(tmpdir(), "switchyard-key-"))),
  (folder) => Effect.promise(() => fs.rm(folder, { recursive: true, force: true }))
)

const findIn = (folder: string) =>
  Effect.provide(SiteFiles.findKey, ServerConfig.layerOf({ DATA_DIR: folder }), { local: true })

describe("The key of a machine", () => {
  it.effect("is missing without a file, and has a name with one", () =>
    Effect.gen(function* () {
      const folder = yield* makeFolder
      assert.isTrue(Option.isNone(yield* findIn(folder)))
      const line = `${randomBytes(32).toString("base64url")}\n`
      yield* Effect.promise(() => fs.writeFile(SiteFiles.keyFileOf(folder), line))
      const found = Option.getOrThrow(yield* findIn(folder))
      assert.deepStrictEqual(Option.some(found.name), SiteFiles.keyNameOf(line))
      assert.strictEqual(found.place, "file")
    })
  )

  it.effect("is reported as unreadable if the file exists and cannot be read", () =>
    Effect.gen(function* () {
      const folder = yield* makeFolder
      // no user can read a folder as a file, not even root
      yield* Effect.promise(() => fs.mkdir(SiteFiles.keyFileOf(folder)))
      const error = yield* Effect.flip(findIn(folder))
      assert.strictEqual(error._tag, "KeyUnreadable")
      assert.include(error.message, `The key in ${SiteFiles.keyFileOf(folder)} cannot be read (it is a folder)`)
    })
  )
})
