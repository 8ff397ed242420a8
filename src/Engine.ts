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
import { UpgradeOrders } from "./firmware/UpgradeOrder.ts"
import * as Cluster from "./jobs/engine/Cluster.ts"
import { DevicesLock } from "./jobs/engine/DevicesLock.ts"
import { DeviceStates } from "./jobs/engine/DeviceStates.ts"
import { EngineRecords } from "./jobs/engine/EngineRecords.ts"
import { JobApproval } from "./jobs/engine/JobApproval.ts"
import { JobEngine } from "./jobs/engine/JobEngine.ts"
import { JobExecution } from "./jobs/engine/JobExecution.ts"
import * as JobFunctions from "./jobs/engine/JobFunctions.ts"
import { JobLaunch } from "./jobs/engine/JobLaunch.ts"
import { JobPlaces } from "./jobs/engine/JobPlaces.ts"
import * as JobRunner from "./jobs/engine/JobRunner.ts"
import { JobStates } from "./jobs/engine/JobStates.ts"
import * as JobSweep from "./jobs/engine/JobSweep.ts"
import { JobWindows } from "./jobs/engine/JobWindows.ts"
import { LiveJobs } from "./jobs/engine/LiveJobs.ts"
import { AccessInitPlan } from "./jobs/init/AccessInitPlan.ts"
import { AccessInitRows } from "./jobs/init/AccessInitRows.ts"
import { AccessPlace } from "./jobs/init/AccessPlace.ts"
import { AccessPlanner } from "./jobs/init/AccessPlanner.ts"
import { FabricInitPlan } from "./jobs/init/FabricInitPlan.ts"
import { InitAbort } from "./jobs/init/InitAbort.ts"
import { InitCertificate } from "./jobs/init/InitCertificate.ts"
import { InitCheck } from "./jobs/init/InitCheck.ts"
import { InitCheckAddresses } from "./jobs/init/InitCheckAddresses.ts"
import { InitCheckFindings } from "./jobs/init/InitCheckFindings.ts"
import { InitEnd } from "./jobs/init/InitEnd.ts"
import { InitMove } from "./jobs/init/InitMove.ts"
import { InitProgress } from "./jobs/init/InitProgress.ts"
import { InitPush } from "./jobs/init/InitPush.ts"
import { InitReplacement } from "./jobs/init/InitReplacement.ts"
import { InitRestore } from "./jobs/init/InitRestore.ts"
import { InitRows } from "./jobs/init/InitRows.ts"
import { InitSurvey } from "./jobs/init/InitSurvey.ts"
import { NeighbourSync } from "./jobs/init/NeighbourSync.ts"
import { CommitsInForce } from "./jobs/repositories/CommitsInForce.ts"
import { BranchCheck } from "./jobs/repositories/BranchCheck.ts"
import { RepositoryCommits } from "./jobs/repositories/RepositoryCommits.ts"
import { RepositoryCopies } from "./jobs/repositories/RepositoryCopies.ts"
import { RepositoryFiles } from "./jobs/repositories/RepositoryFiles.ts"
import { RepositoryProblems } from "./jobs/repositories/RepositoryProblems.ts"
import { RepositoryUpdate } from "./jobs/repositories/RepositoryUpdate.ts"
import { SettingsUpdate } from "./jobs/repositories/SettingsUpdate.ts"
import { StrictRendering } from "./jobs/repositories/StrictRendering.ts"
import { TemplatesUpdate } from "./jobs/repositories/TemplatesUpdate.ts"
import { AbandonedChangeRecord } from "./jobs/sync/AbandonedChangeRecord.ts"
import { AutoPush } from "./jobs/sync/AutoPush.ts"
import { AutoPushVerdict } from "./jobs/sync/AutoPushVerdict.ts"
import { CandidateChange } from "./jobs/sync/CandidateChange.ts"
import { CandidateConfigs } from "./jobs/sync/CandidateConfigs.ts"
import { ChangeCalls } from "./jobs/sync/ChangeCalls.ts"
import { DeviceSelection } from "./jobs/sync/DeviceSelection.ts"
import { DryRunRisk } from "./jobs/sync/DryRunRisk.ts"
import { Fence } from "./jobs/sync/Fence.ts"
import { HashCheck } from "./jobs/sync/HashCheck.ts"
import * as OpenChanges from "./jobs/sync/OpenChanges.ts"
import { SyncConfirm } from "./jobs/sync/SyncConfirm.ts"
import { SyncDevice } from "./jobs/sync/SyncDevice.ts"
import { SyncOutcome } from "./jobs/sync/SyncOutcome.ts"
import { SyncResume } from "./jobs/sync/SyncResume.ts"
import { SyncRollout } from "./jobs/sync/SyncRollout.ts"
import { SyncStages } from "./jobs/sync/SyncStages.ts"
import { SyncStatus } from "./jobs/sync/SyncStatus.ts"
import { SyncVerdict } from "./jobs/sync/SyncVerdict.ts"
import { TimerWaits } from "./jobs/sync/TimerWaits.ts"
import { PostFlight } from "./jobs/upgrade/PostFlight.ts"
import { SwitchReturn } from "./jobs/upgrade/SwitchReturn.ts"
import { UpgradeDevice } from "./jobs/upgrade/UpgradeDevice.ts"
import { UpgradeImages } from "./jobs/upgrade/UpgradeImages.ts"
import { UpgradeSteps } from "./jobs/upgrade/UpgradeSteps.ts"
import { DeviceCertificates } from "./jobs/upkeep/DeviceCertificates.ts"
import { DeviceDeletion } from "./jobs/upkeep/DeviceDeletion.ts"
import * as CertificateSchedule from "./jobs/upkeep/CertificateSchedule.ts"
import * as DriftSchedule from "./jobs/upkeep/DriftSchedule.ts"
import * as RestoredLook from "./jobs/upkeep/RestoredLook.ts"
import * as TablesSchedule from "./jobs/upkeep/TablesSchedule.ts"
import * as InterruptedBounces from "./jobs/upkeep/InterruptedBounces.ts"
import { PluginActions } from "./plugins/PluginActions.ts"
import { PluginRegistry } from "./plugins/PluginRegistry.ts"
import { SecretKey } from "./runtime/SecretKey.ts"
import { ServerConfig } from "./ServerConfig.ts"
import { ActiveSettings } from "./settings/ActiveSettings.ts"
import { AlertDeliveryStore, AlertMuteStore, AlertStore } from "./store/AlertStore.ts"
import { CertificateStore } from "./store/CertificateStore.ts"
import { ApprovalStore } from "./store/ApprovalStore.ts"
import { ChangeStore } from "./store/ChangeStore.ts"
import { ConfigHistoryStore, LearnedLineStore, ProvedConfigStore } from "./store/ConfigStore.ts"
import * as DatabaseClient from "./store/DatabaseClient.ts"
import { DerivedSecretStore, SecretTexts } from "./store/SecretStore.ts"
import { DeviceStore, HeardStore, StackMemberStore, SyncEventStore, UnseenDeviceStore } from "./store/DeviceStore.ts"
import { EventLog, EventStore } from "./store/EventStore.ts"
import { AcceptedLoginStore, HostKeyStore, IdentityStore } from "./store/IdentityStore.ts"
import { UniqueFieldStore } from "./store/DeviceIdentifiers.ts"
import { LeftChangeStore, LeftSessionStore, LiveChangeStore } from "./store/UnfinishedChanges.ts"
import { InterfaceStore, StationStore } from "./store/InterfaceStore.ts"
import { JobAttemptStore, JobLockStore, JobWaitStore } from "./store/JobScheduling.ts"
import { JobCommitStore } from "./store/JobResults.ts"
import { JobStore } from "./store/JobStore.ts"
import { LinknetStore, MgmtDomainStore, ReservationStore } from "./store/NetworkStore.ts"
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
  Layer.provide([ApprovalStore.layer, Permissions.layer, DryRunRisk.layer.pipe(Layer.provide(AutoPushVerdict.layer))]),
  Layer.provide(inForce)
)

