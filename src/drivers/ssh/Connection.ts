/**
 * A logged-in connection to a device: TCP, directly or through a jump host, then the SSH handshake and the login
 * (docs/switch-dialogues.md#ssh). Its failures are distinct: turned away (another attempt may succeed), refused (the same password
 * will not be accepted), another host key, or no common algorithm, with the names that the switch offers.
 */
import type { Duplex } from "node:stream"
import { Effect, Redacted, Result } from "effect"
import type { Client as SshClient, ConnectConfig } from "ssh2"
import type { WrongDevice } from "../../domain/DeviceIdentity.ts"
import type { DriverTarget, JumpHost } from "../Driver.ts"
import { ConnectAuthError, ConnectionException, HostKeyChanged, HostKeyNotApproved } from "../DriverErrors.ts"
import * as Algorithms from "./Algorithms.ts"
import { algorithms, onlyLegacy } from "./Algorithms.ts"
import * as Authentication from "./Authentication.ts"
import {
  acceptable,
  fingerprint,
  keyLogin,
  type LoginEvents,
  newPasswordDemanded,
  passwordLogin
} from "./Authentication.ts"
import { Client } from "./Ssh2.ts"
import { connect as connectTcp } from "node:net"
import { lookup } from "../../runtime/NameLookup.ts"
import { reached, roomForConnection, routesFault } from "../../runtime/OwnFaults.ts"
import { codeOf, isOfRoutes, OwnFault, ownFault } from "../../runtime/SystemErrors.ts"

// A TCP connection to a device, or to the jump host in front of it (docs/switch-dialogues.md#connection). A device that turns
// us away, because all its sessions are taken, is asked again by the caller.

/** The device refused the connection, or closed it before a password was given; another try may be served. */
export class TurnedAway extends Error {
  readonly _tag = "TurnedAway"
}

/** The error for an unusable connection; `whileDoing` names the step. */
export const failure = (target: DriverTarget, whileDoing: string, message: string): ConnectionException =>
  new ConnectionException({ hostname: target.hostname, address: target.address, whileDoing, message })

/** Others may be out of reach as well: then this machine reaches no host. */
const UNTIL_OTHERS_FAIL = "2 seconds"

/**
 * Connects to `host` and `port`, which stand for the target, within `seconds`. Fails with OwnFault if this machine cannot open a
 * connection to any host.
 */
export const connectSocket = (target: DriverTarget, host: string, port: number, seconds: number) => {
  const connecting = Effect.andThen(roomForConnection, dialled(target, host, port, seconds))
  return Effect.catchIf(
    connecting,
    (error): error is Unreached => error instanceof Unreached,
    ({ error }) => {
      const fault = routesFault(host, error)
      if (fault !== undefined) return Effect.fail(fault)
      return Effect.andThen(
        Effect.sleep(UNTIL_OTHERS_FAIL),
        Effect.suspend(() => Effect.fail(routesFault(host, error) ?? failure(target, "connect", error.message)))
      )
    }
  )
}

/** There is no route to the host, which is the fault of this machine if it reaches no host. */
class Unreached extends Error {
  readonly error: Error
  constructor(error: Error) {
    super(error.message)
    this.error = error
  }
}

const connectError = (target: DriverTarget, host: string, port: number, error: Error) => {
  const code = codeOf(error)
  if (code === "ECONNREFUSED") {
    reached()
    return new TurnedAway(`connection refused by ${host} port ${port}`)
  }
  if (isOfRoutes(code)) return new Unreached(error)
  return ownFault(error, "connection") ?? failure(target, "connect", error.message)
}

const dialled = (target: DriverTarget, host: string, port: number, seconds: number) =>
  Effect.callback<Duplex, ConnectionException | TurnedAway | OwnFault | Unreached>((resume) => {
    const socket = connectTcp({ host, port, lookup, noDelay: true })
    const fail = (error: ConnectionException | TurnedAway | OwnFault | Unreached) => {
      clearTimeout(timer)
      socket.destroy()
      resume(Effect.fail(error))
    }
    const timer = setTimeout(
      () => fail(failure(target, "connect", `no answer from ${host} port ${port}`)),
      seconds * 1000
    )
    // Stays for the life of the socket: an error that comes before ssh2 listens must not end the process.
    socket.on("error", (error) => fail(connectError(target, host, port, error)))
    socket.once("connect", () => {
      reached()
      clearTimeout(timer)
      resume(Effect.succeed(socket))
    })
    return Effect.sync(() => {
      clearTimeout(timer)
      socket.destroy()
    })
  })

const keepaliveMillis = 15_000
const keepaliveCount = 3
/** An offer of algorithms has one or two thousand bytes. */
const longestOffer = 16_384

/** Reasons for an end of RFC 4253: no more authentication methods; connection lost, too many connections. */
const noMoreMethods = 14
const busy: ReadonlyArray<unknown> = [10, 12]
const cutShort = "Connection lost before handshake"
const refusal = /authentication failures|authentication failed|permission denied/i

