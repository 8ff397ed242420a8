/** The whole server: the API over the engine over the database. `main.ts` runs it; tests start it on a database of their own. */
import { AskedDevices } from "./access/AskedDevices.ts"
import { Permissions } from "./access/Permissions.ts"
import { AuditChain } from "./access/AuditChain.ts"
import * as AuditUpkeep from "./access/AuditUpkeep.ts"
import * as SyslogExport from "./access/SyslogExport.ts"
import { Effect, Layer } from "effect"
import * as Engine from "./Engine.ts"
import * as AlertMaking from "./events/AlertMaking.ts"
import { AlertRulesInForce } from "./events/AlertMaking.ts"
import * as AlertSending from "./events/AlertSending.ts"
import * as Watches from "./events/Watches.ts"
import * as EventUpkeep from "./events/EventFeed.ts"
import { EventFeed } from "./events/EventFeed.ts"
import * as ReplicaFeed from "./events/ReplicaFeed.ts"
import { HttpServerLive } from "./http/HttpServer.ts"
import { Build } from "./runtime/Build.ts"
import { ActorInspection } from "./devices/ActorInspection.ts"
import { DeviceActors } from "./devices/DeviceActors.ts"
import { LiveDevices } from "./devices/LiveDevices.ts"
import * as ToldSteps from "./devices/ToldSteps.ts"
import { Plugins } from "./plugins/Plugins.ts"
import { Previews } from "./jobs/sync/Previews.ts"
import { Readiness } from "./jobs/engine/Readiness.ts"
import { Repositories } from "./jobs/repositories/Repositories.ts"
import { SettingsView } from "./settings/SettingsView.ts"
import * as RepositoryStart from "./jobs/repositories/RepositoryStart.ts"
import { named } from "./runtime/Ending.ts"
import * as Logging from "./runtime/Logging.ts"
import * as RetentionUpkeep from "./jobs/engine/RetentionUpkeep.ts"
import * as PrivateFolders from "./runtime/PrivateFolders.ts"
import { watchDescriptors } from "./runtime/OwnFaults.ts"
import { SecretKey } from "./runtime/SecretKey.ts"
import { Told } from "./runtime/Told.ts"
import * as ToldLog from "./runtime/ToldLog.ts"
import * as Traces from "./runtime/Traces.ts"
import { withStored } from "./runtime/SecretSources.ts"
import { ServerConfig } from "./ServerConfig.ts"
import * as Database from "./store/Database.ts"
import { secureDefaults } from "./store/Migrations.ts"
import { SecretStore } from "./store/SecretStore.ts"
import * as NodeServices from "@effect/platform-node/NodeServices"

/** What the routes ask of other rooms. */
export const ports = Layer.mergeAll(
  SettingsView.layer,
  Repositories.layer,
  Previews.layer,
  Plugins.layer,
  Build.layer,
  LiveDevices.layer,
  DeviceActors.layer,
  Readiness.layer,
  AlertRulesInForce.layer,
  Engine.initCheck
)

const audit = Layer.mergeAll(
  AuditUpkeep.layer.pipe(Layer.provide(AuditChain.layer), Layer.provide(SecretKey.layer)),
  SyslogExport.layer,
  EventUpkeep.layer,
  RetentionUpkeep.layer
)

/** Steps of the actors, and what other replicas tell. */
const telling = Layer.merge(ToldSteps.layer.pipe(Layer.provide(ActorInspection.layer)), ReplicaFeed.layer)
/** Alerts, from the events that nobody else tells to the receivers. */
const alerts = Layer.mergeAll(AlertMaking.layer, AlertSending.layer, Watches.layer).pipe(
  Layer.provide([AlertRulesInForce.layer, AskedDevices.layer, Permissions.layer])
)

/** The server without its database: needs a migrated one and the configuration. */
export const layerOnDatabase = named("requests of clients", HttpServerLive).pipe(
  Layer.provide(ports),
  Layer.merge(RepositoryStart.layer),
  Layer.merge(audit),
  Layer.merge(telling),
  Layer.merge(named("messages to receivers", alerts)),
  Layer.merge(watchDescriptors),
  Layer.provide(EventFeed.layer),
  Layer.provideMerge(named("work on jobs and devices", Engine.layer)),
  Layer.provide(ToldLog.layer),
  Layer.provideMerge(Told.layer),
  Layer.provide(Traces.layer)
)

/**
 * The settings of an environment with the secrets that the database keeps, and with what it says about settings that nobody has set; what
 * the environment gives counts.
 */
const settingsWithSecrets = (environment: Readonly<Record<string, string | undefined>>) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const secrets = yield* SecretStore
      if (yield* secrets.hasOthers) {
        yield* Effect.logError(
          "The database holds texts that were sealed under another key: changes of before cannot be undone. Set SECRET_KEY, or SECRET_KEY_PREVIOUS, to that key"
        )
      }
      const given = withStored(environment, yield* secrets.all)
      const isDecided = (given["SECURE_DEFAULTS"] ?? "") !== ""
      return ServerConfig.layerOf(isDecided ? given : { ...given, SECURE_DEFAULTS: String(yield* secureDefaults) })
    })
  ).pipe(Layer.provide(SecretStore.layer), Layer.provide(SecretKey.layer), Layer.provide(NodeServices.layer))

/** The server of an environment, with the database that it names or the embedded one. */
export const layerOf = (environment: Readonly<Record<string, string | undefined>>) =>
  layerOnDatabase.pipe(
    Layer.provide(settingsWithSecrets(environment)),
    Layer.provide(PrivateFolders.layer),
    Layer.provide(named("the database", Database.layer)),
    Layer.provide(Logging.layer),
    Layer.provide(ServerConfig.layerOf(environment))
  )
