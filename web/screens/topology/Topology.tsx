/**
 * The network by its cabling, over the whole screen: core, distribution, and a block of cells for the access switches below each pair of
 * uplinks. A block opens when it is pressed or near; the way of a switch to the core and the cables that differ are shown alone on request.
 * The same as a list, which a phone shows first.
 */
import "@xyflow/react/dist/style.css"
import { useComputedColorScheme } from "@mantine/core"
import { useMediaQuery } from "@mantine/hooks"
import { type Edge as FlowEdge, type Node, ReactFlow, ReactFlowProvider, useReactFlow } from "@xyflow/react"
import { useEffect, useMemo, useState } from "react"
import { counted } from "../../../src/domain/words/Units.ts"
import { useWords } from "../../app/useAddress.ts"
import { Empty } from "../../parts/Empty.tsx"
import { PageHead } from "../../parts/PageHead.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { Skeleton } from "../../parts/Skeleton.tsx"
import { ChosenPanel } from "./ChosenPanel.tsx"
import { blockName } from "./coloring.ts"
import { Key } from "./Key.tsx"
import { drawn, edgesOf, neighboursOf, type Spot, wayToCore } from "./layout.ts"
import { NetworkList } from "./NetworkList.tsx"
import { type BlockData, BlockNode, type SwitchData, SwitchNode } from "./SpotNodes.tsx"
import { Differing, Tools, type Words } from "./Tools.tsx"
import "./topology.css"
import { useNetwork } from "./useNetwork.ts"
import { useOverlay } from "./useOverlay.ts"
import { ROOM, ZoomButtons } from "./ZoomButtons.tsx"

const NODES = { switch: SwitchNode, block: BlockNode }

/** From this zoom on the block in the middle of the screen opens. */
const NEAR = 1.6
/** Up to this width the list is shown first. */
const PHONE = "(max-width: 43.74em)"

/** Room for the bars that float above the drawing, and for the panel. */
const ROOM_WITH_PANEL = { top: "120px", right: "300px", bottom: "64px", left: "24px" } as const

const openIn = (word: string | undefined): ReadonlySet<string> =>
  new Set((word ?? "").split("|").filter((key) => key !== ""))

