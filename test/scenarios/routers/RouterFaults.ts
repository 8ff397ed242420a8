/** Everything that may go wrong with a real router during a change, as data: what strikes it and when, and how it must end. */
import { Effect } from "effect"
import type { Fabric } from "../../../src/fabric/Fabric.ts"
import { name } from "../../drivers/frr/OneRouter.ts"
import { type Moment, type Outcome, type Strike, wanted } from "./RouterScene.ts"

/** What must be so at the end; a column with several values allows each. */
export interface Ending {
  readonly runs: Outcome["runs"]
  readonly startsWith: Outcome["runs"]
  readonly says: Outcome["says"]
  readonly failure?: RegExp
}

export interface RouterFault {
  readonly fault: string
  readonly moment: Moment
  readonly strike: Strike
  readonly config?: string
  readonly endings: ReadonlyArray<Ending>
}

const done: Ending = { runs: "new", startsWith: "new", says: "done" }
const untouched = (failure: RegExp): Ending => ({ runs: "old", startsWith: "old", says: "old", failure })
const takenBack: Ending = { runs: "old", startsWith: "old", says: "old", failure: /CommitError: / }

const cutSsh = "pkill -9 -f 'sshd: root@'"
const killSshd = "pkill -9 sshd; sleep 3; /usr/sbin/sshd"
const pause = "kill -STOP -1; sleep 4; kill -CONT -1"
const reboot = (fabric: Fabric) => Effect.andThen(fabric.halt(name), fabric.boot(name))
const unplug = (fabric: Fabric) =>
  Effect.andThen(Effect.andThen(fabric.pull(name), Effect.sleep("4 seconds")), fabric.plug(name))
const edit = (...lines: ReadonlyArray<string>) =>
  `vtysh -c 'configure terminal' ${lines.map((line) => `-c '${line}'`).join(" ")} 2>/dev/null`
const stranger = edit("ip prefix-list STRANGER seq 5 permit 10.1.0.0/16")

const atMoments = (
  fault: string,
  strike: Strike,
  endings: Partial<Readonly<Record<Moment, ReadonlyArray<Ending>>>>
): ReadonlyArray<RouterFault> =>
  (Object.entries(endings) as ReadonlyArray<[Moment, ReadonlyArray<Ending>]>).map(([moment, each]) => ({
    fault,
    moment,
    strike,
    endings: each
  }))

const lost = untouched(/ConnectionException: /)

/** The table. */
export const routerFaults: ReadonlyArray<RouterFault> = [
  { fault: "none", moment: "start", strike: "true", endings: [done] },
  {
    fault: "wrong syntax",
    moment: "start",
    strike: "true",
    config: wanted.replace("ip prefix-list", "ip prefix-lost"),
    endings: [untouched(/ReplaceConfigException: % Unknown command at line 9/)]
  },
  {
    fault: "a daemon is wanted that does not run",
    moment: "start",
    strike: "true",
    config: wanted.replace(/!\nend$/, "router ospf\n ospf router-id 1.1.1.1\nexit\nend"),
    endings: [takenBack]
  },
  ...atMoments("SSH cut", cutSsh, {
    loading: [lost],
    loaded: [lost, done],
    armed: [done],
    applied: [done],
    proving: [done],
    confirmed: [done]
  }),
  ...atMoments("sshd killed, back after 3 s", killSshd, {
    loading: [lost],
    armed: [done],
    proving: [done],
    confirmed: [done]
  }),
  ...atMoments("paused for 4 s", pause, { loading: [done], armed: [done], applied: [done], proving: [done] }),
  ...atMoments("management cable out for 4 s", unplug, { loading: [done], armed: [done], proving: [done] }),
  ...atMoments("edited with vtysh by somebody else", stranger, {
    loaded: [{ runs: "neither", startsWith: "old", says: "unclear", failure: /altered since the candidate was loaded/ }]
  }),
  {
    fault: "full disk",
    moment: "start",
    strike: "dd if=/dev/zero of=/fill bs=64k 2>/dev/null; true",
    endings: [untouched(/full/)]
  },
  ...atMoments("full disk", "dd if=/dev/zero of=/fill bs=64k 2>/dev/null; sleep 2; rm /fill", {
    loaded: [done, untouched(/CommitError: /), takenBack],
    armed: [done, takenBack],
    proving: [done, takenBack]
  }),
  ...atMoments("script removed", "rm -f /etc/frr/switchyard/change", {
    loaded: [done, untouched(/./)],
    armed: [done, takenBack],
    proving: [done, takenBack]
  }),
  ...atMoments("the process that waits is killed", "kill -9 $(cat pending/pid)", {
    armed: [done, takenBack],
    applied: [done, takenBack]
  }),
  ...atMoments("reboot", reboot, {
    loading: [lost],
    loaded: [lost, takenBack, done],
    armed: [takenBack],
    applied: [takenBack],
    // the next moment is close: what was confirmed by then stays
    proving: [takenBack, done]
  })
]
