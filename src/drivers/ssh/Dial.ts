/**
 * A TCP connection to a device, or to the jump host in front of it (docs/switch-dialogues.md#connection). A device that turns
 * us away, because all its sessions are taken, is asked again by whoever dials.
 */
import { connect as connectTcp } from "node:net"
import type { Duplex } from "node:stream"
import { Effect } from "effect"
import type { DriverTarget } from "../Driver.ts"
import { ConnectionException } from "../DriverErrors.ts"

/** The device refused the connection, or closed it before a password was given; another try may be served. */
export class TurnedAway extends Error {
  readonly _tag = "TurnedAway"
}

/** An error of a connection that is not usable; `whileDoing` names the step. */
export const failure = (target: DriverTarget, whileDoing: string, message: string): ConnectionException =>
  new ConnectionException({ hostname: target.hostname, address: target.address, whileDoing, message })

/** Connects to `host` and `port`, which stand for the target, within `seconds`. */
export const connectSocket = (target: DriverTarget, host: string, port: number, seconds: number) =>
  Effect.callback<Duplex, ConnectionException | TurnedAway>((resume) => {
    const socket = connectTcp({ host, port, noDelay: true })
    const fail = (error: ConnectionException | TurnedAway) => {
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
      fail(
        error.code === "ECONNREFUSED"
          ? new TurnedAway(`connection refused by ${host} port ${port}`)
          : failure(target, "connect", error.message)
      )
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
