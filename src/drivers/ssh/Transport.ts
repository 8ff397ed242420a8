/**
 * One SSH connection as a scoped resource (docs/switch-dialogues.md#ssh). TCP first, without holding a handshake permit, so
 * that dead addresses cannot block the living; then the handshake under the shared bound. Ends with its scope: a goodbye, a
 * bounded wait, then the socket is destroyed.
 */
import { connect as connectTcp } from "node:net"
import type { Socket } from "node:net"
import { Effect, Fiber, Redacted, Schedule, Scope } from "effect"
import type { Semaphore } from "effect"
import type { Client as SshClient, ClientChannel, ConnectConfig } from "ssh2"
import { rareRetry } from "../../runtime/RareRetry.ts"
import { Client } from "./Ssh2.ts"
import type { DriverTarget } from "../Driver.ts"
import { ConnectAuthError, ConnectionException, HostKeyChanged } from "../DriverErrors.ts"
import { rewrite } from "./AddressMap.ts"
import { algorithms } from "./Algorithms.ts"
import { passwordLogin } from "./Authentication.ts"
import { acceptable, fingerprint } from "./HostKey.ts"
import { newPasswordDemanded } from "./LoginPrompts.ts"
import { SshLimits } from "./SshLimits.ts"

const keepaliveMillis = 15_000
const keepaliveCount = 3
const closeMillis = 1_000
const channelMillis = 15_000
// A handshake needs a few milliseconds of CPU. A silent peer gives its permit back after this, though it may go on waiting.
const handshakePermitSeconds = 3

/** The terminal asked for: wide and high, so that the switch neither wraps the echo nor pages. */
const terminal = { term: "vt100", cols: 511, rows: 1000 } as const

export interface Transport {
  /** What the switch showed, `SHA256:…`. */
  readonly hostKey: string
  /** The interactive shell; one per connection. */
  readonly shell: Effect.Effect<ClientChannel, ConnectionException>
  /** Runs one command on a channel of its own, for file transfer. */
  readonly exec: (command: string) => Effect.Effect<ClientChannel, ConnectionException>
  /** Hears what a channel says when its turn comes. */
  readonly inTurn: SshLimits["Service"]["inTurn"]
  /** Destroys the socket at once, without a goodbye. */
  readonly destroy: () => void
}

type HandshakeError = ConnectionException | ConnectAuthError | HostKeyChanged

class ConnectionRefused extends Error {}

const failure = (target: DriverTarget, whileDoing: string, message: string): ConnectionException =>
  new ConnectionException({ hostname: target.hostname, address: target.address, whileDoing, message })

const connectSocket = (target: DriverTarget, host: string, port: number, seconds: number) =>
  Effect.callback<Socket, ConnectionException | ConnectionRefused>((resume) => {
    const socket = connectTcp({ host, port, noDelay: true })
    const fail = (error: ConnectionException | ConnectionRefused) => {
      clearTimeout(timer)
      socket.destroy()
      resume(Effect.fail(error))
    }
    const timer = setTimeout(
      () => fail(failure(target, "connect", `no answer from ${host} port ${port}`)),
      seconds * 1000
    )
    // Stays for the life of the socket: an error that comes before ssh2 listens must not end the process.
    socket.on("error", (error: NodeJS.ErrnoException) =>
      fail(error.code === "ECONNREFUSED" ? new ConnectionRefused() : failure(target, "connect", error.message))
    )
    socket.once("connect", () => {
      clearTimeout(timer)
      resume(Effect.succeed(socket))
    })
    return Effect.sync(() => {
      clearTimeout(timer)
      socket.destroy()
    })
  })

/**
 * TCP with the retries of docs/switch-dialogues.md#connection for a switch that refuses, which it does when its session limit
 * is reached.
 */
const dial = (target: DriverTarget, limits: SshLimits["Service"], seconds: number) => {
  const host = rewrite(limits.addressMap, target.address)
  const port = target.port ?? limits.port
  return rareRetry(connectSocket(target, host, port, seconds), (connecting) =>
    connecting.pipe(
      Effect.retry({
        while: (error) => error instanceof ConnectionRefused,
        times: limits.refusedRetries,
        schedule: Schedule.spaced(`${limits.refusedDelay} seconds`)
      }),
      Effect.mapError((error) =>
        error instanceof ConnectionRefused
          ? failure(target, "connect", `connection refused by ${host} port ${port}`)
          : error
      )
    )
  )
}

interface Handshaken {
  readonly client: SshClient
  readonly hostKey: string
}

const connectOptions = (
  target: DriverTarget,
  socket: Socket,
  seconds: number,
  verify: (key: Buffer) => boolean,
  exhausted: () => void
): ConnectConfig => ({
  sock: socket,
  username: target.username,
  algorithms: algorithms[target.algorithms ?? "modern"],
  readyTimeout: seconds * 1000,
  keepaliveInterval: keepaliveMillis,
  keepaliveCountMax: keepaliveCount,
  authHandler: passwordLogin(target.username, Redacted.value(target.password), exhausted),
  hostVerifier: verify
})

const refusedLogin = ({ hostname, address }: DriverTarget, message: string): ConnectAuthError =>
  new ConnectAuthError({ hostname, address, message })

/** Another password would not help either. */
const unanswered = ({ hostname, address }: DriverTarget, message: string): ConnectAuthError =>
  new ConnectAuthError({ hostname, address, message, known: true })

