/**
 * The rows of the table of settings (`SettingsTable.ts`) about the work on devices: initialisation, jobs and approvals, changes
 * and their proof, retention, rendering, and the confirmation of refreshes.
 */
import { proofs } from "../machines/change/ChangeRow.ts"
import { Config, Schema, SchemaGetter, SchemaTransformation } from "effect"
import { ForgePeopleText, ForgeProject, ForgeUrl } from "./domain/access/ForgePeople.ts"
import { commaList } from "./domain/access/HostLists.ts"
import { count, Delays, flag, optional, percent, withDefault } from "./runtime/SettingForms.ts"
import { SiteRemarks } from "./domain/platforms/Platforms.ts"

const oneOf = (values: ReadonlyArray<number>) =>
  Schema.Int.pipe(
    Schema.check(Schema.makeFilter((value: number) => values.includes(value) || `Expected one of ${values.join(", ")}`))
  )
const IpVersion = oneOf([4, 6])
const ConfirmMode = oneOf([0, 1, 2])

/** A selection of the proofs of a change, such as `loaded-again,lines`. */
const Proofs = Schema.String.pipe(
  Schema.decodeTo(Schema.Array(Schema.String), {
    decode: SchemaGetter.transform((list: string) => list.split(",").map((name) => name.trim())),
    encode: SchemaGetter.transform((list: ReadonlyArray<string>) => list.join(","))
  }),
  Schema.decodeTo(Schema.Array(Schema.Literals(proofs)), SchemaTransformation.passthroughSupertype())
)

/** The message does not repeat an invalid value. */
const WebhookSecret = Schema.RedactedFromValue(
  Schema.String.pipe(Schema.check(Schema.isMinLength(16, { message: "Expected at least 16 characters" })))
)

const JsonObject = Schema.fromJsonString(Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown)))

