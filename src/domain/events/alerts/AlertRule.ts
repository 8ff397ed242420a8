/**
 * Alert rules, the events and devices that they match, and the rules that are enabled by their name
 * (docs/alerts.md#ready-rules). Pure.
 */
import type { DeviceType } from "../../Device.ts"
import { matchesGlob } from "../../access/Glob.ts"
import type { LiveEvent } from "../Event.ts"

/** From the lowest to the highest. */
export const alertLevels = ["info", "warning", "error", "critical"] as const
export type AlertLevel = (typeof alertLevels)[number]

/** The events that form one message: each alone, those of a job, of a device, or of the rule. */
export const groupings = ["event", "job", "device", "rule"] as const
type Grouping = (typeof groupings)[number]

/** A field of an event and globs; its value has to match one of them. */
export interface Condition {
  /** Keys with dots between them: `hostname`, `data.outcome`, `object.model`. */
  readonly path: string
  readonly values: ReadonlyArray<string>
}

/** A selection of events, by globs. */
export interface EventName {
  readonly kinds: ReadonlyArray<string>
  readonly actions: ReadonlyArray<string>
}

/** A selection of devices; null for any, and for events without a device. */
interface DeviceScope {
  readonly hostnames: ReadonlyArray<string> | null
  readonly groups: ReadonlyArray<string> | null
  readonly deviceTypes: ReadonlyArray<DeviceType> | null
}

export interface AlertRule extends EventName, DeviceScope {
  readonly name: string
  readonly where: ReadonlyArray<Condition>
  /** An event that matches one of these is skipped. */
  readonly unless: ReadonlyArray<Condition>
  readonly level: AlertLevel
  readonly to: ReadonlyArray<string>
  readonly groupBy: Grouping
  /** Milliseconds during which the rule waits for further events of the group. */
  readonly wait: number
  /** Milliseconds after a message during which the next one of its group is held back. */
  readonly quiet: number
  readonly title: string | null
  /** Events that end an alert of this rule. */
  readonly resolvedBy: EventName | null
  /** Whether the server sees on its own that the cause has ended (docs/alerts.md#ends-of-alerts). */
  readonly endsWithCause: boolean
}

/** Whether alerts of a rule can end; the others tell of something that is over already. */
export const knowsEnd = ({ endsWithCause, resolvedBy }: Pick<AlertRule, "endsWithCause" | "resolvedBy">): boolean =>
  endsWithCause || resolvedBy !== null

/** The known facts about a device in an event. */
export interface ConcernedDevice {
  readonly hostname: string
  readonly deviceType: string | null
  readonly groups: ReadonlyArray<string>
}

/** Devices that are skipped for some time, for instance during work on them. */
export interface Mute {
  readonly id: number
  /** Globs; null for any. */
  readonly hostname: string | null
  readonly group: string | null
  readonly rule: string | null
}

const matchesOne = (globs: ReadonlyArray<string>, text: string): boolean =>
  globs.some((glob) => matchesGlob(glob, text))

/** Whether an event has this name. */
export const hasName = ({ action, kind }: Pick<LiveEvent, "kind" | "action">, name: EventName): boolean =>
  matchesOne(name.kinds, kind) && matchesOne(name.actions, action)

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const at = (value: unknown, path: string): unknown =>
  path.split(".").reduce<unknown>((found, key) => (isRecord(found) ? found[key] : undefined), value)

const isScalar = (value: unknown): value is string | number | boolean | null =>
  value === null || typeof value === "string" || typeof value === "number" || typeof value === "boolean"

/** A list matches when one of its members does; a missing field matches nothing. */
const holds = (event: LiveEvent, { path, values }: Condition): boolean => {
  const found = at(event, path)
  return (Array.isArray(found) ? found : [found]).some((one) => isScalar(one) && matchesOne(values, String(one)))
}

const isWithin = (scope: DeviceScope, device: ConcernedDevice): boolean =>
  (scope.hostnames === null || matchesOne(scope.hostnames, device.hostname)) &&
  (scope.groups === null || scope.groups.some((group) => device.groups.includes(group))) &&
  (scope.deviceTypes === null || scope.deviceTypes.some((type) => type === device.deviceType))

const isForAll = ({ deviceTypes, groups, hostnames }: DeviceScope): boolean =>
  hostnames === null && groups === null && deviceTypes === null

/** Whether a rule applies to an event about these devices; one of several has to match. */
export const isFor = (rule: AlertRule, event: LiveEvent, devices: ReadonlyArray<ConcernedDevice>): boolean =>
  hasName(event, rule) &&
  rule.where.every((condition) => holds(event, condition)) &&
  !rule.unless.some((condition) => holds(event, condition)) &&
  (isForAll(rule) || devices.some((device) => isWithin(rule, device)))

const silences = ({ group, hostname, rule }: Mute, name: string, device: ConcernedDevice | null): boolean =>
  (rule === null || rule === name) &&
  (hostname === null || (device !== null && matchesGlob(hostname, device.hostname))) &&
  (group === null || (device !== null && device.groups.includes(group)))

/** Whether mutes silence a rule for an event: each of its devices has to be muted, or everything is. */
export const isMuted = (mutes: ReadonlyArray<Mute>, rule: string, devices: ReadonlyArray<ConcernedDevice>): boolean =>
  devices.length === 0
    ? mutes.some((mute) => silences(mute, rule, null))
    : devices.every((device) => mutes.some((mute) => silences(mute, rule, device)))

