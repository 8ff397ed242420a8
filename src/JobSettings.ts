/**
 * The rows of the table of settings (`SettingsTable.ts`) about the work on devices: initialisation, jobs and approvals, changes and their
 * proof, what is kept for how long, rendering, and when a refresh asks first.
 */
import { proofs } from "../machines/change/ChangeRow.ts"
import { Config, Schema, SchemaGetter, SchemaTransformation } from "effect"
import { commaList } from "./domain/access/HostLists.ts"
import { count, Delays, flag, optional, percent, withDefault } from "./runtime/SettingForms.ts"
import { SiteRemarks } from "./domain/platforms/Platforms.ts"

const oneOf = (values: ReadonlyArray<number>) =>
  Schema.Int.pipe(
    Schema.check(Schema.makeFilter((value: number) => values.includes(value) || `Expected one of ${values.join(", ")}`))
  )
const IpVersion = oneOf([4, 6])
const ConfirmMode = oneOf([0, 1, 2])

/** Some of the proofs of a change, such as `loaded-again,lines`. */
const Proofs = Schema.String.pipe(
  Schema.decodeTo(Schema.Array(Schema.String), {
    decode: SchemaGetter.transform((list: string) => list.split(",").map((name) => name.trim())),
    encode: SchemaGetter.transform((list: ReadonlyArray<string>) => list.join(","))
  }),
  Schema.decodeTo(Schema.Array(Schema.Literals(proofs)), SchemaTransformation.passthroughSupertype())
)

const JsonObject = Schema.fromJsonString(Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown)))

