/** One sentence of the audit with its links, its changed values, and behind a button the events that it tells. */
import "../../parts/panel.css"
import { ActionIcon, Code, Collapse } from "@mantine/core"
import { IconChevronDown, IconChevronRight } from "@tabler/icons-react"
import { Fragment } from "react"
import type { AuditEvent } from "../../../src/domain/events/Event.ts"
import { type AuditSentence, plainSentence } from "../../../src/domain/words/AuditSentences.ts"
import type { Part } from "../../../src/domain/words/AuditParts.ts"
import { wayWords } from "../../../src/domain/words/ServerWords.ts"
import { wordOf } from "../../../src/domain/words/Word.ts"
import { clockTime, momentOf, stampTime } from "../../../src/domain/words/Units.ts"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { ToneIcon } from "../../parts/StatusWord.tsx"
import { useZone } from "../../parts/zone.ts"

const deviceTo = (name: string) => `/device/${encodeURIComponent(name)}`

const Shown = ({ part }: { readonly part: Part }) => {
  if ("job" in part) return <PlainLink to={`/job/${part.job}`}>{part.text}</PlainLink>
  if ("text" in part) return <>{part.text}</>
  if ("name" in part) return <b>{part.name}</b>
  if ("device" in part) return <PlainLink to={deviceTo(part.device)}>{part.device}</PlainLink>
  if ("port" in part) return <PlainLink to={`${deviceTo(part.of)}?tab=ports`}>{part.port}</PlainLink>
  return (
    <PlainLink to={`/repository?name=${encodeURIComponent(part.repository)}`}>
      <code>{part.commit.slice(0, 7)}</code>
    </PlainLink>
  )
}

const fromWhere = ({ address, way }: AuditEvent): string =>
  way === "server" ? "Switchyard" : `${wordOf(wayWords, way).text}${address === null ? "" : `, ${address}`}`

interface Props {
  readonly sentence: AuditSentence
  readonly isOpen: boolean
  readonly toggle: () => void
}

/** Longer values are in the data only. */
const LONGEST = 60

const short = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text)

export const Sentence = ({ isOpen, sentence, toggle }: Props) => {
  const zone = useZone()
  const { changed, events, parts, tone } = sentence
  const [event] = events
  if (event === undefined) return null
  const moment = momentOf(event.at)
  const said = plainSentence(sentence)
  return (
    <li className="audit-row">
      <time dateTime={moment?.toISOString()} title={moment === undefined ? "" : stampTime(moment, zone)}>
        {moment === undefined ? "" : clockTime(moment, zone)}
      </time>
      <span className="entry-icon" data-tone={tone}>
        <ToneIcon tone={tone} size={14} />
      </span>
      <div className="audit-said">
        <div>
          {parts.map((part, place) => (
            // the parts of a sentence never change their places
            <Fragment key={place}>
              <Shown part={part} />
            </Fragment>
          ))}
        </div>
        {changed.length > 0 && (
          <div className="audit-changed">
            {changed.map(({ after, before, field }) => (
              <span key={field}>
                {field} <del>{short(before) || "–"}</del> → <ins>{short(after) || "–"}</ins>
              </span>
            ))}
          </div>
        )}
      </div>
      <span className="audit-way">{fromWhere(event)}</span>
      <ActionIcon
        variant="subtle"
        size={24}
        aria-expanded={isOpen}
        aria-label={`Show data: ${said}`}
        title="Show data"
        onClick={toggle}
      >
        {isOpen ? <IconChevronDown size={16} stroke={1.75} /> : <IconChevronRight size={16} stroke={1.75} />}
      </ActionIcon>
      <Collapse expanded={isOpen} className="audit-data">
        {isOpen && (
          <Code block tabIndex={0} aria-label={`Data of ${said}`}>
            {events.map((one) => JSON.stringify(one, null, 2)).join("\n")}
          </Code>
        )}
      </Collapse>
    </li>
  )
}
