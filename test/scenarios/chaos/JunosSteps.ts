/** Every step of a live sync of a switch with Junos × what may happen at any step; the other lines of its table are in `JunosFaultTable.ts`. */
import type { Step } from "../../../src/lab/Faults.ts"
import { done, type Ending, type FaultCase, takenBack, untouched } from "./FaultEndings.ts"
import * as StepFaults from "./StepFaults.ts"

/** The conversation with a switch that runs Junos. */
const conversation: StepFaults.Conversation = {
  words: {
    connect: "connecting",
    login: "logging in",
    showSessions: "reading the history of commits",
    showRunning: "reading the running configuration",
    diff: "comparing the candidate",
    openSession: "locking the candidate",
    load: "loading the candidate",
    showCandidate: "reading the candidate back",
    other: "having the candidate checked",
    showState: "looking for a second routing engine",
    commitTimer: "committing with a timer",
    confirm: "confirming",
    abort: "giving the lock back"
  },
  loading: ["showRunning", "showSessions", "diff", "openSession", "load", "showCandidate", "other"],
  committing: ["showState"],
  proving: ["showSessions", "abort", "connect", "login", "showRunning"],
  confirming: ["openSession", "confirm"],
  settling: ["abort", "showSessions", "showRunning"],
  // nothing of the proof changes anything on the switch, so no moment is known between it and the confirmation
  compared: "committed",
  unanswered: ["connect", "login"]
}

/** The device said no, and the old configuration runs. */
export const REFUSED_COMMIT = "CommitError: The device refused to commit"
const INTERNAL = "Internal error"

const rejectedLoad = untouched(`ReplaceConfigException: ${INTERNAL}`)

/** The results of a refusal that does not just end the device's part. */
const afterRefusal: Partial<Record<Step, Ending>> = {
  load: rejectedLoad,
  other: rejectedLoad
}

const refused: StepFaults.OnceFault = {
  fault: "refuses once",
  make: (step) => ({ kind: "error", step, message: INTERNAL, times: 1 }),
  early: (step) => afterRefusal[step] ?? untouched(`CommandRejected: ${INTERNAL}`),
  atCommit: takenBack(REFUSED_COMMIT)
}

/** The results of an `ok` for something that was not done, or in the place of what was asked for. */
const afterLie: Partial<Record<Step, Ending>> = {
  showRunning: untouched("UnexpectedAnswer: "),
  showSessions: untouched("UnexpectedAnswer: "),
  diff: untouched("UnexpectedAnswer: "),
  showCandidate: untouched("UnexpectedAnswer: "),
  load: untouched("ReplaceConfigException: the switch does not show this line")
}

const lied: StepFaults.OnceFault = {
  fault: "says ok once and does nothing",
  make: (step) => ({ kind: "lie", step, times: 1 }),
  early: (step) => afterLie[step] ?? done,
  atCommit: takenBack(REFUSED_COMMIT)
}

const late = StepFaults.late(() => untouched("CommandTimeout: "))

const malformed: StepFaults.OnceFault = {
  fault: "sends malformed XML",
  make: (step) => ({ kind: "garbage", step, times: 1 }),
  early: () => untouched("UnexpectedAnswer: "),
  // the candidate has ended with its login, and is loaded anew
  atCommit: done
}

const amid: StepFaults.OnceFault = {
  fault: "connection cut amid the answer",
  make: (step) => ({ kind: "cut", step, when: "amid", times: 1 }),
  early: () => untouched("ConnectionException: "),
  atCommit: done
}

/** All cells of this file. */
export const junosSteps: ReadonlyArray<FaultCase> = StepFaults.stepFaults(conversation, [
  amid,
  late,
  refused,
  lied,
  malformed
])
