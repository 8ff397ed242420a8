/**
 * The output of an event stream: server-sent events as text (docs/events.md#server-sent-events), written once for all readers of the same
 * events, and the body that they are written to.
 */
import type { LiveItem } from "../../runtime/LiveFeed.ts"
import { type EventQuestion, shownTo } from "./EventQuestion.ts"
import { judgeEvent } from "./EventAccess.ts"
import { Latch } from "effect"
import { Readable } from "node:stream"
import { type LiveEvent, matchesFilter } from "../../domain/events/Event.ts"

/** Milliseconds after which a client reconnects. */
const RETRY = 3000

const message = (event: string, data: unknown): string => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`

/** The number at which the stream begins, so that a client without any event can resume as well. */
export const beginning = (position: number): string => `retry: ${RETRY}\nid: ${position}\n\n`

/** No event up to this number. */
export const heartbeat = (position: number): string => `: nothing new\nid: ${position}\n\n`

const eventText = (event: LiveEvent): string => `id: ${event.id}\n${message(event.kind, event)}`

/** Without a number, so that a client resumes from the last event. */
export const toldText = (thing: LiveItem): string =>
  message(thing.kind, { ...thing, at: new Date(thing.at).toISOString().slice(0, -1) })

/** The events that the client asked for are deleted or never existed. */
export interface Gap {
  readonly since: number
  /** The oldest stored event. */
  readonly oldest: number
  /** The number after which the stream continues. */
  readonly next: number
}

export const gapText = (gap: Gap): string => message("gap", gap)

/** The number of live messages that were skipped because the client did not read. */
export const skippedText = (count: number): string => message("skipped", { count })

/** The last message: the reason, and the number to resume after. */
export const endText = (reason: string, resume: number): string => message("end", { reason, resume })

// Texts are shared by all readers of the same events: with hundreds of readers, writing them for each was most of the work.

type Events = ReadonlyArray<LiveEvent>

/** Readers of all devices with the same filter get the same events; null if the filter has devices. */
const audienceOf = ({ filter: { devices, job, kinds }, access }: EventQuestion): string | null =>
  devices === null ? JSON.stringify([access.seesAudit, kinds && [...kinds].toSorted(), job]) : null

/** Remembers texts as long as their events. */
export const makeSharedTexts = () => {
  const texts = new WeakMap<LiveEvent, string>()
  const batches = new WeakMap<Events, Map<string, Buffer>>()
  const audiences = new WeakMap<EventQuestion, { readonly name: string | null }>()

  const audienceFor = (question: EventQuestion): string | null => {
    const audience = audiences.get(question) ?? { name: audienceOf(question) }
    audiences.set(question, audience)
    return audience.name
  }

  const textOf = (event: LiveEvent): string => {
    const text = texts.get(event) ?? eventText(event)
    texts.set(event, text)
    return text
  }

  const written = (question: EventQuestion, events: Events): Buffer => {
    const asked = events.filter(
      (event) => matchesFilter(question.filter, event) && judgeEvent(question.access, event) === true
    )
    return Buffer.from(asked.map((event) => shownText(question, event)).join(""))
  }

  /** An event as this reader sees it. */
  const shownText = (question: EventQuestion, event: LiveEvent): string => {
    const shown = shownTo(question, event)
    return shown === event ? textOf(event) : eventText(shown)
  }

  /** The events of a batch for a reader of all devices. */
  const batchFor = (question: EventQuestion, events: Events): Buffer => {
    const audience = audienceFor(question)
    if (audience === null) return written(question, events)
    const known = batches.get(events) ?? new Map<string, Buffer>()
    batches.set(events, known)
    const batch = known.get(audience) ?? written(question, events)
    known.set(audience, batch)
    return batch
  }

  return { textOf, shownText, batchFor }
}

export type SharedTexts = ReturnType<typeof makeSharedTexts>

// The body of a stream: text is sent in the same turn in which it is written, as long as the client reads.

/** Bytes that are buffered while the client does not read. */
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
    /** Whether the client reads now. */
    isWanted: (): boolean => isWanted,
    /** Waits until the client reads. */
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
