/**
 * Everything that may go wrong with one switch during a live sync, as data: what is done to the switch and when, and what its
 * record must say at the end. `FAULTS.md` is made from this table, and `SyncFaults.test.ts` plays it.
 */
import { Effect } from "effect"
import {
  changedByOthers,
  done,
  type Ending,
  type FaultCase,
  faults,
  outOfSight,
  takenBack,
  unsaved,
  untouched
} from "./FaultEndings.ts"
import type { Step } from "../../../src/lab/Faults.ts"
import * as StepFaults from "./StepFaults.ts"

/** The conversation with a switch that runs EOS. */
const conversation: StepFaults.Conversation = {
  words: {
    connect: "connecting",
    login: "logging in",
    showSessions: "looking for sessions and timers",
    showVersion: "reading the clock of the timer",
    showRunning: "reading the running configuration",
    openSession: "opening the session",
    clean: "emptying the candidate",
    load: "loading the candidate",
    showCandidate: "reading the candidate back",
    commitTimer: "committing with a timer",
    confirm: "confirming",
    write: "saving",
    show: "comparing what is saved"
  },
  loading: ["showRunning", "showSessions", "openSession", "clean", "load", "showCandidate"],
  committing: [],
  proving: ["connect", "login", "showSessions", "showVersion", "showRunning"],
  confirming: ["showSessions", "showVersion", "confirm"],
  settling: ["showSessions", "write", "show", "showRunning"],
  compared: "compared",
  // lines of the candidate are not answered
  unanswered: ["connect", "login", "load"]
}

/**
 * The results of a refusal that does not just end the device's part. The list of sessions is requested in another form, and the
 * difference in the place of the candidate.
 */
const afterRefusal: Partial<Record<Step, Ending>> = {
  showSessions: done,
  showCandidate: done,
  clean: untouched("ReplaceConfigException: rollback clean-config: % Internal error")
}

const refused: StepFaults.OnceFault = {
  fault: "refuses once",
  make: (step) => ({ kind: "error", step, message: "% Internal error", times: 1 }),
  early: (step) => afterRefusal[step] ?? untouched("CommandRejected: % Internal error"),
  atCommit: takenBack("CommitError: The device refused to commit")
}

/** The results of an unexpected empty answer. The others are requested again. */
const afterLie: Partial<Record<Step, Ending>> = {
  showRunning: untouched("UnexpectedAnswer: "),
  openSession: untouched("CommandRejected: no session mode"),
  showCandidate: untouched("UnexpectedAnswer: "),
  // the candidate was what runs, so the lines of a section stand in another order
  clean: { ...done, runs: "other", saved: "other" }
}

const lied: StepFaults.OnceFault = {
  fault: "lies once",
  make: (step) => ({ kind: "lie", step, times: 1 }),
  early: (step) => afterLie[step] ?? done,
  atCommit: takenBack("CommitError: The device answered the commit but goes on running the old configuration")
}

const late = StepFaults.late((step) => ({
  ...untouched("CommandTimeout: "),
  // opened after we had given up; the next change removes the remains of dead jobs
  ...(step === "openSession" && { mayLeave: true as const })
}))

const nuisances: ReadonlyArray<FaultCase> = [
  { fault: "none", place: "", begins: "start", arm: faults(), ending: done },
  {
    fault: "slow",
    place: "at every step",
    begins: "start",
    arm: faults({ kind: "slow", milliseconds: 50 }),
    ending: done
  },
  {
    fault: "slow",
    place: "on the line (20 kB/s)",
    begins: "start",
    arm: faults({ kind: "slow", bytesPerSecond: 20_000 }),
    ending: done
  },
  { fault: "echoes twice", place: "every line", begins: "start", arm: faults({ kind: "doubledEcho" }), ending: done }
]

const STARTED_BACK = "CommitError: The device has gone back to the old configuration"

const credentials: ReadonlyArray<FaultCase> = [
  {
    fault: "wrong password",
    place: "from the start",
    begins: "start",
    arm: faults({ kind: "wrongPassword" }),
    ending: untouched("ConnectAuthError: ")
  },
  {
    fault: "wrong password",
    place: "once after the commit",
    begins: "committed",
    arm: faults({ kind: "wrongPassword", times: 1 }),
    ending: done
  },
  {
    fault: "wrong password",
    place: "ever after the commit",
    begins: "committed",
    arm: faults({ kind: "wrongPassword" }),
    ending: { ...outOfSight, says: ["ConnectAuthError: ", ...outOfSight.says] }
  },
  {
    fault: "host key changed",
    place: "from the start",
    begins: "start",
    arm: (device) => device.newHostKey(),
    ending: untouched("HostKeyChanged: ")
  },
  {
    fault: "host key changed",
    place: "after the commit",
    begins: "committed",
    arm: (device) => device.newHostKey(),
    ending: { ...outOfSight, says: ["HostKeyChanged: ", ...outOfSight.says] }
  },
  {
    fault: "host key changed",
    place: "after the confirmation",
    begins: "confirmed",
    arm: (device) => device.newHostKey(),
    ending: done
  }
]

