/** A place in the drawing: a device, or a group of access switches folded together. */
import { Handle, type Node, type NodeProps, Position } from "@xyflow/react"
import type { ToneName } from "../../parts/tones.ts"

export type SpotData = {
  readonly label: string
  readonly tone: ToneName
  readonly word: string
  readonly press: () => void
}

export const SpotNode = ({ data: { label, press, tone, word } }: NodeProps<Node<SpotData>>) => (
  <>
    <Handle type="target" position={Position.Top} isConnectable={false} />
    <button type="button" className="spot" data-tone={tone} onClick={press}>
      <b>{label}</b>
      <br />
      {word}
    </button>
    <Handle type="source" position={Position.Bottom} isConnectable={false} />
  </>
)