const Inside = () => {
  const scheme = useComputedColorScheme("light")
  const isPhone = useMediaQuery(PHONE, false, { getInitialValueInEffect: false })
  const flow = useReactFlow()
  const [words, change] = useWords()
  /** The switches of the block that was opened last. */
  const [entered, setEntered] = useState<ReadonlyArray<string>>([])
  const { at, differs: onlyDiffering, job, list, open: opened, way: wayOf } = words
  const isList = list === undefined ? isPhone : list === "yes"
  const open = useMemo(() => openIn(opened), [opened])
  const { cables, devices, differing, error, isKnown, links, nameOf, refetch } = useNetwork()
  const { coloring, of } = useOverlay(words, devices, differing)
  const byId = useMemo(() => new Map(devices.map((device) => [device.id, device])), [devices])
  const byName = useMemo(() => new Map(devices.map((device) => [device.hostname, device])), [devices])
  const way = useMemo(() => {
    const start = wayOf === undefined ? undefined : byName.get(wayOf)
    return start === undefined ? undefined : wayToCore(start.id, devices, cables)
  }, [wayOf, byName, devices, cables])
  const layout = useMemo(() => drawn(devices, cables, open), [devices, cables, open])
  const chosen = at === undefined ? undefined : byName.get(at)
  const neighbours = useMemo(() => neighboursOf(cables), [cables])

  const spotOf = (id: number): Spot | undefined =>
    layout.spots.find((spot) => spot.devices.some((device) => device.id === id))
  const waySpots = useMemo(
    () => new Set(layout.spots.filter((spot) => spot.devices.some(({ id }) => way?.has(id))).map(({ id }) => id)),
    [layout, way]
  )
  const differingIds = useMemo(() => new Set(differing.flatMap(({ a, b }) => [a, b])), [differing])
  const isFaded = (spot: Spot): boolean =>
    (way !== undefined && !waySpots.has(spot.id)) ||
    (onlyDiffering !== undefined && !spot.devices.some(({ id }) => differingIds.has(id)))

  const uplinksOf = (spot: Spot): ReadonlyArray<string> =>
    spot.id
      .replace("below ", "")
      .split("+")
      .flatMap((id) => (id === "" ? [] : [nameOf(Number(id))]))
  const blockNameOf = (spot: Spot): string =>
    blockName(
      spot.devices.flatMap(({ id }) => byId.get(id)?.primary_group ?? []),
      uplinksOf(spot)
    )
  const standingsOf = (spot: Spot) =>
    spot.devices.flatMap(({ hostname, id }) => {
      const device = byId.get(id)
      return device === undefined ? [] : [{ hostname, ...of(device) }]
    })
  const openBlock = (spot: Spot) => change({ open: [...open, spot.id].join("|") })
  /** Opens a block, and brings its switches into sight. */
  const enterBlock = (spot: Spot) => {
    openBlock(spot)
    setEntered(spot.devices.map(({ id }) => String(id)))
  }
  const showSpots = (ids: ReadonlyArray<string>) =>
    void flow.fitView({ nodes: ids.map((id) => ({ id })), maxZoom: 1.2, padding: ROOM_WITH_PANEL })
  /** The block of a switch opens, so that it can be seen. */
  const showDevice = (id: number, more: Words) => {
    const spot = spotOf(id)
    change({
      at: nameOf(id),
      ...(spot !== undefined && spot.devices.length > 1 ? { open: [...open, spot.id].join("|") } : {}),
      ...more
    })
  }
  const find = (text: string): boolean => {
    const wanted = text.toLowerCase()
    const found = byName.get(text) ?? devices.find(({ hostname }) => hostname.toLowerCase().includes(wanted))
    if (found !== undefined) showDevice(found.id, { way: undefined })
    return found !== undefined
  }

  // what was chosen comes into sight after the drawing has it
  const sight = way === undefined ? chosen?.id : undefined
  const isDrawn = layout.spots.length > 0
  useEffect(() => {
    if (!isDrawn || isList) return
    const timer = setTimeout(() => {
      if (way !== undefined) showSpots([...way].map(String))
      else if (sight !== undefined) showSpots([String(sight)])
    }, 50)
    return () => clearTimeout(timer)
    // only a new choice moves the drawing, not each new reading of the network
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [wayOf, sight, isDrawn, isList])
  useEffect(() => {
    if (entered.length === 0) return
    const timer = setTimeout(() => showSpots(entered), 50)
    return () => clearTimeout(timer)
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [entered])

  const nodes = layout.spots.map((spot): Node<SwitchData> | Node<BlockData> => {
    const [first] = spot.devices
    const shared = { id: spot.id, position: { x: spot.x, y: spot.y }, width: spot.width, height: spot.height }
    if (spot.id.startsWith("below "))
      return {
        ...shared,
        type: "block",
        data: {
          name: blockNameOf(spot),
          cells: standingsOf(spot),
          chosen: at,
          isFaded: isFaded(spot),
          open: () => enterBlock(spot),
          choose: (hostname) => change({ at: hostname })
        }
      }
    const device = first === undefined ? undefined : byId.get(first.id)
    return {
      ...shared,
      type: "switch",
      data: {
        hostname: first?.hostname ?? "",
        standing: device === undefined ? { tone: "quiet", word: "", shape: "hollow" } : of(device),
        isChosen: first?.hostname === at,
        isFaded: isFaded(spot),
        press: () => change({ at: first?.hostname === at ? undefined : first?.hostname })
      }
    }
  })
  const shownEdges = useMemo(
    () => (onlyDiffering === undefined ? layout.edges : edgesOf(layout.spots, differing)),
    [layout, onlyDiffering, differing]
  )
  const lines = shownEdges.map(({ agreement, cables: count, from, id, isBeside, to }): FlowEdge => {
    const isOff = way !== undefined && !(waySpots.has(from) && waySpots.has(to))
    return {
      id,
      source: from,
      target: to,
      sourceHandle: isBeside ? "right" : "bottom",
      targetHandle: isBeside ? "left" : "top",
      className: `cable cable-${agreement}${count > 2 ? " cable-many" : ""}${isOff ? " cable-off" : ""}`,
      ariaLabel: id
    }
  })
  const below = chosen === undefined ? 0 : belowOf(chosen.id, devices, neighbours)
  const blocks = useMemo(
    () => drawn(devices, cables, new Set()).spots.filter(({ id }) => id.startsWith("below ")),
    [devices, cables]
  )

  const tools = (
    <>
      <Tools
        coloring={coloring}
        hasBlocks={blocks.length > 0}
        isList={isList}
        job={job}
        open={open}
        change={change}
        find={find}
      />
      {differing.length > 0 && (
        <Differing
          all={cables.length}
          cables={differing}
          nameOf={nameOf}
          {...(isList ? {} : { isAlone: onlyDiffering !== undefined, change })}
        />
      )}
    </>
  )
  if (error !== null && !isKnown)
    return <Problem error={error} title="The network could not be read" again={() => void refetch()} />
  if (!isKnown) return <Skeleton what="devices and links" lines={8} />
  if (devices.length === 0)
    return <Empty title="No switches yet">New switches appear here by themselves when they ask for an address.</Empty>
  if (isList)
    return (
      <>
        <div className="topology-above">{tools}</div>
        <NetworkList
          devices={devices}
          blocks={blocks.map((spot) => ({ id: spot.id, name: blockNameOf(spot), standings: standingsOf(spot) }))}
          differing={differing}
          links={links}
          nameOf={nameOf}
          standingOf={of}
        />
      </>
    )
  return (
    <div className="topology">
      <p className="unseen" role="status">
        {counted(devices.length, "switch", "switches")}, {counted(cables.length, "cable")}, {differing.length} differ
        from the plan
      </p>
      <ReactFlow
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
        fitViewOptions={{ maxZoom: 1, padding: ROOM }}
        minZoom={0.02}
        attributionPosition="bottom-center"
        aria-label="Drawing of the network"
        onMoveEnd={(_, { x, y, zoom }) => {
          if (zoom < NEAR) return
          const [middleX, middleY] = [(window.innerWidth / 2 - x) / zoom, (window.innerHeight / 2 - y) / zoom]
          const near = layout.spots.find(
            (spot) =>
              spot.id.startsWith("below ") &&
              middleX >= spot.x &&
              middleX <= spot.x + spot.width &&
              middleY >= spot.y &&
              middleY <= spot.y + spot.height
          )
          if (near !== undefined) openBlock(near)
        }}
      />
      <div className="topology-corner">{tools}</div>
      <ZoomButtons />
      <Key standings={devices.map(of)} />
      {chosen !== undefined && (
        <ChosenPanel
          device={chosen}
          cables={differing.filter(({ a, b }) => a === chosen.id || b === chosen.id)}
          nameOf={nameOf}
          below={below}
          isOnWay={wayOf === chosen.hostname}
          showWay={() =>
            wayOf === chosen.hostname
              ? change({ way: undefined })
              : showDevice(chosen.id, { way: chosen.hostname, differs: undefined })
          }
          close={() => change({ at: undefined, way: undefined })}
        />
      )}
    </div>
  )
}

/** The access switches that hang at a device, at the same device once. */
const belowOf = (
  id: number,
  devices: ReadonlyArray<{ readonly id: number; readonly device_type: string }>,
  neighbours: ReadonlyMap<number, ReadonlyArray<number>>
): number => {
  const access = new Set(devices.filter(({ device_type }) => device_type === "ACCESS").map((device) => device.id))
  return access.has(id) ? 0 : new Set((neighbours.get(id) ?? []).filter((other) => access.has(other))).size
}

export default function Topology() {
  return (
    <>
      <div className="topology-title">
        <PageHead title="Topology" />
      </div>
      <ReactFlowProvider>
        <Inside />
      </ReactFlowProvider>
    </>
  )
}
