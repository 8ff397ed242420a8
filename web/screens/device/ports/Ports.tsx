/** The ports of a device: its front in layers, a table, and the card that changes one or several. */
import { Button, Checkbox, Group, SegmentedControl, Table, Text, TextInput, Title } from "@mantine/core"
import { IconFileSpreadsheet, IconRefresh } from "@tabler/icons-react"
import { useEffect, useRef, useState } from "react"
import { counted, speed } from "../../../../src/domain/words/Units.ts"
import { inSentence } from "../../../../src/domain/words/Word.ts"
import { useAsk } from "../../../api/useAsk.ts"
import { useWords } from "../../../app/useAddress.ts"
import { useDraft } from "../../../app/useDraft.ts"
import { useLetter } from "../../../app/useLeaps.ts"
import { useMay } from "../../../app/useSession.ts"
import { Asked } from "../../../parts/Asked.tsx"
import { Empty } from "../../../parts/Empty.tsx"
import { PlainLink } from "../../../parts/PlainLink.tsx"
import { Problem } from "../../../parts/Problem.tsx"
import { StatusWord } from "../../../parts/StatusWord.tsx"
import { When } from "../../../parts/When.tsx"
import type { TabProps } from "../Device.tsx"
import { descriptionOf, hasEdits, isEditable, isTyped, type StoredPort, UNTOUCHED } from "./edits.ts"
import { Faceplate } from "./Faceplate.tsx"
import { errorsOf, type Layer, LAYERS, layersIn, type Readings, shownOf, stateOf, useOf } from "./plate.ts"
import { PortCard } from "./PortCard.tsx"
import "./ports.css"
import { useReadings, useVlans } from "./usePorts.ts"

const LAYER_WORDS: Readonly<Record<Layer, string>> = { vlan: "VLAN", speed: "Speed", errors: "Errors" }

const toggled = (names: ReadonlyArray<string>, name: string): ReadonlyArray<string> =>
  names.includes(name) ? names.filter((other) => other !== name) : [...names, name]

/** How old the readings are, and why they are not newer. */
const Age = ({ isReading, readings }: { readonly readings: Readings | undefined; readonly isReading: boolean }) => {
  if (readings === undefined) return null
  const { ports, problem, read_at } = readings
  const up = Object.values(ports).filter(({ is_up }) => is_up === true).length
  return (
    <Text role="status" size="sm" component="span">
      {read_at === null ? "Not read yet" : `${counted(up, "port is", "ports are")} up, read `}
      {read_at !== null && <When at={read_at} />}
      {isReading && ". Reading the switch…"}
      {problem !== null && !isReading && (
        <>
          {". "}
          <StatusWord tone="warn">{problem.busy ? "The switch is busy" : "The switch was not read"}</StatusWord>{" "}
          <span title={problem.message}>
            {read_at === null ? problem.message : "what you see is the last good reading"}
          </span>
        </>
      )}
    </Text>
  )
}

interface RowProps {
  readonly port: StoredPort
  readonly readings: Readings | undefined
  readonly isChosen: boolean
  readonly open: () => void
  readonly mark: () => void
}

const Row = ({ isChosen, mark, open, port, readings }: RowProps) => {
  const reading = readings?.ports[port.name]
  const machines = readings?.machines.filter((machine) => machine.port === port.name) ?? []
  const errors = errorsOf(reading)
  const state = stateOf(port, reading)
  return (
    <Table.Tr {...(isChosen ? { "data-chosen": true } : {})}>
      <Table.Td>
        {isEditable(port) && (
          <Checkbox size="xs" checked={isChosen} onChange={mark} aria-label={`Choose ${port.name}`} />
        )}
      </Table.Td>
      <Table.Td>
        <button type="button" className="port-name" data-port={port.name} onClick={open}>
          {port.name}
        </button>
      </Table.Td>
      <Table.Td>
        {errors > 0 ? (
          <StatusWord tone="warn">{`${state}, ${counted(errors, "error")}`}</StatusWord>
        ) : (
          <StatusWord tone={reading?.is_up === true ? "good" : "quiet"}>{state}</StatusWord>
        )}
      </Table.Td>
      <Table.Td>{reading?.is_up === true && reading.speed !== null ? speed(reading.speed) : "–"}</Table.Td>
      <Table.Td>{useOf(port)}</Table.Td>
      <Table.Td>{descriptionOf(port)}</Table.Td>
      <Table.Td className="mono">
        {machines[0] === undefined ? "–" : machines[0].mac.toLowerCase()}
        {machines.length > 1 && ` +${machines.length - 1}`}
      </Table.Td>
    </Table.Tr>
  )
}

/** The first field of the open form. */
const FIRST_FIELD = "form[aria-label='Change ports'] :is(select, input)"

const HEADS = ["Choose", "Port", "State", "Speed", "VLAN", "Description", "Connected"]

const matches = (port: StoredPort, readings: Readings | undefined, words: string): boolean => {
  const macs = readings?.machines.filter((machine) => machine.port === port.name).map(({ mac }) => mac) ?? []
  return [port.name, useOf(port), descriptionOf(port), ...macs].join(" ").toLowerCase().includes(words.toLowerCase())
}