const changedKey = ({ hostname, address, hostKey }: DriverTarget, seen: string): HostKeyChanged =>
  new HostKeyChanged({ hostname, address, expected: hostKey._tag === "pin" ? hostKey.fingerprint : "", seen })

const handshakeMessage = (error: Error & { level?: string }, seconds: number): string =>
  error.level === "client-timeout" ? `the switch did not finish the SSH handshake in ${seconds} s` : error.message

const handshake = (target: DriverTarget, socket: Socket, seconds: number) =>
  Effect.callback<Handshaken, HandshakeError>((resume) => {
    const client = new Client()
    let hostKey = ""
    const fail = (error: HandshakeError) => {
      client.destroy()
      socket.destroy()
      resume(Effect.fail(error))
    }
    const verify = (key: Buffer): boolean => {
      hostKey = fingerprint(key)
      const accepted = acceptable(target.hostKey, hostKey)
      if (!accepted) fail(changedKey(target, hostKey))
      return accepted
    }
    const exhausted = (why?: string) =>
      fail(
        why === undefined
          ? refusedLogin(target, "All configured authentication methods failed")
          : unanswered(target, why)
      )
    client.on("change password", () => exhausted(newPasswordDemanded(target.username)))
    const ended = () => fail(failure(target, "handshake", "the switch closed the connection during the handshake"))
    // Stays after the handshake: an error on a connection that is in use must end it, not the process.
    client.on("error", (error: Error & { level?: string }) =>
      fail(
        error.level === "client-authentication"
          ? refusedLogin(target, error.message)
          : failure(target, "handshake", handshakeMessage(error, seconds))
      )
    )
    client.on("close", ended)
    client.on("ready", () => {
      client.off("close", ended)
      resume(Effect.succeed({ client, hostKey }))
    })
    client.connect(connectOptions(target, socket, seconds, verify, exhausted))
    return Effect.sync(() => client.destroy())
  })

/** Runs under a permit that is given back when the effect ends or after a few seconds, whichever is first. */
const underPermit = <A, E>(semaphore: Semaphore.Semaphore, effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      yield* restore(semaphore.take(1))
      let held = true
      const giveBack = Effect.suspend(() => {
        if (!held) return Effect.void
        held = false
        return Effect.asVoid(semaphore.release(1))
      })
      const timer = yield* Effect.forkChild(Effect.delay(giveBack, `${handshakePermitSeconds} seconds`))
      return yield* restore(effect).pipe(Effect.ensuring(Effect.andThen(giveBack, Fiber.interrupt(timer))))
    })
  )

const goodbye = (client: SshClient) =>
  Effect.callback<void>((resume) => {
    const done = () => {
      clearTimeout(timer)
      client.destroy()
      resume(Effect.void)
    }
    const timer = setTimeout(done, closeMillis)
    client.once("close", done)
    client.end()
  })

/** Opens a channel; a peer that never answers the request must not hold us. */
const openChannel = (
  target: DriverTarget,
  what: string,
  request: (opened: (error: Error | undefined, channel: ClientChannel) => void) => unknown
) =>
  Effect.callback<ClientChannel, ConnectionException>((resume) => {
    const fail = (message: string) => resume(Effect.fail(failure(target, what, message)))
    const timer = setTimeout(
      () => fail(`the switch did not open a channel in ${channelMillis / 1000} s`),
      channelMillis
    )
    try {
      request((error, channel) => {
        clearTimeout(timer)
        if (error === undefined || error === null) resume(Effect.succeed(channel))
        else fail(error.message)
      })
    } catch (error) {
      clearTimeout(timer)
      fail(error instanceof Error ? error.message : String(error))
    }
    return Effect.sync(() => clearTimeout(timer))
  })

const makeTransport = (
  target: DriverTarget,
  { inTurn }: SshLimits["Service"],
  { client, hostKey }: Handshaken,
  state: { gone: boolean }
): Transport => ({
  hostKey,
  inTurn,
  shell: openChannel(target, "open a shell", (opened) => client.shell(terminal, opened)),
  exec: (command) => openChannel(target, "open a channel", (opened) => client.exec(command, opened)),
  destroy: () => {
    state.gone = true
    client.destroy()
  }
})

/**
 * Connects and logs in, at most `seconds` for TCP and again for the handshake. Waits for its turn before.
 */
export const open: (
  target: DriverTarget,
  limits: SshLimits["Service"],
  seconds: number
) => Effect.Effect<Transport, HandshakeError, Scope.Scope> = Effect.fnUntraced(function* (target, limits, seconds) {
  yield* limits.sessions.takeScoped(1)
  const state = { gone: false }
  const scope = yield* Effect.scope
  const connected = dial(target, limits, seconds).pipe(
    Effect.flatMap((socket) =>
      underPermit(limits.handshakes, handshake(target, socket, seconds)).pipe(
        Effect.onError(() => Effect.sync(() => socket.destroy()))
      )
    )
  )
  const release = ({ client }: Handshaken) =>
    Effect.suspend(() => (state.gone ? Effect.sync(() => client.destroy()) : goodbye(client)))
  // not by acquireRelease, which would copy all services for each of hundreds of connections
  const handshaken = yield* Effect.uninterruptibleMask((restore) =>
    Effect.tap(restore(connected), (made) => Scope.addFinalizer(scope, release(made)))
  )
  handshaken.client.on("close", () => {
    state.gone = true
  })
  return makeTransport(target, limits, handshaken, state)
})
