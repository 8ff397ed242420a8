/** Hands what a socket brings to its listeners as background work, a few milliseconds of it per turn of the event loop. */
import type { Socket } from "node:net"
import { goOn } from "../BackgroundWork.ts"

/** What must be heard in the order in which it came. */
const ORDERED: ReadonlySet<unknown> = new Set(["data", "end", "error", "close"])

/** A socket of which so many pieces wait to be heard reads no more until they were. */
const MOST_WAITING = 8

/**
 * From now on listeners of this socket hear of data in slices. Hundreds of switches may answer at once, and each answer costs
 * decryption and the next step of its device; people who ask meanwhile would wait for all of them.
 */
export const readInSlices = (socket: Socket): void => {
  const { emit } = socket
  let waiting = 0
  const hear = (event: unknown, args: ReadonlyArray<unknown>): void => {
    if (waiting-- === MOST_WAITING) socket.resume()
    Reflect.apply(emit, socket, [event, ...args])
  }
  socket.emit = (event: string | symbol, ...args: ReadonlyArray<unknown>) => {
    if (!ORDERED.has(event)) return Reflect.apply(emit, socket, [event, ...args])
    if (++waiting === MOST_WAITING) socket.pause()
    goOn(() => hear(event, args))
    return true
  }
}
