/**
 * Everything that may go wrong with one switch during a live sync, as data: what is done to the switch, and what its
 * record must say at the end. `arm` happens before the job, `afterCommit` when the switch has taken the timed commit.
 */
import { Effect } from "effect"
import type { Fault, Step } from "../../src/lab/Faults.ts"
import type { LabSwitch } from "../../src/lab/LabSwitch.ts"

/** How the record of a device ends. `done`: proved, saved, synchronized. */
export interface Ending {
  readonly done: boolean
  readonly runs: "old" | "new"
  readonly saved: "old" | "new"
  /** What the text of the failed task must hold. */
  readonly says?: RegExp
  /** Cause of the sync event that is left; none when absent. */
  readonly event?: string
  /** What of ours cannot be taken off a switch that cannot be reached any more. */
  readonly unreachable?: true
}

export interface FaultCase {
  readonly name: string
  readonly arm?: (device: LabSwitch) => void
  readonly afterCommit?: (device: LabSwitch) => void
  readonly ending: Ending
}

const done: Ending = { done: true, runs: "new", saved: "new" }
/** Nothing was committed: what was known of the device still holds. */
const untouched = (says: RegExp): Ending => ({ done: false, runs: "old", saved: "old", says })
/** It was committed, and it is the old configuration that stays. */
const takenBack = (says: RegExp): Ending => ({
  done: false,
  runs: "old",
  saved: "old",
  says,
  event: "commit_confirm_failed"
})

const faults =
  (...list: ReadonlyArray<Fault>) =>
  (device: LabSwitch) => {
    for (const fault of list) device.setFault(fault)
  }

/** A fault before and one after a step, each met once. */
const around = (kind: "cut" | "silent", step: Step, before: Ending, after: Ending): ReadonlyArray<FaultCase> =>
  (["before", "after"] as const).map((when) => ({
    name: `${kind} ${when} ${step}`,
    arm: faults(kind === "cut" ? { kind, step, when, times: 1 } : { kind, step, when, times: 1 }),
    ending: when === "before" ? before : after
  }))

const lost = { cut: /ConnectionException: /, silent: /CommandTimeout: |ConnectionException: / }

/** Up to the commit a broken connection fails the device; from then on the change is looked at and carried through. */
const breaks = (kind: "cut" | "silent"): ReadonlyArray<FaultCase> => {
  const early = untouched(lost[kind])
  const steps: ReadonlyArray<Step> = ["login", "showRunning", "showSessions", "openSession", "clean", "load", "diff"]
  return [
    ...steps.flatMap((step) => around(kind, step, early, early)),
    { name: `${kind} amid load`, arm: faults({ kind, step: "load", lines: 40, times: 1 }), ending: early },
    ...around(kind, "commitTimer", done, done),
    ...around(kind, "confirm", done, done),
    ...around(kind, "write", done, done)
  ]
}

const duringProof: ReadonlyArray<FaultCase> = [
  {
    name: "cut while it is read back",
    afterCommit: faults({ kind: "cut", step: "showRunning", times: 1 }),
    ending: done
  },
  {
    name: "cut while the candidate is compared",
    afterCommit: faults({ kind: "cut", step: "load", times: 1 }),
    ending: done
  },
  {
    name: "a truncated read-back",
    afterCommit: faults({ kind: "truncate", step: "showRunning", lines: 30, times: 1 }),
    ending: done
  },
  {
    name: "refuses the password once after the commit",
    afterCommit: faults({ kind: "wrongPassword", times: 1 }),
    ending: done
  },
  {
    name: "never reachable again after the commit",
    afterCommit: faults({ kind: "cut", step: "connect" }),
    ending: {
      done: false,
      runs: "old",
      saved: "old",
      says: /not certain[^]*CommitError: The device could not be reached/,
      event: "commit_confirm_failed"
    }
  },
  {
    name: "another host key after the commit",
    afterCommit: (device) => device.newHostKey(),
    ending: {
      done: false,
      runs: "old",
      saved: "old",
      says: /HostKeyChanged[^]*not certain[^]*CommitError: /,
      event: "commit_confirm_failed"
    }
  },
  {
    name: "changed by an operator after the commit",
    afterCommit: (device) => device.configure("interface Ethernet9\n   description by hand\n"),
    ending: takenBack(/had before[^]*CommitError: /)
  }
]

