/** Stacked columns over time, drawn as SVG from the tokens, with a sentence as their label and their numbers as a table. */
import { Button } from "@mantine/core"
import { useElementSize } from "@mantine/hooks"
import { scaleBand, scaleLinear } from "d3-scale"
import { type ReactNode, useState } from "react"
import { Rows } from "./SmallTable.tsx"
import type { ToneName } from "./tones.ts"
import "./charts.css"

/** Pixels around the drawing: the times stand below it. */
const MARGIN = { top: 8, right: 8, bottom: 20 } as const
/** Pixels of a character beside the axis. */
const CHARACTER = 7
const TICKS = 3

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
          <Rows
            label={label}
            heads={heads}
            rows={rows}
            keyOf={([first = ""]) => first}
            cells={(row) => row}
            spacing={2}
          />
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
