/**
 * Words about the server and its work: commits, findings, alerts, events of the audit, settings, leases, certificates, and what a
 * search finds.
 */
import type { auditKinds, LiveOnlyKind, publicKinds } from "../events/Event.ts"
import type { AlertLevel } from "../events/alerts/AlertRule.ts"
import type { CommitState, VariableSource } from "../Repository.ts"
import type { Finding } from "../Finding.ts"
import type { Lease } from "../requests/LeaseRequests.ts"
import type { RetainedKind } from "../Retention.ts"
import type { RevocationReason } from "../Certificate.ts"
import type { Words } from "./Word.ts"

const quiet = (text: string) => ({ text, tone: "quiet" }) as const

/** The fate of a commit. */
export const commitWords = {
  in_force: { text: "In force", tone: "good" },
  refused: { text: "Refused", tone: "bad" },
  not_applied: { text: "Not applied yet", tone: "warn" },
  replaced: { text: "Replaced", tone: "quiet" },
  waiting: { text: "Waiting for a confirmation", tone: "wait" }
} as const satisfies Words<typeof CommitState.Type>

/** Where a variable of a template comes from. */
export const variableWords = {
  settings: quiet("From settings"),
  computed: quiet("Computed"),
  database: quiet("From the inventory"),
  secret: quiet("Secret"),
  override: quiet("Set here")
} as const satisfies Words<typeof VariableSource.Type>

export const findingWords = {
  job: quiet("A job is stuck"),
  change: quiet("A change is stuck"),
  device: quiet("A switch is stuck"),
  session: quiet("A session was left behind"),
  lock: quiet("A lock was left behind"),
  certificate: quiet("Certificate ends"),
  database: quiet("Database"),
  disk: quiet("Disk"),
  clock: quiet("Clock"),
  machine: quiet("Machine"),
  repository: quiet("Repository"),
  alert: quiet("Message not delivered"),
  role: quiet("Role"),
  protection: quiet("Protection"),
  token: quiet("Token")
} as const satisfies Words<Finding["kind"]>

export const findingLevelWords = {
  bad: { text: "Stuck", tone: "bad" },
  warn: { text: "Worth a look", tone: "warn" }
} as const satisfies Words<Finding["level"]>

export const alertWords = {
  info: { text: "Note", tone: "info" },
  warning: { text: "Warning", tone: "warn" },
  error: { text: "Error", tone: "bad" },
  critical: { text: "Critical", tone: "bad" }
} as const satisfies Words<AlertLevel>

/** The way of a message to its receiver. */
export const deliveryWords = {
  waiting: { text: "On its way", tone: "info" },
  sent: { text: "Sent", tone: "good" },
  dead: { text: "Not delivered", tone: "bad" }
} as const satisfies Words<string>

/** What a message tells of an alert. */
export const deliveryActionWords = {
  trigger: quiet("Began"),
  resolve: quiet("Over")
} as const satisfies Words<string>

/** The subjects of events. */
export const eventWords = {
  device: quiet("Switch"),
  interface: quiet("Port"),
  stackmember: quiet("Stack member"),
  linknet: quiet("Link"),
  mgmtdomain: quiet("Management network"),
  site: quiet("Site"),
  job: quiet("Job"),
  change: quiet("Change"),
  sync: quiet("Sync"),
  lock: quiet("Lock"),
  repository: quiet("Repository"),
  firmware: quiet("Firmware"),
  drift: quiet("Hand-made changes"),
  host_key: quiet("Key of a switch"),
  identity: quiet("Identity of a switch"),
  certificate: quiet("Certificate"),
  plugin: quiet("Plugin"),
  alert: quiet("Alert"),
  reachability: quiet("Answer of a switch"),
  database: quiet("Database"),
  disk: quiet("Disk"),
  approval: quiet("Approval"),
  audit: quiet("Audit"),
  call: quiet("Call"),
  certificate_authority: quiet("Certificate authority"),
  login: quiet("Sign-in"),
  permission: quiet("Permission"),
  person: quiet("Person"),
  secret: quiet("Secret"),
  spelling: quiet("Spelling of a line"),
  token: quiet("Token"),
  user: quiet("User"),
  window: quiet("Maintenance window"),
  commit: quiet("Commit"),
  joblock: quiet("Lock"),
  log: quiet("Log"),
  step: quiet("Step")
} as const satisfies Words<(typeof publicKinds)[number] | (typeof auditKinds)[number] | LiveOnlyKind>

/** What became of a DHCP lease that was reported. */
export const leaseWords = {
  taken: { text: "Taken", tone: "good" },
  refused: { text: "Refused", tone: "bad" },
  waits: { text: "Waiting", tone: "warn" }
} as const satisfies Words<Lease["outcome"]>

/** Why a certificate was revoked. */
export const revocationWords = {
  unspecified: quiet("No reason"),
  keyCompromise: quiet("Key leaked"),
  superseded: quiet("Replaced"),
  cessationOfOperation: quiet("Switch retired")
} as const satisfies Words<RevocationReason>

/** Problems of a commit; a test compares it with the kinds of the settings. */
export const problemWords = {
  structure: quiet("Wrong shape"),
  validation: quiet("Value not allowed"),
  yaml: quiet("Not valid YAML"),
  content: quiet("Content not allowed"),
  groups: quiet("Group unknown"),
  vlan: quiet("VLAN unknown"),
  strict: quiet("Not allowed in strict mode"),
  other: quiet("Other")
} as const satisfies Words<string>

/** How a caller has proved who they are; docs/security.md#audit. */
export const wayWords = {
  open: quiet("Without sign-in"),
  oidc: quiet("Page"),
  password: quiet("Page, with a password"),
  token: quiet("Program"),
  jwt: quiet("Program"),
  server: quiet("Switchyard")
} as const satisfies Words<string>

/** Rows that are kept for some time. */
export const retainedWords = {
  job: quiet("Jobs"),
  job_device: quiet("Jobs on each device"),
  change: quiet("Changes of devices"),
  config: quiet("Configurations of jobs"),
  operation: quiet("Operations on switches"),
  audit: quiet("Events of the audit"),
  event: quiet("Other events"),
  stored_text: quiet("Texts that are stored once")
} as const satisfies Words<RetainedKind | "audit" | "event" | "stored_text">

/** Parts of the server that are checked. */
export const partWords = {
  postgres: quiet("Database"),
  schema: quiet("Schema of the database"),
  settings: quiet("Settings"),
  templates: quiet("Templates"),
  jobs: quiet("Jobs"),
  machine: quiet("Machine")
} as const satisfies Words<string>

/** What a switch does with a line whose spelling was learnt. */
export const spellingWords = {
  spelled: quiet("Shown in another spelling"),
  default: quiet("Default, not shown"),
  not_taken: { text: "Not taken", tone: "warn" },
  not_used: { text: "Not used", tone: "warn" }
} as const satisfies Words<string>
