/** Words about switches: their states and types, why they are out of sync, what they do, their ports and cables. */
import type { ActorView } from "../DeviceActivity.ts"
import type { DeviceState, DeviceType } from "../Device.ts"
import type { Topology } from "../Topology.ts"
import type { ConfigType } from "../Interface.ts"
import type { SyncCause } from "../SyncCause.ts"
import { inSentence, textOf, type Word, wordOf, type Words } from "./Word.ts"

/** `4.31.4M` of `4.31.4M-35737583.4314M`: the release of a version, without the number of its build. */
export const releaseOf = (version: string): string => version.replace(/-\d+\.\d+[A-Z]?$/, "")

export const stateWords = {
  UNKNOWN: { text: "Unknown", tone: "warn" },
  PRE_CONFIGURED: { text: "Configured by hand first", tone: "quiet" },
  DHCP_BOOT: { text: "Starting", tone: "info" },
  DISCOVERED: { text: "Found, not set up", tone: "wait" },
  INIT: { text: "Being set up", tone: "info" },
  MANAGED: { text: "Managed", tone: "good" },
  MANAGED_NOIF: { text: "Managed, left out of rollouts", tone: "quiet" },
  UNMANAGED: { text: "Not managed", tone: "quiet" }
} as const satisfies Words<DeviceState>

export const typeWords = {
  ACCESS: { text: "Access", tone: "quiet" },
  DIST: { text: "Distribution", tone: "quiet" },
  CORE: { text: "Core", tone: "quiet" },
  UNKNOWN: { text: "Type unknown", tone: "quiet" }
} as const satisfies Words<DeviceType>

/** The types that a managed switch can have, for a choice. */
export const typeChoices = (["ACCESS", "DIST", "CORE"] as const).map((value) => ({
  value,
  label: typeWords[value].text
}))

/** Why a switch is out of sync, as an end of a sentence. */
export const causeWords = {
  refresh_settings: { text: "the settings changed", tone: "warn" },
  refresh_templates: { text: "the templates changed", tone: "warn" },
  syncto_dryrun: { text: "a preview found a difference", tone: "warn" },
  commit_confirm_failed: { text: "a change was not confirmed", tone: "warn" },
  confighash: { text: "it runs something else than was last checked", tone: "wait" },
  device_init: { text: "it was set up", tone: "warn" },
  firmware_upgrade: { text: "it was upgraded", tone: "warn" },
  update_interfacedb: { text: "its ports were read anew", tone: "warn" },
  apply_config: { text: "a text was pushed to it", tone: "warn" },
  linknet_created: { text: "a link was added", tone: "warn" },
  linknet_updated: { text: "a link was changed", tone: "warn" },
  linknet_deleted: { text: "a link was removed", tone: "warn" },
  interface_updated: { text: "its ports were changed", tone: "warn" },
  mgmtdomain_created: { text: "a management network was added", tone: "warn" },
  mgmtdomain_updated: { text: "a management network was changed", tone: "warn" },
  mgmtdomain_deleted: { text: "a management network was removed", tone: "warn" },
  neighbor_deleted: { text: "a neighbour was removed", tone: "warn" },
  was_unmanaged: { text: "it was not managed for a while", tone: "warn" },
  device_name_change: { text: "it was renamed", tone: "warn" },
  neighbor_name_change: { text: "a neighbour was renamed", tone: "warn" },
  linknet_neighbor_name_change: { text: "a neighbour on a link was renamed", tone: "warn" },
  drift: { text: "changed by hand", tone: "wait" },
  revert_job: { text: "a change was undone", tone: "warn" },
  restored: { text: "the database was restored from a backup", tone: "warn" },
  command_in_configuration: { text: "a command stood among its configuration", tone: "bad" },
  wrong_device: { text: "another switch answers at its address", tone: "bad" },
  oob: { text: "changed by hand", tone: "wait" },
  unknown: { text: "reason not known", tone: "warn" }
} as const satisfies Words<SyncCause | "oob" | "unknown">

const FINDERS: Readonly<Record<string, string>> = {
  scheduler: "the scheduled check",
  server: "the server",
  switchyard: "the server",
  unknown: "the server"
}

/** The known facts about a cause; `made_by` is null when only its finder is known. */
interface KnownCause {
  readonly cause: string
  readonly found_by: string
  readonly made_by: string | null
}

/** `the settings changed, by anna`, or `changed by hand, found by the scheduled check`. */
export const causeText = ({ cause, found_by, made_by }: KnownCause): string => {
  const said = textOf(causeWords, cause)
  return made_by === null ? `${said}, found by ${FINDERS[found_by] ?? found_by}` : `${said}, by ${made_by}`
}

/** Standings that a switch has in addition to its state. */
export const standingWords = {
  drifted: { text: "Changed by hand", tone: "wait" },
  unreachable: { text: "Not answering", tone: "bad" },
  in_change: { text: "Changing", tone: "info" },
  unsynchronized: { text: "Out of sync", tone: "warn" },
  synchronized: { text: "In sync", tone: "good" }
} as const satisfies Words<string>

/** `Out of sync: a link was added`; without a cause only `Out of sync`. */
export const outOfSync = (cause?: string): string =>
  [standingWords.unsynchronized.text, ...(cause === undefined ? [] : [textOf(causeWords, cause)])].join(": ")

interface Managed {
  readonly state: string
  readonly synchronized: boolean
}

