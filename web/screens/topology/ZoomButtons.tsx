/** Nearer, farther, and everything in sight. */
import { ActionIcon } from "@mantine/core"
import { IconMaximize, IconMinus, IconPlus } from "@tabler/icons-react"
import { useReactFlow } from "@xyflow/react"

/** Room for the bars that float above the drawing. */
export const ROOM = { top: "120px", right: "24px", bottom: "64px", left: "24px" } as const

const icon = { size: 16, stroke: 1.75 }

export const ZoomButtons = () => {
  const { fitView, zoomIn, zoomOut } = useReactFlow()
  return (
    <div className="topology-zoom topology-card">
      <ActionIcon variant="subtle" aria-label="Nearer" onClick={() => void zoomIn()}>
        <IconPlus {...icon} />
      </ActionIcon>
      <ActionIcon variant="subtle" aria-label="Farther" onClick={() => void zoomOut()}>
        <IconMinus {...icon} />
      </ActionIcon>
      <ActionIcon
        variant="subtle"
        aria-label="Show everything"
        onClick={() => void fitView({ maxZoom: 1, padding: ROOM })}
      >
        <IconMaximize {...icon} />
      </ActionIcon>
    </div>
  )
}
