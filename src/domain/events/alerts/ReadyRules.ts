/** Rules that are switched on by their name (docs/alerts.md#ready-rules): what nearly every site wants to hear. Data. */
import type { AlertRule } from "./AlertRule.ts"

const SECOND = 1000
const MINUTE = 60 * SECOND

type ReadyRule = Omit<AlertRule, "to">

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
  resolvedBy: null
} as const

/** All of them. */
export const readyRules: ReadonlyArray<ReadyRule> = [
  {
    ...base,
    name: "job_not_success",
    kinds: ["job"],
    actions: ["ended"],
    unless: [{ path: "data.outcome", values: ["success"] }],
    level: "error"
  },
  {
    ...base,
    name: "device_unreachable",
    kinds: ["reachability"],
    actions: ["unreachable"],
    resolvedBy: { kinds: ["reachability"], actions: ["reachable"] },
    level: "error",
    groupBy: "rule",
    // a switch that starts again for an upgrade is back before
    wait: 15 * MINUTE
  },
  {
    ...base,
    name: "drift",
    kinds: ["drift"],
    actions: ["found"],
    level: "warning",
    groupBy: "job",
    wait: MINUTE
  },
  { ...base, name: "refused_commit", kinds: ["repository"], actions: ["refused", "waiting"], level: "error" },
  {
    ...base,
    name: "host_key_changed",
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
    kinds: ["identity"],
    actions: ["wrong"],
    level: "critical",
    groupBy: "device",
    wait: 5 * SECOND
  },
  {
    ...base,
    name: "certificate_ends",
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
