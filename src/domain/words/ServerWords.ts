/**
 * Words about the server and its work: commits, findings, alerts, events of the audit, settings, leases, certificates, and what a
 * search finds.
 */
import type { auditKinds, LiveOnlyKind, publicKinds } from "../events/Event.ts"
import type { AlertLevel } from "../events/alerts/AlertRule.ts"
import type { CommitSignature, SignatureState } from "../CommitSignature.ts"
import type { CommitState, VariableSource } from "../Repository.ts"
import type { Finding } from "../Finding.ts"
import type { Lease } from "../requests/LeaseRequests.ts"
import type { RetainedKind } from "../Retention.ts"
import type { RevocationReason } from "../Certificate.ts"
import type { SecretKind, SecretPlace, SecretSource, SecretStanding } from "../SecretUse.ts"
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

/** What the signature of a commit is worth. */
export const signatureWords = {
  signed: { text: "Signed", tone: "good" },
  unsigned: { text: "Not signed", tone: "warn" },
  foreign: { text: "Signed by a stranger", tone: "bad" },
  expired: { text: "Key out of date", tone: "warn" },
  withdrawn: { text: "Key withdrawn", tone: "bad" },
  wrong: { text: "Invalid signature", tone: "bad" },
  unknown: { text: "Signature not verified", tone: "warn" }
} as const satisfies Words<SignatureState>

/** Who signed a commit, or what is wrong with its signature, for the end of a line; empty where signatures are not verified. */
export const signedText = (signature: CommitSignature | null | undefined): string => {
  if (signature === null || signature === undefined) return ""
  const { signer, state } = signature
  if (state === "signed") return `signed by ${signer ?? "an allowed signer"}`
  return `${signatureWords[state].text.toLowerCase()}${signer === null ? "" : ` (${signer})`}`
}

/** The same behind what comes before it, with this between the two. */
export const signedAfter = (between: string, signature: CommitSignature | null | undefined): string => {
  const said = signedText(signature)
  return said === "" ? "" : `${between}${said}`
}

/** The beginning of a commit's hash with its signer, such as `8c1f0f6d2b, signed by jane@example.org`; empty without a commit. */
export const commitText = (
  commit: string | null | undefined,
  signature: CommitSignature | null | undefined
): string => {
  if (commit === null || commit === undefined) return ""
  return `${commit.slice(0, 10)}${signedAfter(", ", signature)}`
}

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
  proposal: quiet("Proposal"),
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
  report: quiet("Report"),
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

/** What a secret is for. */
export const secretKindWords = {
  login: quiet("Login of switches"),
  template: quiet("For templates"),
  device: quiet("Login of a group or a switch"),
  plugin: quiet("For plugins"),
  alert: quiet("For receivers of alerts"),
  repository: quiet("Address of a repository"),
  server: quiet("For the server")
} as const satisfies Words<SecretKind>

/** Whether a secret is set, and needed. */
export const secretStandingWords = {
  used: { text: "Set and used", tone: "good" },
  missing: { text: "Needed, not set", tone: "bad" },
  optional: { text: "Not set, not needed", tone: "quiet" },
  waiting: { text: "Set, read at the next start", tone: "wait" },
  unused: { text: "Set, not used", tone: "warn" }
} as const satisfies Words<SecretStanding>

/** Where the value of a secret comes from. */
export const secretSourceWords = {
  environment: quiet("Environment of the server"),
  file: quiet("File on the server"),
  database: quiet("Database, sealed")
} as const satisfies Words<SecretSource>

/** What names a secret. */
export const secretPlaceWords = {
  templates: quiet("Template"),
  settings: quiet("Settings"),
  alerts: quiet("Rules of alerts"),
  plugins: quiet("File of plugins"),
  switches: quiet("Sign-in at switches"),
  server: quiet("The server itself")
} as const satisfies Words<SecretPlace>
