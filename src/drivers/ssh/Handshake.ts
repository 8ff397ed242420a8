/**
 * The SSH handshake and login on a connected socket (docs/switch-dialogues.md#ssh), and what its failures mean: turned away
 * (another try may be served), refused (the same password will not be taken), another host key, or no common algorithm, which
 * is said with the names that the switch offers.
 */
import type { Duplex } from "node:stream"
import { Effect, Redacted, Result } from "effect"
import type { Client as SshClient, ConnectConfig } from "ssh2"
import type { WrongDevice } from "../../domain/DeviceIdentity.ts"
import type { DriverTarget } from "../Driver.ts"
import { ConnectAuthError, type ConnectionException, HostKeyChanged, HostKeyNotApproved } from "../DriverErrors.ts"
import * as AlgorithmOffer from "./AlgorithmOffer.ts"
import { algorithms, onlyLegacy } from "./Algorithms.ts"
import { keyLogin, type LoginEvents, passwordLogin } from "./Authentication.ts"
import { failure, TurnedAway } from "./Dial.ts"
import { acceptable, fingerprint } from "./HostKey.ts"
import * as LoginKey from "./LoginKey.ts"
import { newPasswordDemanded } from "./LoginPrompts.ts"
import { Client } from "./Ssh2.ts"

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

/** What nothing matches with, and what may be done about it. */
const noMatch = (target: DriverTarget, kind: AlgorithmOffer.AlgorithmKind, offered: ReadonlyArray<string>): string => {
  const profile = target.algorithms ?? "modern"
  const said = `the switch offers no ${kind} algorithm of the profile ${profile}, but ${offered.join(", ")}`
  if (profile === "legacy") return said
  return onlyLegacy[kind].some((name) => offered.includes(name))
    ? `${said}; allow it with the setting ssh: {algorithms: legacy} of the device or its group`
    : `${said}; the profile legacy has none of them either`
}

/** Keeps what the switch says first, from the moment in which ssh2 listens, until there is no need for it any more. */
const listenToOffer = (socket: Duplex) => {
  const parts: Array<Buffer> = []
  const hear = (part: Buffer) => {
    if (parts.reduce((sum, { length }) => sum + length, 0) < longestOffer) parts.push(part)
  }
  // a listener of ours would let the data flow before ssh2 is ready for it
  const listen = () => socket.prependListener("data", hear)
  socket.once("resume", listen)
  return {
    read: () => AlgorithmOffer.read(Buffer.concat(parts)),
    stop: () => socket.off("resume", listen).off("data", hear)
  }
}

const messageOf = (
  target: DriverTarget,
  error: SshError,
  seconds: number,
  offer: AlgorithmOffer.AlgorithmOffer | undefined
): string => {
  if (error.level === "client-timeout") return `the switch did not finish the SSH handshake in ${seconds} s`
  const kind = AlgorithmOffer.unmatched(error.message)
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
  return Result.match(LoginKey.parse(key), {
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
      // whose key it is counts more than that it is another one
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
