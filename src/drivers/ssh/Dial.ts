/**
 * A TCP connection to a device, or to the jump host in front of it (docs/switch-dialogues.md#connection). A device that turns
 * us away, because all its sessions are taken, is asked again by whoever dials.
 */
import { connect as connectTcp } from "node:net"
import type { Duplex } from "node:stream"
import { Effect } from "effect"
import type { DriverTarget } from "../Driver.ts"
import { ConnectionException } from "../DriverErrors.ts"
import { lookup } from "../../runtime/NameLookup.ts"
import { reached, roomForConnection, routesFault } from "../../runtime/OwnFaults.ts"
import { codeOf, isOfRoutes, OwnFault, ownFault } from "../../runtime/SystemErrors.ts"

/** The device refused the connection, or closed it before a password was given; another try may be served. */
export class TurnedAway extends Error {
  readonly _tag = "TurnedAway"
}

/** An error of a connection that is not usable; `whileDoing` names the step. */
export const failure = (target: DriverTarget, whileDoing: string, message: string): ConnectionException =>
  new ConnectionException({ hostname: target.hostname, address: target.address, whileDoing, message })

/** Others may be out of reach as well: then it is this machine that reaches nobody. */
const UNTIL_OTHERS_FAIL = "2 seconds"

/**
 * Connects to `host` and `port`, which stand for the target, within `seconds`. Fails with OwnFault where it is this machine that opens
 * no connection, whoever is called.
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

/** There is no route to the host, which is the fault of this machine if there is none to anybody. */
class Unreached extends Error {
  readonly error: Error
  constructor(error: Error) {
    super(error.message)
    this.error = error
  }
}

const judged = (target: DriverTarget, host: string, port: number, error: Error) => {
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
    socket.on("error", (error) => fail(judged(target, host, port, error)))
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
