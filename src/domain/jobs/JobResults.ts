/**
 * What `result` of a job's record holds, by the job's function (docs/jobs.md#the-record), for the API document. Results are stored as
 * their functions wrote them, also by earlier releases, so nothing is decoded with these schemas.
 */
import { Schema } from "effect"
import { CommitSignature } from "../CommitSignature.ts"
import { DeviceResult } from "../Job.ts"

const text = Schema.String
const names = Schema.Array(text)

const devices = Schema.Record(text, DeviceResult).annotate({ description: "The result of each device, by hostname" })
const remarks = Schema.optionalKey(names)
const skipped_devices = Schema.optionalKey(
  Schema.Record(text, text).annotate({ description: "Devices that were left out, each with the reason" })
)
const stopped = Schema.String.annotate({ description: "Why it was stopped" })

/** A named object. Most keys are optional: a job that has just begun or was aborted has only some of them. */
const result = <const Fields extends Schema.Struct.Fields>(identifier: string, description: string, fields: Fields) =>
  Schema.Struct(fields).annotate({ identifier, description })

const DevicesResult = result("DevicesResult", "The result of a job on devices", {
  devices: Schema.optionalKey(devices),
  skipped_devices
})

const SyncResult = result("SyncResult", "The result of a synchronization", {
  devices: Schema.optionalKey(devices),
  skipped_devices,
  remarks,
  rollout: Schema.optionalKey(
    Schema.Struct({ stopped, reverted: names, not_started: names }).annotate({ identifier: "StoppedRollout" })
  ),
  auto_push: Schema.optionalKey(
    Schema.Struct({ refused: text, message: text, lines: names }).annotate({ identifier: "RefusedAutoPush" })
  ),
  beside: Schema.optionalKey(
    Schema.Array(Schema.Struct({ job_id: Schema.Int, hostnames: names }).annotate({ identifier: "SyncBeside" }))
  )
})

const ConfirmResult = result("ConfirmResult", "The result of a confirmation of proved changes", {
  devices: Schema.optionalKey(devices),
  rollout: Schema.optionalKey(Schema.Struct({ stopped }))
})

const InitResult = result("InitResult", "The result of step 1 of an initialisation; `progress` while it runs", {
  devices: Schema.optionalKey(devices),
  progress: Schema.optionalKey(
    Schema.Array(Schema.Struct({ time: text, step: text, message: text }).annotate({ identifier: "InitStep" }))
  )
})

const FactsResult = result("FactsResult", "The facts of a device that have changed", {
  devices: Schema.optionalKey(devices),
  diff: Schema.optionalKey(
    Schema.Record(
      text,
      Schema.Struct({ old: Schema.Unknown, new: Schema.Unknown }).annotate({ identifier: "FactChange" })
    )
  ),
  remarks
})

const InterfacesResult = result("InterfacesResult", "The ports that were written", {
  interfaces: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        name: text,
        configtype: text,
        data: Schema.NullOr(Schema.Record(text, Schema.Unknown))
      }).annotate({ identifier: "WrittenInterface" })
    )
  )
})

const UpgradeResult = result(
  "UpgradeResult",
  "The result of an upgrade; the tasks of each device are also a list under its hostname",
  { devices: Schema.optionalKey(devices), _totals: Schema.optionalKey(Schema.Struct({ selected_devices: Schema.Int })) }
)

const RefreshResult = result("RefreshResult", "The commit that came into force as a sentence, or why it did not", {
  message: Schema.optionalKey(text),
  error: Schema.optionalKey(text),
  repository: text,
  commit: Schema.optionalKey(text),
  signature: Schema.optionalKey(Schema.NullOr(CommitSignature))
})

const FileResult = Schema.String.annotate({
  identifier: "FileResult",
  description: "What happened to the image, as a sentence"
})

export const AbortedResult = result("AbortedResult", "Why a job of any function was aborted before it began", {
  message: text
})

/** The schema of each function's result. */
export const resultsOf = {
  sync_devices: SyncResult,
  confirm_devices: ConfirmResult,
  apply_config: DevicesResult,
  revert_job: DevicesResult,
  device_drift: DevicesResult,
  discover_device: DevicesResult,
  init_access_device_step1: InitResult,
  init_fabric_device_step1: InitResult,
  init_device_step2: DevicesResult,
  update_interfacedb: InterfacesResult,
  refresh_repo: RefreshResult,
  renew_cert: DevicesResult,
  device_erase: DevicesResult,
  update_facts: FactsResult,
  read_tables: DevicesResult,
  onboard_devices: DevicesResult,
  manage_onboarded: DevicesResult,
  device_upgrade: UpgradeResult,
  get_firmware: FileResult,
  get_firmware_chksum: FileResult,
  remove_file: FileResult
} as const

/** The result of any function. */
export const JobResult = Schema.Union([...new Set<Schema.Top>(Object.values(resultsOf)), AbortedResult]).annotate({
  identifier: "JobResult"
})
