/** Why a device became unsynchronized (contract `engine.md` §4.1). */
import { Schema } from "effect"

/** Causes that the server itself writes; clients may write any other text. */
export type SyncCause =
  | "refresh_settings"
  | "refresh_templates"
  | "syncto_dryrun"
  | "commit_confirm_failed"
  | "confighash"
  | "device_init"
  | "firmware_upgrade"
  | "update_interfacedb"
  | "apply_config"
  | "linknet_created"
  | "linknet_updated"
  | "linknet_deleted"
  | "interface_updated"
  | "mgmtdomain_created"
  | "mgmtdomain_updated"
  | "mgmtdomain_deleted"
  | "neighbor_deleted"
  | "was_unmanaged"
  | "device_name_change"
  | "neighbor_name_change"
  | "linknet_neighbor_name_change"
  | "drift"
  | "revert_job"

/** One event; `timestamp` is epoch seconds (UTC) with a fraction. */
export const SyncEvent = Schema.Struct({
  cause: Schema.String,
  timestamp: Schema.Finite,
  by: Schema.String,
  job_id: Schema.NullOr(Schema.Int)
})
export type SyncEvent = typeof SyncEvent.Type
