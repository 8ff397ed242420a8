/**
 * The front of a switch: blocks of twelve, the first of each pair above, in the colours of a layer. It is one stop of the tab key: arrows move,
 * space marks, Enter opens. The key below counts, and filters.
 */
import { IconAlertTriangle, IconBan } from "@tabler/icons-react"
import { type KeyboardEvent, type MouseEvent, useRef, useState } from "react"
import { inSentence } from "../../../../src/domain/words/Word.ts"
import { counted } from "../../../../src/domain/words/Units.ts"
import type { StoredPort } from "./edits.ts"
import {
  blocksOf,
  errorsOf,
  keyOf,
  neighbourOf,
  type PortReading,
  shortName,
  spokenName,
  type Shown,
  stateOf,
  useOf
} from "./plate.ts"

interface Props {
  readonly ports: ReadonlyArray<StoredPort>
  readonly readings: Readonly<Record<string, PortReading>>
  readonly shownOf: (port: StoredPort) => Shown
  readonly chosen: ReadonlySet<string>
  /** Opens one port, and lets go of the others. */
  readonly open: (name: string) => void
  readonly mark: (name: string) => void
  /** The entry of the key whose ports are shown alone. */
  readonly only: string | undefined
  readonly filter: (entry: string | undefined) => void
}

const Mark = ({ mark }: Pick<Shown, "mark">) => {
  if (mark === "off") return <IconBan size={11} stroke={1.75} aria-hidden />
  if (mark === "errors") return <IconAlertTriangle size={11} stroke={1.75} aria-hidden />
  return null
}

const aboutPort = (port: StoredPort, reading: PortReading | undefined): string => {
  const errors = errorsOf(reading)
  return `${inSentence(stateOf(port, reading))}, ${useOf(port)}${errors > 0 ? `, ${counted(errors, "error")}` : ""}`
}

export const Faceplate = ({ chosen, filter, mark, only, open, ports, readings, shownOf }: Props) => {
  const blocks = blocksOf(ports)
  const front = useRef<HTMLDivElement>(null)
  const [active, setActive] = useState<string | undefined>(undefined)
  const stop = active ?? [...chosen][0] ?? ports[0]?.name
  const focus = (name: string) => {
    setActive(name)
    front.current?.querySelector<HTMLButtonElement>(`[data-port="${CSS.escape(name)}"]`)?.focus()
  }
  const onKey = (event: KeyboardEvent, name: string) => {
    if (event.key === " ") {
      event.preventDefault()
      return mark(name)
    }
    const to = neighbourOf(blocks, name, event.key)
    if (to === undefined) return
    event.preventDefault()
    focus(to)
  }
  const onClick = (event: MouseEvent, name: string) => {
    setActive(name)
    if (event.ctrlKey || event.metaKey || event.shiftKey) mark(name)
    else open(name)
  }
  return (
    <>
      <div className="front" role="group" aria-label="Front of the switch" ref={front}>
        {blocks.map((block) => (
          <div key={block[0]?.name} className="front-block">
            {block.map((port) => {
              const shown = shownOf(port)
              const about = aboutPort(port, readings[port.name])
              return (
                <button
                  key={port.name}
                  type="button"
                  className="front-port"
                  data-port={port.name}
                  data-colour={shown.colour}
                  data-fill={shown.fill}
                  data-faded={only !== undefined && shown.entry !== only}
                  aria-pressed={chosen.has(port.name)}
                  aria-label={`${spokenName(port.name)}: ${about}`}
                  title={`${port.name}: ${about}`}
                  tabIndex={port.name === stop ? 0 : -1}
                  onKeyDown={(event) => onKey(event, port.name)}
                  onClick={(event) => onClick(event, port.name)}
                >
                  {shortName(port.name)}
                  <Mark mark={shown.mark} />
                </button>
              )
            })}
          </div>
        ))}
      </div>
      <ul className="front-key" aria-label="Key">
        {keyOf(ports.map(shownOf)).map(({ colour, count, entry, fill }) => (
          <li key={entry}>
            <button
              type="button"
              aria-pressed={only === entry}
              onClick={() => filter(only === entry ? undefined : entry)}
            >
              <span className="front-swatch" data-colour={colour} data-fill={fill} aria-hidden />
              {entry} <b>{count}</b>
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}