/** How a handshake may fail. */
export type HandshakeError = ConnectionException | ConnectAuthError | HostKeyChanged | HostKeyNotApproved | WrongDevice

/** A connection on which we are logged in, and the key that the other side showed. */
export interface Handshaken {
  readonly client: SshClient
  readonly hostKey: string
}

type SshError = Error & { readonly level?: string; readonly code?: unknown }

const refusedLogin = ({ hostname, address }: DriverTarget, message: string): ConnectAuthError =>
  new ConnectAuthError({ hostname, address, message })

/** Another password would not help either. */
const unanswered = ({ hostname, address }: DriverTarget, message: string): ConnectAuthError =>
  new ConnectAuthError({ hostname, address, message, known: true })

const unacceptable = ({ hostname, address, hostKey }: DriverTarget, seen: string) =>
  hostKey._tag === "pin"
    ? new HostKeyChanged({ hostname, address, expected: hostKey.fingerprint, seen })
    : new HostKeyNotApproved({ hostname, address, seen })

const isLost = ({ code, level, message }: SshError): boolean =>
  level === "client-socket" || message === cutShort || (level === undefined && busy.includes(code))

const isRefusal = ({ code, level, message }: SshError): boolean =>
  level === "client-authentication" || (level === undefined && (code === noMoreMethods || refusal.test(message)))

/** The message for algorithms without a match, with a remedy. */
const noMatch = (target: DriverTarget, kind: Algorithms.AlgorithmKind, offered: ReadonlyArray<string>): string => {
  const profile = target.algorithms ?? "modern"
  const said = `the switch offers no ${kind} algorithm of the profile ${profile}, but ${offered.join(", ")}`
  if (profile === "legacy") return said
  return onlyLegacy[kind].some((name) => offered.includes(name))
    ? `${said}; allow it with the setting ssh: {algorithms: legacy} of the device or its group`
    : `${said}; the profile legacy has none of them either`
}

/** Keeps the first bytes of the switch, from the moment in which ssh2 listens, for as long as needed. */
const listenToOffer = (socket: Duplex) => {
  const parts: Array<Buffer> = []
  const hear = (part: Buffer) => {
    if (parts.reduce((sum, { length }) => sum + length, 0) < longestOffer) parts.push(part)
  }
  // our own listener would let the data flow before ssh2 is ready for it
  const listen = () => socket.prependListener("data", hear)
  socket.once("resume", listen)
  return {
    read: () => Algorithms.readOffer(Buffer.concat(parts)),
    stop: () => socket.off("resume", listen).off("data", hear)
  }
}

const messageOf = (
  target: DriverTarget,
  error: SshError,
  seconds: number,
  offer: Algorithms.AlgorithmOffer | undefined
): string => {
  if (error.level === "client-timeout") return `the switch did not finish the SSH handshake in ${seconds} s`
  const kind = Algorithms.unmatched(error.message)
  return kind === undefined || offer === undefined ? error.message : noMatch(target, kind, offer[kind])
}

const connectOptions = (
  target: DriverTarget,
  socket: Duplex,
  seconds: number,
  more: Pick<ConnectConfig, "authHandler" | "hostVerifier">
): ConnectConfig => ({
  sock: socket,
  username: target.username,
  algorithms: algorithms[target.algorithms ?? "modern"],
  readyTimeout: seconds * 1000,
  keepaliveInterval: keepaliveMillis,
  keepaliveCountMax: keepaliveCount,
  ...more
})

type AuthHandler = (events: LoginEvents) => NonNullable<ConnectConfig["authHandler"]>

/** Logs in on a connected socket within `seconds`. */
export const handshake = (target: DriverTarget, socket: Duplex, seconds: number) => {
  const { key, password, username } = target
  if (key === undefined)
    return handshakeBy(target, socket, seconds, (events) => passwordLogin(username, Redacted.value(password), events))
  return Result.match(Authentication.parseKey(key), {
    onFailure: (why) => Effect.fail(refusedLogin(target, why)),
    onSuccess: (parsed) => handshakeBy(target, socket, seconds, (events) => keyLogin(username, parsed, events))
  })
}

const handshakeBy = (target: DriverTarget, socket: Duplex, seconds: number, login: AuthHandler) =>
  Effect.flatMap(Effect.context<never>(), (surroundings) =>
    shakeHands(target, socket, seconds, login, Effect.runForkWith(surroundings))
  )

