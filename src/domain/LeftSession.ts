/** A candidate of ours that a switch still has when its sessions are read, as whoever looks for drift is told. */
import { Schema } from "effect"

export const OurSession = Schema.Struct({
  /** The text of the candidate (`drivers/Candidate.ts`). */
  name: Schema.String,
  /** The job that it names; 0 for a bounce of ports, which has none. */
  job: Schema.Int,
  /** `open` has lines that were not committed; `timed` is committed, and its timer runs. */
  state: Schema.Literals(["open", "timed"])
})
export type OurSession = typeof OurSession.Type
