/** The part of `FAULTS.md` about a switch with Junos, from the table of the tests. */
import { junosFaultCases } from "../test/scenarios/chaos/JunosFaultTable.ts"
import { faultRows } from "./fault-rows.ts"

/** The lines of the part. */
export const junosFaults = (): ReadonlyArray<string> => [
  "## A switch with Junos, during a live sync",
  "",
  "The same on a simulated switch with Junos (`test/scenarios/chaos/JunosFaults.test.ts`). What differs from the first table:",
  "",
  "- The candidate ends with the login that has locked it: a connection that breaks before the commit leaves nothing, and one that breaks",
  "  at the commit lets the change begin anew.",
  "- Only its timer, in whole minutes, takes a commit back; each row with the old configuration after a commit has waited for it.",
  "- Any check and any commit of any user confirms. What others do between the commit and the proof therefore counts.",
  "- Each commit is saved, so there is no step that saves.",
  "- A confirmation is believed when the mark of the timer is gone, and the switch is looked at once more when its minutes are over.",
  "",
  ...faultRows(junosFaultCases),
  ""
]
