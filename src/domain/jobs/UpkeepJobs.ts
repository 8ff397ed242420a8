/**
 * Jobs that keep things up to date: `refresh_repository`, `renew_cert`, `device_erase`, `update_facts` and `read_tables`, and the jobs
 * about firmware (docs/jobs.md).
 */
import { Effect, Schema } from "effect"
import { CommitEffects } from "../CommitEffects.ts"
import { Remark } from "../Repository.ts"
import { defineJob, deviceArgs, flag, skipArgs, windowArgs } from "./JobDefinition.ts"

export const RefreshRepository = defineJob({
  name: "refresh_repo",
  /** The repository is in the memo: clients know a record without arguments. */
  Args: Schema.Null,
  /** The repository, and the answer to the request after a refusal. */
  Memo: Schema.Struct({
    repository: Schema.Literals(["settings", "templates"]),
    /** Options of the request in addition to the refresh. */
    confirm: Schema.optionalKey(Schema.String),
    rename_ports: Schema.optionalKey(Schema.Boolean),
    refused: Schema.optionalKey(
      Schema.Struct({
        status: Schema.Literals([400, 409, 500, 503]),
        message: Schema.String,
        problems: Schema.optionalKey(Schema.Array(Remark)),
        commit: Schema.optionalKey(Schema.String)
      })
    ),
    /** The answer of a refresh whose commit waits for a confirmation: it is not a refusal. */
    waits: Schema.optionalKey(Schema.Struct({ message: Schema.String, commit: Schema.String, effects: CommitEffects })),
    /** The commit that came into force, and its effects. */
    commit: Schema.optionalKey(Schema.String),
    effects: Schema.optionalKey(CommitEffects),
    warnings: Schema.optionalKey(Schema.Array(Remark)),
    /** Files that were probably not meant to be read. */
    ignored: Schema.optionalKey(Schema.Array(Schema.String))
  }),
  // refreshes of a repository take turns, and waiting ones share the next one (`RefreshTurns.ts`)
  kind: null,
  changesDevices: () => false
})

// Job `renew_cert`: gives managed devices new keys and certificates (docs/security.md#certificate-authority).

export const RenewCert = defineJob({
  name: "renew_cert",
  Args: Schema.Struct({
    hostname: Schema.optionalKey(Schema.String),
    group: Schema.optionalKey(Schema.String),
    /** From the schedule: devices whose certificates expire soon. */
    hostnames: Schema.optionalKey(Schema.Array(Schema.String)),
    ...windowArgs
  }),
  Memo: Schema.Never,
  kind: "devices"
})

// Job `device_erase`: resets an access switch to its factory default and deletes its row (docs/jobs.md#device_erase).

export const DeviceErase = defineJob({
  name: "device_erase",
  Args: Schema.Struct({ device_id: Schema.Int, ...windowArgs }),
  Memo: Schema.Never,
  kind: "devices"
})

// Job `update_facts`: reads the facts of a device and stores the differences (docs/jobs.md#update_facts).

export const UpdateFacts = defineJob({
  name: "update_facts",
  Args: Schema.Struct({ hostname: Schema.String }),
  Memo: Schema.Never,
  kind: "devices",
  changesDevices: () => false
})

// Job `read_tables`: reads the machines that devices have learnt on their ports and by their addresses
// (docs/jobs.md#read_tables).

export const ReadTables = defineJob({
  name: "read_tables",
  Args: Schema.Struct({
    ...deviceArgs
  }),
  Memo: Schema.Never,
  kind: "devices",
  changesDevices: () => false
})

// Jobs about firmware: `device_upgrade` on switches, and the jobs of the image store (docs/jobs.md#device_upgrade,
// docs/jobs.md#get_firmware).

/** `post_waittime` in seconds. */
const Args = Schema.Struct({
  hostname: Schema.optionalKey(Schema.String),
  hostnames: Schema.optionalKey(Schema.Array(Schema.String)),
  group: Schema.optionalKey(Schema.String),
  filename: Schema.optionalKey(Schema.String),
  url: Schema.optionalKey(Schema.String),
  pre_flight: flag(false),
  download: flag(false),
  activate: flag(false),
  reboot: flag(false),
  post_flight: flag(false),
  staggered_upgrade: flag(false),
  post_waittime: Schema.Finite.pipe(Schema.withDecodingDefaultKey(Effect.succeed(0))),
  ...skipArgs,
  ...windowArgs
})
export type UpgradeArguments = typeof Args.Type

export const DeviceUpgrade = defineJob({
  name: "device_upgrade",
  Args,
  /** Hostnames that are upgraded together, first group to last; one group unless the upgrade is staggered. */
  Memo: Schema.Struct({ groups: Schema.Array(Schema.Array(Schema.String)) }),
  kind: "devices",
  // a check or a download changes nothing in service
  followsWindows: ({ activate, reboot }) => activate || reboot,
  pinsCommits: true
})

// Job `get_firmware`: downloads an image to the firmware store (docs/jobs.md#get_firmware).

export const GetFirmware = defineJob({
  name: "get_firmware",
  /** As in the request: the job reports mistakes in them as its result. */
  Args: Schema.Struct({ url: Schema.Unknown, sha1: Schema.Unknown, verify_tls: Schema.Unknown }),
  /** The progress: bytes received, and in total if the server reports it. */
  Memo: Schema.Struct({ bytes: Schema.Int, total: Schema.NullOr(Schema.Int) }),
  kind: "firmware",
  changesDevices: () => false
})

// Job `get_firmware_chksum`: computes the SHA-1 of a stored image (docs/jobs.md#get_firmware).

export const GetFirmwareChksum = defineJob({
  name: "get_firmware_chksum",
  Args: Schema.Struct({ filename: Schema.String }),
  Memo: Schema.Never,
  kind: "firmware",
  changesDevices: () => false
})

// Job `remove_file`: removes a stored image (docs/jobs.md#get_firmware).

export const RemoveFile = defineJob({
  name: "remove_file",
  Args: Schema.Struct({ filename: Schema.String }),
  Memo: Schema.Struct({ begun: Schema.Literal(true) }),
  kind: "firmware"
})
