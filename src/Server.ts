/** The whole server: the API over the engine over the database. `main.ts` runs it; tests start it on a database of their own. */
import { Layer } from "effect"
import * as Engine from "./Engine.ts"
import { HttpServerLive } from "./http/HttpServer.ts"
import * as BuildLive from "./http/live/BuildLive.ts"
import * as LiveDevicesLive from "./http/live/LiveDevicesLive.ts"
import * as PluginsLive from "./http/live/PluginsLive.ts"
import * as PreviewsLive from "./http/live/PreviewsLive.ts"
import * as ReadinessLive from "./http/live/ReadinessLive.ts"
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
