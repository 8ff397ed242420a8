/** The network by its cabling: core, distribution, access, in the colours of the devices' status; and the same as a list. */
import { inSentence, textOf } from "../../../src/domain/words/Word.ts"
import { phaseWords } from "../../../src/domain/words/ChangeWords.ts"
import { stateWords, typeWords } from "../../../src/domain/words/DeviceWords.ts"
import "@xyflow/react/dist/style.css"
import { Button, Group, SegmentedControl, Text, useComputedColorScheme } from "@mantine/core"
import { useRouter } from "@tanstack/react-router"
import { Background, Controls, type Edge as FlowEdge, type Node, ReactFlow } from "@xyflow/react"
import "./topology.css"
import { useMemo } from "react"
import { useAsk } from "../../api/useAsk.ts"
import { useWords } from "../../app/useAddress.ts"
import { Empty } from "../../parts/Empty.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { ScreenTitle } from "../../parts/ScreenTitle.tsx"
import { SmallTable } from "../../parts/SmallTable.tsx"
import { Tone } from "../../parts/Tone.tsx"
import { Waiting } from "../../parts/Waiting.tsx"
import { AGREEMENTS, differs } from "./agreement.ts"
import { type Coloring, colorings, mostFrequent, standingOf, worst } from "./coloring.ts"
import { ALL, drawn, type Spot } from "./layout.ts"
import { SpotNode, type SpotData } from "./SpotNode.tsx"
import { type NetworkDevice, useNetwork } from "./useNetwork.ts"

const NODES = { spot: SpotNode }

const isColoring = (word: string): word is Coloring => colorings.some((one) => one === word)

const coloringIn = (word = ""): Coloring => (isColoring(word) ? word : "state")

const COLORINGS: Readonly<Record<Coloring, string>> = {
  state: "State",
  synchronized: "In sync",
  version: "Version",
  job: "Job"
}

const openIn = (word: string | undefined): ReadonlySet<string> =>
  new Set((word ?? "").split("|").filter((key) => key !== ""))

/** The devices of a running job, which are marked in the drawing. */
const useJobDevices = (id: string | undefined): ReadonlyMap<string, string> => {
  const { data } = useAsk(
    "GET /job/:id/progress",
    { params: { id: id ?? "" } },
    { enabled: id !== undefined, kinds: ["change", "job"] }
  )
  return new Map(
    (data?.answer.data.devices ?? []).map(({ failed, hostname, phase }) => [
      hostname,
      failed === true ? "failed" : phase === null ? "waiting" : inSentence(textOf(phaseWords, phase))
    ])
  )
}

const List = ({
  devices,
  names
}: {
  readonly devices: ReadonlyArray<NetworkDevice>
  readonly names: ReadonlyMap<number, ReadonlyArray<string>>
}) => (
  <SmallTable
    label="Devices and their links"
    heads={["Device", "Type", "State", "Linked to"]}
    rows={devices}
    keyOf={({ id }) => id}
    cells={({ device_type, hostname, id, state }) => [
      <PlainLink to={`/device/${encodeURIComponent(hostname)}`}>{hostname}</PlainLink>,
      textOf(typeWords, device_type),
      textOf(stateWords, state),
      (names.get(id) ?? []).join(", ")
    ]}
  />
)

