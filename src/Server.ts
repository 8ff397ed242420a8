/** The whole server: the API over the engine over the database. `main.ts` runs it; tests start it on a database of their own. */
import { AuditChain, upkeepLayer as auditUpkeep } from "./access/AuditChain.ts"
import { Layer } from "effect"
import * as Engine from "./Engine.ts"
import * as EventUpkeep from "./events/EventFeed.ts"
import { EventFeed } from "./events/EventFeed.ts"
import { HttpServerLive } from "./http/HttpServer.ts"
import { ActorInspection, stepFeedLayer } from "./devices/ActorInspection.ts"
import { LiveDevices } from "./devices/LiveDevices.ts"
import { Repositories } from "./jobs/repositories/Repositories.ts"
import { SettingsView } from "./settings/SettingsView.ts"
import * as Logging from "./runtime/Logging.ts"
import * as PrivateFolders from "./runtime/PrivateFolders.ts"
import { watchDescriptors } from "./runtime/OwnFaults.ts"
import { SecretKey } from "./runtime/SecretKey.ts"
import * as Traces from "./runtime/Traces.ts"
import { ServerConfig } from "./ServerConfig.ts"
import * as Database from "./store/Database.ts"
import { AlertRulesInForce } from "./events/AlertMaking.ts"
import * as ReplicaFeed from "./events/ReplicaFeed.ts"
import { Previews } from "./templates/CandidateConfigs.ts"
import { Readiness } from "./http/system/Readiness.ts"
import * as RefreshRepository from "./jobs/repositories/RefreshRepository.ts"
import * as Signatures from "./jobs/repositories/Signatures.ts"
import * as Retention from "./jobs/engine/Retention.ts"
import * as AuditExport from "./access/AuditExport.ts"
import { named } from "./runtime/Shutdown.ts"
import { LiveFeed } from "./runtime/LiveFeed.ts"
import * as Alerts from "./events/Alerts.ts"
import { settingsWithSecrets } from "./store/StoredSettings.ts"

/** Services of other rooms that the routes use. */
export const ports = Layer.mergeAll(
  SettingsView.layer,
  Repositories.layer,
  Previews.layer,
  LiveDevices.layer,
  Readiness.layer.pipe(Layer.provide(Repositories.layer)),
  AlertRulesInForce.layer
)

const audit = Layer.mergeAll(
  auditUpkeep.pipe(Layer.provide(AuditChain.layer), Layer.provide(SecretKey.layer)),
  AuditExport.layer,
  EventUpkeep.layer,
  Retention.layer
)

/** Steps of the actors, and events of other replicas. */
const feeds = Layer.merge(stepFeedLayer.pipe(Layer.provide(ActorInspection.layer)), ReplicaFeed.layer)

/** The server without its database: needs a migrated one and the configuration. */
export const layerOnDatabase = named("requests of clients", HttpServerLive).pipe(
  Layer.provide(ports),
  Layer.merge(RefreshRepository.layer),
  Layer.merge(audit),
  Layer.merge(feeds),
  Layer.merge(named("messages to receivers", Alerts.layer)),
  Layer.merge(watchDescriptors),
  Layer.provide(EventFeed.layer),
  Layer.provideMerge(Engine.layer),
  Layer.provide(Logging.liveLayer),
  Layer.provideMerge(LiveFeed.layer),
  Layer.provide(Traces.layer)
)

/** The server for an environment, with the database in it or the embedded one. */
export const layerOf = (environment: Readonly<Record<string, string | undefined>>) =>
  layerOnDatabase.pipe(
    Layer.provide(settingsWithSecrets(environment)),
    Layer.provide(PrivateFolders.layer),
    Layer.provide(Signatures.startLayer),
    Layer.provide(named("the database", Database.layer)),
    Layer.provide(Logging.layer),
    Layer.provide(ServerConfig.layerOf(environment))
  )