const starting = Layer.merge(JobEngine.layer, approving).pipe(
  Layer.provide(JobLaunch.layer),
  Layer.provideMerge(JobStates.layer)
)

/** Services that API handlers and job functions share. */
export const services = Layer.mergeAll(
  DeviceStates.layer,
  DeviceSelection.layer,
  Fence.layer,
  DeviceDeletion.layer,
  PluginActions.layer,
  InitSurvey.layer,
  Layer.mergeAll(RepositoryUpdate.layer, BranchCheck.layer).pipe(
    Layer.provide([SettingsUpdate.layer, TemplatesUpdate.layer, CommitsInForce.layer]),
    Layer.provide(StrictRendering.layer),
    Layer.provide([ChangeWindows.layer, Permissions.layer, RefreshStore.layer]),
    Layer.provideMerge(CandidateConfigs.layer),
    Layer.merge(RepositoryCommits.layer.pipe(Layer.provide(RefreshStore.layer))),
    Layer.provide(RepositoryCopies.layer)
  ),
  RepositoryFiles.layer,
  TemplateTrial.layer,
  RepositoryProblems.layer.pipe(Layer.provide(RefreshStore.layer)),
  JobWindows.layer
).pipe(
  Layer.provideMerge(Layer.mergeAll(starting, inForce, PluginRegistry.layer, deviceLogin.pipe(Layer.provide(drivers))))
)

