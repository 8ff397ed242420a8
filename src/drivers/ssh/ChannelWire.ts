/** The shell channel of an SSH connection as the engine's `Wire`. */
import type { ClientChannel } from "ssh2"
import type { Wire } from "./Shell.ts"
import type { Transport } from "./Transport.ts"

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
