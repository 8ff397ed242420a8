/** Messages of a stream of server-sent events as they are written (docs/events.md#server-sent-events). Pure. */
import type { LiveEvent } from "../../domain/events/Event.ts"
import type { ToldThing } from "../../runtime/Told.ts"

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
