/** The driver of Linux switches that run FRRouting: logs in over SSH and offers the operations of `DriverSession`. */
import { Effect, type Scope } from "effect"
import { frr } from "../../domain/platforms/frr/Platform.ts"
import type { ShownIdentity } from "../../domain/DeviceIdentity.ts"
import type { Driver, DriverSession, DriverTarget } from "../Driver.ts"
import {
  type CommandRejected,
  ConnectAuthError,
  type ConnectError,
  ConnectionException,
  type ExchangeError
} from "../DriverErrors.ts"
import { ForeignSessions } from "../LoadChecks.ts"
import { SshLimits } from "../ssh/SshLimits.ts"
import * as SshTransport from "../ssh/Transport.ts"
import type { Transport } from "../ssh/Transport.ts"
import { defineDriver, defineSession } from "../DriverDefinition.ts"
import { certificates } from "./Certificates.ts"
import * as Commit from "./Commit.ts"
import { runningConfig, save, stableText } from "./Commit.ts"
import { timeouts } from "./Dialect.ts"
import { facts, interfaces } from "./Facts.ts"
import { load } from "./Load.ts"
import { arpTable, lldp, lldpDetail, macTable } from "./Neighbours.ts"
import * as Answers from "./Answers.ts"
import type { Privilege, Ran, Remote } from "./Answers.ts"
import { readingVerbs } from "./Readings.ts"
import { ensure, sessions } from "./Sessions.ts"
import { maskSecrets } from "../SecretMask.ts"

// The rights of a login on a Linux switch, and the reason when it may not do everything (docs/frr.md#what-a-switch-needs).

const longestQuote = 200

/** The last line of the output, for people. */
const lastSaid = ({ complaints, output }: Ran): string => {
  const lines = `${output}\n${complaints}`.split("\n").filter((line) => line.trim() !== "")
  return maskSecrets(lines.at(-1)?.trim() ?? "nothing").slice(0, longestQuote)
}

/** How vtysh speaks when it is given a command of a shell, or has no daemon to talk to. */
const saysVtysh = /^% (?:Unknown|Ambiguous|Command|There is no)|vtysh|failed to connect to any daemons/im

const shellFault = (ran: Ran): string => {
  const said = lastSaid(ran)
  return saysVtysh.test(`${ran.output}\n${ran.complaints}`)
    ? `the shell of the login is vtysh (it says "${said}"); give the user a POSIX shell such as /bin/bash`
    : `the shell of the login runs no commands (it says "${said}"); give the user a POSIX shell such as /bin/bash`
}

const refusedLogin = ({ target: { address, hostname } }: Remote, message: string) =>
  new ConnectAuthError({ hostname, address, message })

const isRoot = ({ began, output }: Ran): boolean => began && output.trim() === "0"

/**
 * The prefix of each command: empty for root, `sudo` for a user who becomes root without a password. `withRights` makes commands
 * with it. Fails with ConnectAuthError if the login is neither, or has no shell.
 */
const rightsOf = Effect.fnUntraced(function* (
  withRights: (privilege: Privilege) => Remote
): Effect.fn.Return<Privilege, ConnectAuthError | ExchangeError> {
  const own = withRights("")
  const who = yield* own.run("id -u")
  if (!who.began) return yield* refusedLogin(own, shellFault(who))
  if (isRoot(who)) return ""
  const sudo = yield* withRights("sudo -n ").run("id -u")
  if (isRoot(sudo)) return "sudo -n "
  const message =
    "not privileged: the login is neither root's nor one that may use sudo for everything without a password"
  return yield* refusedLogin(own, `${message} (${lastSaid(sudo)})`)
})

/** Everything that logins share. */
interface Shared {
  readonly limits: SshLimits["Service"]
  readonly foreign: ForeignSessions
}

const makeSession = (
  remote: Answers.Remote,
  hostKey: string,
  shown: ShownIdentity,
  foreign: ForeignSessions
): DriverSession =>
  defineSession(remote.target.hostname, {
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
    readings: readingVerbs(remote),
    show: { show: (command) => Answers.shown(remote, command) },
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
  const transport: Transport = yield* SshTransport.openTransport(target, limits, deadlines.connect)
  const privilege = yield* rightsOf((rights) => Answers.makeRemote(target, transport, deadlines, rights))
  const { lacks, shown } = yield* ensure(Answers.makeRemote(target, transport, deadlines, privilege))
  const remote = Answers.makeRemote(target, transport, deadlines, privilege, lacks)
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
  return defineDriver({ platform: frr, stableText, open: (target) => open(target, shared) })
})
