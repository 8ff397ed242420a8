/** A drawing of a statechart with the present state highlighted, and the possible next states in words. */
import { List, Text } from "@mantine/core"
import { useEffect, useId, useMemo, useRef } from "react"
import { type Box, type Chart, laidOut, type Line, wordOf } from "./chart.ts"

const WIDTH = 124
const HEIGHT = 28
const ROW = 62
/** Up to this many lines all are labelled; of more, only those that leave the present state. */
const FEW = 12
const LETTER = 12

const placeOf = ({ column, row }: Box, pitch: number) => ({ x: 4 + column * pitch, y: 32 + row * ROW })

/** From the right side of a box to the left side of a later one, or below both and back. Its label ends where it says. */
const pathOf = ({ from, to }: Line, pitch: number) => {
  const [one, other] = [placeOf(from, pitch), placeOf(to, pitch)]
  if (to.column > from.column) {
    const [x1, y1, x2, y2] = [one.x + WIDTH, one.y + HEIGHT / 2, other.x, other.y + HEIGHT / 2]
    const bend = (x2 - x1) / 2
    return {
      d: `M ${x1} ${y1} C ${x1 + bend} ${y1}, ${x2 - bend} ${y2}, ${x2} ${y2}`,
      x: x2 - 10,
      y: y2 - 5,
      step: -LETTER
    }
  }
  const [x1, y1, x2, y2] = [one.x + WIDTH / 2, one.y + HEIGHT, other.x + WIDTH / 2, other.y + HEIGHT]
  const depth = Math.max(y1, y2) + 26
  return { d: `M ${x1} ${y1} C ${x1} ${depth}, ${x2} ${depth}, ${x2} ${y2}`, x: x1 - 26, y: y1 + 12, step: LETTER }
}

interface Props {
  readonly name: string
  readonly chart: Chart
  readonly present: string
}

const Drawing = ({ chart, name, present }: Props) => {
  const { boxes, lines } = useMemo(() => laidOut(chart), [chart])
  const pitch = lines.length <= FEW ? 270 : 170
  const isLabelled = ({ from }: Line) => lines.length <= FEW || from.state === present
  const columns = Math.max(...boxes.map(({ column }) => column)) + 1
  const rows = Math.max(...boxes.map(({ row }) => row)) + 1
  const arrow = useId()
  const scroller = useRef<HTMLDivElement>(null)
  const now = boxes.find(({ state }) => state === present)?.column ?? 0
  useEffect(() => {
    scroller.current?.scrollTo({ left: now * pitch - 120 })
  }, [now, pitch])
  return (
    <div ref={scroller} className="chart" role="group" aria-label={`Drawing: ${name}`} tabIndex={0}>
      <svg
        role="img"
        aria-label={`${name}: now ${present}`}
        width={columns * pitch - (pitch - WIDTH) + 8}
        height={rows * ROW + 36}
      >
        <defs>
          <marker
            id={arrow}
            viewBox="0 0 8 8"
            refX="8"
            refY="4"
            markerWidth="8"
            markerHeight="8"
            markerUnits="userSpaceOnUse"
            orient="auto"
          >
            <path d="M 0 0 L 8 4 L 0 8 z" className="chart-head" />
          </marker>
        </defs>
        {lines.map((line) => {
          const { d, step, x, y } = pathOf(line, pitch)
          const { from, to, words } = line
          return (
            <g key={`${from.state} ${to.state}`} data-lit={from.state === present}>
              <path d={d} className="chart-line" markerEnd={`url(#${arrow})`}>
                <title>{`${from.state} to ${to.state}: ${words.join(", ")}`}</title>
              </path>
              {isLabelled(line) &&
                words.map((word, place) => (
                  <text
                    key={word}
                    x={x}
                    y={y + (step > 0 ? place : words.length - 1 - place) * step}
                    className="chart-word"
                  >
                    {word.replace(/ \[.*/, "")}
                  </text>
                ))}
            </g>
          )
        })}
        {boxes.map((box) => {
          const { x, y } = placeOf(box, pitch)
          return (
            <g key={box.state} className="chart-state" data-present={box.state === present}>
              <rect x={x} y={y} width={WIDTH} height={HEIGHT} rx={6} />
              <text x={x + WIDTH / 2} y={y + HEIGHT / 2 + 4}>
                {box.state}
              </text>
            </g>
          )
        })}
      </svg>
    </div>
  )
}

export const Statechart = ({ chart, name, present }: Props) => {
  const next = chart.arrows.filter(({ from }) => from === present)
  const always = chart.arrows.filter(({ from }) => from === null)
  return (
    <section aria-label={`Statechart: ${name}`}>
      <Text size="sm" fw={600}>
        {name}
      </Text>
      <Drawing chart={chart} name={name} present={present} />
      <Text size="sm">From {present}:</Text>
      <List size="sm">
        {next.map((one) => (
          <List.Item key={`${wordOf(one)} ${one.to}`}>
            {wordOf(one)} leads to {one.to}
          </List.Item>
        ))}
        {next.length === 0 && <List.Item>nothing follows automatically</List.Item>}
        {always.length > 0 && (
          <List.Item>
            {[...new Set(always.map(({ event }) => event))].join(", ")} leads from every state to{" "}
            {always.map(({ to }) => to).join(", ")}
          </List.Item>
        )}
      </List>
    </section>
  )
}
