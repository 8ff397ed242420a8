/**
 * Everything below the API, wired together: stores, settings and templates in force, drivers, device actors, jobs and
 * plugins. `main.ts` puts the API on top of it; tests may use it alone.
 */
import { Effect, Layer, Result, Schema } from "effect"
import * as DeviceActor from "./devices/DeviceActor.ts"
import { DeviceLogin } from "./devices/DeviceLogin.ts"
import { ManagementAccess } from "./devices/ManagementAccess.ts"
import { DriverRegistry } from "./drivers/Drivers.ts"
import * as AddressMap from "./drivers/ssh/SshLimits.ts"
import { SshLimits } from "./drivers/ssh/SshLimits.ts"
import * as Authentication from "./drivers/ssh/Authentication.ts"
import * as LoadChecks from "./drivers/LoadChecks.ts"
import * as Cluster from "./jobs/engine/Cluster.ts"
import { PluginActions } from "./plugins/PluginActions.ts"
import { SecretKey } from "./runtime/SecretKey.ts"
import { named } from "./runtime/Shutdown.ts"
import { ServerConfig } from "./ServerConfig.ts"
import { ActiveSettings } from "./settings/ActiveSettings.ts"
import * as DatabaseClient from "./store/DatabaseClient.ts"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Jobs from "./jobs/Jobs.ts"
import * as Stores from "./store/Stores.ts"

/** The format of a setting is invalid in a way that its type cannot express. */
class InvalidSetting extends Schema.TaggedError<InvalidSetting>()("InvalidSetting", {
  message: Schema.String
}) {}

const sshLimits = Layer.unwrap(
  Effect.gen(function* () {
    const { SSH_ADDRESS_MAP, SSH_MAX_SESSIONS, SSH_PORT, SSH_REFUSED_DELAY, keyLogins } = yield* ServerConfig
    for (const [state, { key }] of keyLogins) {
      const read = Authentication.parseKey(key)
      if (Result.isFailure(read)) return yield* new InvalidSetting({ message: `SSH_KEY_${state}: ${read.failure}` })
    }
    const parsed = AddressMap.parseAddressMap(SSH_ADDRESS_MAP)
    if (Result.isFailure(parsed)) return yield* new InvalidSetting({ message: `SSH_ADDRESS_MAP: ${parsed.failure}` })
    return SshLimits.layer({
      port: SSH_PORT,
      maxSessions: SSH_MAX_SESSIONS,
      refusedDelay: SSH_REFUSED_DELAY,
      addressMap: parsed.success
    })
  })
)

const foreignSessions = Layer.unwrap(
  Effect.map(ServerConfig, ({ FOREIGN_SESSIONS }) => LoadChecks.foreignSessionsLayer(FOREIGN_SESSIONS))
)

/** Drivers of all platforms that this server can log in to. */
const drivers = DriverRegistry.layer.pipe(Layer.provide(sshLimits), Layer.provide(foreignSessions))

const deviceLogin = DeviceLogin.layer.pipe(
  Layer.provideMerge(ManagementAccess.layer),
  Layer.provide(ActiveSettings.layer)
)

/** The actors of devices, the only code that talks to switches; they need the stores and the cluster. */
export const actors = DeviceActor.layer.pipe(
  Layer.provide(DatabaseClient.layerWaits),
  Layer.provide([deviceLogin, SecretKey.layer]),
  Layer.provide(drivers)
)

/** All stores; they need the database and the server's own key. */
export const stores = Stores.layer

/** Services that API handlers and job functions share. */
export const services = Jobs.services.pipe(Layer.provideMerge(deviceLogin.pipe(Layer.provide(drivers))))

/** The engine on a given database: it resumes unfinished jobs, and offers its services. */
export const layer = Layer.mergeAll(
  named("running jobs", Jobs.layer),
  Stores.upkeep,
  named("device actors", actors),
  PluginActions.layerSweep
).pipe(
  Layer.provideMerge(services),
  Layer.provideMerge(named("the division among replicas", Cluster.layer)),
  Layer.provideMerge(stores),
  Layer.provideMerge(NodeServices.layer)
)
