/**
 * Jobs that change or compare configurations: `sync_devices` with the options of a rollout (docs/changes.md#options), `confirm_devices`,
 * `apply_config`, `revert_job` and `device_drift`.
 */
import { Effect, Schema } from "effect"
import { FailedProofPolicy, MissingLinesPolicy } from "../Job.ts"
import { defineJob, deviceArgs, flag, skipArgs, windowArgs } from "./JobDefinition.ts"

const positive = Schema.Int.pipe(Schema.check(Schema.isGreaterThanOrEqualTo(1)))

const Args = Schema.Struct({
  dry_run: flag(true),
  force: flag(false),
  auto_push: flag(false),
  resync: flag(false),
  /** Pushes with force although the commits in force came with a restored backup. */
  confirm_older: flag(false),
  /** Runs in parallel to a job that has the lock, for the named devices. */
  urgent: flag(false),
  ...deviceArgs,
  confirm_mode_override: Schema.optionalKey(Schema.Int),
  /** One altered or silent device ends the whole job before anything is pushed. */
  abort_on_failure: flag(false),
  /** The size of a batch of devices; the next batch begins after it. */
  batch_size: Schema.optionalKey(positive),
  /** Devices of the first batch: their names, or their number. */
  canary: Schema.optionalKey(Schema.Union([positive, Schema.Array(Schema.String)])),
  /** The rollout stops when so many devices have failed. */
  max_failures: Schema.optionalKey(positive),
  /** A stopped rollout takes back unconfirmed changes. Confirm mode 2 does so unless this is false. */
  revert_on_failure: Schema.optionalKey(Schema.Boolean),
  /** The dry run whose differences may be pushed, and no others. */
  dry_run_job: Schema.optionalKey(positive),
  /** How to treat lines that a device does not show; without this option new ones fail the device. */
  on_missing_lines: Schema.optionalKey(MissingLinesPolicy),
  /** Default: `retry` for a job that a person has just started, else `leave`. */
  failed_proof: Schema.optionalKey(FailedProofPolicy),
  ...skipArgs,
  ...windowArgs
})
export type SyncArguments = typeof Args.Type

/** Why a rollout was stopped, as a sentence without a full stop. */
export const Stop = Schema.Struct({ aborted: Schema.Boolean, message: Schema.String })
export type Stop = typeof Stop.Type

/** Devices that a job skips, each with a sentence that says why. */
const SkippedDevices = Schema.Record(Schema.String, Schema.String)
export type SkippedDevices = typeof SkippedDevices.Type

/** The decisions of the job so far, so that after a restart it continues with the same devices and compares with the same moment. */
const Memo = Schema.Struct({
  hostnames: Schema.Array(Schema.String),
  /** Newest sync event when the job started: this job's proof does not cover later ones. */
  eventsSeen: Schema.Int,
  /** Newest change when the job started: later ones belong to parallel jobs. */
  changesSeen: Schema.Int.pipe(Schema.withDecodingDefaultKey(Effect.succeed(Number.MAX_SAFE_INTEGER))),
  skipped: Schema.optionalKey(SkippedDevices),
  /** The canaries that were chosen for a number. */
  canaries: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Why the rollout was stopped; absent before that. */
  stop: Schema.optionalKey(Stop),
  /** The job that confirms the proved changes; absent before it was started. */
  confirmingJob: Schema.optionalKey(Schema.Int)
})
export type SyncMemo = typeof Memo.Type

export const SyncDevices = defineJob({
  name: "sync_devices",
  Args,
  Memo,
  kind: "devices",
  // a dry run that can turn into a push needs the permission to push
  changesDevices: ({ auto_push, dry_run }) => !dry_run || auto_push,
  pinsCommits: true,
  // only the devices' actors keep an urgent sync apart from the other one
  locksDevices: ({ dry_run, urgent }) => !dry_run && !urgent
})

// Job `confirm_devices`: confirms the changes that a sync has committed and proved, on all devices or on none
// (docs/changes.md#confirm-modes).

export const ConfirmDevices = defineJob({
  name: "confirm_devices",
  Args: Schema.Struct({
    prev_job_id: Schema.Int,
    hostnames: Schema.Array(Schema.String),
    revert_on_failure: flag(true)
  }),
  /** The job has begun to confirm: an abort is now too late. */
  Memo: Schema.Struct({ begun: Schema.Boolean }),
  // uses the place of the job that waits for it: timers run on the switches, so it must not queue
  kind: null
})

// Job `apply_config`: pushes a given configuration to one device, whatever its settings are (docs/changes.md#apply_config).

export const ApplyConfig = defineJob({
  name: "apply_config",
  Args: Schema.Struct({
    hostname: Schema.String,
    config: Schema.String,
    dry_run: flag(true),
    ...skipArgs,
    ...windowArgs
  }),
  Memo: Schema.Never,
  kind: "devices",
  changesDevices: ({ dry_run }) => !dry_run
})

// Job `revert_job`: restores the previous configuration on the devices that a job has changed.

export const RevertJob = defineJob({
  name: "revert_job",
  Args: Schema.Struct({
    job_id: Schema.Int,
    dry_run: flag(false),
    /** Only these of the job's devices. */
    hostnames: Schema.optionalKey(Schema.Array(Schema.String)),
    ...skipArgs,
    ...windowArgs
  }),
  Memo: Schema.Never,
  kind: "devices",
  changesDevices: ({ dry_run }) => !dry_run,
  locksDevices: ({ dry_run }) => !dry_run
})

// Job `device_drift`: compares the running configurations of devices with the ones that were proved last.

export const DeviceDrift = defineJob({
  name: "device_drift",
  Args: Schema.Struct({
    ...deviceArgs
  }),
  Memo: Schema.Never,
  kind: "devices",
  changesDevices: () => false
})
