/**
 * Keeps one connection of socket.io within bounds (docs/events.md#limits): who sends too many messages, or does not fetch what is told, is cut
 * off and may come again.
 */
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
