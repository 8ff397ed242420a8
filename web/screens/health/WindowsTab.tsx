/** The windows and freezes of the next two weeks as a calendar: a row for each, a column for each day, bars where it is open. */
import "./windows.css"
import { Alert, Card } from "@mantine/core"
import { type ReactNode, useState } from "react"
import type { Data } from "../../../src/api/Calls.ts"
import { typeWords } from "../../../src/domain/words/DeviceWords.ts"
import { inSentence, textOf } from "../../../src/domain/words/Word.ts"
import { dayName, momentOf, stampTime } from "../../../src/domain/words/Units.ts"
import { useAsk } from "../../api/useAsk.ts"
import { Asked } from "../../parts/Asked.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { StatusWord } from "../../parts/StatusWord.tsx"
import type { ToneName } from "../../parts/tones.ts"
import { When } from "../../parts/When.tsx"
import { useZone } from "../../parts/zone.ts"

type Overview = Data<"GET /windows">
type Scope = Pick<Overview["windows"][number], "name" | "groups" | "device_types" | "timezone" | "spans">

const DAYS = 14
const HOUR = 3_600_000
const DAY = 24 * HOUR

/** `groups EAST_WING; types core, distribution`. */
const scopeOf = ({ device_types, groups }: Scope): string => {
  const parts = [
    ...(groups === null ? [] : [groups.join(", ")]),
    ...(device_types === null ? [] : [device_types.map((type) => inSentence(textOf(typeWords, type))).join(", ")])
  ]
  return parts.length === 0 ? "all switches" : parts.join("; ")
}

const at = (text: string): number => momentOf(text)?.getTime() ?? 0

interface RowProps {
  readonly of: Scope
  readonly tone: ToneName
  readonly now: Date
  readonly start: number
  readonly status: ReactNode
}

const Row = ({ now, of, start, status, tone }: RowProps) => {
  const zone = useZone()
  const end = start + DAYS * DAY
  const shown = of.spans
    .map(({ from, to }) => ({ from: Math.max(at(from), start), to: Math.min(at(to), end), said: [from, to] as const }))
    .filter(({ from, to }) => from < to)
  const percent = (time: number) => ((time - start) / (end - start)) * 100
  const said = (text: string) => {
    const moment = momentOf(text)
    return moment === undefined ? "" : stampTime(moment, zone)
  }
  return (
    <tr>
      <th scope="row">
        {of.name}
        <small>
          {scopeOf(of)}, {of.timezone}
        </small>
      </th>
      <td>{status}</td>
      <td className="calendar-days">
        <svg
          width="100%"
          height="26"
          role="img"
          aria-label={
            shown.map((span) => `${said(span.said[0])} to ${said(span.said[1])}`).join("; ") || "not within two weeks"
          }
        >
          {Array.from({ length: DAYS + 1 }, (_, day) => (
            <line
              key={day}
              className="calendar-line"
              x1={`${(day / DAYS) * 100}%`}
              x2={`${(day / DAYS) * 100}%`}
              y1="0"
              y2="26"
            />
          ))}
          {shown.map((span) => (
            <rect
              key={span.from}
              className="calendar-span"
              data-tone={tone}
              x={`${percent(span.from)}%`}
              width={`${percent(span.to) - percent(span.from)}%`}
              y="6"
              height="14"
              rx="3"
            >
              <title>
                {said(span.said[0])} to {said(span.said[1])}
              </title>
            </rect>
          ))}
          <line
            className="calendar-now"
            x1={`${percent(now.getTime())}%`}
            x2={`${percent(now.getTime())}%`}
            y1="0"
            y2="26"
          />
        </svg>
      </td>
    </tr>
  )
}

const Calendar = ({ freezes, windows }: Pick<Overview, "freezes" | "windows">) => {
  const zone = useZone()
  const [now] = useState(() => new Date())
  // the calendar begins with the present hour's day in the zone of the reader
  const [hour = 0, minute = 0] = new Intl.DateTimeFormat("en-GB", {
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    ...(zone.timeZone === undefined ? {} : { timeZone: zone.timeZone })
  })
    .format(now)
    .split(":")
    .map(Number)
  const start = Math.floor(now.getTime() / 60_000) * 60_000 - hour * HOUR - minute * 60_000
  const days = Array.from({ length: DAYS }, (_, day) => new Date(start + day * DAY + HOUR))
  /** `Today`, `Fri 27`. */
  const short = (day: Date) => {
    const [name = "", number = ""] = dayName(day, now, zone).split(" ")
    return number === "" ? name : `${name.slice(0, 3)} ${number}`
  }
  return (
    <div className="calendar" tabIndex={0} role="region" aria-label="Calendar of the windows">
      <table>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Now</th>
            <th scope="col" className="calendar-days">
              <span className="calendar-heads">
                {days.map((day) => (
                  <span key={day.getTime()}>{short(day)}</span>
                ))}
              </span>
            </th>
          </tr>
        </thead>
        <tbody>
          {windows.map((window) => (
            <Row
              key={`window ${window.name}`}
              of={window}
              tone="good"
              now={now}
              start={start}
              status={
                window.is_open ? (
                  <>
                    <StatusWord tone="good">Open</StatusWord> until{" "}
                    <When at={window.closes_at} never="further notice" />
                  </>
                ) : (
                  <>
                    <StatusWord tone="quiet">Closed</StatusWord>, opens <When at={window.opens_at} never="never" />
                  </>
                )
              }
            />
          ))}
          {freezes.map((freeze) => (
            <Row
              key={`freeze ${freeze.name}`}
              of={freeze}
              tone="bad"
              now={now}
              start={start}
              status={
                freeze.is_in_force ? (
                  <>
                    <StatusWord tone="bad">Frozen{freeze.reason === null ? "" : `: ${freeze.reason}`}</StatusWord> until{" "}
                    <When at={freeze.ends_at} />
                  </>
                ) : (
                  <>
                    Freeze{freeze.reason === null ? "" : `: ${freeze.reason}`}, begins{" "}
                    <When at={freeze.begins_at} never="never" />
                  </>
                )
              }
            />
          ))}
        </tbody>
      </table>
    </div>
  )
}

export const WindowsTab = () => {
  const asked = useAsk("GET /windows", {}, { every: 60_000, kinds: ["window"] })
  return (
    <Asked of={asked} what="the windows">
      {({ data: { freezes, problem, windows } }) => (
        <>
          {problem !== null && (
            <Alert variant="outline" mb="sm" title="windows.yml has a mistake" className="problem">
              {problem}
            </Alert>
          )}
          {windows.length + freezes.length === 0 ? (
            <Card withBorder>
              <Empty title="Switches may be changed at any time">
                No windows are set. <PlainLink to="/manual/windows">Windows</PlainLink> says how windows.yml limits
                changes to nights and weekends.
              </Empty>
            </Card>
          ) : (
            <Card withBorder padding={0}>
              <Calendar windows={windows} freezes={freezes} />
            </Card>
          )}
        </>
      )}
    </Asked>
  )
}
