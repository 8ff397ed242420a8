/**
 * The checks of a job by name (docs/checks.md#results): on how many devices each holds, what failed with before and now, and which a dry
 * run would make. What did not hold comes first. Pure.
 */
import { Option, Schema } from "effect"
import { CheckResult, PlannedCheck } from "../Job.ts"
import { inNaturalOrder, namesInOrder } from "../Natural.ts"
import { switchesText } from "./CheckSentences.ts"

/** A result with the device that was changed. */
const ResultOnDevice = Schema.Struct({ hostname: Schema.String, ...CheckResult.fields }).annotate({
  identifier: "CheckResultOnDevice"
})
type ResultOnDevice = typeof ResultOnDevice.Type

const JobCheck = Schema.Struct({
  name: Schema.String,
  /** What happened to how many devices. */
  sentence: Schema.String,
  /** Changed devices on which it holds, failed, could not be read, and did not decide. Each device counts once, by its worst result. */
  held: Schema.Int,
  failed: Schema.Int,
  unread: Schema.Int,
  undecided: Schema.Int,
  /** Devices on which a live run would make it. */
  planned: Schema.Array(Schema.String),
  /** What it reads and what must hold; only of a dry run. */
  rule: Schema.NullOr(Schema.String),
  /** The first results; what did not hold comes first. */
  results: Schema.Array(ResultOnDevice),
  /** Results that are not shown. */
  left_out: Schema.Int
}).annotate({ identifier: "JobCheck" })
export type JobCheck = typeof JobCheck.Type

/** The checks of a job, as `GET /job/<id>/checks` answers. */
export const JobChecks = Schema.Struct({
  checks: Schema.Array(JobCheck),
  /** Why the job leaves the checks out, and who asked for it; null if it does not. */
  skipped: Schema.NullOr(Schema.Struct({ reason: Schema.String, by: Schema.NullOr(Schema.String) }))
}).annotate({ identifier: "JobChecks" })
export type JobChecks = typeof JobChecks.Type

/** What is stored about the checks on a device of a job. */
export interface DeviceChecks {
  readonly hostname: string
  readonly results: ReadonlyArray<CheckResult>
  readonly planned: ReadonlyArray<PlannedCheck>
}

/** So many results of a check are shown. */
export const MOST_RESULTS = 200

type End = "failed" | "unread" | "undecided" | "held"

/** From the worst to the best. */
const ENDS: ReadonlyArray<End> = ["failed", "unread", "undecided", "held"]

const endOf = ({ held, ignored }: CheckResult): End => {
  if (held === true) return "held"
  if (ignored !== undefined) return "undecided"
  return held === false ? "failed" : "unread"
}

const placeOf = (result: CheckResult): number => ENDS.indexOf(endOf(result))

const SAID = {
  failed: (count: string) => `failed on ${count}`,
  unread: (count: string) => `could not be read on ${count}`,
  undecided: (count: string) => `did not decide on ${count}`,
  held: (count: string) => `holds on ${count}`
} as const satisfies Readonly<Record<End, (count: string) => string>>

const sentenceOf = (counts: Readonly<Record<End, number>>, planned: number): string => {
  const parts = ENDS.filter((end) => counts[end] > 0).map((end) => SAID[end](switchesText(counts[end])))
  return parts.join(", ") || `would be made on ${switchesText(planned)}`
}

const groupOf = (name: string, devices: ReadonlyArray<DeviceChecks>): JobCheck => {
  const all = devices.flatMap(({ hostname, results }) =>
    results.filter((result) => result.name === name).map((result): ResultOnDevice => ({ hostname, ...result }))
  )
  const ends = [...Map.groupBy(all, ({ hostname }) => hostname).values()].map((results) =>
    Math.min(...results.map(placeOf))
  )
  const countOf = (end: End) => ends.filter((place) => ENDS[place] === end).length
  const counts = {
    failed: countOf("failed"),
    unread: countOf("unread"),
    undecided: countOf("undecided"),
    held: countOf("held")
  }
  const planning = devices.flatMap(({ hostname, planned }) =>
    planned.filter((check) => check.name === name).map(({ sentence }) => ({ hostname, sentence }))
  )
  return {
    name,
    sentence: sentenceOf(counts, planning.length),
    ...counts,
    planned: namesInOrder(planning.map(({ hostname }) => hostname)),
    rule: planning[0]?.sentence ?? null,
    results: all
      .toSorted((one, other) => placeOf(one) - placeOf(other) || inNaturalOrder(one.hostname, other.hostname))
      .slice(0, MOST_RESULTS),
    left_out: Math.max(0, all.length - MOST_RESULTS)
  }
}

/** The checks of these devices by name; those that failed on most devices come first. */
export const checksOfDevices = (devices: ReadonlyArray<DeviceChecks>): ReadonlyArray<JobCheck> => {
  const names = new Set(devices.flatMap(({ planned, results }) => [...results, ...planned].map(({ name }) => name)))
  return [...names]
    .map((name) => groupOf(name, devices))
    .toSorted(
      (one, other) =>
        other.failed + other.unread - (one.failed + one.unread) ||
        other.undecided - one.undecided ||
        inNaturalOrder(one.name, other.name)
    )
}

const Skip = Schema.Struct({ skip_checks: Schema.String })
const skipIn = Schema.decodeUnknownOption(Skip)

/** The job by which checks are left out. */
interface AskedJob {
  readonly scheduled_by: string | null
  readonly start_arguments: unknown
}

/** The checks of a job by name, or why it leaves them out. */
export const checksOfJob = (
  { scheduled_by, start_arguments }: AskedJob,
  devices: ReadonlyArray<DeviceChecks>
): JobChecks => ({
  checks: checksOfDevices(devices),
  skipped: Option.match(skipIn(start_arguments), {
    onNone: () => null,
    onSome: ({ skip_checks: reason }) => ({ reason, by: scheduled_by })
  })
})
