/** The moments of a change at which the faults of the table begin. */
import type { CommitRecord } from "../../../src/lab/Switch.ts"
import type { LabSwitch } from "../../../src/lab/LabSwitch.ts"
import type { FaultCase, Moment } from "./FaultEndings.ts"

/** The moment of a change that a commit record marks. A commit without a timer is not confirmed later. */
const momentOf = ({ kind, session }: CommitRecord): Moment | undefined =>
  kind === "commitTimer" || kind === "commit"
    ? "committed"
    : kind === "confirm"
      ? "confirmed"
      : kind === "abort" && session.endsWith("-check")
        ? "compared"
        : undefined

/** Begins each case's fault when its moment has come, before the switch can be asked anything more. */
export const begin = (device: LabSwitch, { arm, begins }: FaultCase): void => {
  if (begins === "start") return arm(device)
  const stop = device.onCommit((record) => {
    if (momentOf(record) !== begins) return
    stop()
    arm(device)
  })
}