export const jobSettings = {
  INIT_MGMT_TIMEOUT: count("INIT_MGMT_TIMEOUT", 30, "seconds for a new switch to answer on its new address", 1),
  INIT_STEP2_DELAY: count("INIT_STEP2_DELAY", 60, "seconds between init step 1 and step 2"),
  DISCOVERY_DELAYS: withDefault(
    Config.schema(Delays, "DISCOVERY_DELAYS"),
    [10, 30, 60, 120, 180],
    "seconds before each attempt to discover a device; one attempt per number"
  ),
  JOB_DELAY: count("JOB_DELAY", 0, "seconds between a request and its job"),
  JOB_CONCURRENCY: count("JOB_CONCURRENCY", 10, "jobs on managed devices at once", 1),
  FIRMWARE_JOB_CONCURRENCY: count("FIRMWARE_JOB_CONCURRENCY", 4, "jobs on firmware images at once", 1),
  DISCOVERY_JOB_CONCURRENCY: count("DISCOVERY_JOB_CONCURRENCY", 20, "discoveries at once", 1),
  UNKNOWN_DEVICES_PER_HOUR: count("UNKNOWN_DEVICES_PER_HOUR", 1000, "unknown devices that may register in an hour", 1),
  UNKNOWN_DEVICES_MAX: count(
    "UNKNOWN_DEVICES_MAX",
    5000,
    "unknown devices in state DHCP_BOOT; beyond it those that were silent for an hour make room",
    1
  ),
  APPROVAL_SCORE: count(
    "APPROVAL_SCORE",
    0,
    "live synchronizations with a higher dry-run score need another person's approval; 0: score and rules of risk need none"
  ),
  APPROVAL_WAIT: count("APPROVAL_WAIT", 86_400, "seconds that a due job waits for approval, before it is aborted", 1),
  PAGE_URL: optional(
    Config.NonEmptyString("PAGE_URL"),
    "address of this server for people, such as `https://switchyard.example.org`: messages about approvals link to its page"
  ),
  FORGE: optional(
    Config.Literals(["github", "gitlab", "gitea"], "FORGE"),
    "kind of the [forge](reviewing.md#webhooks) where the repositories are: `github`, `gitlab`, `gitea` (also Forgejo)"
  ),
  FORGE_URL: optional(Config.schema(ForgeUrl, "FORGE_URL"), "its address for people, such as `https://github.com`"),
  FORGE_TOKEN: optional(
    Config.Redacted("FORGE_TOKEN"),
    "token with which the results of [proposals](reviewing.md#at-the-forge) are told there; unset: nothing is told"
  ),
  FORGE_WEBHOOK_SECRET: optional(
    Config.schema(WebhookSecret, "FORGE_WEBHOOK_SECRET"),
    "secret of its [webhook](reviewing.md#webhooks), at least 16 characters; unset: none is accepted"
  ),
  FORGE_PROJECT_SETTINGS: optional(
    Config.schema(ForgeProject, "FORGE_PROJECT_SETTINGS"),
    "its project of the settings, such as `network/settings`; unset: that of GITREPO_SETTINGS"
  ),
  FORGE_PROJECT_TEMPLATES: optional(
    Config.schema(ForgeProject, "FORGE_PROJECT_TEMPLATES"),
    "the same of the templates"
  ),
  FORGE_PEOPLE: withDefault(
    Config.schema(ForgePeopleText, "FORGE_PEOPLE"),
    [],
    "[who is who](reviewing.md#approvals): `login=name` of people at the forge and here, separated by commas"
  ),
  PROPOSAL_POLL: count(
    "PROPOSAL_POLL",
    60,
    "seconds between looks whether a branch of an open [proposal](reviewing.md) has moved; 0: only on request",
    0
  ),
  PROPOSAL_DAYS: count("PROPOSAL_DAYS", 365, "days for which ended proposals stay; 0: for ever"),
  LOCK_WAIT: count("LOCK_WAIT", 900, "seconds that a job waits for another one's lock, before it fails"),
  AUDIT_SYSLOG: optional(
    Config.NonEmptyString("AUDIT_SYSLOG"),
    "syslog receiver of the audit: `tcp://host:port` or `tls://host:port` (RFC 5424, octet counting)"
  ),
  ALERT_TIMEOUT: count("ALERT_TIMEOUT", 10, "seconds for a receiver of alerts to take a message", 1),
  ALERT_RETRY_HOURS: count("ALERT_RETRY_HOURS", 72, "hours for which an alert is tried again", 1),
  ALERT_DAYS: count("ALERT_DAYS", 30, "days for which alerts and their deliveries stay", 1),
  AUDIT_DAYS: count("AUDIT_DAYS", 0, "days for which the audit stays; 0: for ever"),
  EVENT_DAYS: count("EVENT_DAYS", 7, "days for which events outside the audit stay; 0: for ever"),
  JOB_DAYS: count("JOB_DAYS", 365, "days for which ended jobs stay; 0: for ever"),
  JOB_DEVICE_DAYS: count("JOB_DEVICE_DAYS", 365, "[retention](#retention) of a job's work on each device, in days"),
  CHANGE_DAYS: count("CHANGE_DAYS", 90, "[retention](#retention) of changes, by which jobs are undone, in days"),
  CONFIG_DAYS: count("CONFIG_DAYS", 90, "[retention](#retention) of configurations and differences, in days"),
  CONFIG_COUNT: count("CONFIG_COUNT", 10, "newest configurations of each device that always stay", 1),
  OPERATION_DAYS: count("OPERATION_DAYS", 90, "[retention](#retention) of ended operations on switches, in days"),
  UPKEEP_INTERVAL: count("UPKEEP_INTERVAL", 3600, "seconds between removals of old rows", 1),
  JOB_RECORD_DAYS: count(
    "JOB_RECORD_DAYS",
    7,
    "days for which the engine's records of ended jobs and plugin calls stay",
    1
  ),
  MGMTDOMAIN_RESERVED_COUNT: count(
    "MGMTDOMAIN_RESERVED_COUNT",
    5,
    "first addresses of a management network that are never assigned"
  ),
  MGMTDOMAIN_PRIMARY_IP_VERSION: withDefault(
    Config.schema(IpVersion, "MGMTDOMAIN_PRIMARY_IP_VERSION"),
    4,
    "family of the primary management address: 4 or 6"
  ),
  COMMIT_CONFIRMED_MODE: withDefault(
    Config.schema(ConfirmMode, "COMMIT_CONFIRMED_MODE"),
    1,
    "0: commit without a timer; 1: confirm each device; 2: confirm all devices or none"
  ),
  COMMIT_CONFIRMED_TIMEOUT: count(
    "COMMIT_CONFIRMED_TIMEOUT",
    300,
    "seconds until a device rolls back an unconfirmed change",
    5
  ),
  COMMIT_CONFIRMED_WAIT: count("COMMIT_CONFIRMED_WAIT", 1, "seconds between commit and proof in mode 2"),
  CHANGE_PROOFS: withDefault(
    Config.schema(Proofs, "CHANGE_PROOFS"),
    proofs,
    "which of these proofs of a change suffice"
  ),
  DEVICE_REMARKS: withDefault(
    Config.schema(SiteRemarks, "DEVICE_REMARKS"),
    [],
    "JSON list of lines of switches that are [no refusals](switch-dialogues.md#remarks-and-refusals)"
  ),
  DRIFT_INTERVAL: count("DRIFT_INTERVAL", 0, "seconds between checks of devices for drift; 0: never"),
  MAC_INTERVAL: count(
    "MAC_INTERVAL",
    0,
    "seconds between readings of all MAC address and ARP tables, for `find`; 0: on demand"
  ),
  MAC_DAYS: count("MAC_DAYS", 30, "days after which a machine is forgotten on a port that no longer has it", 1),
  MAC_ENTRIES: count("MAC_ENTRIES", 20_000, "newest entries of each table that are kept of one device", 1),
  RENDER_DEVICE_SECONDS: count("RENDER_DEVICE_SECONDS", 10, "seconds of processor time for rendering one device", 1),
  RENDER_JOB_SECONDS: count("RENDER_JOB_SECONDS", 300, "seconds of processor time for all renderings of one job", 1),
  RENDER_MEMORY: count("RENDER_MEMORY", 128, "megabytes of values in one rendering", 1),
  SETTINGS_KEYS_TO_MERGE: withDefault(
    Config.schema(commaList(), "SETTINGS_KEYS_TO_MERGE"),
    [],
    "settings keys whose values are merged over the levels, not replaced"
  ),
  SETTINGS_OVERRIDE: withDefault(
    Config.schema(JsonObject, "SETTINGS_OVERRIDE"),
    null,
    "JSON object that overrides template variables, for tests"
  ),
  REFRESH_MAX_REMOVED: percent(
    "REFRESH_MAX_REMOVED",
    20,
    "percentage of VLANs, directories of devices, groups or templates above which (and from 5) a commit that removes them needs [confirmation](settings-repository.md#confirmation); 100: never"
  ),
  REFRESH_MAX_LOSING: percent(
    "REFRESH_MAX_LOSING",
    50,
    "the same if more than this percentage (and at least 5) of the managed devices lose at least 10 lines more than they get"
  ),
  STRICT_SETTINGS: flag(
    "STRICT_SETTINGS",
    false,
    "a refresh of the settings refuses warnings, and undefined variables that a template prints"
  ),
  STRICT_TEMPLATES: flag("STRICT_TEMPLATES", false, "the same for the templates"),
  TOTAL_COUNT: withDefault(
    Config.Literals(["unfiltered", "matching"], "TOTAL_COUNT"),
    "unfiltered",
    "X-Total-Count of /devices: `unfiltered`, or `matching` for the existing web client's pager"
  ),
  ACCESS_LIST_OPTIMIZE: flag("ACCESS_LIST_OPTIMIZE", false, "accepted, without effect")
}
