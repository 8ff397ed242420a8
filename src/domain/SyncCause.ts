/**
 * Why a device became unsynchronized, and the known author of the cause (docs/api.md#sync-history). When the server finds a
 * change on a switch, only the finder is known. `words/DeviceWords.ts` has the words for people. Pure.
 */

/** Causes that the server itself writes; clients may write any other text. */
const syncCauses = [
  "refresh_settings",
  "refresh_templates",
  "syncto_dryrun",
  "commit_confirm_failed",
  "confighash",
  "device_init",
  "firmware_upgrade",
  "update_interfacedb",
  "apply_config",
  "linknet_created",
  "linknet_updated",
  "linknet_deleted",
  "interface_updated",
  "mgmtdomain_created",
  "mgmtdomain_updated",
  "mgmtdomain_deleted",
  "neighbor_deleted",
  "was_unmanaged",
  "device_name_change",
  "neighbor_name_change",
  "linknet_neighbor_name_change",
  "drift",
  "revert_job",
  "restored",
  "command_in_configuration",
  "wrong_device"
] as const

export type SyncCause = (typeof syncCauses)[number]

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

const isCause = (cause: string): boolean => syncCauses.some((known) => known === cause)

/** The author of the change behind the cause; null when unknown. `by` has noted it. */
export const madeBy = (cause: string, by: string): string | null =>
  !isCause(cause) || FOUND.has(cause) || NOBODY.has(by) ? null : by
