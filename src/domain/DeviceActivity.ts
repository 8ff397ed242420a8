/**
 * The current work on a device in addition to its record: operations such as a port bounce, our configuration sessions that it
 * still has, and the state that its actor shows. Each phase of an operation is written before its commands are sent, so that
 * after a crash the next process knows what the switch may have received (promises 1, 3 and 4).
 */
import { Schema } from "effect"
import { changePhases } from "../../machines/change/ChangeRow.ts"
import { activities } from "../../machines/device/DeviceMachine.ts"
import { DeviceState } from "./Device.ts"

export const OperationKind = Schema.Literals(["bounce", "certificate", "erase"])
export type OperationKind = typeof OperationKind.Type

export const OperationPhase = Schema.Literals([
  /** The ports may be down. */
  "lowering",
  /** The ports are being enabled again. */
  "raising",
  /** Key and certificate are being copied; the switch may have one without the other. */
  "copying",
  /** The startup configuration is being removed. */
  "wiping",
  /** The startup configuration has been removed; the switch receives the command to restart. */
  "reloading",
  "done"
])
export type OperationPhase = typeof OperationPhase.Type

/** The ports of a bounce, the configuration that enables them again, and the session that disables them. */
export const BounceDetail = Schema.Struct({
  ports: Schema.Array(Schema.String),
  up: Schema.String,
  downSession: Schema.String
})
export type BounceDetail = typeof BounceDetail.Type

// One of our candidates that a switch still has when its sessions are read, as the drift check receives it.

export const OurSession = Schema.Struct({
  /** The text of the candidate (`drivers/Candidate.ts`). */
  name: Schema.String,
  /** The job that its name contains; 0 for a port bounce, which has no job. */
  job: Schema.Int,
  /** `open` has lines that were not committed; `timed` is committed, and its timer runs. */
  state: Schema.Literals(["open", "timed"])
})
export type OurSession = typeof OurSession.Type

// The state that the actor of a device shows. Times are ISO 8601 without a zone, UTC.

/** A change that is running, or that waits for the other devices of its job. */
export const ChangeView = Schema.Struct({
  id: Schema.Int,
  job_id: Schema.Int,
  /** The stored phase, from which another process would resume the change. */
  phase: Schema.Literals(changePhases),
  /** The state of its statechart, such as `committed.observing`; null when no process works on it. */
  step: Schema.NullOr(Schema.String),
  step_since: Schema.NullOr(Schema.String),
  /** The events that its statechart accepts now. */
  next: Schema.Array(Schema.String)
}).annotate({ identifier: "DeviceChangeStep" })
export type ChangeView = typeof ChangeView.Type

export const ActorView = Schema.Struct({
  hostname: Schema.String,
  state: DeviceState,
  activity: Schema.Literals(activities),
  /** The call that the device serves, for which job, and since when; null while it is idle. */
  call: Schema.NullOr(Schema.String),
  job_id: Schema.NullOr(Schema.Int),
  since: Schema.NullOr(Schema.String),
  /** The events that can happen to the device in its state. */
  next: Schema.Array(Schema.String),
  change: Schema.NullOr(ChangeView),
  /** Calls that wait for their turn, the next one first. */
  waiting: Schema.Array(
    Schema.Struct({ call: Schema.String, job_id: Schema.NullOr(Schema.Int), since: Schema.String }).annotate({
      identifier: "WaitingCall"
    })
  )
}).annotate({ identifier: "DeviceActor" })
export type ActorView = typeof ActorView.Type

/** A statechart: its states without nested ones, and the transitions between them. */
const Statechart = Schema.Struct({
  initial: Schema.String,
  states: Schema.Array(Schema.String),
  arrows: Schema.Array(
    Schema.Struct({
      /** Null: from every state. */
      from: Schema.NullOr(Schema.String),
      to: Schema.String,
      /** An event, `after` a delay, `done` or `failed` of a step; empty for an immediate transition. */
      event: Schema.String,
      /** The guards of the transition. */
      rule: Schema.NullOr(Schema.String)
    }).annotate({ identifier: "StatechartArrow" })
  )
}).annotate({ identifier: "Statechart" })
type Statechart = typeof Statechart.Type

/** The statecharts of a device: its life, its activity, and a change on it. */
export const Statecharts = Schema.Struct({ life: Statechart, activity: Statechart, change: Statechart }).annotate({
  identifier: "Statecharts"
})
export type Statecharts = typeof Statecharts.Type