export const jobSettings = {
  INIT_MGMT_TIMEOUT: count("INIT_MGMT_TIMEOUT", 30, "seconds a new switch has to answer on its new address", 1),
  INIT_STEP2_DELAY: count("INIT_STEP2_DELAY", 60, "seconds between init step 1 and step 2"),
  DISCOVERY_DELAYS: withDefault(
    Config.schema(Delays, "DISCOVERY_DELAYS"),
    [10, 30, 60, 120, 180],
    "seconds before each attempt to discover a device; as many attempts as numbers"
  ),
  JOB_DELAY: count("JOB_DELAY", 0, "seconds between a request and the start of its job"),
  JOB_CONCURRENCY: count("JOB_CONCURRENCY", 10, "jobs on managed devices that run at once", 1),
  FIRMWARE_JOB_CONCURRENCY: count("FIRMWARE_JOB_CONCURRENCY", 4, "jobs on firmware images that run at once", 1),
  DISCOVERY_JOB_CONCURRENCY: count("DISCOVERY_JOB_CONCURRENCY", 20, "discoveries that run at once", 1),
  UNKNOWN_DEVICES_PER_HOUR: count(
    "UNKNOWN_DEVICES_PER_HOUR",
    1000,
    "unknown devices that may register within an hour, as each DHCP lease of one does",
    1
  ),
  UNKNOWN_DEVICES_MAX: count(
    "UNKNOWN_DEVICES_MAX",
    5000,
    "unknown devices that wait in state DHCP_BOOT; beyond it those that have been silent for an hour make room, the oldest first",
    1
  ),
  APPROVAL_SCORE: count(
    "APPROVAL_SCORE",
    0,
    "live synchronizations whose dry run scores above this wait for somebody else's approval; 0: score and rules of risk ask for none"
  ),
  APPROVAL_WAIT: count(
    "APPROVAL_WAIT",
    86_400,
    "seconds for which a job waits for an approval from when it is due, before it is aborted",
    1
  ),
  LOCK_WAIT: count(
    "LOCK_WAIT",
    900,
    "seconds that a job waits for another one that configures devices, before it is given up"
  ),
  AUDIT_SYSLOG: optional(
    Config.NonEmptyString("AUDIT_SYSLOG"),
    "syslog receiver of the audit, as it happens: `tcp://host:port` or `tls://host:port` (RFC 5424, octet counting)"
  ),
  ALERT_TIMEOUT: count("ALERT_TIMEOUT", 10, "seconds that a receiver of alerts has to take a message", 1),
  ALERT_RETRY_HOURS: count("ALERT_RETRY_HOURS", 72, "hours for which a message to a receiver of alerts is tried", 1),
  ALERT_DAYS: count("ALERT_DAYS", 30, "days after which alerts and their deliveries, dead ones too, are removed", 1),
  AUDIT_DAYS: count("AUDIT_DAYS", 0, "days after which events of the audit are removed, 0 for never"),
  EVENT_DAYS: count("EVENT_DAYS", 7, "days after which events that are not part of the audit are removed, 0 for never"),
  JOB_DAYS: count(
    "JOB_DAYS",
    365,
    "days after which jobs that have ended are removed with all that is left of them, 0 for never"
  ),
  JOB_DEVICE_DAYS: count(
    "JOB_DEVICE_DAYS",
    365,
    "days for which it is kept what a job did on each device, 0 for as long as the job"
  ),
  CHANGE_DAYS: count(
    "CHANGE_DAYS",
    90,
    "days for which changes of devices are kept, by which jobs are undone, 0 for as long as the job"
  ),
  CONFIG_DAYS: count(
    "CONFIG_DAYS",
    90,
    "days for which configurations and differences of jobs are kept, 0 for as long as the job"
  ),
  CONFIG_COUNT: count("CONFIG_COUNT", 10, "configurations of each device that are kept whatever their age", 1),
  OPERATION_DAYS: count(
    "OPERATION_DAYS",
    90,
    "days for which operations on switches that have ended are kept, 0 for as long as the job"
  ),
  UPKEEP_INTERVAL: count(
    "UPKEEP_INTERVAL",
    3600,
    "seconds from one removal of what is older than its days to the next, and to the next count of what is kept",
    1
  ),
  JOB_RECORD_DAYS: count(
    "JOB_RECORD_DAYS",
    7,
    "days for which the engine keeps its own records of ended jobs and of calls of plugins",
    1
  ),
  MGMTDOMAIN_RESERVED_COUNT: count(
    "MGMTDOMAIN_RESERVED_COUNT",
    5,
    "first addresses of a management network that are never given out"
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
    "seconds after which a device rolls back an unconfirmed change",
    5
  ),
  COMMIT_CONFIRMED_WAIT: count("COMMIT_CONFIRMED_WAIT", 1, "seconds between commit and proof in mode 2"),
  CHANGE_PROOFS: withDefault(
    Config.schema(Proofs, "CHANGE_PROOFS"),
    proofs,
    "which proofs of a change suffice, of `loaded-again`, `promised-text` and `lines`; the strongest that the device allows is made"
  ),
  DEVICE_REMARKS: withDefault(
    Config.schema(SiteRemarks, "DEVICE_REMARKS"),
    [],
    "JSON list of lines that switches print for information and that are no refusals: `line` (regular expression), `meaning`, and optionally `platform` and `release` (how it begins)"
  ),
  DRIFT_INTERVAL: count(
    "DRIFT_INTERVAL",
    0,
    "seconds between two looks whether devices still run what was proved; 0: never"
  ),
  MAC_INTERVAL: count(
    "MAC_INTERVAL",
    0,
    "seconds between two readings of all MAC address and ARP tables, for `find`; 0: only on demand"
  ),
  MAC_DAYS: count(
    "MAC_DAYS",
    30,
    "days after which a machine that was not seen on a port any more is forgotten there",
    1
  ),
  MAC_ENTRIES: count("MAC_ENTRIES", 20_000, "entries of either table that are kept of one device: those seen last", 1),
  RENDER_DEVICE_SECONDS: count(
    "RENDER_DEVICE_SECONDS",
    10,
    "seconds of processor time that rendering one device's configuration may take",
    1
  ),
  RENDER_JOB_SECONDS: count(
    "RENDER_JOB_SECONDS",
    300,
    "seconds of processor time that all renderings of one job may take",
    1
  ),
  RENDER_MEMORY: count("RENDER_MEMORY", 128, "megabytes of values that one rendering may make", 1),
  SETTINGS_KEYS_TO_MERGE: withDefault(
    Config.schema(commaList(), "SETTINGS_KEYS_TO_MERGE"),
    [],
    "settings keys whose values are merged over the levels instead of replaced, comma separated"
  ),
  SETTINGS_OVERRIDE: withDefault(
    Config.schema(JsonObject, "SETTINGS_OVERRIDE"),
    null,
    "JSON object laid over all template variables, for tests"
  ),
  REFRESH_MAX_REMOVED: percent(
    "REFRESH_MAX_REMOVED",
    20,
    "a commit that removes more than so many percent (and at least 5) of the VLANs, directories of devices, groups or templates waits until it is confirmed; with 100 none waits"
  ),
  REFRESH_MAX_LOSING: percent(
    "REFRESH_MAX_LOSING",
    50,
    "the same for a commit after which more than so many percent (and at least 5) of the managed devices lose at least 10 lines more than they get"
  ),
  STRICT_SETTINGS: flag(
    "STRICT_SETTINGS",
    false,
    "a refresh of the settings renders all managed devices, and refuses the commit for what else is a warning or an undefined variable that a template prints"
  ),
  STRICT_TEMPLATES: flag("STRICT_TEMPLATES", false, "the same for a refresh of the templates"),
  TOTAL_COUNT: withDefault(
    Config.Literals(["unfiltered", "matching"], "TOTAL_COUNT"),
    "unfiltered",
    "what X-Total-Count of /devices counts; `matching` suits the existing web client's pager"
  ),
  ACCESS_LIST_OPTIMIZE: flag("ACCESS_LIST_OPTIMIZE", false, "accepted for compatibility; access lists are not compiled")
}
