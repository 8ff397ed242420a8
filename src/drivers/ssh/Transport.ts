/**
 * One SSH connection as a scoped resource (docs/switch-dialogues.md#ssh). TCP first, without holding a handshake permit, so
 * unreachable addresses cannot block reachable ones; then the handshake under the shared bound. Ends with its scope: a goodbye, a
 * bounded wait, then the socket is destroyed. The end of the file has what runs on its channels: the wire of a shell, and a file by
 * scp.
 */
import { Data, Effect, Fiber, Schedule, Scope, type Semaphore } from "effect"
import type { Client as SshClient, ClientChannel } from "ssh2"
import { untilMended } from "../../runtime/OwnFaults.ts"
import type { DriverTarget, WorkClaim } from "../Driver.ts"
import type { ConnectionException } from "../DriverErrors.ts"
import { rewriteAddress, SshLimits } from "./SshLimits.ts"
import {
  connectSocket,
  connectThrough,
  failure,
  handshake,
  type HandshakeError,
  type Handshaken,
  TurnedAway
} from "./Connection.ts"
import type { Wire } from "./Shell.ts"
import { basename } from "node:path"
import { handshakes, outcomeOfFailure, secondsSince, sshSessions } from "../../runtime/metrics/Metrics.ts"
import { rareRetry } from "../../runtime/BackgroundWork.ts"

const closeMillis = 1_000
const channelMillis = 15_000
// A handshake needs a few milliseconds of CPU. A silent peer's permit is given back after this time; the handshake may continue.
const handshakePermitSeconds = 3

const shellChannel = "open a shell"
const subsystemChannel = "open a subsystem"
const furtherChannel = "open a channel"
const noFurther = "the switch opens no further channel on this connection, as one that allows one session does"

/**
 * OpenSSH counts a channel for a moment after it has reported its end, so the next one may come too early. Milliseconds, doubled
 * each time.
 */
const sooner = { first: 10, times: 7 }

/** The terminal asked for: wide and high, so that the switch neither wraps the echo nor pages. */
const terminal = { term: "vt100", cols: 511, rows: 1000 } as const

export interface Transport {
  /** The fingerprint of the switch's key, `SHA256:…`. */
  readonly hostKey: string
  /** The interactive shell; one per connection. */
  readonly shell: Effect.Effect<ClientChannel, ConnectionException>
  /** Runs one command on a channel of its own, for file transfer. */
  readonly exec: (command: string) => Effect.Effect<ClientChannel, ConnectionException>
  /** Opens a subsystem, such as `netconf`, on a channel of its own. */
  readonly subsystem: (name: string) => Effect.Effect<ClientChannel, ConnectionException>
  /** Handles the data of a channel when its turn comes. */
  readonly inTurn: SshLimits["Service"]["inTurn"]
  /** Destroys the socket at once, without a goodbye. */
  readonly destroy: () => void
}

const dial = (target: DriverTarget, { addressMap, port: usual }: SshLimits["Service"], seconds: number) => {
  const { address, jumpHost, port = usual } = target
  return jumpHost === undefined
    ? connectSocket(target, rewriteAddress(addressMap, address), port, seconds)
    : connectThrough(target, jumpHost, rewriteAddress(addressMap, jumpHost.host), port, seconds)
}

/**
 * TCP and the handshake, with the retries of docs/switch-dialogues.md#connection for a switch that turns us away because its
 * sessions are taken. Only the handshake holds a permit. Faults of this machine are waited out: they do not count against the
 * switch.
 */
const connectOnce = (target: DriverTarget, limits: SshLimits["Service"], seconds: number) =>
  Effect.flatMap(dial(target, limits, seconds), (socket) =>
    underPermit(limits.handshakes, handshake(target, socket, seconds)).pipe(
      Effect.onError(() => Effect.sync(() => socket.destroy()))
    )
  )