const shakeHands = (
  target: DriverTarget,
  socket: Duplex,
  seconds: number,
  login: AuthHandler,
  fork: (work: Effect.Effect<void>) => unknown
) =>
  Effect.callback<Handshaken, HandshakeError | TurnedAway>((resume) => {
    if (socket.destroyed) return resume(Effect.fail(new TurnedAway("the switch closed the connection at once")))
    const client = new Client()
    const offer = listenToOffer(socket)
    let hostKey = ""
    const what = target.key === undefined ? "password" : "key"
    let isGiven = false
    const fail = (error: HandshakeError | TurnedAway) => {
      client.destroy()
      socket.destroy()
      resume(Effect.fail(error))
    }
    const lost = (message: string) =>
      fail(
        isGiven
          ? failure(target, "login", `the switch closed the connection after it was given the ${what}: ${message}`)
          : new TurnedAway(`the switch closed the connection before the login: ${message}`)
      )
    const refused = (message: string) => fail(refusedLogin(target, message))
    const exhausted = (why?: string) =>
      why === undefined ? refused("All configured authentication methods failed") : fail(unanswered(target, why))
    const verify = (key: Buffer, proceed: (accepted: boolean) => void): void => {
      hostKey = fingerprint(key)
      const isAcceptable = acceptable(target.hostKey, hostKey)
      const judged = isAcceptable ? Effect.void : Effect.fail(unacceptable(target, hostKey))
      if (target.keyCheck === undefined || (isAcceptable && target.hostKey._tag === "pin")) {
        if (!isAcceptable) fail(unacceptable(target, hostKey))
        return proceed(isAcceptable)
      }
      // the owner of the key matters more than the fact that it has changed
      fork(
        Effect.match(Effect.andThen(target.keyCheck(hostKey), judged), {
          onFailure: (error) => {
            fail(error)
            proceed(false)
          },
          onSuccess: () => proceed(true)
        })
      )
    }
    const authHandler = login({
      offering: () => {
        isGiven = true
      },
      exhausted
    })
    client.on("change password", () => exhausted(newPasswordDemanded(target.username)))
    const closed = () => lost("end of file")
    // Stays after the handshake: an error on a connection that is in use must end it, not the process.
    client.on("error", (error: SshError) => {
      if (isRefusal(error)) return refused(error.message)
      if (isLost(error)) return lost(error.message)
      return fail(failure(target, "handshake", messageOf(target, error, seconds, offer.read())))
    })
    client.once("handshake", offer.stop)
    client.on("close", closed)
    client.on("ready", () => {
      client.off("close", closed)
      resume(Effect.succeed({ client, hostKey }))
    })
    client.connect(connectOptions(target, socket, seconds, { authHandler, hostVerifier: verify }))
    return Effect.sync(() => client.destroy())
  })

// A way to a device through another SSH server (docs/security.md#jump-hosts): we log in there, with a login and a pinned host
// key of its own, and are forwarded to the device; the SSH of the device runs inside. Ends with the connection to the device.

const step = "jump host"

/** The jump host as something to log in to; errors name the device. */
const asTarget = (target: DriverTarget, jump: JumpHost): DriverTarget => ({
  hostname: target.hostname,
  address: jump.host,
  port: jump.port,
  username: jump.username,
  password: jump.password,
  hostKey: { _tag: "pin", fingerprint: jump.hostKey },
  algorithms: jump.algorithms
})

const forward = (target: DriverTarget, jump: JumpHost, port: number, { client }: Handshaken) =>
  Effect.callback<Duplex, ConnectionException | TurnedAway>((resume) => {
    const closed = () => resume(Effect.fail(new TurnedAway(`the jump host ${jump.host} closed the connection`)))
    client.once("close", closed)
    client.forwardOut("127.0.0.1", 0, target.address, port, (error, channel) => {
      client.off("close", closed)
      if (error === undefined || error === null) {
        channel.once("close", () => client.end())
        channel.on("error", () => client.destroy())
        return resume(Effect.succeed(channel))
      }
      client.end()
      const message = `the jump host ${jump.host} does not connect to ${target.address} port ${port}: ${error.message}`
      return resume(Effect.fail(failure(target, step, message)))
    })
    return Effect.sync(() => client.destroy())
  })

/** An error of the jump host as a failure to reach the device: neither its key nor its password is that of the device. */
const asFailure = (target: DriverTarget, jump: JumpHost) => (error: HandshakeError | TurnedAway | OwnFault) => {
  switch (error._tag) {
    case "OwnFault":
      return error
    case "ConnectAuthError":
      return failure(target, step, `the jump host ${jump.host} refuses the login of ${jump.username}: ${error.message}`)
    case "HostKeyChanged":
      return failure(
        target,
        step,
        `the jump host ${jump.host} shows the host key ${error.seen}, and the settings say ${error.expected}; no password was sent`
      )
    case "HostKeyNotApproved":
    case "WrongDevice":
    case "ConnectionException":
      return failure(target, step, `the jump host ${jump.host}: ${error.message}`)
    case "TurnedAway":
      return new TurnedAway(`the jump host ${jump.host}: ${error.message}`)
  }
}

/**
 * A connection to `port` of the device through the jump host, which is dialled at `host`; at most `seconds` for TCP, and again
 * for the login there.
 */
export const connectThrough = (target: DriverTarget, jump: JumpHost, host: string, port: number, seconds: number) => {
  const there = asTarget(target, jump)
  return connectSocket(there, host, jump.port, seconds).pipe(
    Effect.flatMap((socket) =>
      handshake(there, socket, seconds).pipe(Effect.onError(() => Effect.sync(() => socket.destroy())))
    ),
    Effect.mapError(asFailure(target, jump)),
    Effect.flatMap((handshaken) => forward(target, jump, port, handshaken))
  )
}
