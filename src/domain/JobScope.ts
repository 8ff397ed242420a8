/**
 * What a job is about, for the person who decides over it (docs/changes.md#review): its devices, where they are, the uplinks that its
 * differences touch, its plan and its approval. Pure.
 */
import { Schema } from "effect"
import { JobStatus, Outcome } from "./Job.ts"
import { riskLevels } from "./ChangeRisk.ts"
import { type DiffGroup, portsTouched, riskOf, type SharedDiff } from "./DiffGroups.ts"
import { namesInOrder, sortedBy } from "./Natural.ts"

// The approval of a job.

const ApprovalRisk = Schema.Struct({
  level: Schema.Literals(riskLevels),
  /** What made it more than low; null for a low one. */
  reason: Schema.NullOr(Schema.String),
  /** Devices whose differences have this risk. */
  devices: Schema.Int
}).annotate({ identifier: "ApprovalRisk" })
export type ApprovalRisk = typeof ApprovalRisk.Type

/** Times are ISO 8601 without a zone, UTC. */
export const JobApproval = Schema.Struct({
  job_id: Schema.Int,
  function_name: Schema.String,
  /** The comment and the ticket with which the job was started. */
  title: Schema.NullOr(Schema.String),
  ticket_ref: Schema.NullOr(Schema.String),
  status: JobStatus,
  outcome: Schema.NullOr(Outcome),
  /** Why it needs an approval. */
  reason: Schema.String,
  /** The dry run whose differences are to be approved; null for a job whose arguments have the whole change. */
  dry_run_job: Schema.NullOr(Schema.Int),
  asked_by: Schema.String,
  asked_at: Schema.String,
  expires_at: Schema.String,
  /** `unneeded`: its rule no longer exists. `withdrawn`: the job was stopped before. Null while it waits. */
  decision: Schema.NullOr(Schema.Literals(["approved", "rejected", "expired", "unneeded", "withdrawn"])),
  decided_by: Schema.NullOr(Schema.String),
  decided_at: Schema.NullOr(Schema.String),
  comment: Schema.NullOr(Schema.String),
  /** Whether the caller has asked for it. */
  is_yours: Schema.Boolean,
  /** Whether the caller may decide over it now; the reason if not. */
  may_decide: Schema.Boolean,
  why_not: Schema.NullOr(Schema.String),
  /** People known to the server who may decide over it; empty once it is decided. */
  approvers: Schema.Array(Schema.String),
  /** Devices that would change, and the highest risk among them; null without a dry run, and once it is decided. */
  devices: Schema.NullOr(Schema.Int),
  risk: Schema.NullOr(ApprovalRisk)
}).annotate({ identifier: "JobApproval" })
export type JobApproval = typeof JobApproval.Type

/** The highest risk of these groups, and how many devices have it; null without groups. */
export const highestRisk = (groups: ReadonlyArray<DiffGroup>): ApprovalRisk | null => {
  const judged = groups.map((group) => ({ count: group.hostnames.length, ...riskOf(group) }))
  const level = riskLevels.findLast((one) => judged.some((risk) => risk.level === one))
  if (level === undefined) return null
  const worst = judged.filter((risk) => risk.level === level)
  return { level, reason: worst[0]?.reason ?? null, devices: worst.reduce((sum, { count }) => sum + count, 0) }
}

// Its devices and its plan.

const Counted = Schema.Struct({ name: Schema.String, count: Schema.Int }).annotate({ identifier: "CountedName" })
type Counted = typeof Counted.Type

const CountedGroup = Schema.Struct({ ...Counted.fields, of: Schema.Int }).annotate({ identifier: "CountedGroup" })

const TouchedUplinks = Schema.Struct({
  hostname: Schema.String,
  ports: Schema.Array(Schema.String)
}).annotate({ identifier: "TouchedUplinks" })
export type TouchedUplinks = typeof TouchedUplinks.Type

const PlannedStage = Schema.Struct({
  /** Whether none of its devices may fail. */
  is_canary: Schema.Boolean,
  count: Schema.Int,
  /** The first ten of them. */
  hostnames: Schema.Array(Schema.String)
}).annotate({ identifier: "PlannedStage" })

