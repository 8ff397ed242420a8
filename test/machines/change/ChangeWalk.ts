/**
 * Walks the statechart of a change without any actor: its wishes come out as data, the answers go in as events. Claims are answered at
 * once, as by a database with no other writer, and short pauses pass at once.
 */
import { type EventFromLogic, initialTransition, type SnapshotFrom, transition } from "xstate"
import { inputOf, rowOf } from "../../../machines/change/ChangeDecision.ts"
import type { ChangeEvent, ChangeRow, StepTask, Verdict } from "../../../machines/change/ChangeRow.ts"
import { configChange } from "../../../machines/change/ConfigChange.ts"
import { eventName } from "../../../machines/Chart.ts"
import { refusedRule } from "../../../machines/StepLogic.ts"

/** A step that the statechart wants done. */
export interface WantedStep {
  readonly src: string
  readonly task: StepTask & { readonly claim?: boolean; readonly newConnection?: boolean }
}

/** A delay that runs: its name, its milliseconds, and the event that it ends with. */
export interface RunningDelay {
  readonly name: string
  readonly delay: number
  readonly event: EventFromLogic<typeof configChange>
}

export interface Walk {
  readonly snapshot: SnapshotFrom<typeof configChange>
  readonly step: WantedStep | null
  readonly delays: ReadonlyArray<RunningDelay>
}

type Step = readonly [
  SnapshotFrom<typeof configChange>,
  ReadonlyArray<{ readonly type: string; readonly params: unknown }>
]

interface Params {
  readonly src: string
  readonly input: WantedStep["task"]
  readonly event: EventFromLogic<typeof configChange>
  readonly delay: number
  readonly sendId: string
}

// what xstate says of its own actions is not typed
const paramsOf = ({ params }: { readonly params: unknown }) => params as Params

const follow = (before: Walk | null, [snapshot, actions]: Step): Walk =>
  actions.reduce<Walk>(
    (walk, action) => {
      const { delay, event, input, sendId, src } = paramsOf(action)
      if (action.type === "xstate.spawnChild") return { ...walk, step: { src, task: input } }
      if (action.type === "xstate.stopChild") return { ...walk, step: null }
      if (action.type === "xstate.cancel")
        return { ...walk, delays: walk.delays.filter((one) => one.event.type !== sendId) }
      if (action.type !== "xstate.raise" || delay === undefined) return walk
      return { ...walk, delays: [...walk.delays, { name: eventName(event.type) ?? "", delay, event }] }
    },
    { snapshot, step: before?.step ?? null, delays: before?.delays ?? [] }
  )

/** A run of a stored change before its first step. */
export const arrive = (row: ChangeRow, verdict: Verdict | null = null, proofSeconds = 0): Walk =>
  follow(null, initialTransition(configChange, inputOf({ protocol: row, failure: null }, verdict, proofSeconds)))

/** The effects of an event; nothing if the state does not accept it. */
export const takeAny = (walk: Walk, event: EventFromLogic<typeof configChange>): Walk =>
  follow(walk, transition(configChange, walk.snapshot, event))

/** The effects of an event; throws if the state does not accept it. */
export const take = (walk: Walk, event: EventFromLogic<typeof configChange>): Walk => {
  const rule = refusedRule(walk.snapshot, event)
  if (rule !== null) throw new Error(`${JSON.stringify(walk.snapshot.value)} takes no ${event.type}: ${rule}`)
  return takeAny(walk, event)
}

/** The effects of an expired delay. */
export const pass = (walk: Walk, name: string): Walk => {
  const delay = walk.delays.find((one) => one.name === `after ${name}`)
  if (delay === undefined) throw new Error(`${JSON.stringify(walk.snapshot.value)} does not wait for ${name}`)
  return follow(
    { ...walk, delays: walk.delays.filter((one) => one !== delay) },
    transition(configChange, walk.snapshot, delay.event)
  )
}

const SHORT = ["attemptPause", "loadPause", "proofDelay"]

/** Up to where the statechart waits for more than a claim or a short pause. */
export const settle = (walk: Walk): Walk => {
  if (walk.step?.src === "claim") return settle(take(walk, { type: "CLAIMED", at: 2_000 }))
  const short = walk.step === null && SHORT.find((name) => walk.delays.some((delay) => delay.name === `after ${name}`))
  return short ? settle(pass(walk, short)) : walk
}

/** The effects of events and delays, one after the other: an event, or the name of a delay. */
export const after = (walk: Walk, ...events: ReadonlyArray<ChangeEvent | string>): Walk =>
  events.reduce<Walk>(
    (current, event) => settle(typeof event === "string" ? pass(current, event) : take(current, event)),
    settle(walk)
  )

/** The present row. */
export const rowAt = ({ snapshot }: Walk): ChangeRow => rowOf(snapshot)
