/** A statechart for people: its states and arrows, its current state, and the events that it takes next. */
import {
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type AnyStateNode,
  getNextTransitions,
  type StateValue
} from "xstate"
import { toDirectedGraph } from "xstate/graph"

// The next events of a statechart, in words.

const AFTER = /^xstate\.after\.([^.]+)\./

/** The name of an event for people; a delay is `after <name>`, and null is a transition without an outside event. */
export const eventName = (type: string): string | null => {
  const delay = AFTER.exec(type)?.[1]
  if (delay !== undefined) return `after ${delay}`
  return type === "" || type.startsWith("xstate.") ? null : type
}

/** The events that a machine takes in its state, each once; those of one region of a parallel machine if it is named. */
export const nextEvents = (snapshot: AnyMachineSnapshot, region?: string): ReadonlyArray<string> => {
  const known = getNextTransitions(snapshot).flatMap(({ eventType, source }) => {
    const name = eventName(eventType)
    return name === null || (region !== undefined && source.path[0] !== region) ? [] : [name]
  })
  return [...new Set(known)]
}

/** A transition from a state to another. */
export interface ChartArrow {
  /** Null: from every state. */
  readonly from: string | null
  readonly to: string
  /** An event, `after` a delay, `done` or `failed` of a step; empty for a transition that is taken at once. */
  readonly event: string
  /** The rule that must also hold. */
  readonly rule: string | null
}

/** States without those within them, in the order of the machine. */
export interface Chart {
  readonly initial: string
  readonly states: ReadonlyArray<string>
  readonly arrows: ReadonlyArray<ChartArrow>
}

type Graph = ReturnType<typeof toDirectedGraph>

/** The name of a rule; null where there is none. */
export const ruleOf = (guard: unknown): string | null => {
  if (typeof guard === "string") return guard
  if (typeof guard !== "object" || guard === null || !("type" in guard)) return null
  return typeof guard.type === "string" ? guard.type : null
}

const ENDS: ReadonlyArray<readonly [prefix: string, word: string]> = [
  ["xstate.done.actor.", "done"],
  ["xstate.error.actor.", "failed"]
]

/** The cause of a transition: an event, a delay, or the end of an actor; empty for one that is taken at once. */
export const causeOf = (eventType: string): string => {
  for (const [prefix, word] of ENDS)
    if (eventType.startsWith(prefix)) return `${word} ${eventType.slice(prefix.length)}`
  return eventName(eventType) ?? ""
}

/** One region of a parallel machine. */
export const regionOf = (machine: AnyStateMachine, name: string): Graph => {
  const region = toDirectedGraph(machine).children.find(({ stateNode }) => stateNode.key === name)
  if (region === undefined) throw new Error(`${machine.id} has no region ${name}`)
  return region
}

/** The chart of a machine or a region. Events of `without` are left out, and transitions within a state. */
export const chartOf = (graph: Graph, without: ReadonlyArray<string> = []): Chart => {
  const top = graph.stateNode
  const nameOf = (node: AnyStateNode): string => node.path[top.path.length] ?? ""
  const arrowsOf = (node: Graph): ReadonlyArray<ChartArrow> => [
    ...(node.stateNode.always ?? []).flatMap(({ guard, target = [] }) =>
      target.map((to) => ({ from: nameOf(node.stateNode), to: nameOf(to), event: "", rule: ruleOf(guard) }))
    ),
    ...node.edges.flatMap(({ source, target, transition }) => {
      if (without.includes(transition.eventType)) return []
      const from = source === top ? null : nameOf(source)
      return [{ from, to: nameOf(target), event: causeOf(transition.eventType), rule: ruleOf(transition.guard) }]
    }),
    ...node.children.flatMap(arrowsOf)
  ]
  const arrows = new Map(
    arrowsOf(graph)
      .filter(({ from, to }) => from !== to)
      .map((arrow) => [JSON.stringify(arrow), arrow])
  )
  return {
    initial: top.initial.target[0]?.key ?? "",
    states: graph.children.map(({ stateNode }) => stateNode.key),
    arrows: [...arrows.values()]
  }
}

// The current state of a statechart, in words.

const path = (value: StateValue): string =>
  typeof value === "string"
    ? value
    : Object.entries(value)
        .map(([state, inner]) => (inner === undefined ? state : `${state}.${path(inner)}`))
        .join(" ")

/** The states that a statechart is in: `committed.observing`, or `life.MANAGED activity.idle` with two regions. */
export const placeOf = ({ value }: { readonly value: StateValue }): string => path(value)
