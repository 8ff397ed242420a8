/** The driver of Arista EOS switches: logs in over SSH and offers the operations of `DriverSession`. */
import { Effect, Exit, Scope } from "effect"
import type { Driver, DriverSession, DriverTarget, RunOptions } from "../Driver.ts"
import { CommandRejected } from "../DriverErrors.ts"
import { maskSecrets } from "../SecretMask.ts"
import { channelWire } from "../ssh/ChannelWire.ts"
import type { Cli } from "../ssh/Cli.ts"
import { login } from "../ssh/Cli.ts"
import { sendFile } from "../ssh/ScpFile.ts"
import * as Shell from "../ssh/Shell.ts"
import { SshLimits } from "../ssh/SshLimits.ts"
import type { Transport } from "../ssh/Transport.ts"
import * as SshTransport from "../ssh/Transport.ts"
import * as Commit from "./EosCommit.ts"
import { load } from "./EosLoad.ts"
import { commitAndSave } from "./EosMovedCommit.ts"
import { eosPlatform } from "./EosPlatform.ts"
import * as Reading from "./EosReading.ts"

/** Modes that a command given to `run` may lead to. */
const runModes = ["#", "(config)#"]

const run = (cli: Cli, command: string, options: RunOptions = {}) => {
  const sendOptions = {
    modes: runModes,
    ...(options.timeout !== undefined && { timeout: options.timeout }),
    ...(options.questions !== undefined && { questions: options.questions }),
    ...(options.expectDisconnect !== undefined && { expectDisconnect: options.expectDisconnect })
  }
  return options.tolerateErrors === true
    ? Effect.map(cli.send(command, sendOptions), ({ lines }) => lines.join("\n"))
    : cli.query(command, sendOptions)
}

const putFile = Effect.fnUntraced(function* (
  transport: Transport,
  target: DriverTarget,
  path: string,
  bytes: Uint8Array
) {
  const command = `scp -t ${path}`
  const channel = yield* transport.exec(command)
  yield* sendFile(channel, path, bytes).pipe(
    Effect.mapError(
      (message) => new CommandRejected({ hostname: target.hostname, command, message: maskSecrets(message) })
    )
  )
})

const makeSession = (cli: Cli, transport: Transport, shell: Shell.Shell): DriverSession => ({
  hostKey: transport.hostKey,
  facts: Reading.facts(cli),
  interfaces: Reading.interfaces(cli),
  lldp: Reading.lldp(cli),
  lldpDetail: Reading.lldpDetail(cli),
  runningConfig: Reading.runningConfig(cli),
  sessions: Reading.sessions(cli),
  pending: Effect.map(Reading.sessions(cli), ({ pending }) => pending),
  load: (request) => load(cli, request),
  discard: (name) => Commit.discard(cli, name),
  commit: (name) => Commit.commit(cli, name),
  commitTimed: (name, seconds) => Commit.commitTimed(cli, name, seconds),
  confirm: (name) => Commit.confirm(cli, name),
  save: Commit.save(cli),
  commitAndSave: (name, silenceSeconds) => commitAndSave(cli, name, silenceSeconds, shell.destroy),
  run: (command, options) => run(cli, command, options),
  putFile: (path, bytes) => putFile(transport, cli.target, path, bytes),
  abandon: Effect.sync(shell.destroy)
})

const connect = Effect.fnUntraced(function* (target: DriverTarget, limits: SshLimits["Service"]) {
  const seconds = target.timeouts?.connect ?? eosPlatform.timeouts.connect
  const transport = yield* SshTransport.open(target, limits, seconds)
  const channel = yield* transport.shell
  const shell = Shell.make(target.hostname, target.address, channelWire(channel, transport))
  const cli = yield* login(eosPlatform, target, shell)
  return makeSession(cli, transport, shell)
})

/** A login that fails closes its connection at once, however long the caller's scope lives. */
const open = Effect.fn("EosDriver.open")(function* (target: DriverTarget, limits: SshLimits["Service"]) {
  const scope = yield* Scope.fork(yield* Effect.scope)
  return yield* connect(target, limits).pipe(
    Scope.provide(scope),
    Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
  )
})

/** The EOS driver, on the connection limits of this process. */
export const make: Effect.Effect<Driver, never, SshLimits> = Effect.map(SshLimits, (limits) => ({
  platform: eosPlatform.name,
  capabilities: { replace: true, timer: true, confirmFromNewSession: true, certificates: true, firmware: true },
  timeouts: eosPlatform.timeouts,
  configHash: Reading.configHash,
  stableText: Reading.stableText,
  open: (target: DriverTarget) => open(target, limits)
}))
