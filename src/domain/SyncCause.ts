/**
 * Why a device became unsynchronized, the known author of the cause, and its sentence for people (docs/api.md#sync-history).
 * When the server finds a change on a switch, only the finder is known. Pure, and without a library, because the page shows it
 * too.
 */

/** Causes that the server itself writes, as an end of a sentence; clients may write any other text. */
const CAUSES = {
  refresh_settings: "the settings have changed",
  refresh_templates: "the templates have changed",
  syncto_dryrun: "a dry run showed a difference",
  commit_confirm_failed: "a change was not confirmed",
  confighash: "changed outside Switchyard",
  device_init: "it was initialised",
  firmware_upgrade: "its firmware was upgraded",
  update_interfacedb: "its ports were read anew",
  apply_config: "it was given a configuration",
  linknet_created: "a link was added",
  linknet_updated: "a link was changed",
  linknet_deleted: "a link was removed",
  interface_updated: "its ports were changed",
  mgmtdomain_created: "a management domain was added",
  mgmtdomain_updated: "a management domain was changed",
  mgmtdomain_deleted: "a management domain was removed",
  neighbor_deleted: "a neighbour was removed",
  was_unmanaged: "it was unmanaged, and may have been changed meanwhile",
  device_name_change: "its name was changed",
  neighbor_name_change: "the name of a neighbour was changed",
  linknet_neighbor_name_change: "the name of a neighbour on a link was changed",
  drift: "changed outside Switchyard",
  revert_job: "a change was undone",
  restored: "the database was restored from a backup",
  command_in_configuration: "a command stood among its configuration",
  wrong_device: "another switch answers at its address"
} as const

export type SyncCause = keyof typeof CAUSES

/** Causes that the finder did not make. */
const FOUND: ReadonlySet<string> = new Set<SyncCause>([
  "commit_confirm_failed",
  "confighash",
  "drift",
  "restored",
  "syncto_dryrun",
  "was_unmanaged",
  "wrong_device"
])

/** Names that are not of a person. */
const NOBODY: ReadonlySet<string> = new Set(["scheduler", "server", "switchyard", "unknown"])

const isCause = (cause: string): cause is SyncCause => Object.hasOwn(CAUSES, cause)

/** The author of the change behind the cause; null when unknown. `by` has noted it. */
export const madeBy = (cause: string, by: string): string | null =>
  !isCause(cause) || FOUND.has(cause) || NOBODY.has(by) ? null : by

/** The known facts about a cause. */
interface KnownCause {
  readonly cause: string
  readonly found_by: string
  readonly made_by: string | null
}

const FINDERS: Readonly<Record<string, string>> = {
  scheduler: "the scheduled look for drift",
  server: "the server",
  switchyard: "the server",
  unknown: "the server"
}

/** `the settings have changed, by anna`, or `changed outside Switchyard, found by the scheduled look for drift`. */
export const causeText = ({ cause, found_by, made_by }: KnownCause): string => {
  const said = isCause(cause) ? CAUSES[cause] : cause
  return made_by === null ? `${said}, found by ${FINDERS[found_by] ?? found_by}` : `${said}, by ${made_by}`
}
