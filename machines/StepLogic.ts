/**
 * A step of a statechart: an invoked actor that is given a task, works on it and ends with what came of it. The machines of
 * this folder only name their steps; whoever runs a machine provides them (`machine.provide({ actors })`, once a process).
 */
import type { ActorLogic, AnyEventObject, AnyMachineSnapshot, DoneActorEvent, EventObject, Snapshot } from "xstate"
import { expectedInThisState, refusedRule } from "./Refusal.ts"

/** Where a step is; `input` is dropped when it has ended. */
export type StepSnapshot<Output, Input> = Snapshot<Output> & { readonly input: Input | undefined }

/** What runs a step. A step that fails has the cause of its failure as `error`. */
export type StepLogic<Output, Input> = ActorLogic<StepSnapshot<Output, Input>, AnyEventObject, Input>

/** A step that has a name and a type, but nobody to do it yet: starting it is a defect. */
export const unprovided = <Output, Input>(name: string): StepLogic<Output, Input> => ({
  getInitialSnapshot: (_scope, input) => ({ status: "active", output: undefined, error: undefined, input }),
  start: () => {
    throw new Error(`Nobody provides the step ${name}`)
  },
  transition: (snapshot) => snapshot,
  getPersistedSnapshot: (snapshot) => snapshot
})

interface StepEnd<Event extends EventObject> {
  readonly event: DoneActorEvent<Event>
  readonly self: { readonly getSnapshot: () => AnyMachineSnapshot }
}

/**
 * How a step ended, as an event to raise. A machine drops an event that its state does not take, and would then wait for ever;
 * so such an event is a defect, which ends the machine.
 */
export const endOfStep = <Event extends EventObject>({ event: { output }, self }: StepEnd<Event>): Event => {
  const snapshot = self.getSnapshot()
  const rule = refusedRule(snapshot, output)
  if (rule === null) return output
  const why = rule === expectedInThisState ? "" : `: ${rule}`
  throw new Error(`The state ${JSON.stringify(snapshot.value)} takes no ${output.type}${why}`)
}
