/**
 * The same as `FaultTable.ts` for a switch with Junos. Its candidate is shared by all users and ends with the login that has locked it;
 * only its timer, in minutes, takes a commit back; any check and any commit confirms; and each commit is saved. `FAULTS.md` is made
 * from this table, and `JunosFaults.test.ts` plays it.
 */
import { Effect } from "effect"
import type { LabSwitch } from "../../../src/lab/LabSwitch.ts"
import { done, type Ending, type FaultCase, faults, outOfSight, takenBack, untouched } from "./FaultEndings.ts"
import { otherUsers, unlocked } from "./JunosOtherUsers.ts"
import { junosSteps, REFUSED_COMMIT } from "./JunosSteps.ts"

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
  {
    fault: "answers like other releases",
    place: "broken XML behind the commit",
    begins: "start",
    arm: faults(),
    node: { junos: { unclosedEngine: true } },
    ending: done
  },
  {
    fault: "answers like other releases",
    place: "comments between answers, ok beside the results of a check",
    begins: "start",
    arm: faults(),
    node: { junos: { comments: true, siblingOk: true } },
    ending: done
  },
  {
    fault: "answers like other releases",
    place: "warnings of every load and commit",
    begins: "start",
    arm: faults(),
    node: {
      junos: {
        loadWarnings: ["mgd: statement must contain additional statements"],
        commitWarnings: ["requires 'ospf3' license"]
      }
    },
    ending: done
  }
]

const GONE_BACK = "CommitError: The device has gone back to the old configuration"

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
    fault: "may not see secrets",
    place: "from the start (`SECRET-DATA` stands in their place)",
    begins: "start",
    arm: faults(),
    node: { junos: { hidesSecrets: true } },
    ending: untouched("UnexpectedAnswer: ")
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

/** The switch shows its timer for ever and takes no confirmation, so it is not known what it will run. */
const stuck: Ending = {
  done: false,
  event: "commit_confirm_failed",
  runs: "new",
  saved: "old",
  untold: true,
  mayLeave: true,
  says: [
    "It is not certain which configuration the device runs.",
    "CommitError: The commit timer still runs long after it should have expired"
  ]
}

const reboots = (device: LabSwitch): void => void Effect.runFork(device.reload)

const timers: ReadonlyArray<FaultCase> = [
  {
    fault: "timer cancelled",
    place: "at once",
    begins: "start",
    arm: faults({ kind: "timerCancelled", times: 1 }),
    ending: takenBack(GONE_BACK)
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
    place: "with a lie at every confirmation (nothing ends it)",
    begins: "start",
    arm: faults({ kind: "timerIgnored" }, { kind: "lie", step: "confirm" }),
    ending: stuck
  },
  {
    fault: "timer not shown",
    place: "as on releases without a mark in the history (it is waited for)",
    begins: "start",
    arm: faults(),
    node: { junos: { noPendingMark: true } },
    ending: { ...done, untold: true }
  },
  {
    fault: "confirmation ignored",
    place: "and the mark of the timer gone (looked at once more when the timer has ended)",
    begins: "start",
    arm: faults({ kind: "confirmIgnored" }),
    ending: { ...done, runs: "old", saved: "old", event: "commit_confirm_failed", later: true, untold: true }
  },
  {
    fault: "confirmation ignored",
    place: "and the timer shown to run on",
    begins: "start",
    arm: faults(),
    node: { junos: { checkConfirmsNot: true } },
    ending: takenBack("CommitError: ")
  },
  {
    fault: "rolls back late",
    place: "after a change that was not confirmed",
    begins: "start",
    arm: faults({ kind: "error", step: "confirm", message: "configuration check-out failed" }),
    node: { junos: { lateRollbackMs: 8000 } },
    ending: takenBack("CommitError: ")
  },
  {
    fault: "takes the commit back",
    place: "when a login is lost while its timer runs",
    begins: "start",
    arm: faults({ kind: "cut", step: "commitTimer", when: "after", times: 1 }),
    node: { junos: { lostWhilePending: "rolledBack" } },
    ending: takenBack(GONE_BACK)
  },
  {
    fault: "reboots",
    place: "before it has answered the commit, and starts with the old configuration (it is begun anew)",
    begins: "committed",
    arm: reboots,
    ending: done
  },
  {
    fault: "reboots",
    place: "after the commit, and starts with the old configuration",
    begins: "committed",
    arm: unlocked(reboots),
    ending: takenBack(GONE_BACK)
  },
  {
    fault: "reboots",
    place: "after the commit, and keeps the new configuration for good",
    begins: "committed",
    arm: reboots,
    node: { junos: { restartWhilePending: "kept" } },
    ending: { ...done, untold: true }
  },
  {
    fault: "reboots",
    place: "after the confirmation",
    begins: "confirmed",
    arm: reboots,
    ending: done
  }
]

