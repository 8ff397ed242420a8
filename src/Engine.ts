/**
 * Everything below the API, wired together: stores, settings and templates in force, drivers, device actors, jobs and
 * plugins. `main.ts` puts the API on top of it; tests may use it alone.
 */
import { NodeServices } from "@effect/platform-node"
import { Effect, Layer, Result, Schema } from "effect"
import * as DeviceActor from "./devices/DeviceActor.ts"
import { DeviceLogin } from "./devices/DeviceLogin.ts"
import { DriverRegistry } from "./drivers/Driver.ts"
import * as Drivers from "./drivers/Drivers.ts"
import * as AddressMap from "./drivers/ssh/AddressMap.ts"
import { SshLimits } from "./drivers/ssh/SshLimits.ts"
import { Firmware } from "./firmware/Firmware.ts"
import { UpgradeOrders } from "./firmware/UpgradeOrders.ts"
import { AccessInitPlan } from "./jobs/init/AccessInitPlan.ts"
import { CandidateConfigs } from "./jobs/sync/CandidateConfigs.ts"
import * as Cluster from "./jobs/engine/Cluster.ts"
import { CommitsInForce } from "./jobs/repositories/CommitsInForce.ts"
import { DeviceSelection } from "./jobs/sync/DeviceSelection.ts"
import { DeviceStates } from "./jobs/engine/DeviceStates.ts"
import { EngineRecords } from "./jobs/engine/EngineRecords.ts"
import { InitSurvey } from "./jobs/init/InitSurvey.ts"
import { JobEngine } from "./jobs/engine/JobEngine.ts"
import * as InterruptedBounces from "./jobs/upkeep/InterruptedBounces.ts"
import * as DriftSchedule from "./jobs/upkeep/DriftSchedule.ts"
import * as JobFunctions from "./jobs/engine/JobFunctions.ts"
import * as JobRunner from "./jobs/engine/JobRunner.ts"
import { JobStates } from "./jobs/engine/JobStates.ts"
import * as JobSweep from "./jobs/engine/JobSweep.ts"
import { LiveJobs } from "./jobs/engine/LiveJobs.ts"
import * as OpenChanges from "./jobs/sync/OpenChanges.ts"
import { NeighbourSync } from "./jobs/init/NeighbourSync.ts"
import { RepositoryProblems } from "./jobs/repositories/RepositoryProblems.ts"
import { RepositoryUpdate } from "./jobs/repositories/RepositoryUpdate.ts"
import { SettingsUpdate } from "./jobs/repositories/SettingsUpdate.ts"
import { StrictRendering } from "./jobs/repositories/StrictRendering.ts"
import { SyncOutcome } from "./jobs/sync/SyncOutcome.ts"
import { TemplatesUpdate } from "./jobs/repositories/TemplatesUpdate.ts"
import { PluginActions } from "./plugins/PluginActions.ts"
import { PluginRegistry } from "./plugins/PluginRegistry.ts"
import { ServerConfig } from "./ServerConfig.ts"
import { ActiveSettings } from "./settings/ActiveSettings.ts"
import { ChangeStore } from "./store/ChangeStore.ts"
import { ConfigHistoryStore } from "./store/ConfigHistoryStore.ts"
import * as DatabaseClient from "./store/DatabaseClient.ts"
import { DeviceStore } from "./store/DeviceStore.ts"
import { HostKeyStore } from "./store/HostKeyStore.ts"
import { InterfaceStore } from "./store/InterfaceStore.ts"
import { JobCommitStore } from "./store/JobCommitStore.ts"
import { JobLockStore } from "./store/JobLockStore.ts"
import { JobStore } from "./store/JobStore.ts"
import { LeftChangeStore } from "./store/LeftChangeStore.ts"
import { LinknetStore } from "./store/LinknetStore.ts"
import { MgmtDomainStore } from "./store/MgmtDomainStore.ts"
import { OperationStore } from "./store/OperationStore.ts"
import { RefreshStore } from "./store/RefreshStore.ts"
import { RepositoryStore } from "./store/RepositoryStore.ts"
import { ReservationStore } from "./store/ReservationStore.ts"
import { StackMemberStore } from "./store/StackMemberStore.ts"
import { SyncEventStore } from "./store/SyncEventStore.ts"
import { UpgradeStore } from "./store/UpgradeStore.ts"
import { ActiveTemplates } from "./templates/ActiveTemplates.ts"
import { Renderer } from "./templates/Renderer.ts"
import { UndefinedPrints } from "./templates/UndefinedPrints.ts"