const lies: ReadonlyArray<FaultCase> = [
  {
    name: "lies at the timed commit",
    arm: faults({ kind: "lie", step: "commitTimer", times: 1 }),
    ending: takenBack(/had before[^]*CommitError: The device answered the commit but goes on running the old/)
  },
  {
    name: "lies at every confirmation",
    arm: faults({ kind: "lie", step: "confirm" }),
    ending: takenBack(/its commit timer goes on running[^]*had before[^]*CommitError: /)
  },
  { name: "lies at the first save", arm: faults({ kind: "lie", step: "write", times: 1 }), ending: done },
  {
    name: "lies at every save",
    arm: faults({ kind: "lie", step: "write" }),
    ending: {
      done: false,
      runs: "new",
      saved: "old",
      says: /CommitError: The new configuration runs but could not be saved/,
      event: "commit_confirm_failed"
    }
  },
  {
    name: "swallows a line of the candidate",
    arm: faults({ kind: "truncate", step: "load", lines: 30, times: 1 }),
    ending: takenBack(/had before[^]*CommitError: /)
  },
  {
    name: "swallows the tail of every candidate",
    arm: faults({ kind: "truncate", step: "load", lines: 90 }),
    ending: takenBack(/had before[^]*CommitError: /)
  },
  {
    name: "cancels its timer at once",
    arm: faults({ kind: "timerCancelled", times: 1 }),
    ending: takenBack(/had before[^]*CommitError: The device has gone back/)
  },
  { name: "ignores its timer", arm: faults({ kind: "timerIgnored" }), ending: done },
  {
    name: "ignores its timer and lies at the confirmation",
    arm: faults({ kind: "timerIgnored" }, { kind: "lie", step: "confirm" }),
    ending: takenBack(/its commit timer goes on running[^]*had before[^]*CommitError: /)
  }
]

const refusals: ReadonlyArray<FaultCase> = [
  { name: "wrong password", arm: faults({ kind: "wrongPassword" }), ending: untouched(/ConnectAuthError: /) },
  { name: "another host key", arm: (device) => device.newHostKey(), ending: untouched(/HostKeyChanged: /) },
  {
    name: "rejects a line",
    arm: faults({ kind: "reject", pattern: "^snmp-server community", message: "% Invalid input" }),
    ending: untouched(/ReplaceConfigException: /)
  },
  {
    name: "refuses the timed commit",
    arm: faults({ kind: "error", step: "commitTimer", message: "% Commit failed: aborted", times: 1 }),
    ending: takenBack(/had before[^]*CommitError: The device refused to commit/)
  },
  {
    name: "refuses the confirmation once",
    arm: faults({ kind: "error", step: "confirm", message: "% Busy", times: 1 }),
    ending: done
  },
  {
    name: "refuses every confirmation",
    arm: faults({ kind: "error", step: "confirm", message: "% Busy" }),
    ending: takenBack(/had before[^]*CommitError: /)
  },
  {
    name: "cannot save the first time",
    arm: faults({ kind: "error", step: "write", message: "% Error: no space left", times: 1 }),
    ending: done
  },
  {
    name: "can never save",
    arm: faults({ kind: "fullFlash" }),
    ending: {
      done: false,
      runs: "new",
      saved: "old",
      says: /CommitError: The new configuration runs but could not be saved/,
      event: "commit_confirm_failed"
    }
  },
  {
    name: "a truncated running configuration",
    arm: faults({ kind: "truncate", step: "showRunning", lines: 8, times: 1 }),
    ending: untouched(/UnexpectedAnswer: /)
  }
]

const others: ReadonlyArray<FaultCase> = [
  {
    name: "an operator's open session",
    arm: (device) => void device.foreignSession("maintenance"),
    ending: untouched(/SessionLockedException: /)
  },
  {
    name: "an operator's commit timer",
    arm: (device) => void device.foreignSession("maintenance", 300),
    ending: untouched(/SessionLockedException: /)
  },
  {
    name: "sessions that dead jobs left behind",
    arm: (device) => {
      for (const name of ["job900001", "job900002-2", "job900003-check"]) device.foreignSession(name)
    },
    ending: done
  },
  {
    name: "reboots after the commit",
    afterCommit: (device) => void Effect.runFork(device.reload),
    ending: takenBack(/had before[^]*CommitError: The device has gone back/)
  }
]

const nuisances: ReadonlyArray<FaultCase> = [
  { name: "no fault", ending: done },
  { name: "slow at every step", arm: faults({ kind: "slow", milliseconds: 50 }), ending: done },
  { name: "a slow line", arm: faults({ kind: "slow", bytesPerSecond: 20_000 }), ending: done },
  { name: "doubled echo", arm: faults({ kind: "doubledEcho" }), ending: done },
  {
    name: "cut before the connection is up",
    arm: faults({ kind: "cut", step: "connect", times: 1 }),
    ending: untouched(lost.cut)
  }
]

/** All cases, one for each switch of the lab. The first has no fault: the others are compared with it. */
export const faultCases: ReadonlyArray<FaultCase> = [
  ...nuisances,
  ...refusals,
  ...lies,
  ...duringProof,
  ...others,
  ...breaks("cut"),
  ...breaks("silent")
]
