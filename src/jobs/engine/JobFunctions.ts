/** The handlers of all job functions, by name. A new function is one file and one line here. */
import { Effect, Layer } from "effect"
import type { JobFunction } from "../../domain/Job.ts"
import { WorkingCommits } from "../../domain/WorkingCommits.ts"
import { JobCommitStore } from "../../store/JobCommitStore.ts"
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
import { type JobHandler, JobHandlers } from "./JobHandler.ts"
import * as RefreshRepository from "../repositories/RefreshRepository.ts"
import * as RemoveFile from "../upgrade/RemoveFile.ts"
import * as RenewCert from "../upkeep/RenewCert.ts"
import * as RevertJob from "../sync/RevertJob.ts"
import * as SyncDevices from "../sync/SyncDevices.ts"
import * as UpdateFacts from "../upkeep/UpdateFacts.ts"
import * as UpdateInterfaces from "../init/UpdateInterfaces.ts"

const make = Effect.gen(function* () {
  const commits = yield* JobCommitStore
  /** For a function without a lock: it works on the commits that are in force when it begins. */
  const onItsCommits =
    (handler: JobHandler): JobHandler =>
    (job) =>
      Effect.flatMap(commits.pin(job.id), (pinned) => Effect.provideService(handler(job), WorkingCommits, pinned))
  return JobHandlers.of(
    new Map<JobFunction, JobHandler>([
      ["device_upgrade", onItsCommits(yield* DeviceUpgrade.make)],
      ["discover_device", onItsCommits(yield* DiscoverDevice.make)],
      ["get_firmware", yield* GetFirmware.make],
      ["get_firmware_chksum", yield* GetFirmwareChksum.make],
      ["remove_file", yield* RemoveFile.make],
      ["init_access_device_step1", onItsCommits(yield* InitAccessStep1.make)],
      ["init_fabric_device_step1", onItsCommits(yield* InitFabricStep1.make)],
      ["init_device_step2", yield* InitStep2.make],
      ["sync_devices", yield* SyncDevices.make],
      ["confirm_devices", yield* ConfirmDevices.make],
      ["apply_config", yield* ApplyConfig.make],
      ["revert_job", yield* RevertJob.make],
      ["device_drift", yield* DeviceDrift.make],
      ["device_erase", yield* DeviceErase.make],
      ["renew_cert", yield* RenewCert.make],
      ["update_facts", yield* UpdateFacts.make],
      ["update_interfacedb", yield* UpdateInterfaces.make],
      ["refresh_repo", yield* RefreshRepository.make]
    ])
  )
})

export const layer = Layer.effect(JobHandlers, make)