const lies: ReadonlyArray<FaultCase> = [
  {
    fault: "says ok always and does nothing",
    place: "confirming",
    begins: "start",
    arm: faults({ kind: "lie", step: "confirm" }),
    ending: takenBack("CommitError: ")
  },
  {
    fault: "says ok always and does nothing",
    place: "in the proof: reading the history of commits",
    begins: "committed",
    arm: faults({ kind: "lie", step: "showSessions" }),
    ending: { ...outOfSight, says: ["UnexpectedAnswer: ", ...outOfSight.says] }
  },
  {
    fault: "says ok twice and does nothing",
    place: "after the confirmation: reading the history of commits",
    begins: "confirmed",
    arm: faults({ kind: "lie", step: "showSessions", times: 2 }),
    ending: done
  },
  {
    fault: "says ok to load, commit and confirmation and applies nothing",
    place: "always",
    begins: "start",
    arm: faults({ kind: "lie", step: "load" }, { kind: "lie", step: "commitTimer" }, { kind: "lie", step: "confirm" }),
    ending: untouched("ReplaceConfigException: the switch does not show this line")
  },
  {
    fault: "swallows lines",
    place: "of the candidate, once",
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

/** What the commit will run is stated falsely, or is not what runs then. */
const promises: ReadonlyArray<FaultCase> = [
  {
    fault: "states another configuration",
    place: "cut off",
    begins: "start",
    arm: faults({ kind: "truncate", step: "showCandidate", lines: 30 }),
    ending: untouched("UnexpectedAnswer: ")
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

const rejects = faults({ kind: "reject", pattern: "^ *community", message: "syntax error" })

const refusals: ReadonlyArray<FaultCase> = [
  {
    fault: "rejects a line",
    place: "loading the candidate (the error is inside the results)",
    begins: "start",
    arm: rejects,
    ending: untouched("ReplaceConfigException: syntax error")
  },
  {
    fault: "rejects a line",
    place: "loading the candidate, with ok beside the error",
    begins: "start",
    arm: rejects,
    node: { junos: { okBesideErrors: true, bareErrors: true } },
    ending: untouched("ReplaceConfigException: syntax error")
  },
  {
    fault: "rejects a line",
    place: "loading the candidate, in the form of older releases",
    begins: "start",
    arm: rejects,
    node: { junos: { oldErrors: true } },
    ending: untouched("ReplaceConfigException: syntax error")
  },
  {
    fault: "refuses always",
    place: "confirming",
    begins: "start",
    arm: faults({ kind: "error", step: "confirm", message: "configuration check-out failed" }),
    ending: takenBack("CommitError: ")
  },
  {
    fault: "one of two routing engines refuses",
    place: "committing with a timer (the error is inside its results)",
    begins: "start",
    arm: faults({ kind: "error", step: "commitTimer", message: "re1: could not lock the configuration", times: 1 }),
    node: { junos: { routingEngines: 2 } },
    ending: takenBack(REFUSED_COMMIT)
  },
  {
    fault: "full flash",
    place: "committing with a timer",
    begins: "start",
    arm: faults({ kind: "fullFlash" }),
    ending: takenBack(REFUSED_COMMIT)
  },
  {
    fault: "out of reach",
    place: "ever after the commit",
    begins: "committed",
    arm: faults({ kind: "cut", step: "connect" }),
    ending: outOfSight
  }
]

/** All cells, one for each switch of the lab. The first has no fault: the others are compared with it. */
export const junosFaultCases: ReadonlyArray<FaultCase> = [
  ...nuisances,
  ...credentials,
  ...refusals,
  ...lies,
  ...promises,
  ...timers,
  ...otherUsers,
  ...junosSteps
]
