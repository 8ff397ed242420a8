/** The driver of Arista EOS switches: logs in over SSH and offers the operations of `DriverSession`. */
import { Effect } from "effect"
import { eos } from "../../domain/platforms/eos/Platform.ts"
import type { Driver, DriverSession, DriverTarget } from "../Driver.ts"
import { ForeignSessions } from "../LoadChecks.ts"
import * as SshTransport from "../ssh/Transport.ts"
import { channelWire, claimedWire, type Transport } from "../ssh/Transport.ts"
import { type Cli, login } from "../ssh/Cli.ts"
import * as Shell from "../ssh/Shell.ts"
import { SshLimits } from "../ssh/SshLimits.ts"
import { defineDriver, defineSession } from "../DriverDefinition.ts"
import { certificates } from "./Certificates.ts"
import * as Commit from "./Commit.ts"
import { commit, commitAndSave, discard } from "./Commit.ts"
import { commitHabits, runningConfig, runningDefaults, save, stableText } from "./RunningConfig.ts"
import { dialect } from "./Dialect.ts"
import { shown } from "./Answers.ts"
import { facts, interfaces, optics, questionsOf, shownIn } from "./Facts.ts"
import { firmware, reset } from "./Firmware.ts"
import { load, type LoadMemory } from "./Load.ts"
import { arpTable, lldp, lldpDetail, macTable } from "./Neighbours.ts"
import { readingVerbs } from "./Readings.ts"
import { sessionList } from "./Sessions.ts"
import type { PortLines, PortVerbs } from "../Verbs.ts"

// Taking ports down and up: lines in a configuration session of their own (docs/switch-dialogues.md#eos-ports-up-and-down).

const apply = Effect.fnUntraced(function* <E>(
  cli: Cli,
  memory: LoadMemory,
  lines: PortLines,
  claim: Effect.Effect<unknown, E>
) {
  const { diff } = yield* load(cli, { ...lines, mode: "merge" }, memory)
  if (diff === "") yield* discard(cli, lines.name)
  else yield* Effect.andThen(claim, commit(cli, lines.name))
  return diff !== ""
})

/** The verbs on this switch. */
export const ports = (cli: Cli, memory: LoadMemory): PortVerbs => ({
  apply: (lines, claim) => apply(cli, memory, lines, claim)
})

/** Everything that logins share. */
interface Shared extends LoadMemory {
  readonly limits: SshLimits["Service"]
}

const makeSession = (cli: Cli, transport: Transport, shell: Shell.Shell, shared: Shared): DriverSession => {
  const hangUp = Effect.sync(shell.destroy)
  const list = sessionList(cli)
  return defineSession(cli.target.hostname, {
    hostKey: transport.hostKey,
    shown: shownIn(cli.introduction),
    facts: facts(cli),
    interfaces: interfaces(cli),
    optics: optics(cli),
    lldp: lldp(cli),
    lldpDetail: lldpDetail(cli),
    macTable: macTable(cli),
    arpTable: arpTable(cli),
    runningConfig: runningConfig(cli, shared.bareConfigs),
    runningDefaults: runningDefaults(cli),
    sessions: list.read,
    sessionsWhileTimed: list.readWhileTimed,
    // what else such a line has opened in this shell is unknown
    load: (request) => Effect.tapErrorTag(load(cli, request, shared), "LeftConfiguration", () => hangUp),
    discard: (name) => Commit.discard(cli, name),
    commit: (name) => Commit.commit(cli, name),
    commitTimed: (name, seconds) => Commit.commitTimed(cli, name, seconds),
    confirm: (name, wasSeen = false, seen) => Commit.confirm(cli, name, list, wasSeen, seen),
    save: save(cli),
    commitAndSave: (name, silenceSeconds) => commitAndSave(cli, name, silenceSeconds, shell.destroy),
    firmware: firmware(cli, hangUp),
    certificates: certificates(cli, transport),
    reset: reset(cli, hangUp),
    ports: ports(cli, shared),
    readings: readingVerbs(cli),
    show: { show: (command) => shown(cli, command) },
    abandon: hangUp
  })
}

const connect = Effect.fnUntraced(function* (target: DriverTarget, shared: Shared) {
  const seconds = target.timeouts?.connect ?? dialect.timeouts.connect
  const transport = yield* SshTransport.openTransport(target, shared.limits, seconds)
  const channel = yield* transport.shell
  const wire = channelWire(channel, transport)
  const { claim } = target
  const claimed = claim === undefined ? wire : claimedWire(wire, claim, Effect.runForkWith(yield* Effect.context()))
  const shell = Shell.makeShell(target.hostname, target.address, claimed)
  const cli = yield* login(dialect, target, shell, questionsOf(target))
  return makeSession(cli, transport, shell, shared)
})

/** The EOS driver, on the connection limits of this process. */
export const make: Effect.Effect<Driver, never, SshLimits> = Effect.gen(function* () {
  const shared: Shared = { limits: yield* SshLimits, foreign: yield* ForeignSessions, bareConfigs: new Set() }
  return defineDriver({ platform: eos, stableText, commitHabits, open: (target) => connect(target, shared) })
})
