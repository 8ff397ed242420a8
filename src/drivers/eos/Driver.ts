/** The driver of Arista EOS switches: logs in over SSH and offers the operations of `DriverSession`. */
import { Effect } from "effect"
import { eos } from "../../domain/platforms/Eos.ts"
import type { Driver, DriverSession, DriverTarget } from "../Driver.ts"
import { ForeignSessions } from "../ForeignSessions.ts"
import { channelWire } from "../ssh/ChannelWire.ts"
import { claimedWire } from "../ssh/ClaimedWire.ts"
import type { Cli } from "../ssh/Cli.ts"
import { login } from "../ssh/Cli.ts"
import * as Shell from "../ssh/Shell.ts"
import { SshLimits } from "../ssh/SshLimits.ts"
import type { Transport } from "../ssh/Transport.ts"
import * as SshTransport from "../ssh/Transport.ts"
import { wholeDriver, wholeSession } from "../WholeDriver.ts"
import { certificates } from "./Certificates.ts"
import * as Commit from "./Commit.ts"
import { commitHabits } from "./CommitHabits.ts"
import { dialect } from "./Dialect.ts"
import { facts, questionsOf, shownIn } from "./Facts.ts"
import { firmware } from "./Firmware.ts"
import { interfaces } from "./Interfaces.ts"
import { load } from "./Load.ts"
import { commitAndSave } from "./MovedCommit.ts"
import { lldp, lldpDetail } from "./Neighbours.ts"
import { optics } from "./Optics.ts"
import { ports } from "./Ports.ts"
import { reset } from "./Reset.ts"
import { runningConfig, runningDefaults, stableText } from "./RunningConfig.ts"
import { save } from "./Save.ts"
import { candidateText, committedConfig } from "./SessionConfig.ts"
import { sessionList } from "./Sessions.ts"
import { arpTable, macTable } from "./Tables.ts"

/** What logins share. */
interface Shared {
  readonly limits: SshLimits["Service"]
  readonly foreign: ForeignSessions
  /** Names of switches whose configurations have no `end`, as earlier logins have learnt. */
  readonly bareConfigs: Set<string>
}

const makeSession = (
  cli: Cli,
  transport: Transport,
  shell: Shell.Shell,
  { bareConfigs, foreign }: Shared
): DriverSession => {
  const hangUp = Effect.sync(shell.destroy)
  const list = sessionList(cli)
  return wholeSession(cli.target.hostname, {
    hostKey: transport.hostKey,
    shown: shownIn(cli.introduction),
    facts: facts(cli),
    interfaces: interfaces(cli),
    optics: optics(cli),
    lldp: lldp(cli),
    lldpDetail: lldpDetail(cli),
    macTable: macTable(cli),
    arpTable: arpTable(cli),
    runningConfig: runningConfig(cli, bareConfigs),
    runningDefaults: runningDefaults(cli),
    committedConfig: (name) => committedConfig(cli, name),
    sessions: list.read,
    sessionsWhileTimed: list.readWhileTimed,
    // nobody knows what else such a line has opened in this shell
    load: (request) => Effect.tapErrorTag(load(cli, request, foreign), "LeftConfiguration", () => hangUp),
    candidateText: (name) => candidateText(cli, name),
    discard: (name) => Commit.discard(cli, name),
    commit: (name) => Commit.commit(cli, name),
    commitTimed: (name, seconds) => Commit.commitTimed(cli, name, seconds),
    confirm: (name, wasSeen = false) => Commit.confirm(cli, name, list, wasSeen),
    save: save(cli),
    commitAndSave: (name, silenceSeconds) => commitAndSave(cli, name, silenceSeconds, shell.destroy),
    firmware: firmware(cli, hangUp),
    certificates: certificates(cli, transport),
    reset: reset(cli, hangUp),
    ports: ports(cli, foreign),
    abandon: hangUp
  })
}

const connect = Effect.fnUntraced(function* (target: DriverTarget, shared: Shared) {
  const seconds = target.timeouts?.connect ?? dialect.timeouts.connect
  const transport = yield* SshTransport.open(target, shared.limits, seconds)
  const channel = yield* transport.shell
  const wire = channelWire(channel, transport)
  const { claim } = target
  const claimed = claim === undefined ? wire : claimedWire(wire, claim, Effect.runForkWith(yield* Effect.context()))
  const shell = Shell.make(target.hostname, target.address, claimed)
  const cli = yield* login(dialect, target, shell, questionsOf(target))
  return makeSession(cli, transport, shell, shared)
})

/** The EOS driver, on the connection limits of this process. */
export const make: Effect.Effect<Driver, never, SshLimits> = Effect.gen(function* () {
  const shared: Shared = { limits: yield* SshLimits, foreign: yield* ForeignSessions, bareConfigs: new Set() }
  return wholeDriver({ platform: eos, stableText, commitHabits, open: (target) => connect(target, shared) })
})
