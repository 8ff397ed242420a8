/** The whole server: the API over the engine over the database. `main.ts` runs it; tests start it on a database of their own. */
import { Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import * as Engine from "./Engine.ts"
import { HttpServerLive } from "./http/HttpServer.ts"
import * as BuildLive from "./http/live/BuildLive.ts"
import * as PluginsLive from "./http/live/PluginsLive.ts"
import * as PreviewsLive from "./http/live/PreviewsLive.ts"
import * as RepositoriesLive from "./http/live/RepositoriesLive.ts"
import * as SettingsViewLive from "./http/live/SettingsViewLive.ts"
import * as InitCheckLive from "./jobs/InitCheckLive.ts"
import * as RepositoryStart from "./jobs/RepositoryStart.ts"
import * as Database from "./store/Database.ts"

const ports = Layer.mergeAll(
  SettingsViewLive.layer,
  RepositoriesLive.layer,
  PreviewsLive.layer,
  PluginsLive.layer,
  BuildLive.layer,
  InitCheckLive.layer
)

const announce = Layer.effectDiscard(
  Effect.gen(function* () {
    const { address } = yield* HttpServer.HttpServer
    yield* Effect.logInfo(`Listening on ${HttpServer.formatAddress(address)}`)
  })
)

/** The server without its database: needs a migrated one and the configuration. */
export const layerOnDatabase = announce.pipe(
  Layer.provideMerge(HttpServerLive),
  Layer.provide(ports),
  Layer.merge(RepositoryStart.layer),
  Layer.provideMerge(Engine.layer)
)

/** The server with the database that the configuration names or the embedded one. */
export const layer = layerOnDatabase.pipe(Layer.provide(Database.layer))
