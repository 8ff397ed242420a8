/**
 * The chart of a live machine for walking its paths: `createTestModel` refuses invoked actors and delays, so each is replaced by the event
 * with which it ends. The report of a step is raised as an event of the chart, which is already in its `on`; an actor whose end is a
 * transition of its own ends with `done <id>` or `error <id>`, and a delay with `after <name>`.
 */
import { type AnyStateMachine, StateMachine } from "xstate"

type Config = Record<string, unknown>

const isConfig = (value: unknown): value is Config =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A transition without its actions, which would look at what the actor has come to; none when it only raises that. */
const endOf = (name: string, transition: unknown): Config =>
  isConfig(transition) && "target" in transition ? { [name]: { target: transition["target"] } } : {}

const endsOf = ({ id, onDone, onError }: Config): Config => ({
  ...endOf(`done ${String(id)}`, onDone),
  ...endOf(`error ${String(id)}`, onError)
})

const withoutActors = ({ after, invoke, on, states, ...config }: Config): Config => ({
  ...config,
  on: {
    ...(isConfig(on) ? on : {}),
    ...(isConfig(invoke) ? endsOf(invoke) : {}),
    ...(isConfig(after) ? Object.fromEntries(Object.entries(after).map(([name, to]) => [`after ${name}`, to])) : {})
  },
  ...(isConfig(states)
    ? {
        states: Object.fromEntries(
          Object.entries(states).map(([name, state]) => [name, isConfig(state) ? withoutActors(state) : state])
        )
      }
    : {})
})

/** The events that stand for the delays and for the ends of actors. */
export const standIns = (machine: AnyStateMachine): ReadonlyArray<string> => {
  const below = (config: Config): ReadonlyArray<string> => [
    ...(isConfig(config["invoke"]) ? Object.keys(endsOf(config["invoke"])) : []),
    ...(isConfig(config["after"]) ? Object.keys(config["after"]).map((name) => `after ${name}`) : []),
    ...Object.values(isConfig(config["states"]) ? config["states"] : {}).flatMap((state) =>
      isConfig(state) ? below(state) : []
    )
  ]
  return [...new Set(below({ ...machine.config }))]
}

/** The chart with events in the place of actors and delays; everything else is the machine's own. */
export const asEvents = (machine: AnyStateMachine): AnyStateMachine =>
  new StateMachine(withoutActors({ ...machine.config }), machine.implementations)
