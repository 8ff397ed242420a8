/**
 * Jobs that keep things up to date: `refresh_repository`, `renew_cert`, `device_erase`, `update_facts` and `read_tables` (docs/jobs.md).
 */
import { Schema } from "effect"
import { CommitEffects } from "../CommitEffects.ts"
import { Remark } from "../Repository.ts"
import { defineJob, deviceArgs, windowArgs } from "./JobDefinition.ts"

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
