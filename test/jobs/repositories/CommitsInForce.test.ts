/** Two servers on one database that refresh at the same time, each with a local copy of its own. */
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Option, References, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { ChangeWindows } from "../../../src/access/ChangeWindows.ts"
import { Permissions } from "../../../src/access/Permissions.ts"
import { CandidateConfigs } from "../../../src/templates/CandidateConfigs.ts"
import { RepositoryUpdate } from "../../../src/jobs/repositories/RepositoryUpdate.ts"
import { RepositoryCopies } from "../../../src/jobs/repositories/CheckedCommit.ts"
import { PluginRegistry } from "../../../src/plugins/PluginRegistry.ts"
import { ServerConfig } from "../../../src/ServerConfig.ts"
import { ActiveSettings } from "../../../src/settings/ActiveSettings.ts"
import { RepositoryStore } from "../../../src/store/RepositoryStore.ts"
import { ActiveTemplates } from "../../../src/templates/ActiveTemplates.ts"
import { Renderer } from "../../../src/templates/Renderer.ts"
import { UndefinedPrints } from "../../../src/templates/UndefinedPrints.ts"
import * as Campus from "../../support/Campus.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { storesOn } from "../../support/TestStores.ts"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { locks } from "../../../src/store/DatabaseClient.ts"

type Folders = Effect.Success<typeof Campus.makeFolders>

/** The services that refresh repositories in one server. */
const updaterOf = (name: string, { folder, settings, templates }: Folders) =>
  RepositoryUpdate.layer.pipe(
    Layer.provide(RepositoryCopies.layer),
    Layer.provide([ChangeWindows.layer, Permissions.layer]),
    Layer.provide(CandidateConfigs.layer),
    Layer.provide(UndefinedPrints.layer),
    Layer.provide([ActiveSettings.layer, ActiveTemplates.layer, PluginRegistry.layer]),
    Layer.provide(Renderer.layer),
    Layer.provide(
      ServerConfig.layerOf({
        DATA_DIR: path.join(folder, name),
        GITREPO_SETTINGS: settings.folder,
        GITREPO_TEMPLATES: templates.folder
      })
    ),
    Layer.fresh,
    Layer.build,
    Effect.map(
      (services) => (repository: "settings" | "templates") =>
        Effect.provideContext(
          Effect.flatMap(RepositoryUpdate, (updates) =>
            Effect.map(updates.update(repository, { by: name, jobId: 1 }), ({ message }) => message)
          ),
          services
        )
    )
  )

const commitNtp = Effect.fnUntraced(function* ({ settings }: Folders, address: string) {
  const file = path.join(settings.folder, "global/base_system.yml")
  const text = yield* Effect.promise(() => fs.readFile(file, "utf8"))
  yield* settings.commit({ "global/base_system.yml": text.replace(/host: 10\.20\.0\.\d+\n/, `host: ${address}\n`) })
})

const hashOf = (answer: string): string => /ommit ([0-9a-f]{40})/.exec(answer)?.[1] ?? answer

/** Holds the lock of what is in force while the body runs, as a server does that was stopped amid its transaction. */
const holding = <A, E, R>(body: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const taken = yield* Deferred.make<void>()
    const done = yield* Deferred.make<void>()
    const holder = yield* Effect.forkChild(
      sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`select pg_advisory_xact_lock(${locks.commits})`
          yield* Deferred.succeed(taken, undefined)
          yield* Deferred.await(done)
        })
      )
    )
    yield* Deferred.await(taken)
    const result = yield* body
    yield* Deferred.succeed(done, undefined)
    yield* Fiber.join(holder)
    return result
  })

const layers = storesOn(TestDatabase).pipe(Layer.provideMerge(NodeServices.layer))

const withFolders = <A, E>(
  body: (folders: Folders) => Effect.Effect<A, E, Layer.Success<typeof layers> | Scope.Scope>
) =>
  Effect.flatMap(Campus.makeFolders, body).pipe(
    Effect.scoped,
    Effect.provide(layers),
    Effect.provideService(References.MinimumLogLevel, "Error")
  )

it.live("never replaces a newer commit by an older one", () =>
  withFolders((folders) =>
    Effect.gen(function* () {
      const refreshes = yield* Effect.forEach(["one", "other"], (name) => updaterOf(name, folders))
      const sql = yield* SqlClient.SqlClient
      for (let round = 1; round <= 3; round += 1) {
        yield* commitNtp(folders, `10.20.0.${round * 3 + 100}`)
        const answers = yield* Effect.forEach(refreshes, (refresh) => refresh("settings"), { concurrency: 2 })
        yield* commitNtp(folders, `10.20.0.${round * 3 + 101}`)
        // the first has fetched and checked the older commit and waits; the second comes with the newer one
        const first = refreshes[round % 2]
        const second = refreshes[(round + 1) % 2]
        assert.isDefined(first)
        assert.isDefined(second)
        const both = yield* holding(
          Effect.gen(function* () {
            const early = yield* Effect.forkChild(first("settings"))
            yield* Effect.sleep("300 millis")
            yield* commitNtp(folders, `10.20.0.${round * 3 + 102}`)
            return [early, yield* Effect.forkChild(second("settings"))] as const
          })
        )
        const [early, late] = yield* Effect.forEach(both, Fiber.join)
        const inForce = yield* (yield* RepositoryStore).commitOf("settings", "")
        assert.strictEqual(Option.getOrNull(inForce), hashOf(late ?? ""), JSON.stringify([answers, early, late]))
      }
      assert.deepStrictEqual(yield* sql`select * from repository_kept`, [])
    })
  )
)

it.live("answers with a sentence when a stopped server has the lock", () =>
  withFolders((folders) =>
    Effect.gen(function* () {
      const refresh = yield* updaterOf("one", folders)
      const refused = yield* holding(Effect.flip(refresh("templates")))
      assert.deepInclude(refused, {
        _tag: "RefreshRefused",
        status: 503,
        message:
          "Another job is locking configuration of devices, try again later (Unable to acquire lock for configuring devices)"
      })
      assert.match(yield* refresh("templates"), /ommit [0-9a-f]{40} main by /)
    })
  )
)
