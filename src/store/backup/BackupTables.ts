/**
 * What of the database is in a backup and what is not (docs/backup-format.md). A test compares the lists with a migrated database, so that
 * a new table or function cannot be forgotten.
 */

/** Tables whose rows are in a backup, every column of them. Names of tables that a later release drops stay here. */
export const BACKED_UP = [
  "accepted_login",
  "alert",
  "alert_delivery",
  "alert_mute",
  "alert_position",
  "api_token",
  "arp_entry",
  "certificate",
  "config_change",
  "derived_secret",
  "device",
  "device_action",
  "device_operation",
  "device_unreachable",
  "device_upgrade",
  "event",
  "event_anchor",
  "event_export",
  "event_removed",
  "event_seal",
  "heard",
  "heard_neighbour",
  "host_key",
  "interface",
  "job",
  "job_approval",
  "job_device",
  "joblock",
  "learned_line",
  "linknet",
  "local_user",
  "login_attempt",
  "mac_entry",
  "mgmtdomain",
  "plugin_run",
  "proved_config",
  "repository",
  "repository_kept",
  "reserved_ip",
  "restore",
  "retained",
  "secret",
  "site",
  "stackmember",
  "station_port",
  "stored_text",
  "sync_event",
  "tables_read",
  "unknown_device",
  "watched",
  "written_check"
] as const

/** Tables that are not in a backup, and why. A restore removes them; whoever needs them makes them again. */
export const LEFT_OUT = {
  switchyard_migrations: "made by the migrations, which a restore runs up to the schema of the backup",
  cluster_migrations: "made by the cluster at its start",
  cluster_runner_migrations: "made by the cluster at its start",
  cluster_runners: "processes that ran when the backup was made",
  cluster_locks: "what these processes held",
  cluster_messages: "work of jobs that had not ended, which a restore ends",
  cluster_replies: "answers to these messages"
} as const

/** Functions of the schema, which the migrations make. */
export const FUNCTIONS = [
  "acting",
  "audit_change",
  "audit_commit",
  "audit_job",
  "audit_lock",
  "audit_row",
  "audit_sync_events",
  "event_begins",
  "event_is_final",
  "events_after",
  "events_complete",
  "iso_time",
  "shown_value",
  "space_time",
  "tell_changes_added",
  "tell_changes_moved",
  "tell_device",
  "tell_job_devices",
  "tell_job_devices_unless_stripped",
  "tell_job_paused",
  "tell_lock",
  "tell_lock_passed",
  "tell_upgrade",
  "whole_text",
  "without_secrets"
] as const
