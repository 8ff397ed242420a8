/** The body of an answer that does not end by itself: text goes out in the same turn in which it is written, as long as the client reads. */
import { Latch } from "effect"
import { Readable } from "node:stream"

/** Bytes that are taken although the client does not read them now. */
const AHEAD = 64 * 1024

/** An open body. */
export const makeStreamBody = () => {
  const latch = Latch.makeUnsafe(true)
  let isWanted = true
  const readable = new Readable({
    highWaterMark: AHEAD,
    read: () => {
      isWanted = true
      latch.openUnsafe()
    }
  })
  return {
    readable,
    /** Whether the client takes more now. */
    isWanted: (): boolean => isWanted,
    /** Waits until it does. */
    wanted: latch.await,
    write: (text: string | Buffer): void => {
      if (readable.push(text)) return
      isWanted = false
      latch.closeUnsafe()
    },
    end: (): void => void readable.push(null)
  }
}

export type StreamBody = ReturnType<typeof makeStreamBody>
