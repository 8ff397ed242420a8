/**
 * What may go wrong with the checks of a switch during a live sync, as data (docs/checks.md). `FAULTS.md` has these rows, and
 * `CheckFaults.test.ts` plays them.
 */
import { done, type FaultCase, faults, takenBack, untouched } from "./FaultEndings.ts"
import { seconds } from "../../support/Patience.ts"

/** Longer than a switch may be silent in the test. */
const AGAIN = `${Math.ceil(seconds(20) / 1_000)} s`

/** The checks of all switches of this table: the log is read from the commit on only, everything else before it, too. */
export const CHECKS = `checks:
  port-errors:
    for: all
    reads: errors
    must: {grows_at_most: {total: 0}}
    settle: 0
    try_again: ${AGAIN}
  time:
    for: all
    reads: ntp
    must: no_lost
    settle: 0
    try_again: ${AGAIN}
    before: refuse
  quiet-log:
    for: all
    reads: {log: error}
    must: no_new
    settle: 0
    try_again: ${AGAIN}
`

const FAILED = "CheckFailed: A check failed after the commit: "
const UNREAD = "CheckUnread: A check could not be read after the commit: "

export const checkCases: ReadonlyArray<FaultCase> = [
  { fault: "none", place: "all checks hold", begins: "start", arm: faults(), ending: done },
  {
    fault: "check fails",
    place: "errors grow on a port after the commit",
    begins: "start",
    arm: faults({ kind: "errorsGrow", port: "Ethernet1", by: 512 }),
    ending: takenBack(FAILED)
  },
  {
    fault: "check fails",
    place: "the switch logs errors after the commit",
    begins: "committed",
    arm: faults({ kind: "logFlood", messages: 40 }),
    ending: takenBack(FAILED)
  },
  {
    fault: "check settles late",
    place: "its first reading is refused, and a later one holds",
    begins: "committed",
    arm: faults({ kind: "error", step: "showState", message: "% Internal error", times: 1 }),
    ending: done
  },
  {
    fault: "reading refused",
    place: "before the commit, where the check refuses the change then",
    begins: "start",
    arm: faults({ kind: "error", step: "showState", message: "% Unavailable command" }),
    ending: untouched("CheckRefused: A check failed before the change already")
  },
  {
    fault: "reading refused",
    place: "after the commit, until its time is over",
    begins: "committed",
    arm: faults({ kind: "error", step: "showState", message: "% Unavailable command" }),
    ending: takenBack(UNREAD)
  },
  {
    fault: "reading hangs",
    place: "before the commit",
    begins: "start",
    arm: faults({ kind: "silent", step: "showState", when: "before", times: 1 }),
    ending: untouched("CommandTimeout: ")
  },
  {
    fault: "reading hangs",
    place: "after the commit, once: it is read again over another connection",
    begins: "committed",
    arm: faults({ kind: "silent", step: "showState", when: "before", times: 1 }),
    ending: done
  },
  {
    fault: "connection cut",
    place: "while a check is read after the commit",
    begins: "committed",
    arm: faults({ kind: "cut", step: "showState", when: "after", times: 1 }),
    ending: done
  },
  {
    fault: "garbage",
    place: "as the answer to a reading after the commit, until its time is over",
    begins: "committed",
    arm: faults({ kind: "garbage", step: "showState" }),
    ending: takenBack(UNREAD)
  }
]
