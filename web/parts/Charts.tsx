/**
 * Charts over time, drawn as SVG from the tokens: stacked columns, a line with its band, and a spark for rows. Each has a sentence as its label,
 * and its numbers as a table. (The stacked bar is `StackedBar`.)
 */
import { Button, Table } from "@mantine/core"
import { useElementSize } from "@mantine/hooks"
import { scaleBand, scaleLinear, scaleTime } from "d3-scale"
import { area, line } from "d3-shape"
import { type ReactNode, useState } from "react"
import type { ToneName } from "./tones.ts"
import "./charts.css"

/** Pixels around the drawing: the times stand below it. */
const MARGIN = { top: 8, right: 8, bottom: 20 } as const
/** Pixels of a character beside the axis. */
const CHARACTER = 7
const TICKS = 3
/** Pixels for the word of a time. */
const WORD = 70

interface FrameProps {
  /** What is seen, in a sentence: "Most switches were out of sync on Sunday: 34 of 308." */
  readonly label: string
  readonly heads: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
  readonly height: number
  readonly draw: (width: number) => ReactNode
}

/** The drawing, or its numbers. */
const Frame = ({ draw, heads, height, label, rows }: FrameProps) => {
  const { ref, width } = useElementSize()
  const [isTable, setTable] = useState(false)
  return (
    <div className="graph" ref={ref}>
      {isTable ? (
        <div className="graph-table" tabIndex={0} role="region" aria-label={label}>
          <Table aria-label={label} verticalSpacing={2}>
            <Table.Thead>
              <Table.Tr>
                {heads.map((head) => (
                  <Table.Th key={head} scope="col">
                    {head}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map((cells) => (
                <Table.Tr key={cells[0]}>
                  {cells.map((cell, index) => (
                    <Table.Td key={heads[index]}>{cell}</Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      ) : (
        <svg role="img" aria-label={label} width="100%" height={height} viewBox={`0 0 ${Math.max(width, 1)} ${height}`}>
          {width > 0 && draw(width)}
        </svg>
      )}
      <Button size="compact-xs" variant="subtle" className="graph-switch" onClick={() => setTable(!isTable)}>
        {isTable ? "Show as chart" : "Show as table"}
      </Button>
    </div>
  )
}

/** Pixels for the numbers left of the drawing. */
const leftOf = (ticks: ReadonlyArray<number>, textOf: (value: number) => string): number =>
  14 + CHARACTER * Math.max(2, ...ticks.map((tick) => textOf(tick).length))

interface AxisProps {
  readonly left: number
  readonly y: (value: number) => number
  readonly ticks: ReadonlyArray<number>
  readonly width: number
  readonly textOf: (value: number) => string
}

const Axis = ({ left, textOf, ticks, width, y }: AxisProps) => (
  <g className="graph-axis">
    {ticks.map((tick) => (
      <g key={tick}>
        <line x1={left} x2={width - MARGIN.right} y1={y(tick)} y2={y(tick)} />
        <text x={left - 8} y={y(tick)} dy="0.32em" textAnchor="end">
          {textOf(tick)}
        </text>
      </g>
    ))}
  </g>
)

export interface Series {
  readonly key: string
  /** `changed by hand`. */
  readonly label: string
  readonly tone: ToneName
}

export interface ChartColumn {
  /** The time as the table says it, different for each column. */
  readonly name: string
  /** The word below the axis; empty for none. */
  readonly tick: string
  /** A number for each series, the lowest first. */
  readonly values: ReadonlyArray<number>
}

interface ColumnsProps {
  readonly label: string
  readonly series: ReadonlyArray<Series>
  readonly columns: ReadonlyArray<ChartColumn>
  /** Pixels. */
  readonly height?: number
}

const sum = (values: ReadonlyArray<number>) => values.reduce((one, other) => one + other, 0)

/** Stacked columns over time. */
export const ColumnsChart = ({ columns, height = 160, label, series }: ColumnsProps) => {
  const top = Math.max(1, ...columns.map(({ values }) => sum(values)))
  const y = scaleLinear([0, top], [height - MARGIN.bottom, MARGIN.top]).nice(TICKS)
  const ticks = y.ticks(TICKS).filter(Number.isInteger)
  const left = leftOf(ticks, String)
  const draw = (width: number) => {
    const x = scaleBand(
      columns.map(({ name }) => name),
      [left, width - MARGIN.right]
    ).padding(0.35)
    return (
      <>
        <Axis y={y} ticks={ticks} left={left} width={width} textOf={String} />
        {columns.map(({ name, tick, values }) => (
          <g key={name} transform={`translate(${x(name) ?? 0})`}>
            {series.map(({ key, label: word, tone }, index) => {
              const from = sum(values.slice(0, index))
              const value = values[index] ?? 0
              const tall = y(from) - y(from + value)
              return (
                value > 0 && (
                  <rect
                    key={key}
                    data-tone={tone}
                    className="graph-fill"
                    y={y(from + value)}
                    width={x.bandwidth()}
                    height={Math.max(1, tall - 1)}
                    rx={1.5}
                  >
                    <title>{`${name}: ${value} ${word}`}</title>
                  </rect>
                )
              )
            })}
            {tick !== "" && (
              <text className="graph-word" y={height - 4}>
                {tick}
              </text>
            )}
          </g>
        ))}
      </>
    )
  }
  return (
    <Frame
      label={label}
      height={height}
      heads={["Time", ...series.map((one) => one.label)]}
      rows={columns.map(({ name, values }) => [name, ...values.map(String)])}
      draw={draw}
    />
  )
}

export interface ChartPoint {
  readonly at: Date
  readonly value: number
  /** The band around the value. */
  readonly low?: number
  readonly high?: number
}

interface LineProps {
  readonly label: string
  readonly points: ReadonlyArray<ChartPoint>
  readonly tone?: ToneName
  /** What the numbers are, as the head of the table. */
  readonly what: string
  /** A value with its unit. */
  readonly textOf: (value: number) => string
  /** A time as the table and the axis say it. */
  readonly timeOf: (at: Date) => string
  /** Pixels. */
  readonly height?: number
}

/** A line over time, with the band that its values stay in. */
export const LineChart = ({ height = 140, label, points, textOf, timeOf, tone = "info", what }: LineProps) => {
  const all = points.flatMap(({ high, low, value }) => [value, low ?? value, high ?? value])
  const lowest = Math.min(0, ...all)
  const highest = Math.max(lowest + 1, 0, ...all)
  const y = scaleLinear([lowest, highest], [height - MARGIN.bottom, MARGIN.top]).nice(TICKS)
  const ticks = y.ticks(TICKS)
  const left = leftOf(ticks, textOf)
  const times = points.map(({ at }) => at)
  const draw = (width: number) => {
    const [first = new Date(0)] = times
    const x = scaleTime([first, times.at(-1) ?? first], [left, width - MARGIN.right])
    const band = area<ChartPoint>(
      ({ at }) => x(at),
      ({ low, value }) => y(low ?? value),
      ({ high, value }) => y(high ?? value)
    )
    const drawn = line<ChartPoint>(
      ({ at }) => x(at),
      ({ value }) => y(value)
    )
    return (
      <>
        <Axis y={y} ticks={ticks} left={left} width={width} textOf={textOf} />
        <path className="graph-band" data-tone={tone} d={band([...points]) ?? ""} />
        <path className="graph-line" data-tone={tone} d={drawn([...points]) ?? ""} />
        {x.ticks(Math.max(2, Math.floor(width / (2 * WORD)))).map((at) => (
          <text key={at.getTime()} className="graph-word" x={x(at)} y={height - 4} textAnchor="middle">
            {timeOf(at)}
          </text>
        ))}
      </>
    )
  }
  return (
    <Frame
      label={label}
      height={height}
      heads={["Time", what]}
      rows={points.map(({ at, value }) => [timeOf(at), textOf(value)])}
      draw={draw}
    />
  )
}

interface SparkProps {
  /** A sentence, which also gives the last value. */
  readonly label: string
  readonly values: ReadonlyArray<number>
  readonly tone?: ToneName
}

const SPARK = { width: 96, height: 20 } as const

/** A small line for a row. Its last value stands beside it as text. */
export const Spark = ({ label, tone = "info", values }: SparkProps) => {
  const x = scaleLinear([0, Math.max(1, values.length - 1)], [1, SPARK.width - 1])
  const y = scaleLinear([Math.min(0, ...values), Math.max(1, ...values)], [SPARK.height - 2, 2])
  const drawn = line<number>(
    (_, index) => x(index),
    (value) => y(value)
  )
  return (
    <svg role="img" aria-label={label} className="spark" {...SPARK}>
      <path className="graph-line" data-tone={tone} d={drawn([...values]) ?? ""} />
    </svg>
  )
}
