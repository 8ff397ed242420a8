/** The picture of `size`: seconds and memory over the number of switches, as SVG. Dashed is what the smallest size would be, many times. */
import type { Point } from "./SizeBench.ts"

const WIDTH = 420
const HEIGHT = 260
const LEFT = 50
const TOP = 40

interface Curve {
  readonly name: string
  readonly color: string
  readonly value: (point: Point) => number
}

const TIMES: ReadonlyArray<Curve> = [
  { name: "live sync", color: "#b3261e", value: ({ live }) => live.seconds },
  { name: "dry run", color: "#1f5fbf", value: ({ dry }) => dry.seconds },
  { name: "reference load", color: "#6b6b6b", value: ({ referenceSeconds }) => referenceSeconds }
]

const MEMORY: ReadonlyArray<Curve> = [
  { name: "live sync", color: "#b3261e", value: ({ live }) => live.megabytes },
  { name: "dry run", color: "#1f5fbf", value: ({ dry }) => dry.megabytes }
]

/** The next number above that reads well on an axis. */
const roundUp = (value: number): number => {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, value)))
  return ([1, 2, 2.5, 5, 10].find((step) => step * power >= value) ?? 10) * power
}

const label = (x: number, y: number, anchor: string, text: string, color = "#444") =>
  `<text x="${x.toFixed(0)}" y="${y.toFixed(0)}" text-anchor="${anchor}" fill="${color}">${text}</text>`

/** One diagram, `from` so many pixels from the left; with `ideal` the first point of each curve is drawn out in proportion. */
const diagram = (
  points: ReadonlyArray<Point>,
  title: string,
  curves: ReadonlyArray<Curve>,
  from: number,
  ideal: boolean
) => {
  const most = Math.max(1, ...points.map(({ devices }) => devices))
  const highest = roundUp(Math.max(...points.flatMap((point) => curves.map(({ value }) => value(point)))))
  const x = (devices: number) => from + LEFT + (devices / most) * WIDTH
  const y = (value: number) => TOP + HEIGHT - (value / highest) * HEIGHT
  const [first] = points
  const grid = [0, 0.25, 0.5, 0.75, 1].map(
    (part) =>
      `<path d="M${x(0)} ${y(part * highest)}H${x(most)}" stroke="#ddd"/>${label(x(0) - 6, y(part * highest) + 4, "end", String(part * highest))}`
  )
  const ticks = points.map(({ devices }) =>
    label(x(devices), TOP + HEIGHT + 18, "middle", devices.toLocaleString("en"))
  )
  const drawn = curves.map(({ color, name, value }, index) => {
    const line = points.map((point) => `${x(point.devices).toFixed(1)},${y(value(point)).toFixed(1)}`).join(" ")
    const dots = points.map(
      (point) =>
        `<circle cx="${x(point.devices).toFixed(1)}" cy="${y(value(point)).toFixed(1)}" r="3" fill="${color}"/>`
    )
    const end = first === undefined ? 0 : Math.min(highest, (value(first) * most) / first.devices)
    const proportion = `<path d="M${x(0)} ${y(0)}L${x(most)} ${y(end).toFixed(1)}" stroke="${color}" stroke-dasharray="3 4" opacity="0.5"/>`
    const key = label(x(0) + 10, TOP + 16 + index * 16, "start", name, color)
    return `<polyline points="${line}" fill="none" stroke="${color}" stroke-width="2"/>${dots.join("")}${ideal ? proportion : ""}${key}`
  })
  return [label(x(0), TOP - 16, "start", title, "#111"), ...grid, ...ticks, ...drawn].join("\n")
}

/** The picture of these points, which are in order of size. */
export const plot = (points: ReadonlyArray<Point>): string => {
  const each = LEFT + WIDTH + 30
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${2 * each} ${TOP + HEIGHT + 40}" font-family="sans-serif" font-size="12">
<rect width="100%" height="100%" fill="#fff"/>
${diagram(points, "seconds, by number of switches (dashed: in proportion)", TIMES, 0, true)}
${diagram(points, "most memory of the server in MB", MEMORY, each, false)}
</svg>
`
}
