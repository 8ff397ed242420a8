/**
 * What waits for one reader of a stream, within bounds: a reader who does not read costs no more than that. Events that do not fit end the
 * stream; what is told and not kept is left out.
 */
import { Latch } from "effect"
import type { LiveEvent } from "../../domain/events/Event.ts"
import type { ToldThing } from "../../runtime/Told.ts"

/** Something for the reader, if they may hear of it: an event with its number, or what has none. */
export type Waiting =
  | { readonly id: number; readonly text: string; readonly event: LiveEvent }
  | { readonly id: null; readonly text: string; readonly thing: ToldThing }

export interface InboxBounds {
  readonly count: number
  /** Characters of all texts. */
  readonly size: number
  /** How many of what is told and not kept. */
  readonly told: number
}

/** As much as a job with some thousand devices tells within seconds. */
export const INBOX: InboxBounds = { count: 10_000, size: 16 * 1024 * 1024, told: 1000 }

/** How much a reader gets at once. */
const PIECE = { count: 200, size: 256 * 1024 }

/** An empty inbox. */
export const makeInbox = (bounds: InboxBounds = INBOX) => {
  const latch = Latch.makeUnsafe(false)
  let waiting: Array<Waiting> = []
  let size = 0
  let told = 0
  let skipped = 0
  let isOverfull = false

  const fits = (one: Waiting): boolean => waiting.length < bounds.count && size + one.text.length <= bounds.size

  const overflow = (): false => {
    isOverfull = true
    waiting = []
    latch.openUnsafe()
    return false
  }

  /** How many of those that wait are a piece. */
  const pieceOf = (): number => {
    let [count, length] = [0, 0]
    for (const { text } of waiting) {
      length += text.length
      if (count === PIECE.count || (count > 0 && length > PIECE.size)) break
      count += 1
    }
    return count
  }

  return {
    /** Opens when there is something to take, or when `end` says that the reader has to look. */
    latch,
    /** Adds something; yields false when it does not fit: then the inbox holds nothing any more, and takes nothing. */
    put: (one: Waiting): boolean => {
      if (isOverfull) return false
      if (one.id === null && (told >= bounds.told || !fits(one))) {
        skipped += 1
        return true
      }
      if (!fits(one)) return overflow()
      waiting.push(one)
      size += one.text.length
      if (one.id === null) told += 1
      latch.openUnsafe()
      return true
    },
    /** What has waited longest, and how much of what is not kept was left out. */
    take: () => {
      const taken = waiting.splice(0, pieceOf())
      const left = skipped
      skipped = 0
      for (const { id, text } of taken) {
        size -= text.length
        if (id === null) told -= 1
      }
      if (waiting.length === 0) latch.closeUnsafe()
      return { taken, skipped: left }
    },
    isEmpty: () => waiting.length === 0 && skipped === 0,
    isOverfull: () => isOverfull
  }
}

export type Inbox = ReturnType<typeof makeInbox>
