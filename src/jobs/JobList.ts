/** The list of all job functions that this server can run. A new function is its definition, its handler and one line here. */
import { Effect, Layer } from "effect"
import { changePhases } from "../../machines/change/ChangeRow.ts"
import { countJobsFromZero, countPhasesFromZero } from "../runtime/metrics/Metrics.ts"
import { DeviceJobs } from "../devices/DeviceStates.ts"
import { DiscoverDevice, InitStep2 } from "../domain/jobs/InitJobs.ts"
import { JobEngine } from "./engine/JobEngine.ts"
import { JobFunctions } from "./engine/JobHandler.ts"
import * as ApplyConfig from "./sync/ApplyConfig.ts"
import * as ConfirmDevices from "./sync/ConfirmDevices.ts"
import * as DeviceDrift from "./upkeep/DeviceDrift.ts"
import * as DeviceDeletion from "./upkeep/DeviceDeletion.ts"
import * as DeviceUpgrade from "./upgrade/DeviceUpgrade.ts"
import * as Discover from "./init/Discover.ts"
import * as FirmwareFiles from "./upgrade/FirmwareFiles.ts"
import * as AccessStep1 from "./init/AccessStep1.ts"
import * as FabricStep1 from "./init/FabricStep1.ts"
import * as Finish from "./init/Finish.ts"
import * as ManageOnboarded from "./onboarding/ManageOnboarded.ts"
import * as OnboardDevices from "./onboarding/OnboardDevices.ts"
import * as ReadTables from "./upkeep/ReadTables.ts"
import * as RefreshRepository from "./repositories/RefreshRepository.ts"
import * as RenewCert from "./upkeep/RenewCert.ts"
import * as RevertJob from "./sync/RevertJob.ts"
import * as SyncDevices from "./sync/SyncDevices.ts"
import * as UpdateFacts from "./upkeep/UpdateFacts.ts"
import * as UpdateInterfaces from "./init/UpdateInterfaces.ts"

/** Every function with its handler. */
export const jobFunctions = [
  ApplyConfig.job,
  ConfirmDevices.job,
  DeviceDrift.job,
  DeviceDeletion.job,
  DeviceUpgrade.job,
  Discover.job,
  FirmwareFiles.job,
  FirmwareFiles.getFirmwareChksum,
  AccessStep1.job,
  FabricStep1.job,
  Finish.job,
  ManageOnboarded.job,
  OnboardDevices.job,
  ReadTables.job,
  RefreshRepository.job,
  FirmwareFiles.removeFile,
  RenewCert.job,
  RevertJob.job,
  SyncDevices.job,
  UpdateFacts.job,
  UpdateInterfaces.job
] as const

/** The functions, made of the services that their handlers need. */
export const layer = Layer.effect(
  JobFunctions,
  Effect.gen(function* () {
    const made = yield* Effect.all(jobFunctions.map(({ make }) => make))
    countJobsFromZero(made.map(({ definition }) => definition.name))
    countPhasesFromZero(changePhases)
    return JobFunctions.of(new Map(made.map((one) => [one.definition.name, one])))
  })
)

/** The jobs that events of devices start. */
export const deviceJobs = Layer.effect(
  DeviceJobs,
  Effect.map(JobEngine, (engine) => ({
    discover: (args, start) => engine.start(DiscoverDevice, args, start),
    finishInit: (args, start) => engine.start(InitStep2, args, start)
  }))
)
