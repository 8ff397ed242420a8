/**
 * Every device as a small cell: filled, striped, hollow or crossed, so that its standing is seen without the colour. The grid is one stop of
 * the keyboard: arrows, Home and End move, Enter opens. Its name and standing are in the tooltip and are read aloud.
 */
import { useRouter } from "@tanstack/react-router"
import { type KeyboardEvent, memo, useId, useRef, useState } from "react"
import type { ToneName } from "./tones.ts"

/** Filled: it is done. Striped: it moves. Hollow: it waits, or nothing happened to it. Crossed: it failed. */
export type CellShape = "filled" | "striped" | "hollow" | "crossed"

interface DeviceCell {
  readonly hostname: string
  readonly tone: ToneName
  readonly shape: CellShape
  /** Its standing: `being checked`. */
  readonly said: string
}

export interface DeviceRow {
  readonly key: string
  /** `Stage 2`; empty for a grid of one row. */
  readonly label: string
  readonly devices: ReadonlyArray<DeviceCell>
}

interface Props {
  readonly label: string
  readonly rows: ReadonlyArray<DeviceRow>
  /** What Enter or a click does; by default it opens the device. */
  readonly open?: (hostname: string) => void
}

/** From this number of devices on the cells are smaller. */
const MANY = 400

interface CellProps extends DeviceCell {
  readonly id: string
  readonly isActive: boolean
}

const Cell = memo(({ hostname, id, isActive, said, shape, tone }: CellProps) => (
  <span
    role="gridcell"
    id={id}
    className="cell"
    data-tone={tone}
    data-shape={shape}
    data-hostname={hostname}
    title={`${hostname}: ${said}`}
    aria-label={`${hostname}: ${said}`}
    {...(isActive ? { "data-active": true } : {})}
  />
))

/** The place after a key: rows count as lines of the same grid. Undefined for other keys. */
const placeAfter = (key: string, at: number, starts: ReadonlyArray<number>, count: number): number | undefined => {
  const row = starts.findLastIndex((start) => start <= at)
  const column = at - (starts[row] ?? 0)
  const inRow = (other: number) => {
    const start = starts[other]
    return start === undefined ? at : Math.min(start + column, (starts[other + 1] ?? count) - 1)
  }
  const places: Readonly<Record<string, number>> = {
    ArrowRight: at + 1,
    ArrowLeft: at - 1,
    ArrowDown: inRow(row + 1),
    ArrowUp: inRow(row - 1),
    Home: 0,
    End: count - 1
  }
  const place = places[key]
  return place === undefined ? undefined : Math.max(0, Math.min(count - 1, place))
}

export const DeviceGrid = ({ label, open, rows }: Props) => {
  const router = useRouter()
  const id = useId()
  const grid = useRef<HTMLDivElement>(null)
  const [active, setActive] = useState(0)
  const shown = rows.filter(({ devices }) => devices.length > 0)
  const devices = shown.flatMap((row) => row.devices)
  const starts = shown.map((_, index) => shown.slice(0, index).reduce((sum, row) => sum + row.devices.length, 0))
  const at = Math.min(active, devices.length - 1)
  const go = open ?? ((hostname: string) => router.history.push(`/ui/device/${encodeURIComponent(hostname)}`))
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const hostname = devices[at]?.hostname
    if (event.key === "Enter" && hostname !== undefined) return go(hostname)
    const place = placeAfter(event.key, at, starts, devices.length)
    if (place === undefined) return
    event.preventDefault()
    setActive(place)
    grid.current?.querySelector(`[id="${id}-${place}"]`)?.scrollIntoView({ block: "nearest", inline: "nearest" })
  }
  if (devices.length === 0) return null
  return (
    <div
      ref={grid}
      role="grid"
      className="device-grid"
      aria-label={label}
      aria-activedescendant={`${id}-${at}`}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onClick={({ target }) => {
        const hostname = target instanceof HTMLElement ? target.dataset["hostname"] : undefined
        if (hostname !== undefined) go(hostname)
      }}
      {...(devices.length > MANY ? { "data-many": true } : {})}
    >
      {shown.map((row, index) => (
        <div role="row" key={row.key} className="device-row">
          {row.label !== "" && <span role="rowheader">{row.label}</span>}
          <span role="presentation" className="device-cells">
            {row.devices.map((device, column) => {
              const place = (starts[index] ?? 0) + column
              return <Cell key={device.hostname} {...device} id={`${id}-${place}`} isActive={place === at} />
            })}
          </span>
        </div>
      ))}
    </div>
  )
}
