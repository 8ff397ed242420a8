/**
 * Random bytes in small portions, as SSH needs them for the padding of every packet. Asking the operating system's generator
 * for each costs more than encrypting the packet, so many are asked for at once; none is given out twice.
 */
import { randomFillSync } from "node:crypto"

const pool = Buffer.allocUnsafeSlow(8192)
let given = pool.length

/** Fills `size` bytes from `offset`, as `randomFillSync` does. */
export const fill = <A extends Uint8Array>(target: A, offset = 0, size = target.length - offset): A => {
  if (size > pool.length || offset + size > target.length) return randomFillSync(target, offset, size)
  if (given + size > pool.length) {
    randomFillSync(pool)
    given = 0
  }
  pool.copy(target, offset, given, given + size)
  pool.fill(0, given, given + size)
  given += size
  return target
}
