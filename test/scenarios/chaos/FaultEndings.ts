/** How a live sync may end on a switch with which something is wrong: what it runs, what its record says, its sync status. */
import type { Fault } from "../../../src/lab/Faults.ts"
import type { LabSwitch } from "../../../src/lab/LabSwitch.ts"
import type { Node } from "../../../src/lab/Topology.ts"

/** How the record of a device ends. `done`: proved, saved, synchronized. */
export interface Ending {
  readonly done: boolean
  /** `other`: what an operator made of it. */
  readonly runs: "old" | "new" | "other"
  readonly saved: "old" | "new" | "other"
  /** The parts of the failed task's text, in this order; empty on success. */
  readonly says: ReadonlyArray<string>
  /** Cause of the sync event that is left; none when what was known of the device still holds. */
  readonly event?: string
  /** One of our sessions may remain that only the next change of the switch removes, or a timer that never ends. */
  readonly mayLeave?: true
  /** The switch goes back after the job, which a look at the end of its timer finds. */
  readonly later?: true
  /** The timer has to be waited for: the switch is unreachable for taking the change back, or does not show its timer. */
  readonly untold?: true
}

/**
 * When the fault begins: before the job, once the switch has taken the timed commit, once it was compared with the candidate,
 * or once it was confirmed.
 */
export type Moment = "start" | "committed" | "compared" | "confirmed"

/** One cell of the table. `fault` and `place` are its words in the documentation. */
export interface FaultCase {
  readonly fault: string
  readonly place: string
  readonly begins: Moment
  readonly arm: (device: LabSwitch) => void
  /** What is peculiar to this switch from the start. */
  readonly node?: Partial<Node>
  readonly ending: Ending
}

/** Proved, confirmed and saved. */
export const done: Ending = { done: true, runs: "new", saved: "new", says: [] }

/** Nothing was committed: what was known of the device still holds. */
export const untouched = (...says: ReadonlyArray<string>): Ending => ({ done: false, runs: "old", saved: "old", says })

const failed = { done: false, event: "commit_confirm_failed" } as const

/** It was committed, and it is the old configuration that stays. */
export const takenBack = (...says: ReadonlyArray<string>): Ending => ({
  ...failed,
  runs: "old",
  saved: "old",
  says: ["The device runs the configuration that it had before.", ...says]
})

/** It was committed, its timer has taken it back, and the switch could not be read. */
export const outOfSight: Ending = {
  ...failed,
  untold: true,
  runs: "old",
  saved: "old",
  says: ["It is not certain which configuration the device runs.", "CommitError: The device could not be looked at"]
}

/** It was confirmed and is lost with the next restart of the switch. */
export const unsaved: Ending = {
  ...failed,
  runs: "new",
  saved: "old",
  says: [
    "The device runs the new configuration, but a restart may bring the old one back.",
    "CommitError: The new configuration runs but could not be saved"
  ]
}

/** Another user has changed it in the meantime. */
export const changedByOthers: Ending = {
  ...failed,
  runs: "other",
  saved: "other",
  says: [
    "It is not certain which configuration the device runs.",
    "CommitError: The device runs neither the old nor the new configuration"
  ]
}

/** Arms faults of the lab. */
export const faults =
  (...list: ReadonlyArray<Fault>) =>
  (device: LabSwitch): void => {
    for (const fault of list) device.setFault(fault)
  }

/** Which part of the change the step belongs to, in words. */
export const momentWords: Readonly<Record<Moment, string>> = {
  start: "",
  committed: "in the proof: ",
  compared: "before the confirmation: ",
  confirmed: "after the confirmation: "
}
