/** The whole server: the API over the engine over the database. `main.ts` runs it; tests start it on a database of their own. */
import { Layer } from "effect"
import * as Engine from "./Engine.ts"
import { HttpServerLive } from "./http/HttpServer.ts"
import * as BuildLive from "./runtime/BuildLive.ts"
import * as LiveDevicesLive from "./devices/LiveDevicesLive.ts"
import * as PluginsLive from "./plugins/PluginsLive.ts"
import * as PreviewsLive from "./jobs/sync/PreviewsLive.ts"
import * as ReadinessLive from "./jobs/engine/ReadinessLive.ts"
import * as RepositoriesLive from "./jobs/repositories/RepositoriesLive.ts"
import * as SettingsViewLive from "./settings/SettingsViewLive.ts"
import * as InitCheckLive from "./jobs/init/InitCheckLive.ts"
import * as RepositoryStart from "./jobs/repositories/RepositoryStart.ts"
import * as Database from "./store/Database.ts"

/** What the routes ask of other rooms. */
export const ports = Layer.mergeAll(
  SettingsViewLive.layer,
  RepositoriesLive.layer,
  PreviewsLive.layer,
  PluginsLive.layer,
  BuildLive.layer,
  LiveDevicesLive.layer,
  ReadinessLive.layer,
  InitCheckLive.layer
)

/** The server without its database: needs a migrated one and the configuration. */
export const layerOnDatabase = HttpServerLive.pipe(
  Layer.provide(ports),
  Layer.merge(RepositoryStart.layer),
  Layer.provideMerge(Engine.layer)
)

/** The server with the database that the configuration names or the embedded one. */
export const layer = layerOnDatabase.pipe(Layer.provide(Database.layer))
