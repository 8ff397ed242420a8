/**
 * Something that is stuck or about to break (docs/operations.md#doctor): what it is about, since when, why, the safe next step, and where
 * there is one the call that repairs it, which asks first. What counts as one is in `findings/`, by concepts.
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

/** A call of the API that repairs it, for people to say yes to. */
const Repair = Schema.Struct({
  /** What it does, as a button says it. */
  says: Schema.String,
  method: Schema.Literals(["POST", "PUT", "DELETE"]),
  /** Below /api/v1.0. */
  path: Schema.String,
  body: Schema.Record(Schema.String, Schema.Unknown)
})

export const Finding = Schema.Struct({
  kind: Schema.Literals(findingKinds),
  /** `bad`: something is stuck or lost now; `warn`: it will be. */
  level: Schema.Literals(["bad", "warn"]),
  /** What it is about, such as `job 12` or a hostname. */
  about: Schema.String,
  /** ISO 8601 without a zone, UTC; null when nobody knows. */
  since: Schema.NullOr(Schema.String),
  what: Schema.String,
  why: Schema.String,
  next: Schema.String,
  repair: Schema.NullOr(Repair)
})
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

/** Reads what a device runs. Nothing is pushed by that. */
export const look = (hostname: string) => ({
  says: `Look what ${hostname} runs`,
  method: "POST" as const,
  path: "/device_drift",
  body: { hostname }
})
