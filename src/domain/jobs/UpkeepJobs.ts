/**
 * Jobs that keep things up to date: `refresh_repository`, `renew_cert`, `device_erase`, `update_facts` and `read_tables` (docs/jobs.md).
 */
import { Effect, Schema } from "effect"
import { CommitEffects } from "../CommitEffects.ts"
import { Remark } from "../Repository.ts"
import { defineJob, deviceArgs, flag, windowArgs } from "./JobDefinition.ts"

export const RefreshRepository = defineJob({
  name: "refresh_repo",
  /** Which repository is in the memo: clients know a record without arguments. */
  Args: Schema.Null,
  /** Which repository, and the answer to the request once it was refused. */
  Memo: Schema.Struct({
    repository: Schema.Literals(["settings", "templates"]),
    /** What was asked for beside the refresh. */
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
    /** The answer of a refresh whose commit waits for a confirmation: it was not refused. */
    waits: Schema.optionalKey(Schema.Struct({ message: Schema.String, commit: Schema.String, effects: CommitEffects })),
    /** The commit that came into force, and what it means. */
    commit: Schema.optionalKey(Schema.String),
    effects: Schema.optionalKey(CommitEffects),
    warnings: Schema.optionalKey(Schema.Array(Remark)),
    /** Files that nobody meant to be read. */
    ignored: Schema.optionalKey(Schema.Array(Schema.String))
  }),
  // refreshes of a repository take turns, and those that wait share the next one (`RefreshTurns.ts`)
  kind: null,
  changesDevices: () => false
})

// Job `renew_cert`: gives managed devices new keys and certificates (docs/security.md#certificate-authority).

export const RenewCert = defineJob({
  name: "renew_cert",
  Args: Schema.Struct({
    hostname: Schema.optionalKey(Schema.String),
    group: Schema.optionalKey(Schema.String),
    /** Of the schedule: devices whose certificates end soon. */
    hostnames: Schema.optionalKey(Schema.Array(Schema.String)),
    ...windowArgs
  }),
  Memo: Schema.Never,
  kind: "devices"
})

// Job `device_erase`: brings an access switch back to its factory default and deletes its row (docs/jobs.md#device_erase).

export const DeviceErase = defineJob({
  name: "device_erase",
  Args: Schema.Struct({ device_id: Schema.Int, ...windowArgs }),
  Memo: Schema.Never,
  kind: "devices"
})

// Job `update_facts`: reads what a device is and writes what changed (docs/jobs.md#update_facts).

export const UpdateFacts = defineJob({
  name: "update_facts",
  Args: Schema.Struct({ hostname: Schema.String }),
  Memo: Schema.Never,
  kind: "devices",
  changesDevices: () => false
})

// Job `read_tables`: reads which machines devices have learnt on their ports and by their addresses (docs/jobs.md#read_tables).

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
  ...windowArgs
})
export type UpgradeArguments = typeof Args.Type

export const DeviceUpgrade = defineJob({
  name: "device_upgrade",
  Args,
  /** Hostnames that are upgraded together, first group to last; one group unless the upgrade is staggered. */
  Memo: Schema.Struct({ groups: Schema.Array(Schema.Array(Schema.String)) }),
  kind: "devices",
  // what is only looked at or downloaded changes nothing in service
  followsWindows: ({ activate, reboot }) => activate || reboot,
  pinsCommits: true
})

// Job `get_firmware`: downloads an image to the firmware store (docs/jobs.md#get_firmware).

export const GetFirmware = defineJob({
  name: "get_firmware",
  /** As the request had them: what is wrong with them is the result of the job. */
  Args: Schema.Struct({ url: Schema.Unknown, sha1: Schema.Unknown, verify_tls: Schema.Unknown }),
  /** How far it is: bytes that are there, and of the whole when the other side tells. */
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
