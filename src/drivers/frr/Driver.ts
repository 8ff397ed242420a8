/** The driver of Linux switches that run FRRouting: logs in over SSH and offers the operations of `DriverSession`. */
import { Effect, Exit, Scope } from "effect"
import { frr } from "../../domain/platforms/Frr.ts"
import type { Driver, DriverSession, DriverTarget } from "../Driver.ts"
import { type CommandRejected, type ConnectError, ConnectionException } from "../DriverErrors.ts"
import { SshLimits } from "../ssh/SshLimits.ts"
import type { Transport } from "../ssh/Transport.ts"
import * as SshTransport from "../ssh/Transport.ts"
import { certificates } from "./Certificates.ts"
import * as Commit from "./Commit.ts"
import { timeouts } from "./Dialect.ts"
import { facts } from "./Facts.ts"
import { interfaces } from "./Interfaces.ts"
import { load } from "./Load.ts"
import { lldp, lldpDetail } from "./Neighbours.ts"
import * as Remote from "./Remote.ts"
import { rightsOf } from "./Rights.ts"
import { configHash, runningConfig, stableText } from "./RunningConfig.ts"
import { save } from "./Save.ts"
import { ensure } from "./Script.ts"
import { sessions } from "./Sessions.ts"

const makeSession = (remote: Remote.Remote, hostKey: string): DriverSession => ({
  hostKey,
  facts: facts(remote),
  interfaces: interfaces(remote),
  lldp: lldp(remote),
  lldpDetail: lldpDetail(remote),
  runningConfig: runningConfig(remote),
  committedConfig: () => Effect.succeedNone,
  runningDefaults: Effect.succeed(""),
  sessions: sessions(remote),
  sessionsWhileTimed: () => sessions(remote),
  pending: Effect.map(sessions(remote), ({ pending }) => pending),
  load: (request) => load(remote, request),
  candidateText: () => Effect.succeedNone,
  discard: (name) => Commit.discard(remote, name),
  commit: (name) => Commit.commit(remote, name),
  commitTimed: (name, seconds) => Commit.commitTimed(remote, name, seconds),
  confirm: (name) => Commit.confirm(remote, name),
  save: save(remote),
  commitAndSave: (name, silenceSeconds) => Commit.commitAndSave(remote, name, silenceSeconds),
  firmware: null,
  certificates: certificates(remote),
  reset: null,
  ports: null,
  abandon: Effect.sync(remote.hangUp)
})

const connect: (
  target: DriverTarget,
  limits: SshLimits["Service"]
) => Effect.Effect<DriverSession, ConnectError | CommandRejected, Scope.Scope> = Effect.fnUntraced(
  function* (target, limits) {
    const deadlines = { ...timeouts, ...target.timeouts }
    const transport: Transport = yield* SshTransport.open(target, limits, deadlines.connect)
    const privilege = yield* rightsOf((rights) => Remote.make(target, transport, deadlines, rights))
    const lacks = yield* ensure(Remote.make(target, transport, deadlines, privilege))
    return makeSession(Remote.make(target, transport, deadlines, privilege, lacks), transport.hostKey)
  }
)

/** A login that fails closes its connection at once, however long the caller's scope lives. */
const open = Effect.fn("FrrDriver.open")(function* (target: DriverTarget, limits: SshLimits["Service"]) {
  const scope = yield* Scope.fork(yield* Effect.scope)
  return yield* connect(target, limits).pipe(
    Effect.catchTag("CommandRejected", ({ message }) =>
      Effect.fail(
        new ConnectionException({
          hostname: target.hostname,
          address: target.address,
          whileDoing: "put our script on the switch",
          message
        })
      )
    ),
    Scope.provide(scope),
    Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
  )
})

/** The FRR driver, on the connection limits of this process. */
export const make: Effect.Effect<Driver, never, SshLimits> = Effect.map(SshLimits, (limits) => ({
  platform: frr,
  timeouts,
  configHash,
  stableText,
  commitHabits: () => ({ savesAtCommit: false, mergesAtCommit: false }),
  open: (target: DriverTarget) => open(target, limits)
}))
