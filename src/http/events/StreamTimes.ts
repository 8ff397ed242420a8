/** How long things take in a stream of events, in milliseconds (docs/events.md#server-sent-events). */
import { Context } from "effect"

export interface StreamTimes {
  /** Without a word; then a comment says that the stream goes on. */
  readonly heartbeat: number
  /** After which it is asked again what the caller may hear of. */
  readonly renewal: number
  /** After which the connection of a client that takes nothing is closed. */
  readonly stuck: number
}

/** The times of streams. */
export const StreamTimes = Context.Reference<StreamTimes>("switchyard/http/events/StreamTimes", {
  defaultValue: () => ({ heartbeat: 15_000, renewal: 60_000, stuck: 60_000 })
})
