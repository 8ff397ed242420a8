/** The positions of the states in the drawing of a statechart: in columns, by their distance from the first state. Pure. */
import type { Data } from "../../../src/api/Calls.ts"

export type Chart = Data<"GET /statecharts">["life"]
export type Arrow = Chart["arrows"][number]

export interface Box {
  readonly state: string
  readonly column: number
  readonly row: number
}

/** All transitions from one state to another. */
export interface Line {
  readonly from: Box
  readonly to: Box
  readonly words: ReadonlyArray<string>
}

/** An event and its rule, as shown. */
export const wordOf = ({ event, rule }: Arrow): string =>
  [event === "" ? "at once" : event, rule === null ? "" : `[${rule}]`].filter(Boolean).join(" ")

/** Steps from the first state; a state that only people set has none. */
const stepsFrom = ({ arrows, initial }: Chart): ReadonlyMap<string, number> => {
  const steps = new Map([[initial, 0]])
  for (const [state, step] of steps) {
    for (const { from, to } of arrows) if (from === state && !steps.has(to)) steps.set(to, step + 1)
  }
  return steps
}

/** The boxes, and lines between them; arrows from every state are not drawn. */
export const laidOut = (chart: Chart): { readonly boxes: ReadonlyArray<Box>; readonly lines: ReadonlyArray<Line> } => {
  const steps = stepsFrom(chart)
  const last = Math.max(...steps.values())
  const leads = new Set(chart.arrows.map(({ from }) => from))
  const reached = chart.states.filter((state) => steps.has(state))
  const columnOf = (state: string) => (leads.has(state) ? (steps.get(state) ?? 0) : last)
  const columns = Map.groupBy(reached, columnOf)
  const inColumns = [...columns].flatMap(([column, states]) =>
    states.map((state, row): Box => ({ state, column, row }))
  )
  const below = Math.max(...inColumns.map(({ row }) => row)) + 1
  const others = chart.states
    .filter((state) => !steps.has(state))
    .map((state, place): Box => ({ state, column: place % (last + 1), row: below + Math.floor(place / (last + 1)) }))
  const boxes = [...inColumns, ...others]
  const boxOf = new Map(boxes.map((box) => [box.state, box]))
  const pairs = Map.groupBy(chart.arrows, ({ from, to }) => `${from} ${to}`)
  const lines = [...pairs.values()].flatMap((arrows): ReadonlyArray<Line> => {
    const [first] = arrows
    const [from, to] = [boxOf.get(first?.from ?? ""), boxOf.get(first?.to ?? "")]
    return from === undefined || to === undefined ? [] : [{ from, to, words: arrows.map(wordOf) }]
  })
  return { boxes, lines }
}
