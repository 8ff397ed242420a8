/**
 * Jobs as layers: `services` are shared by API handlers and job functions, `layer` runs the background work on top of them. Each
 * layer exists once, because two would be two caches or two queues.
 */
import { Layer } from "effect"
import { ChangeWindows } from "../access/ChangeWindows.ts"
import { Permissions } from "../access/Permissions.ts"
import { CertificateAuthority } from "../certificates/CertificateAuthority.ts"
import { Firmware } from "../firmware/Firmware.ts"
import { DeviceStates } from "../devices/DeviceStates.ts"
import { MonitoringSystem } from "../devices/MonitoringSystem.ts"
import { PluginChecks } from "../devices/PluginChecks.ts"
import { JobEngine } from "./engine/JobEngine.ts"
import * as JobRunner from "./engine/JobRunner.ts"
import { JobStates } from "./engine/JobStates.ts"
import * as Retention from "./engine/Retention.ts"
import * as JobList from "./JobList.ts"
import { RepositoryCopies } from "./repositories/CheckedCommit.ts"
import * as ProposalChecks from "./repositories/ProposalChecks.ts"
import { Proposals } from "./repositories/Proposals.ts"
import { RepositoryUpdate } from "./repositories/RepositoryUpdate.ts"
import { JobApproval } from "./requests/JobApproval.ts"
import { gate } from "./requests/JobRequests.ts"
import { JobWindows } from "./requests/JobWindows.ts"
import * as Measuring from "./onboarding/Measuring.ts"
import * as ConfirmedLooks from "./sync/ConfirmedLooks.ts"
import * as OpenChanges from "./sync/OpenChanges.ts"
import { SyncOutcome } from "./sync/Outcome.ts"
import * as Schedules from "./upkeep/Schedules.ts"
import { BackgroundWork } from "../runtime/BackgroundWork.ts"
import { CandidateConfigs } from "../templates/CandidateConfigs.ts"
import { PluginActions } from "../plugins/PluginActions.ts"
import { PluginRegistry } from "../plugins/PluginRegistry.ts"
import { UpgradeStore } from "../store/UpgradeStore.ts"
import * as Templates from "../templates/Templates.ts"

const approving = JobApproval.layer.pipe(Layer.provide([Permissions.layer, Templates.layer]))

const starting = approving.pipe(Layer.provideMerge(JobEngine.layer), Layer.provideMerge(JobStates.layer))

/** Services that API handlers and job functions share. */
export const services = Layer.mergeAll(
  DeviceStates.layer.pipe(Layer.provide(JobList.deviceJobs)),
  PluginActions.layer,
  Proposals.layer,
  RepositoryUpdate.layer.pipe(
    Layer.provide([ChangeWindows.layer, Permissions.layer]),
    Layer.provideMerge(CandidateConfigs.layer),
    Layer.provide(RepositoryCopies.layer)
  ),
  JobWindows.layer,
  MonitoringSystem.layer,
  PluginChecks.layer
).pipe(Layer.provideMerge(Layer.mergeAll(starting, Templates.layer, PluginRegistry.layer)))

const upgrading = Layer.mergeAll(Firmware.layer, UpgradeStore.layer)

/** Services that job functions share. */
const working = Layer.mergeAll(SyncOutcome.layer, BackgroundWork.layer, CertificateAuthority.layer)

const functions = JobList.layer.pipe(Layer.provide([working, upgrading]))

const runner = JobRunner.layer.pipe(Layer.provide(gate), Layer.provide(functions))

const openChanges = OpenChanges.layer.pipe(Layer.provide(SyncOutcome.layer))

const measuring = Measuring.layer.pipe(Layer.provide(BackgroundWork.layer))
const proposals = ProposalChecks.layer.pipe(Layer.provide(RepositoryCopies.layer))

/** The background work: the runner of jobs, their schedules, and the open changes of earlier processes. */
export const layer = Layer.mergeAll(
  runner,
  Schedules.layer,
  openChanges,
  ConfirmedLooks.layer,
  measuring,
  proposals,
  Retention.executions
)
