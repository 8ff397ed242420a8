/**
 * What other users of a switch with Junos do during a live sync: all share one candidate, anybody may lock it, and any check and any
 * commit confirms one that waits. Lines of the table in `JunosFaultTable.ts`.
 */
import type { LabSwitch } from "../../../src/lab/LabSwitch.ts"
import { changedByOthers, done, type FaultCase, takenBack, untouched } from "./FaultEndings.ts"

/** As soon as nobody has the candidate locked: long before the next login of ours, which is several answers away. */
export const unlocked =
  (act: (device: LabSwitch) => unknown) =>
  (device: LabSwitch): void => {
    if (device.sessions().some(({ state }) => state === "exclusive")) setImmediate(() => unlocked(act)(device))
    else act(device)
  }

/** At the console of another user, whose session ends without a goodbye. */
const typed = (...lines: ReadonlyArray<string>) => unlocked((device) => device.atConsole(...lines))

/** All cells of this file. */
export const otherUsers: ReadonlyArray<FaultCase> = [
  {
    fault: "another user's lock",
    place: "from the start",
    begins: "start",
    arm: (device) => void device.foreignSession("maintenance"),
    ending: untouched("SessionLockedException: ")
  },
  {
    fault: "another user's lock",
    place: "after the commit",
    begins: "committed",
    arm: unlocked((device) => device.foreignSession("maintenance")),
    ending: takenBack("CommitError: ")
  },
  {
    fault: "another user's uncommitted change",
    place: "from the start",
    begins: "start",
    arm: typed("configure", "set snmp location office"),
    ending: untouched("SessionLockedException: ")
  },
  {
    fault: "another user's uncommitted change",
    place: "after the commit",
    begins: "committed",
    arm: typed("configure", "set snmp location office"),
    ending: done
  },
  {
    fault: "another user's uncommitted change",
    place: "after the commit, which does not pass a check",
    begins: "committed",
    arm: typed("configure", "delete system root-authentication"),
    ending: takenBack("CommitError: ")
  },
  {
    fault: "another user's confirmed commit",
    place: "from the start",
    begins: "start",
    arm: (device) => void device.foreignSession("maintenance", 300),
    ending: untouched("SessionLockedException: ")
  },
  {
    fault: "another user's confirmed commit",
    place: "after the commit, which goes back to what ran before both",
    begins: "committed",
    arm: unlocked((device) => device.foreignSession("maintenance", 30)),
    ending: takenBack("CommitError: ")
  },
  {
    fault: "another user's `commit check`",
    place: "after the commit, which confirms it (the timer is waited for)",
    begins: "committed",
    arm: typed("configure", "commit check"),
    ending: { ...done, untold: true }
  },
  {
    fault: "another user's commit",
    place: "after the commit, with nothing changed, which confirms it",
    begins: "committed",
    arm: typed("configure", "commit"),
    ending: done
  },
  {
    fault: "changed by hand",
    place: "after the commit, which confirms both changes",
    begins: "committed",
    arm: (device) => device.configure("set snmp location office"),
    ending: changedByOthers
  },
  {
    fault: "changed by hand",
    place: "after the confirmation",
    begins: "confirmed",
    arm: (device) => device.configure("set snmp location office"),
    ending: changedByOthers
  }
]
