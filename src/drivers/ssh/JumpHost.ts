/**
 * A way to a device through another SSH server (docs/security.md#jump-hosts): we log in there, with a login and a pinned host
 * key of its own, and are forwarded to the device; the SSH of the device runs inside. Ends with the connection to the device.
 */
import type { Duplex } from "node:stream"
import { Effect } from "effect"
import type { OwnFault } from "../../runtime/SystemErrors.ts"
import type { DriverTarget, JumpHost } from "../Driver.ts"
import type { ConnectionException } from "../DriverErrors.ts"
import { connectSocket, failure, TurnedAway } from "./Dial.ts"
import { handshake, type HandshakeError, type Handshaken } from "./Handshake.ts"

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

/** What the jump host says, as a failure to reach the device: neither its key nor its password is that of the device. */
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
