/** The driver of Linux switches that run FRRouting: logs in over SSH and offers the operations of `DriverSession`. */
import { Effect, type Scope } from "effect"
import { frr } from "../../domain/platforms/Frr.ts"
import type { ShownIdentity } from "../../domain/DeviceIdentity.ts"
import type { Driver, DriverSession, DriverTarget } from "../Driver.ts"
import { type CommandRejected, type ConnectError, ConnectionException } from "../DriverErrors.ts"
import { ForeignSessions } from "../ForeignSessions.ts"
import { SshLimits } from "../ssh/SshLimits.ts"
import * as SshTransport from "../ssh/Transport.ts"
import type { Transport } from "../ssh/Transport.ts"
import { wholeDriver, wholeSession } from "../WholeDriver.ts"
import { certificates } from "./Certificates.ts"
import * as Commit from "./Commit.ts"
import { timeouts } from "./Dialect.ts"
import { facts } from "./Facts.ts"
import { interfaces } from "./Interfaces.ts"
import { load } from "./Load.ts"
import { lldp, lldpDetail } from "./Neighbours.ts"
import * as Remote from "./Remote.ts"
import { rightsOf } from "./Rights.ts"
import { runningConfig, stableText } from "./RunningConfig.ts"
import { save } from "./Save.ts"
import { ensure } from "./Script.ts"
import { sessions } from "./Sessions.ts"
import { arpTable, macTable } from "./Tables.ts"

/** What logins share. */
interface Shared {
  readonly limits: SshLimits["Service"]
  readonly foreign: ForeignSessions
}

const makeSession = (
  remote: Remote.Remote,
  hostKey: string,
  shown: ShownIdentity,
  foreign: ForeignSessions
): DriverSession =>
  wholeSession(remote.target.hostname, {
    hostKey,
    shown,
    facts: facts(remote),
    interfaces: interfaces(remote),
    lldp: lldp(remote),
    lldpDetail: lldpDetail(remote),
    macTable: macTable(remote),
    arpTable: arpTable(remote),
    runningConfig: runningConfig(remote),
    sessions: sessions(remote),
    load: (request) => load(remote, request, foreign),
    discard: (name) => Commit.discard(remote, name),
    commit: (name) => Commit.commit(remote, name),
    commitTimed: (name, seconds) => Commit.commitTimed(remote, name, seconds),
    confirm: (name) => Commit.confirm(remote, name),
    save: save(remote),
    commitAndSave: (name, silenceSeconds) => Commit.commitAndSave(remote, name, silenceSeconds),
    certificates: certificates(remote),
    abandon: Effect.sync(remote.hangUp)
  })

const connect: (
  target: DriverTarget,
  shared: Shared
) => Effect.Effect<DriverSession, ConnectError | CommandRejected, Scope.Scope> = Effect.fnUntraced(function* (
  target,
  { foreign, limits }
) {
  const deadlines = { ...timeouts, ...target.timeouts }
  const transport: Transport = yield* SshTransport.open(target, limits, deadlines.connect)
  const privilege = yield* rightsOf((rights) => Remote.make(target, transport, deadlines, rights))
  const { lacks, shown } = yield* ensure(Remote.make(target, transport, deadlines, privilege))
  const remote = Remote.make(target, transport, deadlines, privilege, lacks)
  return makeSession(remote, transport.hostKey, shown, foreign)
})

const open = (target: DriverTarget, shared: Shared) =>
  connect(target, shared).pipe(
    Effect.catchTag("CommandRejected", ({ message }) =>
      Effect.fail(
        new ConnectionException({
          hostname: target.hostname,
          address: target.address,
          whileDoing: "put our script on the switch",
          message
        })
      )
    )
  )

/** The FRR driver, on the connection limits of this process. */
export const make: Effect.Effect<Driver, never, SshLimits> = Effect.gen(function* () {
  const shared: Shared = { limits: yield* SshLimits, foreign: yield* ForeignSessions }
  return wholeDriver({ platform: frr, stableText, open: (target) => open(target, shared) })
})
