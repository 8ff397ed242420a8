/**
 * Steps of a statechart, and the rules by which a machine refuses an event. A step is an invoked actor that gets a task and ends
 * with its outcome; the machines only name their steps, and the process that runs a machine provides them (`machine.provide({
 * actors })`, once a process). Every guard has a name that reads as a rule, so a refusal names it.
 */
import {
  type ActorLogic,
  type AnyEventObject,
  type AnyMachineSnapshot,
  type DoneActorEvent,
  type EventObject,
  getNextTransitions,
  type Snapshot
} from "xstate"

// Why a machine does not take an event: its state knows no such event, or all named guards of its transitions refuse it. Every
// guard of our machines has a name that reads as a rule, so that name is the reason.

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

/** The state of a step; `input` is dropped at its end. */
export type StepSnapshot<Output, Input> = Snapshot<Output> & { readonly input: Input | undefined }

/** The logic of a step. A failed step has the cause of its failure as `error`. */
export type StepLogic<Output, Input> = ActorLogic<StepSnapshot<Output, Input>, AnyEventObject, Input>

/** A step with a name and a type, but without logic: starting it is a defect. */
export const unprovided = <Output, Input>(name: string): StepLogic<Output, Input> => ({
  getInitialSnapshot: (_scope, input) => ({ status: "active", output: undefined, error: undefined, input }),
  start: () => {
    throw new Error(`No logic is provided for the step ${name}`)
  },
  transition: (snapshot) => snapshot,
  getPersistedSnapshot: (snapshot) => snapshot
})

interface StepEnd<Event extends EventObject> {
  readonly event: DoneActorEvent<Event>
  readonly self: { readonly getSnapshot: () => AnyMachineSnapshot }
}

/**
 * How a step ended, as an event to raise. A machine drops an event that its state does not take, and would then wait for ever, so
 * such an event is a defect that ends the machine.
 */
export const endOfStep = <Event extends EventObject>({ event: { output }, self }: StepEnd<Event>): Event => {
  const snapshot = self.getSnapshot()
  const rule = refusedRule(snapshot, output)
  if (rule === null) return output
  const why = rule === expectedInThisState ? "" : `: ${rule}`
  throw new Error(`The state ${JSON.stringify(snapshot.value)} takes no ${output.type}${why}`)
}
