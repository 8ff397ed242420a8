/** The lock under which plugin calls are made: it is waited for without keeping the database waiting, and always given back. */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import * as fs from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { SqlClient } from "effect/sql"
import { PluginActions } from "../../src/plugins/PluginActions.ts"
import { PluginRegistry } from "../../src/plugins/PluginRegistry.ts"
import { ServerConfig } from "../../src/ServerConfig.ts"
import { answeringWithin } from "../../src/store/AnswerTime.ts"
import { PluginCallStore } from "../../src/store/PluginCallStore.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

/** One plugin, so that there is a lock to be taken. */
const config = Layer.unwrap(
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.promise(() => fs.mkdtemp(path.join(tmpdir(), "switchyard-plugins-"))),
      (made) => Effect.promise(() => fs.rm(made, { recursive: true, force: true }))
    )
    const file = path.join(folder, "plugins.yml")
    const text = `plugins: [{filename: filewriter.ts, vars: {logfile: "${folder}/events.log"}}]\n`
    yield* Effect.promise(() => fs.writeFile(file, text))
    return ServerConfig.layerOf({ PLUGIN_FILE: file })
  })
)

const actions = PluginActions.layer.pipe(
  Layer.provide([PluginRegistry.layer, PluginCallStore.layer]),
  Layer.provide(config),
  Layer.provideMerge(TestDatabase)
)

const isFree = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return (
    (yield* sql`select 1 from pg_locks where locktype = 'advisory' and database =
    (select oid from pg_database where datname = current_database())`).length === 0
  )
})

layer(actions, { excludeTestServices: true })("The lock of the plugin calls", (it) => {
  it.effect("is waited for, however long another process has it, and released", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { runOpen } = yield* PluginActions
      const waiting = yield* Effect.scoped(
        Effect.gen(function* () {
          const other = yield* sql.reserve
          yield* other.executeRaw("select pg_advisory_lock(4202)", [])
          const running = yield* Effect.forkDetach(answeringWithin("300 millis")(runOpen), { startImmediately: true })
          yield* Effect.sleep("1 second")
          assert.isUndefined(running.pollUnsafe())
          yield* other.executeRaw("select pg_advisory_unlock(4202)", [])
          return running
        })
      )
      yield* Fiber.join(waiting)
      assert.isTrue(yield* isFree)
    })
  )

  it.effect("takes one connection, however many callers ask for the calls at once", () =>
    Effect.gen(function* () {
      const { runOpen } = yield* PluginActions
      const everybody = Array.from({ length: 40 }, () => answeringWithin("3 seconds")(runOpen))
      yield* Effect.all(everybody, { concurrency: "unbounded", discard: true })
      assert.isTrue(yield* isFree)
    })
  )
})
