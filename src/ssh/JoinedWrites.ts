/** Sends what is written to a socket in one turn of the event loop as one segment. */
import type { Socket } from "node:net"

/**
 * ssh2 writes every packet for itself, and often several in one turn; each would be a system call and a segment of its own.
 * From now on the socket holds back what is written until the turn is over. Nothing is lost by that: what is held goes out
 * before the socket ends or is destroyed.
 */
export const joinWrites = (socket: Socket): void => {
  const { destroy, write } = socket
  const release = () => socket.uncork()
  socket.write = (...written: ReadonlyArray<unknown>) => {
    if (socket.writableCorked === 0) {
      socket.cork()
      process.nextTick(release)
    }
    return Reflect.apply(write, socket, written)
  }
  socket.destroy = (error) => {
    if (error === undefined) socket.uncork()
    return destroy.call(socket, error)
  }
}
