/** The answer: where the machine is plugged in, as one sentence; the port's card, and folded what is only of interest to some. */
import { Button, Group, Stack, Text } from "@mantine/core"
import { IconAdjustmentsHorizontal, IconServer2 } from "@tabler/icons-react"
import { useState } from "react"
import { counted, speed } from "../../../src/domain/words/Units.ts"
import { inSentence } from "../../../src/domain/words/Word.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useDraft } from "../../app/useDraft.ts"
import { useMay, useMayChangePorts } from "../../app/useSession.ts"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { StatusWord } from "../../parts/StatusWord.tsx"
import { When } from "../../parts/When.tsx"
import { hasEdits, isEditable, isTyped, type StoredPort, UNTOUCHED, vlanOf } from "../device/ports/edits.ts"
import { errorsOf, type Readings, stateOf, useOf } from "../device/ports/plate.ts"
import { PortForm, PortHistory, RestartPort } from "../device/ports/PortCard.tsx"
import "../device/ports/ports.css"
import { useReadings, useVlans } from "../device/ports/usePorts.ts"
import type { Answer, Place } from "./answer.ts"

type One = Extract<Answer, { readonly is: "one" }>

const deviceAt = (hostname: string, port: string) =>
  `/device/${encodeURIComponent(hostname)}?tab=ports&port=${encodeURIComponent(port)}`

/** State, VLAN and errors of the port, as far as they were read. */
const Facts = ({
  place,
  port,
  readings
}: {
  readonly place: Place
  readonly port: StoredPort | undefined
  readonly readings: Readings | undefined
}) => {
  const vlans = useVlans(place.hostname)
  const reading = readings?.ports[place.port]
  // where the network decides, the VLAN is the one in which the machine was heard
  const isOpen = port === undefined || vlanOf(port) === ""
  const use = isOpen && place.vlan_name !== null ? place.vlan_name : port === undefined ? "" : useOf(port)
  const id = vlans.find(({ name }) => name === use)?.id ?? (place.vlan_name === use ? place.vlan : null)
  const errors = errorsOf(reading)
  const at = speed(reading?.speed)
  return (
    <dl className="port-facts">
      {reading !== undefined && port !== undefined && (
        <>
          <dt>State</dt>
          <dd>
            <StatusWord tone={reading.is_up === true ? "good" : "quiet"}>
              {stateOf(port, reading)}
              {reading.is_up === true && reading.speed !== null && `, ${at}`}
            </StatusWord>
            {reading.last_flapped > 0 && (
              <>
                {" "}
                since <When at={reading.last_flapped} />
              </>
            )}
          </dd>
        </>
      )}
      {use !== "" && (
        <>
          <dt>VLAN</dt>
          <dd>
            {use} {id}
            {isOpen && port !== undefined && place.vlan_name !== null && ` (${inSentence(useOf(port))})`}
          </dd>
        </>
      )}
      {reading?.errors !== undefined && (
        <>
          <dt>Errors</dt>
          <dd>{errors > 0 ? <StatusWord tone="warn">{errors.toLocaleString()}</StatusWord> : "0"}</dd>
        </>
      )}
      {place.ip !== null && (
        <>
          <dt>Address</dt>
          <dd className="mono">{place.ip}</dd>
        </>
      )}
      {place.last_seen !== null && (
        <>
          <dt>Last heard</dt>
          <dd>
            <When at={place.last_seen} />
          </dd>
        </>
      )}
      {readings !== undefined && readings.problem !== null && readings.read_at !== null && (
        <>
          <dt>Read</dt>
          <dd title={readings.problem.message}>
            <StatusWord tone="warn">
              {readings.problem.busy ? "The switch is busy" : "The switch was not read"}
            </StatusWord>
            ; from <When at={readings.read_at} />
          </dd>
        </>
      )}
    </dl>
  )
}