const RUNS_ON = "its commit timer goes on running"

const timers: ReadonlyArray<FaultCase> = [
  {
    fault: "timer cancelled",
    place: "at once",
    begins: "start",
    arm: faults({ kind: "timerCancelled", times: 1 }),
    ending: takenBack(STARTED_BACK)
  },
  {
    fault: "timer ignored",
    place: "after the commit, although it is shown to run",
    begins: "start",
    arm: faults({ kind: "timerIgnored" }),
    ending: done
  },
  {
    fault: "timer ignored",
    place: "after the commit, and shown nowhere (it is waited for)",
    begins: "start",
    arm: faults({ kind: "noTimer" }),
    ending: { ...done, untold: true }
  },
  {
    fault: "timer ignored",
    place: "with a lie at every confirmation",
    begins: "start",
    arm: faults({ kind: "timerIgnored" }, { kind: "lie", step: "confirm" }),
    ending: { ...takenBack("CommitError: "), says: [RUNS_ON, ...takenBack("CommitError: ").says] }
  },
  {
    fault: "confirmation ignored",
    place: "although it is answered, and the timer shown nowhere from then on (it is waited for)",
    begins: "start",
    arm: faults({ kind: "confirmIgnored" }),
    ending: { ...takenBack(STARTED_BACK), untold: true }
  },
  {
    fault: "reboots",
    place: "after the commit",
    begins: "committed",
    arm: (device) => void Effect.runFork(device.reload),
    ending: takenBack(STARTED_BACK)
  }
]

const lies: ReadonlyArray<FaultCase> = [
  {
    fault: "lies always",
    place: "confirming",
    begins: "start",
    arm: faults({ kind: "lie", step: "confirm" }),
    ending: { ...takenBack("CommitError: "), says: [RUNS_ON, ...takenBack("CommitError: ").says] }
  },
  {
    fault: "lies always",
    place: "saving",
    begins: "start",
    arm: faults({ kind: "lie", step: "write" }),
    ending: unsaved
  },
  {
    fault: "lies always",
    place: "in the proof: looking for sessions and timers",
    begins: "committed",
    arm: faults({ kind: "lie", step: "showSessions" }),
    ending: { ...outOfSight, says: ["UnexpectedAnswer: ", ...outOfSight.says] }
  },
  {
    fault: "lies twice",
    place: "before the confirmation: looking for sessions and timers",
    begins: "compared",
    arm: faults({ kind: "lie", step: "showSessions", times: 2 }),
    ending: done
  },
  {
    fault: "lies twice",
    place: "after the confirmation: looking for sessions and timers",
    begins: "confirmed",
    arm: faults({ kind: "lie", step: "showSessions", times: 2 }),
    ending: done
  },
  {
    fault: "swallows lines",
    place: "one line of the candidate",
    begins: "start",
    arm: faults({ kind: "truncate", step: "load", lines: 30, times: 1 }),
    ending: untouched("ReplaceConfigException: ")
  },
  {
    fault: "swallows lines",
    place: "the tail of every candidate",
    begins: "start",
    arm: faults({ kind: "truncate", step: "load", lines: 90 }),
    ending: untouched("ReplaceConfigException: ")
  },
  {
    fault: "swallows lines",
    place: "of the running configuration before the change",
    begins: "start",
    arm: faults({ kind: "truncate", step: "showRunning", lines: 8, times: 1 }),
    ending: untouched("UnexpectedAnswer: ")
  },
  {
    fault: "swallows lines",
    place: "of the running configuration in the proof",
    begins: "committed",
    arm: faults({ kind: "truncate", step: "showRunning", lines: 30, times: 1 }),
    ending: done
  }
]

const INCOMPLETE = "UnexpectedAnswer: the configuration of the session is incomplete"

