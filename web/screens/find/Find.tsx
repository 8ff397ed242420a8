/** One field that finds a person's port, machines, switches and VLANs. The question is in the address; the answer comes first. */
import { CloseButton, Group, Text, TextInput } from "@mantine/core"
import { useDebouncedValue } from "@mantine/hooks"
import { IconHistory, IconSearch } from "@tabler/icons-react"
import { type FormEvent, useEffect, useState } from "react"
import { switches } from "../../../src/domain/words/Units.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useWords } from "../../app/useAddress.ts"
import { Asked } from "../../parts/Asked.tsx"
import { PageHead } from "../../parts/PageHead.tsx"
import { When } from "../../parts/When.tsx"
import { answerOf, type Found, type Place } from "./answer.ts"
import "./find.css"
import { Hits } from "./Hits.tsx"
import { Home } from "./Home.tsx"
import { PortAnswer } from "./PortAnswer.tsx"
import { ReadTables } from "./ReadTables.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { recent, remember } from "./recent.ts"

const WAIT = 350

const Question = ({ ask, q }: { readonly q: string; readonly ask: (q: string) => void }) => {
  const [typed, setTyped] = useState(q)
  const [settled] = useDebouncedValue(typed.trim(), WAIT)
  // answers while the person types, from the second character on
  useEffect(() => {
    if (settled !== q && settled === typed.trim() && settled.length > 1) ask(settled)
  }, [ask, q, settled, typed])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    remember(typed.trim())
    ask(typed.trim())
  }
  return (
    <form onSubmit={submit} role="search">
      <TextInput
        type="search"
        className="find-field"
        aria-label="Room, name, MAC, IP, serial number, switch and port, VLAN"
        placeholder="Room, name, MAC, IP, serial"
        leftSection={<IconSearch size={18} stroke={1.75} aria-hidden />}
        rightSection={
          typed === "" ? null : (
            <CloseButton
              aria-label="Clear the field"
              onClick={() => {
                setTyped("")
                ask("")
              }}
            />
          )
        }
        value={typed}
        data-autofocus
        onChange={({ currentTarget: { value } }) => setTyped(value)}
      />
    </form>
  )
}

const Recent = ({ ask }: { readonly ask: (q: string) => void }) => {
  const texts = recent()
  if (texts.length === 0) return null
  return (
    <Group gap="xs" my="sm" role="group" aria-label="Asked before">
      {texts.map((text) => (
        <button key={text} type="button" className="find-chip" onClick={() => ask(text)}>
          <IconHistory size={13} stroke={1.75} aria-hidden />
          {text}
        </button>
      ))}
    </Group>
  )
}

/** How complete the tables of machines are. */
const Known = ({ devices, newest, read }: Found["tables"]) => (
  <Text size="sm" my="xs" component="div" c="dimmed">
    {read === 0 ? (
      "No switch was asked yet which machines it knows."
    ) : (
      <>
        Addresses from {read === devices ? `all ${switches(devices)}` : `${read} of ${switches(devices)}`}, read{" "}
        <When at={newest} />.
      </>
    )}
  </Text>
)

/** Why nothing was found, and when tables were read. */
const Nothing = ({ q, tables }: { readonly q: string; readonly tables: Found["tables"] }) => (
  <div className="empty" role="status">
    <b>Nothing is known of {q}</b>
    <Text component="div">
      {tables.read === 0 ? (
        "No switch was asked yet which machines it knows."
      ) : (
        <>
          No switch has heard it, and no name has it. Tables were read <When at={tables.newest} />
          {tables.read < tables.devices && `, of ${tables.read} of ${switches(tables.devices)}`}.
        </>
      )}
    </Text>
    <ReadTables />
  </div>
)

const Several = ({
  pick,
  places
}: {
  readonly places: ReadonlyArray<Place>
  readonly pick: (place: Place) => void
}) => (
  <section aria-label="Several places">
    <Text my="xs">{places.length} places; the newest first. Which one is it?</Text>
    <ul className="find-list">
      {places.map((place) => (
        <li key={`${place.hostname} ${place.port} ${place.mac} ${place.vlan}`}>
          <button type="button" onClick={() => pick(place)}>
            <span>
              <b>{`${place.hostname}, ${place.port}`}</b>
              {place.location !== null && `, ${place.location}`}
              <br />
              <Text size="xs" span>
                {[place.description, place.mac?.toLowerCase(), place.ip, place.vlan_name ?? place.vlan]
                  .filter((part) => part !== null && part !== undefined)
                  .join(" · ")}
              </Text>
            </span>
            {place.last_seen !== null && (
              <Text size="xs" span>
                heard <When at={place.last_seen} />
              </Text>
            )}
          </button>
        </li>
      ))}
    </ul>
  </section>
)

const Results = ({
  at,
  found,
  pick,
  q
}: {
  readonly q: string
  readonly at: string | undefined
  readonly found: Found
  readonly pick: (place: Place | null) => void
}) => {
  const answer = answerOf(found, at ?? q)
  useEffect(() => {
    if (found.hits.length > 0) remember(q)
  }, [found, q])
  if (found.hits.length === 0) return <Nothing q={q} tables={found.tables} />
  const others = found.hits.filter(({ kind }) => kind !== "mac" && (kind !== "port" || answer.is === "other"))
  return (
    <>
      {at !== undefined && <PlainLink to={`/find?q=${encodeURIComponent(q)}`}>Back to all places</PlainLink>}
      {answer.is === "one" && <PortAnswer key={`${answer.place.hostname} ${answer.place.port}`} {...answer} />}
      {answer.is === "several" && <Several places={answer.places} pick={pick} />}
      <Known {...found.tables} />
      {answer.is !== "one" && <ReadTables />}
      {answer.is !== "one" && <Hits hits={others} />}
      {found.truncated && <Text>Showing the first 200 of each kind. Narrow it down.</Text>}
    </>
  )
}

export default function Find() {
  const [{ at, q = "" }, change] = useWords()
  const found = useAsk("GET /find", { query: { q } }, { enabled: q !== "", kinds: ["job"], keep: q !== "" })
  const ask = (text: string) => {
    if (text !== q) change({ q: text === "" ? undefined : text, at: undefined })
  }
  return (
    <div className="find">
      <PageHead title={q === "" ? "What are you looking for?" : "Find"} />
      <Question key={q === "" ? "empty" : "asked"} q={q} ask={ask} />
      {q === "" ? (
        <>
          <Recent ask={ask} />
          <Home />
        </>
      ) : (
        <Asked of={found} what="what was found">
          {({ data }) => (
            <Results
              q={q}
              at={at}
              found={data}
              pick={(place) => change({ at: place === null ? undefined : `${place.hostname} ${place.port}` })}
            />
          )}
        </Asked>
      )}
    </div>
  )
}
