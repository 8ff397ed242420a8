/**
 * Something that is stuck or about to break (docs/operations.md#doctor): its subject, since when, why, the safe next step, and,
 * where one exists, the call that repairs it after a question. The rules for findings are in `findings/`, by concepts.
 */
import { Schema } from "effect"

const findingKinds = [
  "job",
  "change",
  "device",
  "session",
  "lock",
  "certificate",
  "database",
  "disk",
  "clock",
  "machine",
  "repository",
  "alert",
  "role",
  "protection",
  "token"
] as const

/** A call of the API that repairs it after the user's consent. */
const Repair = Schema.Struct({
  /** The label of the button. */
  says: Schema.String,
  method: Schema.Literals(["POST", "PUT", "DELETE"]),
  /** Below /api/v1.0. */
  path: Schema.String,
  body: Schema.Record(Schema.String, Schema.Unknown)
}).annotate({ identifier: "FindingRepair" })

export const Finding = Schema.Struct({
  kind: Schema.Literals(findingKinds),
  /** `bad`: something is stuck or lost now; `warn`: it will be. */
  level: Schema.Literals(["bad", "warn"]),
  /** Its subject, such as `job 12` or a hostname. */
  about: Schema.String,
  /** ISO 8601 without a zone, UTC; null when unknown. */
  since: Schema.NullOr(Schema.String),
  what: Schema.String,
  why: Schema.String,
  next: Schema.String,
  repair: Schema.NullOr(Repair)
}).annotate({ identifier: "Finding" })
export type Finding = typeof Finding.Type

/** In seconds, as all lengths here. */
export const MINUTE = 60
export const DAY = 86_400

/** `21 minutes`, `3 hours`, `2 days`. */
export const lengthOf = (seconds: number): string => {
  const [count, unit] =
    seconds >= 2 * DAY
      ? [seconds / DAY, "day"]
      : seconds >= 2 * 60 * MINUTE
        ? [seconds / (60 * MINUTE), "hour"]
        : seconds >= MINUTE
          ? [seconds / MINUTE, "minute"]
          : [seconds, "second"]
  const whole = Math.floor(count)
  return `${whole} ${unit}${whole === 1 ? "" : "s"}`
}

/** Reads what a device runs. It pushes nothing. */
export const look = (hostname: string) => ({
  says: `Read the configuration of ${hostname}`,
  method: "POST" as const,
  path: "/device_drift",
  body: { hostname }
})