/** What the commit will run is stated falsely, or is not what runs then. */
const promises: ReadonlyArray<FaultCase> = [
  {
    fault: "states another configuration",
    place: "cut off, once",
    begins: "start",
    arm: faults({ kind: "truncate", step: "showCandidate", lines: 30, times: 1 }),
    ending: untouched(INCOMPLETE)
  },
  {
    fault: "states another configuration",
    place: "cut off, always",
    begins: "start",
    arm: faults({ kind: "truncate", step: "showCandidate", lines: 30 }),
    ending: untouched("ReplaceConfigException: the switch does not show this line")
  },
  {
    fault: "states another configuration",
    place: "nothing, always",
    begins: "start",
    arm: faults({ kind: "lie", step: "showCandidate" }),
    ending: untouched(INCOMPLETE)
  },
  {
    fault: "states another configuration",
    place: "the old one",
    begins: "start",
    arm: faults({ kind: "misstates", how: "old" }),
    ending: untouched("UnexpectedAnswer: the switch states a configuration without any change")
  },
  {
    fault: "states another configuration",
    place: "without its last new line",
    begins: "start",
    arm: faults({ kind: "misstates", how: "lacksLine" }),
    ending: untouched("ReplaceConfigException: ")
  },
  {
    fault: "states another configuration",
    place: "with a line that the commit drops",
    begins: "start",
    arm: faults({ kind: "misstates", how: "showsDropped" }),
    ending: takenBack("CommitError: ")
  },
  {
    fault: "runs another configuration than stated",
    place: "without its last new line",
    begins: "start",
    arm: faults({ kind: "runsOther", how: "lacksLastLine" }),
    ending: takenBack("CommitError: ")
  },
  {
    fault: "runs another configuration than stated",
    place: "with a line that was to go",
    begins: "start",
    arm: faults({ kind: "runsOther", how: "keepsRemovedLine" }),
    ending: takenBack("CommitError: ")
  }
]

const refusals: ReadonlyArray<FaultCase> = [
  {
    fault: "rejects a line",
    place: "loading the candidate",
    begins: "start",
    arm: faults({ kind: "reject", pattern: "^snmp-server community", message: "% Invalid input" }),
    ending: untouched("ReplaceConfigException: % Invalid input at line ")
  },
  {
    fault: "refuses always",
    place: "confirming",
    begins: "start",
    arm: faults({ kind: "error", step: "confirm", message: "% Busy" }),
    ending: takenBack("CommitError: ")
  },
  {
    fault: "is busy",
    place: "committing with a timer, once",
    begins: "start",
    arm: faults({ kind: "error", step: "commitTimer", message: "% ConfigAgent is busy, try again", times: 1 }),
    ending: done
  },
  {
    fault: "is busy",
    place: "committing with a timer, always",
    begins: "start",
    arm: faults({ kind: "error", step: "commitTimer", message: "% Another commit is in progress" }),
    ending: takenBack("CommitError: The device refused to commit")
  },
  { fault: "full flash", place: "once", begins: "start", arm: faults({ kind: "fullFlash", times: 1 }), ending: done },
  { fault: "full flash", place: "always", begins: "start", arm: faults({ kind: "fullFlash" }), ending: unsaved },
  {
    fault: "out of reach",
    place: "ever after the commit",
    begins: "committed",
    arm: faults({ kind: "cut", step: "connect" }),
    ending: outOfSight
  }
]

const others: ReadonlyArray<FaultCase> = [
  {
    fault: "foreign session",
    place: "open from the start",
    begins: "start",
    arm: (device) => void device.foreignSession("maintenance"),
    ending: untouched("SessionLockedException: ")
  },
  {
    fault: "foreign session",
    place: "with a commit timer from the start",
    begins: "start",
    arm: (device) => void device.foreignSession("maintenance", 300),
    ending: untouched("SessionLockedException: ")
  },
  {
    fault: "foreign session",
    place: "opened after the commit",
    begins: "committed",
    arm: (device) => void device.foreignSession("maintenance"),
    ending: done
  },
  {
    fault: "foreign session",
    place: "from dead jobs",
    begins: "start",
    arm: (device) => {
      for (const name of ["job900001", "job900002-2", "job900003-check"]) device.foreignSession(name)
    },
    ending: done
  },
  {
    fault: "changed by hand",
    place: "after the commit",
    begins: "committed",
    arm: (device) => device.configure("interface Ethernet9\n   description by hand\n"),
    ending: takenBack("CommitError: ")
  },
  {
    fault: "changed by hand",
    place: "after the confirmation",
    begins: "confirmed",
    arm: (device) => device.configure("interface Ethernet9\n   description by hand\n"),
    ending: changedByOthers
  }
]

/** All cells, one for each switch of the lab. The first has no fault: the others are compared with it. */
export const faultCases: ReadonlyArray<FaultCase> = [
  ...nuisances,
  ...credentials,
  ...refusals,
  ...lies,
  ...promises,
  ...timers,
  ...others,
  ...StepFaults.stepFaults(conversation, [late, refused, lied])
]