export default function Ports({ device: { hostname, state } }: TabProps) {
  const may = useMay()
  const [words, change] = useWords()
  const [search, setSearch] = useState("")
  const opened = words["port"] === undefined ? UNTOUCHED : { ...UNTOUCHED, names: [words["port"]] }
  const [typed, setTyped] = useDraft("ports", opened, isTyped, ({ edits }) => hasEdits(edits))
  const { edits, names, pinned } = typed
  const chosen = new Set(names)
  const asked = useAsk("GET /device/:hostname/interfaces", { params: { hostname } }, { kinds: ["interface"] })
  const { error, isReading, read, readings } = useReadings(hostname)
  const vlans = useVlans(hostname).map(({ name }) => name)
  const layers = layersIn(readings?.ports)
  const layer = LAYERS.find((one) => one === words["layer"] && layers.includes(one)) ?? "vlan"
  const only = words["key"]
  const shown = (port: StoredPort) => shownOf(layer, port, readings?.ports[port.name], vlans)
  const choose = (to: ReadonlyArray<string>) => {
    setTyped({ ...UNTOUCHED, names: to })
    change({ port: to.length === 1 ? to[0] : undefined })
  }
  const open = (name: string) => choose(names.length === 1 && names[0] === name ? [] : [name])
  const mark = (name: string) => choose(toggled(names, name))
  const isEditAsked = useRef(false)
  useEffect(() => {
    if (!isEditAsked.current) return
    isEditAsked.current = false
    document.querySelector<HTMLElement>(FIRST_FIELD)?.focus()
  })
  useLetter("e", () => {
    const focused = document.activeElement?.closest("[data-port]")?.getAttribute("data-port")
    const isOpen = focused == null || chosen.has(focused)
    isEditAsked.current = !isOpen
    if (isOpen) document.querySelector<HTMLElement>(FIRST_FIELD)?.focus()
    else choose([focused])
  })
  return (
    <Asked of={asked} what={`the ports of ${hostname}`}>
      {({ data: { interfaces, version } }) => {
        if (interfaces.length === 0)
          return (
            <Empty>This device has no ports here: those of distribution and core switches are in the settings.</Empty>
          )
        const listed = interfaces.filter(
          (port) => (only === undefined || shown(port).entry === only) && matches(port, readings, search)
        )
        const ports = interfaces.filter(({ name }) => chosen.has(name))
        return (
          <div className="ports-split" data-open={ports.length > 0}>
            <div>
              <section className="group" aria-label="Ports">
                <Group justify="space-between" mb="sm" p={6}>
                  <Group gap="sm">
                    <Title order={2}>Ports</Title>
                    <Age readings={readings} isReading={isReading} />
                  </Group>
                  <Group gap="xs">
                    {layers.length > 1 && (
                      <SegmentedControl
                        size="xs"
                        aria-label="Colour by"
                        value={layer}
                        onChange={(to) => change({ layer: to === "vlan" ? undefined : to, key: undefined })}
                        data={layers.map((value) => ({ value, label: LAYER_WORDS[value] }))}
                      />
                    )}
                    {state === "MANAGED" && (
                      <Button
                        variant="default"
                        loading={isReading}
                        leftSection={<IconRefresh size={14} stroke={1.75} />}
                        onClick={() => void read()}
                      >
                        Read again
                      </Button>
                    )}
                  </Group>
                </Group>
                {error !== null && <Problem error={error} title="The readings could not be loaded" />}
                <Faceplate
                  ports={interfaces}
                  readings={readings?.ports ?? {}}
                  shownOf={shown}
                  chosen={chosen}
                  open={open}
                  mark={mark}
                  only={only}
                  filter={(entry) => change({ key: entry })}
                />
              </section>
              <section className="group" aria-label="Ports in words">
                <Group justify="space-between" mb="xs">
                  <Group gap="xs">
                    <TextInput
                      type="search"
                      aria-label="Search ports"
                      placeholder="Search ports"
                      value={search}
                      onChange={(event) => setSearch(event.currentTarget.value)}
                    />
                    {only !== undefined && (
                      <Button variant="default" onClick={() => change({ key: undefined })}>
                        Only {inSentence(only)} ×
                      </Button>
                    )}
                    {chosen.size > 0 && (
                      <Button variant="default" onClick={() => choose([])}>
                        Clear selection
                      </Button>
                    )}
                  </Group>
                  {may("GET", "/interfaces.csv") && (
                    <PlainLink to={`/ports?switches=${encodeURIComponent(hostname)}`}>
                      <IconFileSpreadsheet size={14} stroke={1.75} aria-hidden /> Several ports by a list
                    </PlainLink>
                  )}
                </Group>
                <Table.ScrollContainer
                  minWidth={420}
                  scrollAreaProps={{ viewportProps: { tabIndex: 0, role: "region", "aria-label": "Ports in words" } }}
                >
                  <Table aria-label="Ports in words" highlightOnHover verticalSpacing={4}>
                    <Table.Thead>
                      <Table.Tr>
                        {HEADS.map((head) => (
                          <Table.Th key={head} scope="col">
                            {head}
                          </Table.Th>
                        ))}
                      </Table.Tr>
                    </Table.Thead>
                    <Table.Tbody>
                      {listed.map((port) => (
                        <Row
                          key={port.name}
                          port={port}
                          readings={readings}
                          isChosen={chosen.has(port.name)}
                          open={() => open(port.name)}
                          mark={() => mark(port.name)}
                        />
                      ))}
                    </Table.Tbody>
                  </Table>
                </Table.ScrollContainer>
                {listed.length === 0 && (
                  <Empty>
                    Nothing matches.{" "}
                    <Button
                      variant="default"
                      size="xs"
                      onClick={() => {
                        setSearch("")
                        change({ key: undefined })
                      }}
                    >
                      Clear filters
                    </Button>
                  </Empty>
                )}
              </section>
            </div>
            {ports.length > 0 && (
              <PortCard
                key={names.join(" ")}
                hostname={hostname}
                version={version}
                ports={ports}
                readings={readings}
                reread={() => asked.refetch()}
                edits={edits}
                pinned={pinned}
                type={(changes) => setTyped({ ...typed, ...changes })}
                close={() => choose([])}
              />
            )}
          </div>
        )
      }}
    </Asked>
  )
}
