/**
 * Everything below the API, wired together: stores, settings and templates in force, drivers, device actors, jobs and
 * plugins. `main.ts` puts the API on top of it; tests may use it alone.
 */
import { Effect, Layer, Result, Schema } from "effect"
import { ChangeWindows } from "./access/ChangeWindows.ts"
import { Permissions } from "./access/Permissions.ts"
import { CertificateAuthority } from "./certificates/CertificateAuthority.ts"
import * as DeviceActor from "./devices/DeviceActor.ts"
import { DeviceLogin } from "./devices/DeviceLogin.ts"
import { ManagementAccess } from "./devices/ManagementAccess.ts"
import * as AddressMap from "./drivers/ssh/SshLimits.ts"
import { SshLimits } from "./drivers/ssh/SshLimits.ts"
import { Firmware } from "./firmware/Firmware.ts"
import { DeviceCertificates } from "./devices/DeviceCertificates.ts"
import * as Cluster from "./jobs/engine/Cluster.ts"
import { DeviceStates } from "./devices/DeviceStates.ts"
import { JobEngine } from "./jobs/engine/JobEngine.ts"
import { JobPlaces } from "./jobs/engine/JobPlaces.ts"
import * as JobRunner from "./jobs/engine/JobRunner.ts"
import { JobStates } from "./jobs/engine/JobStates.ts"
import { layerSweep, LiveJobs } from "./jobs/engine/LiveJobs.ts"
import * as Retention from "./jobs/engine/Retention.ts"
import * as JobList from "./jobs/JobList.ts"
import { BranchCheck } from "./jobs/repositories/BranchCheck.ts"
import { RepositoryCopies } from "./jobs/repositories/CheckedCommit.ts"
import { RepositoryUpdate } from "./jobs/repositories/RepositoryUpdate.ts"
import { JobApproval } from "./jobs/requests/JobApproval.ts"
import { gate } from "./jobs/requests/JobRequests.ts"
import { JobWindows } from "./jobs/requests/JobWindows.ts"
import * as OpenChanges from "./jobs/sync/OpenChanges.ts"
import { SyncOutcome } from "./jobs/sync/Outcome.ts"
import * as Schedules from "./jobs/upkeep/Schedules.ts"
import { BackgroundWork } from "./runtime/BackgroundWork.ts"
import { ConfigHistoryStore, LearnedLineStore, ProvedConfigStore, ShownChangeStore } from "./store/ConfigStore.ts"
import { CandidateConfigs } from "./templates/CandidateConfigs.ts"
import { PluginActions } from "./plugins/PluginActions.ts"
import { PluginRegistry } from "./plugins/PluginRegistry.ts"
import { SecretKey } from "./runtime/SecretKey.ts"
import { ServerConfig } from "./ServerConfig.ts"
import { ActiveSettings } from "./settings/ActiveSettings.ts"
import { AlertDeliveryStore, AlertMuteStore, AlertStore } from "./store/AlertStore.ts"
import { CertificateStore } from "./store/CertificateStore.ts"
import { ApprovalStore } from "./store/ApprovalStore.ts"
import { ChangeStore } from "./store/ChangeStore.ts"
import * as DatabaseClient from "./store/DatabaseClient.ts"
import { DeviceStore, HeardStore, StackMemberStore, SyncEventStore, UnseenDeviceStore } from "./store/DeviceStore.ts"
import { EventLog, EventStore } from "./store/EventStore.ts"
import { AcceptedLoginStore, HostKeyStore, IdentityStore } from "./store/IdentityStore.ts"
import { InterfaceStore, StationStore } from "./store/InterfaceStore.ts"
import { JobStore } from "./store/JobStore.ts"
import { OperationStore } from "./store/OperationStore.ts"
import { PluginCallStore } from "./store/PluginCallStore.ts"
import { RefreshStore, RepositoryStore } from "./store/RepositoryStore.ts"
import { UpgradeStore } from "./store/UpgradeStore.ts"
import { WatchStore } from "./store/WatchStore.ts"
import { ActiveTemplates } from "./templates/ActiveTemplates.ts"
import { Renderer } from "./templates/Renderer.ts"
import { TemplateTrial } from "./templates/TemplateTrial.ts"
import { UndefinedPrints } from "./templates/UndefinedPrints.ts"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { DriverRegistry } from "./drivers/Drivers.ts"
import * as Authentication from "./drivers/ssh/Authentication.ts"
import * as LoadChecks from "./drivers/LoadChecks.ts"
import { UpgradeOrders } from "./firmware/UpgradeOrder.ts"
import { DerivedSecretStore, SecretTexts } from "./store/SecretStore.ts"
import { UniqueFieldStore } from "./store/DeviceIdentifiers.ts"
import { LeftChangeStore, LeftSessionStore, LiveChangeStore } from "./store/UnfinishedChanges.ts"
import { JobAttemptStore, JobLockStore, JobWaitStore } from "./store/JobScheduling.ts"
import { JobCommitStore } from "./store/JobResults.ts"
import { LinknetStore, MgmtDomainStore, ReservationStore } from "./store/NetworkStore.ts"