export default function Topology() {
  const router = useRouter()
  const scheme = useComputedColorScheme("light")
  const [words, change] = useWords()
  const coloring = coloringIn(words["color"])
  const open = useMemo(() => openIn(words["open"]), [words])
  const { cables, devices, error, isKnown, names } = useNetwork()
  const inJob = useJobDevices(words["job"])
  const byId = useMemo(() => new Map(devices.map((device) => [device.id, device])), [devices])
  const usual = useMemo(() => mostFrequent(devices.map(({ os_version }) => os_version)), [devices])
  const { edges, spots } = useMemo(() => drawn(devices, cables, open), [devices, cables, open])
  const press = ({ devices: here, id }: Spot) => {
    const [only] = here
    if (here.length > 1) change({ open: [...open, id].join("|") })
    else if (only !== undefined) router.history.push(`/ui/device/${encodeURIComponent(only.hostname)}`)
  }
  const nodes = spots.map((spot): Node<SpotData> => {
    const standings = spot.devices.flatMap(({ id }) => {
      const device = byId.get(id)
      return device === undefined ? [] : [standingOf(device, coloring, usual)]
    })
    const [tone, word] = worst(standings)
    const [first] = spot.devices
    const label = spot.devices.length > 1 ? `${spot.devices.length} access switches` : (first?.hostname ?? "")
    const phase = first === undefined || spot.devices.length > 1 ? undefined : inJob.get(first.hostname)
    return {
      id: spot.id,
      type: "spot",
      position: { x: spot.x, y: spot.y },
      data: { label, tone, word: phase ?? word, press: () => press(spot) }
    }
  })
  const lines = edges.map(({ agreement, cables: count, from, id, to }): FlowEdge => ({
    id,
    source: from,
    target: to,
    type: "straight",
    className: `cable cable-${agreement}`,
    ariaLabel: id,
    ...(count > 1 ? { label: `${count}` } : {})
  }))
  return (
    <>
      <ScreenTitle>Topology</ScreenTitle>
      <Group mb="xs">
        <SegmentedControl
          aria-label="Colour by"
          data={colorings.map((value) => ({ value, label: COLORINGS[value] }))}
          value={coloring}
          onChange={(color) => change({ color })}
        />
        {!open.has(ALL) && spots.some(({ devices: here }) => here.length > 1) && (
          <Button size="compact-sm" variant="default" onClick={() => change({ open: ALL })}>
            Show every access switch
          </Button>
        )}
        {open.size > 0 && (
          <Button size="compact-sm" variant="default" onClick={() => change({ open: undefined })}>
            Fold access switches
          </Button>
        )}
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => change({ list: words["list"] === undefined ? "yes" : undefined })}
        >
          {words["list"] === undefined ? "Show as a list" : "Show as a drawing"}
        </Button>
        <Text size="sm" role="status">
          {devices.length} devices, {cables.length} cables,{" "}
          {cables.filter(({ agreement }) => differs(agreement)).length} differ from the plan
        </Text>
        <Tone tone="good">In sync</Tone> <Tone tone="info">Changing</Tone> <Tone tone="warn">Out of sync</Tone>{" "}
        <Tone tone="bad">Failed</Tone>
      </Group>
      {error !== null && <Problem error={error} title="The network could not be read" />}
      {!isKnown && error === null && <Waiting what="devices and links" />}
      {isKnown && devices.length === 0 && (
        <Empty>There are no devices yet. New switches appear automatically when they ask for an address.</Empty>
      )}
      {isKnown && devices.length > 0 && words["list"] !== undefined && <List devices={devices} names={names} />}
      {isKnown && devices.length > 0 && words["list"] === undefined && (
        <>
          <Group gap="md" mb="xs" role="list" aria-label="Legend of cables">
            {AGREEMENTS.map(([agreement, word]) => (
              <Group key={agreement} gap={6} role="listitem">
                <svg width="36" height="8" aria-hidden="true">
                  <line x1="0" y1="4" x2="36" y2="4" className={`cable-${agreement}`} />
                </svg>
                <Text size="sm">{word}</Text>
              </Group>
            ))}
          </Group>
          <div className="drawing">
            <ReactFlow
              key={[...open].join("|")}
              nodes={nodes}
              edges={lines}
              nodeTypes={NODES}
              colorMode={scheme}
              nodesDraggable={false}
              nodesConnectable={false}
              nodesFocusable={false}
              edgesFocusable={false}
              onlyRenderVisibleElements
              fitView
              fitViewOptions={{ maxZoom: 1 }}
              minZoom={0.05}
              aria-label="Drawing of the network"
            >
              <Background />
              <Controls showInteractive={false} />
            </ReactFlow>
          </div>
        </>
      )}
    </>
  )
}