/** A setting has a form that its type cannot express. */
export class InvalidSetting extends Schema.TaggedError<InvalidSetting>()("InvalidSetting", {
  message: Schema.String
}) {}

/** All stores; they need the database. */
export const stores = Layer.mergeAll(
  DeviceStore.layer,
  InterfaceStore.layer,
  LinknetStore.layer,
  MgmtDomainStore.layer,
  StackMemberStore.layer,
  ReservationStore.layer,
  SyncEventStore.layer,
  JobStore.layer,
  JobLockStore.layer,
  JobCommitStore.layer,
  ChangeStore.layer,
  OperationStore.layer,
  ConfigHistoryStore.layer,
  HostKeyStore.layer,
  RepositoryStore.layer
)

const sshLimits = Layer.unwrap(
  Effect.gen(function* () {
    const { SSH_ADDRESS_MAP, SSH_MAX_SESSIONS, SSH_PORT, SSH_REFUSED_DELAY } = yield* ServerConfig
    const parsed = AddressMap.parse(SSH_ADDRESS_MAP)
    if (Result.isFailure(parsed)) return yield* new InvalidSetting({ message: `SSH_ADDRESS_MAP: ${parsed.failure}` })
    return SshLimits.layer({
      port: SSH_PORT,
      maxSessions: SSH_MAX_SESSIONS,
      refusedDelay: SSH_REFUSED_DELAY,
      addressMap: parsed.success
    })
  })
)

/** Drivers of all platforms that this server can log in to. */
const drivers = DriverRegistry.layer(Drivers.makers).pipe(Layer.provide(sshLimits))

/** The actors of devices, which alone talk to switches; they need the stores and the cluster. */
export const actors = DeviceActor.layer.pipe(
  Layer.provide(DatabaseClient.layerWaits),
  Layer.provide(DeviceLogin.layer),
  Layer.provide(drivers)
)

const inForce = UndefinedPrints.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(ActiveSettings.layer, ActiveTemplates.layer)),
  Layer.provideMerge(Renderer.layer)
)

const starting = JobEngine.layer.pipe(Layer.provideMerge(JobStates.layer))

/** Services that API handlers and job functions share. */
export const services = Layer.mergeAll(
  DeviceStates.layer,
  DeviceSelection.layer,
  PluginActions.layer,
  InitSurvey.layer,
  RepositoryUpdate.layer.pipe(
    Layer.provide([SettingsUpdate.layer, TemplatesUpdate.layer, CommitsInForce.layer]),
    Layer.provide(StrictRendering.layer),
    Layer.provideMerge(CandidateConfigs.layer)
  ),
  RepositoryProblems.layer.pipe(Layer.provide(RefreshStore.layer))
).pipe(
  Layer.provideMerge(
    Layer.mergeAll(starting, inForce, PluginRegistry.layer, DeviceLogin.layer.pipe(Layer.provide(drivers)))
  )
)

const firmware = Layer.mergeAll(Firmware.layer, UpgradeOrders.layer, UpgradeStore.layer)

const functions = JobFunctions.layer.pipe(
  Layer.provide(firmware),
  Layer.provide(AccessInitPlan.layer),
  Layer.provide([NeighbourSync.layer, SyncOutcome.layer])
)

const runner = Layer.merge(JobRunner.layer, JobSweep.layer).pipe(
  Layer.provide(functions),
  Layer.provide(LiveJobs.layer)
)

const openChanges = OpenChanges.layer.pipe(Layer.provide([LeftChangeStore.layer, SyncOutcome.layer]))

const records = EngineRecords.layerSweep.pipe(Layer.provide(EngineRecords.layer))

/** The engine on a database that is given: it takes up the jobs that were left, and offers its services. */
export const layer = Layer.mergeAll(
  runner,
  actors,
  DriftSchedule.layer,
  InterruptedBounces.layer,
  openChanges,
  PluginActions.layerSweep,
  records
).pipe(
  Layer.provideMerge(services),
  Layer.provideMerge(Cluster.layer),
  Layer.provideMerge(stores),
  Layer.provideMerge(NodeServices.layer)
)
