/**
 * Why a machine does not take an event: either its state knows no such event, or the named guards of all its transitions
 * said no. Every guard of our machines has a name that reads as a rule, so that name is the reason.
 */
import { type AnyMachineSnapshot, getNextTransitions } from "xstate"

/** An event that changed nothing. `rule` is a guard's name or `expectedInThisState`; `message` is a sentence for people. */
export interface Refusal {
  readonly _tag: "Refused"
  readonly rule: string
  readonly message: string
}

/** The rule of an event that the state does not know at all. */
export const expectedInThisState = "expectedInThisState"

const guardName = (guard: unknown): string | null => {
  if (typeof guard === "string") return guard
  if (typeof guard !== "object" || guard === null || !("type" in guard)) return null
  return typeof guard.type === "string" ? guard.type : null
}

/** The rule by which this event is refused, or null when the machine takes it. */
export const refusedRule = (snapshot: AnyMachineSnapshot, event: { readonly type: string }): string | null => {
  if (snapshot.can(event)) return null
  for (const candidate of getNextTransitions(snapshot)) {
    const name = candidate.eventType === event.type ? guardName(candidate.guard) : null
    if (name !== null) return name
  }
  return expectedInThisState
}
