/**
 * What a job waits for, as its record shows it: somebody's approval, a window, another job's lock, a place,
 * the commit timers of its own devices, or somebody who has paused it.
 */
import { Schema } from "effect"
import { serviceClasses } from "./jobs/ServiceClasses.ts"

/**
 * Waits for a lock that another job has, or for a job that goes before; `since` is when that one got it, `waits_since` when this one began to
 * wait: ISO 8601 without a zone, UTC.
 */
export const LockWait = Schema.Struct({
  reason: Schema.Literal("lock"),
  lock: Schema.String,
  job_id: Schema.Int,
  function_name: Schema.String,
  since: Schema.String,
  waits_since: Schema.optionalKey(Schema.String),
  message: Schema.String
})
export type LockWait = typeof LockWait.Type

/** Waits for one of so many places; `class` says in whose turn it begins. */
export const PlaceWait = Schema.Struct({
  reason: Schema.Literal("place"),
  class: Schema.Literals(serviceClasses),
  places: Schema.Int,
  message: Schema.String
})
export type PlaceWait = typeof PlaceWait.Type

/** These devices have not answered since their commit; the job waits for them until their timers have ended, at most so many seconds. */
export const TimerWait = Schema.Struct({
  reason: Schema.Literal("timer"),
  devices: Schema.Array(Schema.String),
  seconds: Schema.Int,
  message: Schema.String
})

/** Waits for the approval of somebody else; at `until`, ISO 8601 without a zone, UTC, it is given up. */
export const ApprovalWait = Schema.Struct({
  reason: Schema.Literal("approval"),
  why: Schema.String,
  dry_run_job: Schema.NullOr(Schema.Int),
  until: Schema.String,
  message: Schema.String
})

/** Waits until all of its devices may be changed, at `until`, ISO 8601 without a zone, UTC, as the windows are now. */
export const WindowWait = Schema.Struct({
  reason: Schema.Literal("window"),
  why: Schema.String,
  until: Schema.NullOr(Schema.String),
  message: Schema.String
})
export type WindowWait = typeof WindowWait.Type

/** Begins no further device until it is resumed. `since` is ISO 8601 without a zone, UTC. */
export const PauseWait = Schema.Struct({
  reason: Schema.Literal("pause"),
  by: Schema.String,
  why: Schema.NullOr(Schema.String),
  since: Schema.String,
  message: Schema.String
})

export const JobWaiting = Schema.Union([LockWait, TimerWait, ApprovalWait, WindowWait, PlaceWait, PauseWait])
export type JobWaiting = typeof JobWaiting.Type
