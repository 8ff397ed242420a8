/** Sends what is written to a socket in one turn of the event loop as one segment. */
import type { Socket } from "node:net"

/**
 * ssh2 writes each packet in three pieces, and each would be a system call of its own. Call before writing: the socket holds
 * everything back until the current turn is over.
 */
export const writeTogether = (socket: Socket): void => {
  if (socket.writableCorked > 0) return
  socket.cork()
  process.nextTick(() => socket.uncork())
}