/** Whether a switch runs what the settings say, as far as it is managed. */
export const syncWord = ({ state, synchronized }: Managed, cause?: string): Word => {
  if (state !== "MANAGED") return stateWords.UNMANAGED
  return synchronized ? standingWords.synchronized : { ...standingWords.unsynchronized, text: outOfSync(cause) }
}

/** The same in two words, for lists: what changes it now, or who did, comes before whether it is in sync. */
export const standingWord = (
  device: Managed,
  { drifted, in_change }: { readonly drifted: boolean; readonly in_change: boolean }
): Word => {
  if (in_change) return standingWords.in_change
  return drifted && device.state === "MANAGED" && !device.synchronized ? standingWords.drifted : syncWord(device)
}

const ANSWERING: Word = { text: "Answering", tone: "good" }
const SET_UP: ReadonlySet<string> = new Set(["MANAGED", "MANAGED_NOIF"] satisfies ReadonlyArray<DeviceState>)

/** Whether a switch answers; one that is not set up yet, or no longer managed, has the word of its state. */
export const answerWord = ({ state }: { readonly state: string }, isSilent: boolean): Word => {
  if (isSilent) return standingWords.unreachable
  return SET_UP.has(state) ? ANSWERING : wordOf(stateWords, state)
}

export const activityWords = {
  idle: { text: "Idle", tone: "quiet" },
  reading: { text: "Being read", tone: "info" },
  changing: { text: "Changing", tone: "info" },
  operating: { text: "Working", tone: "info" },
  upgrading: { text: "Upgrading", tone: "info" }
} as const satisfies Words<ActorView["activity"]>

/** What a switch does for a call, in sentence case: `Reading ports`. A test compares it with the calls of its actor. */
export const callWords = {
  RunChange: { text: "Changing its configuration", tone: "info" },
  SettleChange: { text: "Settling a change", tone: "info" },
  MergeConfig: { text: "Adding lines", tone: "info" },
  ReadFacts: { text: "Reading facts", tone: "info" },
  ReadIdentity: { text: "Checking which switch it is", tone: "info" },
  ReadNeighbours: { text: "Reading neighbours", tone: "info" },
  ReadNeighbourDetails: { text: "Reading neighbours", tone: "info" },
  ReadRunningConfig: { text: "Reading its configuration", tone: "info" },
  ReadDrift: { text: "Looking for hand-made changes", tone: "info" },
  ReadInterfaces: { text: "Reading ports", tone: "info" },
  ReadOptics: { text: "Reading light", tone: "info" },
  ReadTables: { text: "Reading addresses", tone: "info" },
  ReadBeside: { text: "Reading its state for a neighbour", tone: "info" },
  ShowBeside: { text: "Showing a check what it asks", tone: "info" },
  ReadState: { text: "Reading its state", tone: "info" },
  BouncePorts: { text: "Restarting ports", tone: "info" },
  FinishBounce: { text: "Switching ports on again", tone: "info" },
  InstallCertificate: { text: "Renewing its certificate", tone: "info" },
  EraseDevice: { text: "Erasing", tone: "warn" },
  PushBase: { text: "Setting up", tone: "info" },
  FinishInit: { text: "Finishing its setup", tone: "info" },
  FirmwarePreflight: { text: "Checking before the upgrade", tone: "info" },
  FirmwareDownload: { text: "Downloading firmware", tone: "info" },
  FirmwareActivate: { text: "Activating firmware", tone: "info" },
  FirmwareReboot: { text: "Restarting", tone: "info" },
  ShowActor: { text: "Showing what it does", tone: "quiet" }
} as const satisfies Words<string>

/** `Reading ports since …, then: reading addresses`: the calls that wait, in one text. */
export const callsText = (calls: ReadonlyArray<string>): string =>
  [...new Set(calls.map((call) => inSentence(textOf(callWords, call))))].join(", ")

/** The use of a port. */
export const configTypeWords = {
  UNKNOWN: { text: "Unknown", tone: "warn" },
  UNMANAGED: { text: "Left alone", tone: "quiet" },
  CONFIGFILE: { text: "Text from file", tone: "quiet" },
  CUSTOM: { text: "Own text", tone: "quiet" },
  TEMPLATE: { text: "From template", tone: "quiet" },
  ACCESS_AUTO: { text: "Sign-in decides", tone: "quiet" },
  ACCESS_UNTAGGED: { text: "One VLAN", tone: "quiet" },
  ACCESS_TAGGED: { text: "Several VLANs", tone: "quiet" },
  ACCESS_UPLINK: { text: "Uplink", tone: "quiet" },
  ACCESS_DOWNLINK: { text: "Downlink", tone: "quiet" },
  MLAG_PEER: { text: "Peer link", tone: "quiet" }
} as const satisfies Words<ConfigType>

/** Planned cables against what the ends hear of each other, the most urgent first. */
export const cableWords = {
  moved: { text: "Plugged elsewhere", tone: "bad" },
  seen: { text: "Heard, not planned", tone: "warn" },
  planned: { text: "Planned, not heard", tone: "warn" },
  unread: { text: "Not read yet", tone: "quiet" },
  agreed: { text: "As planned", tone: "good" }
} as const satisfies Words<Topology["edges"][number]["agreement"]>

/** A neighbour of a port against the plan. */
export const neighbourWords = {
  agreed: cableWords.agreed,
  missing: { text: "Planned, not heard", tone: "bad" },
  unexpected: { text: "Heard, not planned", tone: "quiet" },
  other: { text: "Plugged elsewhere", tone: "warn" }
} as const satisfies Words<string>
