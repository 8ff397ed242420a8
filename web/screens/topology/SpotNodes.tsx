/** The places of the drawing: a switch, and a block of access switches as cells that opens into its switches. */
import { Handle, type Node, type NodeProps, Position } from "@xyflow/react"
import { switches } from "../../../src/domain/words/Units.ts"
import { ToneIcon } from "../../parts/StatusWord.tsx"
import { type Standing, summed } from "./coloring.ts"
import { BLOCK, blockHeight } from "./layout.ts"

export type SwitchData = {
  readonly hostname: string
  readonly standing: Standing
  readonly isChosen: boolean
  /** Something else is shown, and this is not a part of it. */
  readonly isFaded: boolean
  readonly press: () => void
}

export type BlockData = {
  readonly name: string
  readonly cells: ReadonlyArray<Standing & { readonly hostname: string }>
  readonly chosen: string | undefined
  readonly isFaded: boolean
  readonly open: () => void
  readonly choose: (hostname: string) => void
}

/** Lines come from above and below; those between neighbours from the side. */
const Handles = () => (
  <>
    <Handle id="top" type="target" position={Position.Top} isConnectable={false} />
    <Handle id="left" type="target" position={Position.Left} isConnectable={false} />
    <Handle id="right" type="source" position={Position.Right} isConnectable={false} />
    <Handle id="bottom" type="source" position={Position.Bottom} isConnectable={false} />
  </>
)

export const SwitchNode = ({ data }: NodeProps<Node<SwitchData>>) => {
  const { hostname, isChosen, isFaded, press, standing } = data
  return (
    <>
      <button
        type="button"
        className="spot"
        data-tone={standing.tone}
        aria-pressed={isChosen}
        {...(isFaded ? { "data-faded": true } : {})}
        onClick={press}
      >
        <b>{hostname}</b>
        <span>{standing.word}</span>
        <ToneIcon tone={standing.tone} size={16} />
      </button>
      <Handles />
    </>
  )
}

const PITCH = BLOCK.cell + BLOCK.gap

const Cross = () => <path d={`M 5.5 5.5 l 6 6 m 0 -6 l -6 6`} className="block-cross" />

export const BlockNode = ({ data }: NodeProps<Node<BlockData>>) => {
  const { cells, choose, chosen, isFaded, name, open } = data
  const sums = summed(cells)
  const bad = sums.filter(({ tone }) => tone === "bad")
  const said = sums.map(({ count, word }) => `${count} ${word}`).join(" · ")
  const rows = Math.ceil(cells.length / BLOCK.perRow)
  return (
    <div
      className="block"
      style={{ width: BLOCK.width, height: blockHeight(cells.length) }}
      {...(isFaded ? { "data-faded": true } : {})}
    >
      <button type="button" className="block-head" onClick={open} title="Open">
        <b>{name}</b>
        <span {...(bad.length > 0 ? { "data-tone": "bad" } : {})}>
          {bad.length > 0 ? bad.map(({ count, word }) => `${count} ${word}`).join(", ") : `${switches(cells.length)}`}
        </span>
      </button>
      <svg
        className="block-cells"
        width={BLOCK.perRow * PITCH}
        height={rows * PITCH}
        aria-hidden="true"
        onClick={({ target }) => {
          const hostname = target instanceof SVGElement ? target.dataset["hostname"] : undefined
          if (hostname !== undefined) choose(hostname)
        }}
      >
        {cells.map(({ hostname, shape, tone, word }, place) => (
          <g
            key={hostname}
            transform={`translate(${(place % BLOCK.perRow) * PITCH} ${Math.floor(place / BLOCK.perRow) * PITCH})`}
          >
            <rect
              width={BLOCK.cell}
              height={BLOCK.cell}
              rx={4}
              className="block-cell"
              data-tone={tone}
              data-shape={shape}
              data-hostname={hostname}
              {...(hostname === chosen ? { "data-chosen": true } : {})}
            >
              <title>{`${hostname}: ${word}`}</title>
            </rect>
            {shape === "crossed" && <Cross />}
            {tone === "warn" && shape === "filled" && <path d="M 8.5 4.5 v 5 m 0 2.8 v .2" className="block-cross" />}
          </g>
        ))}
      </svg>
      <p className="block-foot">{said}</p>
      <Handles />
    </div>
  )
}
