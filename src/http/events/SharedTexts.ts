/** What readers of streams hear, written once for all who hear the same: with hundreds of readers writing it for each was most of the work. */
import type { LiveEvent } from "../../domain/events/LiveEvent.ts"
import { matchesFilter } from "../../domain/events/EventFilter.ts"
import type { EventQuestion } from "./EventQuestion.ts"
import { shownTo } from "./EventReading.ts"
import { judgeEvent } from "./EventSight.ts"
import { eventText } from "./SseText.ts"

type Events = ReadonlyArray<LiveEvent>

/** Those who see all devices and ask for the same hear the same; null when nobody else is known to. */
const audienceOf = ({ filter: { devices, job, kinds }, sight }: EventQuestion): string | null =>
  sight.within !== null || devices !== null
    ? null
    : JSON.stringify([sight.seesAudit, kinds && [...kinds].toSorted(), job])

/** Remembers texts as long as their events. */
export const makeSharedTexts = () => {
  const texts = new WeakMap<LiveEvent, string>()
  const batches = new WeakMap<Events, Map<string, Buffer>>()
  const audiences = new WeakMap<EventQuestion, { readonly name: string | null }>()

  const known = (question: EventQuestion): string | null => {
    const audience = audiences.get(question) ?? { name: audienceOf(question) }
    audiences.set(question, audience)
    return audience.name
  }

  /** An event as it is shown to whoever asks so. */
  const textFor = (question: EventQuestion, event: LiveEvent): string => {
    const shown = shownTo(question, event)
    if (shown !== event) return eventText(shown)
    const text = texts.get(event) ?? eventText(event)
    texts.set(event, text)
    return text
  }

  /** The events of a batch that are asked for; null when it has to be looked up whether the caller may see one of them. */
  const written = (question: EventQuestion, events: Events): Buffer | null => {
    let text = ""
    for (const event of events) {
      const verdict = matchesFilter(question.filter, event) && judgeEvent(question.sight, event)
      if (typeof verdict === "number") return null
      if (verdict) text += textFor(question, event)
    }
    return Buffer.from(text)
  }

  const batchFor = (question: EventQuestion, events: Events): Buffer | null => {
    const audience = known(question)
    if (audience === null) return written(question, events)
    const heard = batches.get(events) ?? new Map<string, Buffer>()
    batches.set(events, heard)
    const batch = heard.get(audience) ?? written(question, events)
    if (batch !== null) heard.set(audience, batch)
    return batch
  }

  return { textFor, batchFor }
}

export type SharedTexts = ReturnType<typeof makeSharedTexts>