const texts = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : []

/** The hostnames of an event: its own, or those of the devices on which a job failed. */
export const concernedBy = ({ data, hostname }: LiveEvent): ReadonlyArray<string> =>
  hostname === null ? texts(data["failed_devices"]) : [hostname]

/** The end of an alert's line: the device, or the server that reported it. */
export const subjectOf = ({ data, hostname }: LiveEvent): string => hostname ?? String(data["server"] ?? "")

/** What the trouble of an event is about: a job, a repository, or the subject of all others. */
export const troubleOf = (event: Pick<LiveEvent, "kind" | "action" | "job_id" | "hostname"> & EventData): string => {
  if (event.kind === "job" && event.action === "ended") return `job ${event.job_id}`
  const { data, hostname } = event
  if (event.kind === "repository") return String(data?.["repository"] ?? "")
  return hostname ?? String(data?.["server"] ?? "")
}

interface EventData {
  readonly data: LiveEvent["data"] | null
}

/** Events with the same key become one message. */
export const keyOf = (groupBy: Grouping, event: LiveEvent): string => {
  switch (groupBy) {
    case "event":
      return `event ${event.id}`
    case "job":
      return event.job_id === null ? `event ${event.id}` : `job ${event.job_id}`
    case "device":
      return `device ${subjectOf(event)}`
    case "rule":
      return ""
  }
}

/** Whether a level reaches the lowest level that a receiver wants. */
export const reachesLevel = (level: AlertLevel, from: AlertLevel): boolean =>
  alertLevels.indexOf(level) >= alertLevels.indexOf(from)

// Rules that are enabled by their name (docs/alerts.md#ready-rules): events of interest for nearly every site. Data.

const SECOND = 1000
const MINUTE = 60 * SECOND

const readyRuleNames = [
  "job_not_success",
  "check_failed",
  "device_unreachable",
  "drift",
  "refused_commit",
  "unsigned_commit",
  "approval_asked",
  "host_key_changed",
  "wrong_device",
  "certificate_ends",
  "database_restarted",
  "disk_low"
] as const
export type ReadyRuleName = (typeof readyRuleNames)[number]

type ReadyRule = Omit<AlertRule, "to"> & { readonly name: ReadyRuleName }

const base = {
  where: [],
  unless: [],
  hostnames: null,
  groups: null,
  deviceTypes: null,
  groupBy: "event",
  wait: 0,
  quiet: 0,
  title: null,
  resolvedBy: null,
  endsWithCause: false
} as const

/** All ready rules. */
export const readyRules: ReadonlyArray<ReadyRule> = [
  {
    ...base,
    name: "job_not_success",
    endsWithCause: true,
    kinds: ["job"],
    actions: ["ended"],
    unless: [{ path: "data.outcome", values: ["success"] }],
    level: "error"
  },
  {
    ...base,
    name: "check_failed",
    endsWithCause: true,
    kinds: ["change"],
    actions: ["confirmed", "discarded", "reverted", "unknown"],
    where: [{ path: "data.failed_checks", values: ["*"] }],
    level: "error",
    groupBy: "job",
    wait: MINUTE
  },
  {
    ...base,
    name: "device_unreachable",
    kinds: ["reachability"],
    actions: ["unreachable"],
    resolvedBy: { kinds: ["reachability"], actions: ["reachable"] },
    level: "error",
    groupBy: "rule",
    // a switch that restarts for an upgrade is reachable again before
    wait: 15 * MINUTE
  },
  {
    ...base,
    name: "drift",
    endsWithCause: true,
    kinds: ["drift"],
    actions: ["found"],
    level: "warning",
    groupBy: "job",
    wait: MINUTE
  },
  {
    ...base,
    name: "refused_commit",
    endsWithCause: true,
    kinds: ["repository"],
    actions: ["refused", "waiting"],
    level: "error"
  },
  {
    ...base,
    name: "unsigned_commit",
    endsWithCause: true,
    kinds: ["repository"],
    actions: ["unsigned"],
    level: "error"
  },
  { ...base, name: "approval_asked", kinds: ["approval"], actions: ["asked"], level: "info" },
  {
    ...base,
    name: "host_key_changed",
    endsWithCause: true,
    kinds: ["host_key"],
    actions: ["updated"],
    where: [{ path: "data.after.refused_fingerprint", values: ["SHA256:*"] }],
    level: "critical",
    groupBy: "device",
    wait: 5 * SECOND
  },
  {
    ...base,
    name: "wrong_device",
    endsWithCause: true,
    kinds: ["identity"],
    actions: ["wrong"],
    level: "critical",
    groupBy: "device",
    wait: 5 * SECOND
  },
  {
    ...base,
    name: "certificate_ends",
    endsWithCause: true,
    kinds: ["certificate"],
    actions: ["ending"],
    level: "warning",
    groupBy: "rule",
    wait: MINUTE
  },
  { ...base, name: "database_restarted", kinds: ["database"], actions: ["restarted"], level: "error" },
  {
    ...base,
    name: "disk_low",
    kinds: ["disk"],
    actions: ["low"],
    resolvedBy: { kinds: ["disk"], actions: ["enough"] },
    level: "critical",
    groupBy: "device",
    wait: 0
  }
]
