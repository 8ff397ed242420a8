/** What readers of streams hear, written once for all who hear the same: with hundreds of readers writing it for each was most of the work. */
import { type LiveEvent, matchesFilter } from "../../domain/events/Event.ts"
import type { EventQuestion } from "./EventQuestion.ts"
import { shownTo } from "./EventReading.ts"
import { judgeEvent } from "./EventSight.ts"
import { eventText } from "./SseText.ts"

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
