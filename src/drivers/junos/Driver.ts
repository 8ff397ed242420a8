/** The driver of Juniper Junos on switches of the families EX and QFX: logs in over NETCONF and offers the operations of `DriverSession`. */
import { Effect, type Scope } from "effect"
import { SHOWS_NOTHING, type ShownIdentity } from "../../domain/DeviceIdentity.ts"
import { junos as platform } from "../../domain/platforms/junos/Platform.ts"
import type { Driver, DriverSession, DriverTarget } from "../Driver.ts"
import { defineDriver, defineSession } from "../DriverDefinition.ts"
import { type ConnectError, ConnectionException } from "../DriverErrors.ts"
import type { DriverModule } from "../DriverModule.ts"
import { ForeignSessions } from "../LoadChecks.ts"
import { openSession } from "../netconf/Session.ts"
import { SshLimits } from "../ssh/SshLimits.ts"
import { openTransport, type Transport } from "../ssh/Transport.ts"
import { type Junos, makeJunos, shown as shownBy } from "./Answers.ts"
import * as Commit from "./Commit.ts"
import { mend, NETCONF_COMMAND, readsMarked, timeouts } from "./Dialect.ts"
import { facts, identity } from "./Facts.ts"
import { interfaces, optics } from "./Interfaces.ts"
import { load } from "./Load.ts"
import { arpTable, lldp, lldpDetail, macTable } from "./Neighbours.ts"
import { readingVerbs } from "./Readings.ts"
import { runningConfig } from "./RunningConfig.ts"
import { type OwnCandidate, sessions, sessionsWhileTimed } from "./Sessions.ts"
import { stableText } from "./ShownText.ts"

const makeSession = (junos: Junos, hostKey: string, shown: ShownIdentity, foreign: ForeignSessions): DriverSession => {
  const own: OwnCandidate = { name: null, isLocked: false, willRun: "", before: undefined }
  return defineSession(junos.target.hostname, {
    hostKey,
    shown,
    facts: facts(junos),
    interfaces: interfaces(junos),
    optics: optics(junos),
    lldp: lldp(junos),
    lldpDetail: lldpDetail(junos),
    macTable: macTable(junos),
    arpTable: arpTable(junos),
    runningConfig: runningConfig(junos),
    sessions: Effect.suspend(() => sessions(junos, own)),
    sessionsWhileTimed: (name, wasSeen) => sessionsWhileTimed(junos, own, name, wasSeen),
    load: load(junos, own, foreign),
    discard: (name) => Commit.discard(junos, own, name),
    commit: (name) => Commit.commit(junos, own, name),
    commitTimed: (name, seconds) => Commit.commitTimed(junos, own, name, seconds),
    confirm: (name, wasSeen, seen) => Commit.confirm(junos, own, name, wasSeen, seen),
    // each commit is stored, and so is each rollback
    save: Effect.void,
    move: Commit.move(junos, own),
    readings: readingVerbs(junos),
    show: { show: (command) => shownBy(junos, command) },
    abandon: Effect.sync(junos.hangUp)
  })
}

/** The subsystem, or the command for the same where it is not switched on. */
const withCommand = (transport: Transport): Transport => ({
  ...transport,
  subsystem: (name) =>
    Effect.catch(transport.subsystem(name), (refused) =>
      Effect.mapError(transport.exec(NETCONF_COMMAND), () => refused)
    )
})

const connect: (
  target: DriverTarget,
  limits: SshLimits["Service"],
  foreign: ForeignSessions
) => Effect.Effect<DriverSession, ConnectError, Scope.Scope> = Effect.fnUntraced(function* (target, limits, foreign) {
  const { address, hostname, identify } = target
  const deadlines = { ...timeouts, ...target.timeouts }
  const transport = yield* openTransport(target, limits, deadlines.connect)
  const netconf = yield* openSession(target, withCommand(transport), { seconds: deadlines.show, mend, readsMarked })
  const junos = makeJunos(netconf, deadlines)
  const shown =
    identify === undefined
      ? SHOWS_NOTHING
      : yield* Effect.catchTag(identity(junos, identify), ["CommandRejected", "UnexpectedAnswer"], ({ message }) =>
          Effect.fail(new ConnectionException({ hostname, address, whileDoing: "ask who it is", message }))
        )
  return makeSession(junos, transport.hostKey, shown, foreign)
})

/** The driver of Junos, on the connection limits of this process. */
export const make: Effect.Effect<Driver, never, SshLimits> = Effect.gen(function* () {
  const limits = yield* SshLimits
  const foreign = yield* ForeignSessions
  return defineDriver({ platform, stableText, open: (target) => connect(target, limits, foreign) })
})

/** The same for a server that is given its drivers. */
export const junosDriver: DriverModule = { platform, make }