const connect = (target: DriverTarget, limits: SshLimits["Service"], seconds: number) =>
  rareRetry(untilMended(connectOnce(target, limits, seconds)), (connecting) =>
    connecting.pipe(
      Effect.retry({
        while: (error) => error instanceof TurnedAway,
        times: limits.refusedRetries,
        schedule: Schedule.spaced(`${limits.refusedDelay} seconds`)
      }),
      Effect.mapError((error) => (error instanceof TurnedAway ? failure(target, "connect", error.message) : error))
    )
  )

/** Measures how long it takes to connect, and with which outcome. */
const timed = <A>(connecting: Effect.Effect<A, HandshakeError>) =>
  Effect.suspend(() => {
    const began = performance.now()
    const tell = (outcome: string) => Effect.sync(() => handshakes.record(secondsSince(began), outcome))
    return connecting.pipe(
      Effect.tap(() => tell("connected")),
      Effect.tapError(({ _tag }) => tell(outcomeOfFailure(_tag)))
    )
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

/** The switch answers that it opens no channel. */
class ChannelRefused extends Data.TaggedError("ChannelRefused")<{ readonly message: string }> {}

/** Opens a channel; a peer that never answers the request must not hold us. */
const openChannel = (
  target: DriverTarget,
  what: string,
  request: (opened: (error: Error | undefined, channel: ClientChannel) => void) => unknown
) =>
  Effect.callback<ClientChannel, ConnectionException | ChannelRefused>((resume) => {
    const fail = (message: string) => resume(Effect.fail(failure(target, what, message)))
    const timer = setTimeout(
      () => fail(`the switch did not open a channel in ${channelMillis / 1000} s`),
      channelMillis
    )
    try {
      request((error, channel) => {
        clearTimeout(timer)
        if (error === undefined || error === null) resume(Effect.succeed(channel))
        else resume(Effect.fail(new ChannelRefused({ message: error.message })))
      })
    } catch (error) {
      clearTimeout(timer)
      fail(error instanceof Error ? error.message : String(error))
    }
    return Effect.sync(() => clearTimeout(timer))
  })

const named = (target: DriverTarget, what: string, why: string) => (error: ConnectionException | ChannelRefused) =>
  error._tag === "ChannelRefused" ? failure(target, what, `${why}${error.message}`) : error

/** A further channel of a connection. */
const openFurther = (target: DriverTarget, request: Parameters<typeof openChannel>[2]) =>
  openChannel(target, furtherChannel, request).pipe(
    Effect.retry({
      while: ({ _tag }) => _tag === "ChannelRefused",
      times: sooner.times,
      schedule: Schedule.exponential(`${sooner.first} millis`)
    }),
    Effect.mapError(named(target, furtherChannel, `${noFurther}: `))
  )

const makeTransport = (
  target: DriverTarget,
  { inTurn }: SshLimits["Service"],
  { client, hostKey }: Handshaken,
  state: { gone: boolean }
): Transport => ({
  hostKey,
  inTurn,
  shell: openChannel(target, shellChannel, (opened) => client.shell(terminal, opened)).pipe(
    Effect.mapError(named(target, shellChannel, ""))
  ),
  exec: (command) => openFurther(target, (opened) => client.exec(command, opened)),
  subsystem: (name) =>
    openChannel(target, subsystemChannel, (opened) => client.subsys(name, opened)).pipe(
      Effect.mapError(named(target, subsystemChannel, `the switch opens no subsystem ${name}: `))
    ),
  destroy: () => {
    state.gone = true
    client.destroy()
  }
})

/**
 * Connects and logs in, at most `seconds` for TCP and again for the handshake. Waits for its turn before.
 */
export const openTransport: (
  target: DriverTarget,
  limits: SshLimits["Service"],
  seconds: number
) => Effect.Effect<Transport, HandshakeError, Scope.Scope> = Effect.fnUntraced(function* (target, limits, seconds) {
  yield* limits.sessions.takeScoped(1)
  const state = { gone: false }
  const scope = yield* Effect.scope
  const release = ({ client }: Handshaken) =>
    Effect.suspend(() => (state.gone ? Effect.sync(() => client.destroy()) : goodbye(client)))
  // not by acquireRelease, which would copy all services for each of hundreds of connections
  const handshaken = yield* Effect.uninterruptibleMask((restore) =>
    Effect.tap(restore(timed(connect(target, limits, seconds))), (made) => {
      sshSessions.add(1)
      return Scope.addFinalizer(
        scope,
        Effect.ensuring(
          release(made),
          Effect.sync(() => sshSessions.add(-1))
        )
      )
    })
  )
  handshaken.client.on("close", () => {
    state.gone = true
  })
  return makeTransport(target, limits, handshaken, state)
})

// The shell channel of an SSH connection as the engine's `Wire`.

/**
 * Reads from the moment it is listened to, in the turns of background work; writing to a closed channel is a no-op, the close
 * itself is reported.
 */
export const channelWire = (channel: ClientChannel, transport: Transport): Wire => ({
  write: (text) => {
    if (channel.writable) channel.write(text)
  },
  listen: (data, closed) => {
    channel.on("data", (chunk: Uint8Array) => transport.inTurn(() => data(chunk)))
    // A closing switch may send an error on the channel; the close that follows is what counts.
    channel.on("error", () => undefined)
    let loggedOut = false
    channel.once("exit", () => (loggedOut = true))
    channel.once("close", () => transport.inTurn(() => closed("the switch closed the connection", loggedOut)))
  },
  destroy: transport.destroy
})

// A wire that writes nothing for work of another process: writing waits until the claim is checked.

/** Writes while the claim is valid; ends the wire if another process owns the work, or its owner is unknown. */
export const claimedWire = (wire: Wire, claim: WorkClaim, run: (work: Effect.Effect<void>) => unknown): Wire => {
  let closed: (reason: string) => void = () => undefined
  let waiting: Array<string> | null = null

  const answered = (refusal: string | null): void => {
    const texts = waiting ?? []
    waiting = null
    if (refusal === null) return texts.forEach(wire.write)
    closed(refusal)
    wire.destroy()
  }

  return {
    write: (text) => {
      if (waiting !== null) return void waiting.push(text)
      if (claim.isFresh()) return wire.write(text)
      waiting = [text]
      run(Effect.map(claim.ask, answered))
    },
    listen: (data, whenClosed) => {
      closed = whenClosed
      wire.listen(data, whenClosed)
    },
    destroy: wire.destroy
  }
}

// Writes one file over an SSH channel that runs `scp -t`.

const quietMillis = 30_000
const longestError = 500

/**
 * Sends the bytes to a channel on which `scp -t {path}` was started. Fails with the other side's words, or with what
 * happened to the channel; the caller makes its own error of it.
 */
export const sendFile = (channel: ClientChannel, path: string, bytes: Uint8Array): Effect.Effect<void, string> =>
  Effect.callback<void, string>((resume) => {
    const steps = [
      () => channel.write(`C0644 ${bytes.length} ${basename(path)}\n`),
      () => {
        // ssh2 keeps what the peer's window does not take yet, and the file is in memory anyway.
        channel.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
        channel.write(Buffer.from([0]))
      }
    ]
    let complaint = ""
    const end = (result: Effect.Effect<void, string>) => {
      clearTimeout(timer)
      channel.destroy()
      resume(result)
    }
    const timer = setTimeout(() => end(Effect.fail(`scp was silent for ${quietMillis / 1000} s`)), quietMillis)
    channel.on("data", (chunk: Buffer) => {
      timer.refresh()
      for (const byte of chunk) {
        if (complaint !== "" || byte !== 0) {
          complaint += byte === 1 || byte === 2 ? " " : String.fromCharCode(byte)
          if (byte === 10 || complaint.length > longestError) return end(Effect.fail(complaint.trim()))
          continue
        }
        const step = steps.shift()
        if (step === undefined) return end(Effect.void)
        step()
      }
    })
    channel.stderr.on("data", () => timer.refresh())
    channel.on("error", (error: Error) => end(Effect.fail(error.message)))
    channel.on("close", () => end(Effect.fail(complaint.trim() || "the switch closed the file transfer")))
    return Effect.sync(() => {
      clearTimeout(timer)
      channel.destroy()
    })
  })
