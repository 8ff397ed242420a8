/** Switches as links: the first of them in natural order, and how many more there are. */
import { Button } from "@mantine/core"
import { useState } from "react"
import { namesInOrder } from "../../src/domain/Natural.ts"
import { PlainLink } from "./PlainLink.tsx"

const SHOWN = 12

export const Chips = ({ names }: { readonly names: ReadonlyArray<string> }) => {
  const [isWhole, setWhole] = useState(false)
  const all = namesInOrder(names)
  const shown = isWhole ? all : all.slice(0, SHOWN)
  return (
    <span className="chips">
      {shown.map((name) => (
        <PlainLink key={name} to={`/device/${encodeURIComponent(name)}`} className="chip">
          {name}
        </PlainLink>
      ))}
      {shown.length < all.length && (
        <Button size="compact-xs" variant="subtle" onClick={() => setWhole(true)}>
          and {all.length - shown.length} more
        </Button>
      )}
    </span>
  )
}
