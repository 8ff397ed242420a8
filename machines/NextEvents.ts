/** What a statechart takes next, in words. */
import { type AnyMachineSnapshot, getNextTransitions } from "xstate"

const AFTER = /^xstate\.after\.([^.]+)\./

/** The name of an event as people read it; a delay is `after <name>`, and null is what no event from outside brings about. */
export const eventName = (type: string): string | null => {
  const delay = AFTER.exec(type)?.[1]
  if (delay !== undefined) return `after ${delay}`
  return type === "" || type.startsWith("xstate.") ? null : type
}

/** The events that a machine knows in its state, each once; those of one region of a parallel machine when it is named. */
export const nextEvents = (snapshot: AnyMachineSnapshot, region?: string): ReadonlyArray<string> => {
  const known = getNextTransitions(snapshot).flatMap(({ eventType, source }) => {
    const name = eventName(eventType)
    return name === null || (region !== undefined && source.path[0] !== region) ? [] : [name]
  })
  return [...new Set(known)]
}
