/** Messages of a stream of server-sent events as they are written (docs/events.md#server-sent-events). Pure. */
import { type LiveEvent, matchesFilter } from "../../domain/events/Event.ts"
import type { ToldThing } from "../../runtime/Told.ts"
import { type EventQuestion, shownTo } from "./EventQuestion.ts"
import { judgeEvent } from "./EventAccess.ts"
import { Latch } from "effect"
import { Readable } from "node:stream"

/** Milliseconds after which a client that was cut off comes again. */
const RETRY = 3000

const message = (event: string, data: unknown): string => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`

/** From which number on the stream goes on: a client that hears nothing until it is cut off can resume as well. */
export const beginning = (position: number): string => `retry: ${RETRY}\nid: ${position}\n\n`

/** That nothing has happened, and up to which number. */
export const heartbeat = (position: number): string => `: nothing new\nid: ${position}\n\n`

export const eventText = (event: LiveEvent): string => `id: ${event.id}\n${message(event.kind, event)}`

/** Without a number, so that a client goes on from the last event. */
export const toldText = (thing: ToldThing): string =>
  message(thing.kind, { ...thing, at: new Date(thing.at).toISOString().slice(0, -1) })

/** What a client asked for is not there any more, or never was. */
export interface Gap {
  readonly since: number
  /** The oldest event that is there. */
  readonly oldest: number
  /** The number after which the stream goes on. */
  readonly next: number
}

export const gapText = (gap: Gap): string => message("gap", gap)

/** That so many lines were left out because the client did not read. */
export const skippedText = (count: number): string => message("skipped", { count })

/** The last message: why, and after which number to go on. */
export const endText = (reason: string, resume: number): string => message("end", { reason, resume })

// What readers of streams hear, written once for all who hear the same: with hundreds of readers writing it for each was most of the work.

type Events = ReadonlyArray<LiveEvent>

/** Those who ask for the same hear the same, when they see all devices; null when nobody else is known to ask so. */
const audienceOf = ({ filter: { devices, job, kinds }, sight }: EventQuestion): string | null =>
  devices === null ? JSON.stringify([sight.seesAudit, kinds && [...kinds].toSorted(), job]) : null

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
      (event) => matchesFilter(question.filter, event) && judgeEvent(question.sight, event) === true
    )
    return Buffer.from(asked.map((event) => shownText(question, event)).join(""))
  }

  /** An event as it is shown to whoever asks so. */
  const shownText = (question: EventQuestion, event: LiveEvent): string => {
    const shown = shownTo(question, event)
    return shown === event ? textOf(event) : eventText(shown)
  }

  /** The events of a batch for somebody who sees all devices. */
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

// The body of an answer that does not end by itself: text goes out in the same turn in which it is written, as long as the client reads.

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