const Way = ({ before, place, way }: One) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <Stack gap={4}>
      {place.mac !== null && (
        <Text size="sm">
          This machine came here <When at={place.first_seen} />.
        </Text>
      )}
      {before.map(({ hostname, last_seen, port }) => (
        <Text key={`${hostname} ${port}`} size="sm">
          Before: <PlainLink to={deviceAt(hostname, port)}>{`${hostname}, ${port}`}</PlainLink>, last heard there{" "}
          <When at={last_seen} />
        </Text>
      ))}
      {way.length > 0 && (
        <Text size="sm" component="div">
          Also learnt by {counted(new Set(way.map(({ hostname }) => hostname)).size, "switch", "switches")} on the way,
          as expected.{" "}
          <button type="button" className="port-name" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? "Hide" : "Show"}
          </button>
          {isOpen && (
            <ul>
              {way.map(({ hostname, last_seen, port }) => (
                <li key={`${hostname} ${port}`}>
                  <PlainLink to={`/device/${encodeURIComponent(hostname)}?tab=ports`}>{hostname}</PlainLink>, {port},
                  heard <When at={last_seen} />
                </li>
              ))}
            </ul>
          )}
        </Text>
      )}
    </Stack>
  )
}

export const PortAnswer = (answer: One) => {
  const { place } = answer
  const { description, hostname, location, mac, port: name } = place
  const may = useMay()
  const asked = useAsk("GET /device/:hostname/interfaces", { params: { hostname } }, { kinds: ["interface"] })
  const { readings } = useReadings(hostname)
  const [typed, setTyped] = useDraft(`port ${hostname} ${name}`, UNTOUCHED, isTyped, ({ edits }) => hasEdits(edits))
  const [isOpen, setOpen] = useState(hasEdits(typed.edits))
  const data = asked.data?.answer.data
  const port = data?.interfaces.find((one) => one.name === name)
  const mayChangePorts = useMayChangePorts()
  const mayChange = port !== undefined && isEditable(port) && mayChangePorts(hostname, [name])
  const title = description ?? mac?.toLowerCase() ?? name
  return (
    <article className="answer" aria-label="Answer">
      <section className="group">
        <Stack gap="sm" p={6}>
          <div>
            <Text fw={600}>{title}</Text>
            {mac !== null && title !== mac.toLowerCase() && <span className="mono">{mac.toLowerCase()}</span>}
          </div>
          <p className="answer-sentence" role="status">
            {mac === null ? "It is" : "It is plugged into"} <b>{inSentence(`port ${name}`)}</b> of <b>{hostname}</b>
            {location !== null && (
              <>
                , <b>{location}</b>
              </>
            )}
            .
          </p>
          <Facts place={place} port={port} readings={readings} />
        </Stack>
      </section>
      <Group gap="xs" className="answer-actions">
        {mayChange && !isOpen && (
          <Button
            data-main
            leftSection={<IconAdjustmentsHorizontal size={16} stroke={1.75} />}
            onClick={() => setOpen(true)}
          >
            Change VLAN or name
          </Button>
        )}
        {mayChange && may("PUT", `/device/${hostname}/interface_status`) && (
          <RestartPort hostname={hostname} names={[name]} reread={() => asked.refetch()} />
        )}
        <PlainLink to={deviceAt(hostname, name)} className="answer-link">
          <IconServer2 size={16} stroke={1.75} aria-hidden /> See switch
        </PlainLink>
      </Group>
      {mayChange && isOpen && data !== undefined && (
        <section className="group">
          <div className="answer-form">
            <PortForm
              hostname={hostname}
              version={data.version}
              ports={[port]}
              reread={() => asked.refetch()}
              edits={typed.edits}
              pinned={typed.pinned}
              type={(changes) => setTyped({ ...typed, ...changes })}
            />
          </div>
        </section>
      )}
      <PortHistory hostname={hostname} port={name} />
      <Way {...answer} />
    </article>
  )
}
