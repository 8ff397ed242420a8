/**
 * Refusals of the server in words of the command: the API names fields of a request, a user has typed options
 * (docs/command-line.md#exit-codes). Only fields that a call has are replaced, so a sentence about anything else stays as it is.
 */
import type { CallName } from "../../api/Calls.ts"
import type { JobActionRequest } from "../../domain/requests/OperationRequests.ts"
import type { SyncRequest } from "../../domain/requests/ChangeRequests.ts"

/** The option behind each field; null if no option sets it. */
type Options = Readonly<Record<string, string | null>>

const SYNC = {
  hostname: null,
  hostnames: null,
  device_type: "--type",
  group: "--group",
  all: "--all",
  dry_run: "--dry-run",
  auto_push: null,
  force: "--force",
  resync: "--resync",
  confirm_older: "--confirm-older",
  confirm_mode: "--confirm-mode",
  abort_on_failure: "--abort-on-failure",
  urgent: "--urgent",
  batch_size: "--batch",
  max_failures: "--max-failures",
  revert_on_failure: "--revert-on-failure",
  canary: "--canary",
  dry_run_job: "--dry-run-job",
  start_at: "--start-at",
  on_missing_lines: "--on-missing-lines",
  failed_proof: null,
  skip_checks: "--skip-checks",
  wait_for_window: "--wait-for-window",
  emergency: "--emergency",
  comment: "--comment",
  ticket_ref: "--ticket"
} satisfies Readonly<Record<keyof SyncRequest, string | null>>

const DEVICE = {
  site: "--site",
  description: "--description",
  management_ip: "--address",
  secondary_management_ip: "--secondary-address",
  dhcp_ip: "--dhcp-address",
  infra_ip: "--infra-address",
  ztp_mac: "--mac",
  serial: "--serial",
  platform: "--platform",
  port: "--port",
  device_type: "--type"
} satisfies Options

const ACTION = { action: null, abort_reason: "--reason", pause_reason: "--reason" } satisfies Readonly<
  Record<keyof JobActionRequest, string | null>
>

const INIT = {
  device_type: "--type",
  mlag_peer_id: "--mlag-peer",
  mlag_peer_hostname: "--mlag-peer-name"
} satisfies Options

const WINDOWS = {
  wait_for_window: SYNC.wait_for_window,
  emergency: SYNC.emergency,
  skip_checks: SYNC.skip_checks
} satisfies Options

/** The options that the refusals of a call may name. */
export const optionsByCall: Partial<Record<CallName, Options>> = {
  "POST /device_syncto": SYNC,
  "POST /job/:id/revert": { ...WINDOWS, comment: "--comment", ticket_ref: "--ticket", dry_run: "--dry-run" },
  "POST /device/:hostname/previous_config": { ...WINDOWS, dry_run: "--dry-run" },
  "POST /device_drift": { device_type: "--type", group: "--group" },
  "PUT /job/:id": ACTION,
  "POST /job/:id/approve": { comment: "--comment" },
  "POST /job/:id/reject": { comment: "--comment" },
  "POST /approvals/:id/approve": { comment: "--comment" },
  "POST /approvals/:id/reject": { comment: "--comment" },
  "GET /find": { q: "The word" },
  "POST /device": DEVICE,
  "PUT /device/:id": DEVICE,
  "POST /device_init/:id": INIT,
  "POST /device_initcheck/:id": INIT
}

/** Sentences that would not be one with the names replaced. */
const SENTENCES: ReadonlyArray<readonly [RegExp, string]> = [
  [/dry_run_job is for live runs: dry_run must be false/, "--dry-run-job needs a push: leave out --dry-run"],
  [/dry_run_job, with dry_run false and without auto_push/, "--dry-run-job, without --dry-run"],
  [/dry_run_job must be a dry run/, "--dry-run-job needs the number of a dry run"],
  [/urgent needs named devices: hostname or hostnames/, "--urgent needs the names of devices"],
  [
    /Send wait_for_window: true to wait for it, or emergency with a reason/,
    "--wait-for-window waits for it, --emergency REASON does it now"
  ],
  [/set confirm_older: true to push/, "add --confirm-older to push"],
  [/on_missing_lines "warn"/, "--on-missing-lines warn"]
]

/** After a field that is also a plain word, so that only a sentence about the field is changed. */
const RULE = String.raw`(?= (?:must|cannot|needs|should|is no)\b)`

const inWords = (message: string, field: string, option: string): string =>
  message
    .replaceAll(new RegExp(`'${field}'`, "g"), option)
    .replaceAll(
      new RegExp(field.includes("_") ? String.raw`\b${field}\b(?:: true)?` : String.raw`\b(?<!-)${field}${RULE}`, "g"),
      option
    )

/** The refusal of a call, with the options of the command in place of the fields of the API. */
export const inOptions = (name: CallName, message: string): string => {
  const options = optionsByCall[name]
  if (options === undefined) return message
  const known = SENTENCES.reduce((text, [pattern, sentence]) => text.replace(pattern, sentence), message)
  return Object.entries(options)
    .toSorted(([one], [other]) => other.length - one.length)
    .reduce((text, [field, option]) => (option === null ? text : inWords(text, field, option)), known)
}