/** What the jobs that change configurations share. */
const changes = Layer.mergeAll(
  ChangeCalls.layer,
  TimerWaits.layer.pipe(Layer.provide(ChangeCalls.layer)),
  SyncConfirm.layer,
  SyncOutcome.layer.pipe(Layer.provide(SyncStatus.layer))
)

const syncing = Layer.mergeAll(
  SyncStages.layer,
  HashCheck.layer,
  AutoPush.layer.pipe(Layer.provide(AutoPushVerdict.layer))
).pipe(
  Layer.provide([SyncRollout.layer, SyncResume.layer]),
  Layer.provide(SyncDevice.layer),
  Layer.provide([SyncVerdict.layer, CandidateChange.layer])
)

/** What step 1 of an initialisation and its check share. */
const surveying = Layer.mergeAll(AccessPlace.layer, InitReplacement.layer, NeighbourSync.layer)

const initialising = Layer.mergeAll(AccessInitPlan.layer, FabricInitPlan.layer, InitMove.layer, InitAbort.layer).pipe(
  Layer.provide([AccessInitRows.layer, InitEnd.layer, InitPush.layer, InitCertificate.layer]),
  Layer.provide([AccessPlanner.layer, InitRestore.layer]),
  Layer.provideMerge(Layer.mergeAll(InitRows.layer, InitProgress.layer)),
  Layer.provideMerge(surveying)
)

const upgrading = UpgradeDevice.layer.pipe(
  Layer.provide(UpgradeSteps.layer),
  Layer.provide([UpgradeImages.layer, PostFlight.layer]),
  Layer.provide(SwitchReturn.layer),
  Layer.provideMerge(Layer.mergeAll(Firmware.layer, UpgradeOrders.layer, UpgradeStore.layer))
)

const functions = JobFunctions.layer.pipe(
  Layer.provide([syncing, initialising, upgrading]),
  Layer.provide([changes, DeviceCertificates.layer.pipe(Layer.provide(CertificateAuthority.layer))])
)

const runner = Layer.merge(JobRunner.layer.pipe(Layer.provide(JobExecution.layer)), JobSweep.layer).pipe(
  Layer.provide(functions),
  Layer.provide([LiveJobs.layer, DevicesLock.layer, JobPlaces.layer])
)

const openChanges = OpenChanges.layer.pipe(
  Layer.provide(AbandonedChangeRecord.layer),
  Layer.provide([LeftChangeStore.layer, changes])
)

/** The check of the API whether a switch could be initialised; on top of the engine. */
export const initCheck = InitCheck.layer.pipe(
  Layer.provide(InitCheckFindings.layer),
  Layer.provide([InitCheckAddresses.layer, surveying])
)

const records = EngineRecords.layerSweep.pipe(Layer.provide(EngineRecords.layer))

/** The engine on a database that is given: it resumes the jobs that were left, and offers its services. */
export const layer = Layer.mergeAll(
  runner,
  actors,
  DriftSchedule.layer,
  RestoredLook.layer,
  UniqueFieldStore.warnings,
  InterfaceStore.sealing,
  TablesSchedule.layer,
  CertificateSchedule.layer,
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
