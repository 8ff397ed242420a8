/** The list of all job functions that this server can run. A new function is its definition, its handler and one line here. */
import { Effect, Layer } from "effect"
import { countChangesFromZero, countJobsFromZero } from "../../runtime/metrics/Metrics.ts"
import { JobFunctions } from "./JobHandler.ts"
import * as ApplyConfig from "../sync/ApplyConfig.ts"
import * as ConfirmDevices from "../sync/ConfirmDevices.ts"
import * as DeviceDrift from "../upkeep/DeviceDrift.ts"
import * as DeviceErase from "../upkeep/DeviceErase.ts"
import * as DeviceUpgrade from "../upgrade/DeviceUpgrade.ts"
import * as DiscoverDevice from "../init/DiscoverDevice.ts"
import * as GetFirmware from "../upgrade/GetFirmware.ts"
import * as GetFirmwareChksum from "../upgrade/GetFirmwareChksum.ts"
import * as InitAccessStep1 from "../init/InitAccessStep1.ts"
import * as InitFabricStep1 from "../init/InitFabricStep1.ts"
import * as InitStep2 from "../init/InitStep2.ts"
import * as ReadTables from "../upkeep/ReadTables.ts"
import * as RefreshRepository from "../repositories/RefreshRepository.ts"
import * as RemoveFile from "../upgrade/RemoveFile.ts"
import * as RenewCert from "../upkeep/RenewCert.ts"
import * as RevertJob from "../sync/RevertJob.ts"
import * as SyncDevices from "../sync/SyncDevices.ts"
import * as UpdateFacts from "../upkeep/UpdateFacts.ts"
import * as UpdateInterfaces from "../init/UpdateInterfaces.ts"

/** Every function with what does its work. */
export const jobFunctions = [
  ApplyConfig.job,
  ConfirmDevices.job,
  DeviceDrift.job,
  DeviceErase.job,
  DeviceUpgrade.job,
  DiscoverDevice.job,
  GetFirmware.job,
  GetFirmwareChksum.job,
  InitAccessStep1.job,
  InitFabricStep1.job,
  InitStep2.job,
  ReadTables.job,
  RefreshRepository.job,
  RemoveFile.job,
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
    countChangesFromZero()
    return JobFunctions.of(new Map(made.map((one) => [one.definition.name, one])))
  })
)