const RolloutPlan = Schema.Struct({
  stages: Schema.Array(PlannedStage),
  /** How many devices are worked on at once. */
  at_once: Schema.Int,
  /** 0: without a timer; 1: each switch has its own; 2: all or none. */
  confirm_mode: Schema.Literals([0, 1, 2]),
  /** After so many seconds a switch goes back by itself unless its change is confirmed; null without a timer. */
  timer_seconds: Schema.NullOr(Schema.Int),
  /** It stops when so many devices have failed; null never. */
  stops_at: Schema.NullOr(Schema.Int),
  /** Changes that are not yet confirmed are taken back when it stops. */
  takes_back: Schema.Boolean,
  urgent: Schema.Boolean,
  /** Why it works outside of its windows; null if it does not. */
  emergency: Schema.NullOr(Schema.String),
  waits_for_window: Schema.Boolean,
  /** Seconds that it is likely to take; null before any switch was changed. */
  seconds: Schema.NullOr(Schema.Int)
}).annotate({ identifier: "RolloutPlan" })
export type RolloutPlan = typeof RolloutPlan.Type

/** The windows of all devices together, now. Times are ISO 8601 without a zone, UTC. */
const ScopeWindow = Schema.Struct({
  is_open: Schema.Boolean,
  closes_at: Schema.NullOr(Schema.String),
  opens_at: Schema.NullOr(Schema.String),
  why: Schema.NullOr(Schema.String)
}).annotate({ identifier: "ScopeWindow" })

export const JobScope = Schema.Struct({
  /** The devices that the job is about now; those of a selection may change until it begins. */
  devices: Schema.Int,
  /** The first hundred of them, in natural order. */
  hostnames: Schema.Array(Schema.String),
  /** Devices that its dry run would change, and those that it could not compare; null without one. */
  would_change: Schema.NullOr(Schema.Int),
  not_compared: Schema.NullOr(Schema.Int),
  /** Devices that have changed since the dry run, in natural order: the job would leave them out. */
  outdated: Schema.Array(Schema.String),
  device_types: Schema.Array(Counted),
  /** `of` is the number of all managed devices in the group. */
  groups: Schema.Array(CountedGroup),
  sites: Schema.Array(Counted),
  /** Machines that were learnt on their access ports in the last week; null if no tables of them were read. */
  machines: Schema.NullOr(Schema.Int),
  /** Ports to other switches whose lines the differences change. */
  uplinks: Schema.Array(TouchedUplinks),
  /** Null for a job that does not roll out. */
  rollout: Schema.NullOr(RolloutPlan),
  /** Null without windows. */
  window: Schema.NullOr(ScopeWindow),
  /** Null for a job that needs no approval. */
  approval: Schema.NullOr(JobApproval)
}).annotate({ identifier: "JobScope" })
export type JobScope = typeof JobScope.Type

/** How often each name occurs, the most frequent first. */
export const countsOf = (names: Iterable<string>): ReadonlyArray<Counted> => {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  const rows = [...counts].map(([name, count]) => ({ name, count }))
  return sortedBy(rows, ({ name }) => name).toSorted((one, other) => other.count - one.count)
}

/**
 * The ports to other switches whose lines differ, by device. `ends` are such ports by hostname; `before` is what one device of a
 * difference runs, which tells the section of a line whose difference does not show it.
 */
export const uplinksTouched = (
  diffs: ReadonlyArray<SharedDiff>,
  ends: ReadonlyMap<string, ReadonlySet<string>>,
  before: ReadonlyMap<string, string>
): ReadonlyArray<TouchedUplinks> => {
  const touched = diffs.flatMap(({ diff, hostnames }) => {
    const ports = portsTouched(diff, before.get(hostnames[0] ?? "") ?? "")
    return hostnames.flatMap((hostname) => {
      const own = namesInOrder(ports.filter((port) => ends.get(hostname)?.has(port) === true))
      return own.length === 0 ? [] : [{ hostname, ports: own }]
    })
  })
  return sortedBy(touched, ({ hostname }) => hostname)
}

/** Seconds of a rollout: each stage takes the time of a device as often as it has turns. */
export const secondsOf = (stages: ReadonlyArray<{ readonly count: number }>, atOnce: number, each: number): number =>
  Math.ceil(stages.reduce((turns, { count }) => turns + Math.ceil(count / atOnce), 0) * each)
