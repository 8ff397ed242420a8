/**
 * One connection of socket.io: kept within bounds (docs/events.md#limits), so that who sends too many messages, or does not fetch what is
 * told, is cut off and may come again; and told with few writes.
 */
import type { Duplex } from "node:stream"
import type { Socket } from "socket.io"

/** Packets that somebody may send at once, and in a second. */
const BURST = 100
const PER_SECOND = 20
/** Packets that may wait to be fetched. Their texts are shared by all who are told. */
const MAX_WAITING = 25_000

type Connection = Socket["conn"]

/** Watches a connection until it closes. */
export const keepWithinBounds = (connection: Connection): void => {
  let left = BURST
  let at = performance.now()
  let waiting = 0
  // the client sees that the transport has closed, and connects again
  const cutOff = () => connection.close(true)

  connection.on("packet", () => {
    const now = performance.now()
    left = Math.min(BURST, left + ((now - at) * PER_SECOND) / 1000) - 1
    at = now
    if (left < 0) cutOff()
  })
  connection.on("packetCreate", () => {
    waiting += 1
    if (waiting > MAX_WAITING) cutOff()
  })
  connection.on("flush", (packets) => {
    waiting = Math.max(0, waiting - packets.length)
  })
}

/**
 * Sends what is told in one moment at once: the library sends the first packet by itself, and a client that fetches what it hears by
 * requests had to come twice for each moment.
 */
export const gatherPackets = (connection: Connection): void => {
  connection.on("packetCreate", () => {
    const { transport } = connection
    if (!transport.writable || connection.readyState !== "open") return
    transport.writable = false
    process.nextTick(() => {
      transport.writable = true
      transport.emit("ready")
    })
  })
}

/**
 * Writes the frames of one moment at once: with hundreds of clients a system call for each was most of the work. `upgraded` finds the wire of
 * a connection that has become a websocket, by the connection's id.
 */
export const gatherFrames = (connection: Connection, upgraded: (id: string) => Duplex | undefined): void => {
  const { name, sid } = connection.transport
  let wire: Duplex | undefined = name === "websocket" ? connection.request.socket : undefined
  let isGathering = false
  connection.on("upgrade", () => {
    wire = upgraded(sid)
  })
  connection.on("flush", () => {
    const current = wire
    if (current === undefined || isGathering) return
    isGathering = true
    current.cork()
    process.nextTick(() => {
      isGathering = false
      current.uncork()
    })
  })
}