/** A setting has a form that its type cannot express. */
export class InvalidSetting extends Schema.TaggedError<InvalidSetting>()("InvalidSetting", {
  message: Schema.String
}) {}

/** All stores; they need the database and the server's own key. */
export const stores = Layer.mergeAll(
  DeviceStore.layer,
  InterfaceStore.layer,
  LinknetStore.layer,
  HeardStore.layer,
  MgmtDomainStore.layer,
  StackMemberStore.layer,
  ReservationStore.layer,
  SyncEventStore.layer,
  JobStore.layer,
  JobAttemptStore.layer,
  JobWaitStore.layer,
  JobLockStore.layer,
  JobCommitStore.layer,
  ChangeStore.layer,
  LiveChangeStore.layer,
  OperationStore.layer,
  PluginCallStore.layer,
  ConfigHistoryStore.layer,
  HostKeyStore.layer,
  IdentityStore.layer,
  AcceptedLoginStore.layer,
  LearnedLineStore.layer,
  RepositoryStore.layer,
  CertificateStore.layer,
  DerivedSecretStore.layer,
  EventStore.layer,
  EventLog.layer,
  WatchStore.layer,
  StationStore.layer,
  AlertStore.layer,
  AlertDeliveryStore.layer,
  AlertMuteStore.layer,
  UnseenDeviceStore.layer,
  UniqueFieldStore.layer,
  LeftSessionStore.layer,
  ProvedConfigStore.layer.pipe(Layer.provide(ChangeStore.layer))
).pipe(Layer.provideMerge(SecretTexts.layer), Layer.provideMerge(SecretKey.layer))

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

/** The actors of devices, which alone talk to switches; they need the stores and the cluster. */
export const actors = DeviceActor.layer.pipe(
  Layer.provide(DatabaseClient.layerWaits),
  Layer.provide([deviceLogin, SecretKey.layer]),
  Layer.provide(drivers)
)

const inForce = UndefinedPrints.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(ActiveSettings.layer, ActiveTemplates.layer)),
  Layer.provideMerge(Renderer.layer)
)

const approving = JobApproval.layer.pipe(
  Layer.provide([ApprovalStore.layer, Permissions.layer]),
  Layer.provide(inForce)
)

const starting = approving.pipe(Layer.provideMerge(JobEngine.layer), Layer.provideMerge(JobStates.layer))

/** Services that API handlers and job functions share. */
export const services = Layer.mergeAll(
  DeviceStates.layer.pipe(Layer.provide(JobList.deviceJobs)),
  ShownChangeStore.layer,
  PluginActions.layer,
  Layer.mergeAll(RepositoryUpdate.layer, BranchCheck.layer).pipe(
    Layer.provide([ChangeWindows.layer, Permissions.layer, RefreshStore.layer]),
    Layer.provideMerge(CandidateConfigs.layer),
    Layer.provide(RepositoryCopies.layer)
  ),
  TemplateTrial.layer,
  JobWindows.layer
).pipe(
  Layer.provideMerge(Layer.mergeAll(starting, inForce, PluginRegistry.layer, deviceLogin.pipe(Layer.provide(drivers))))
)

const upgrading = Layer.mergeAll(Firmware.layer, UpgradeOrders.layer, UpgradeStore.layer)

/** What job functions hold between them. */
const working = Layer.mergeAll(
  SyncOutcome.layer,
  BackgroundWork.layer,
  DeviceCertificates.layer.pipe(Layer.provide(CertificateAuthority.layer))
)

const functions = JobList.layer.pipe(Layer.provide([working, upgrading]))

const runner = Layer.merge(JobRunner.layer, layerSweep).pipe(
  Layer.provide(gate),
  Layer.provide(functions),
  Layer.provide([LiveJobs.layer, JobPlaces.layer])
)

const openChanges = OpenChanges.layer.pipe(Layer.provide([LeftChangeStore.layer, SyncOutcome.layer]))

/** The engine on a database that is given: it resumes the jobs that were left, and offers its services. */
export const layer = Layer.mergeAll(
  runner,
  actors,
  UniqueFieldStore.warnings,
  InterfaceStore.sealing,
  Schedules.layer,
  openChanges,
  PluginActions.layerSweep,
  Retention.executions
).pipe(
  Layer.provideMerge(services),
  Layer.provideMerge(Cluster.layer),
  Layer.provideMerge(stores),
  Layer.provideMerge(NodeServices.layer)
)
