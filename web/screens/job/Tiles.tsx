/** The devices of a job by stage, each a tile that moves; a stage shows only its first ones, so that thousands stay quick. */
import { Button, Group, Text } from "@mantine/core"
import { useMemo, useState } from "react"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { Tone } from "../../parts/Tone.tsx"
import { stageOf, stages } from "./stages.ts"
import type { ShownDevice } from "./useProgress.ts"

const FIRST = 60

interface StageProps {
  readonly label: string
  readonly tone: (typeof stages)[number]["tone"]
  readonly devices: ReadonlyArray<ShownDevice>
}

const StageTiles = ({ devices, label, tone }: StageProps) => {
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? devices : devices.slice(0, FIRST)
  return (
    <section aria-label={`${label}: ${devices.length}`} className="stage">
      <Tone tone={tone}>
        {label} · {devices.length}
      </Tone>
      <ul className="tiles">
        {shown.map(({ hostname }) => (
          <li key={hostname} className="tile" data-tone={tone}>
            <PlainLink to={`/device/${encodeURIComponent(hostname)}`}>{hostname}</PlainLink>
          </li>
        ))}
      </ul>
      {devices.length > shown.length && (
        <Button size="xs" variant="default" onClick={() => setWhole(true)}>
          Show {devices.length - shown.length} more
        </Button>
      )}
    </section>
  )
}

export const Tiles = ({
  devices,
  isDryRun
}: {
  readonly devices: ReadonlyArray<ShownDevice>
  readonly isDryRun: boolean
}) => {
  const byStage = useMemo(() => Map.groupBy(devices, stageOf), [devices])
  if (devices.length === 0) return <Empty>This job has no devices, or has not chosen them yet.</Empty>
  const ended = devices.filter(({ failed }) => failed !== null).length
  return (
    <>
      <Group justify="space-between">
        <Text role="status">
          {ended} of {devices.length} {isDryRun ? "compared" : "done"}
        </Text>
        <progress aria-label="Devices that are done" max={devices.length} value={ended} />
      </Group>
      {stages.map(({ key, label, tone }) => {
        const here = byStage.get(key)
        return here === undefined ? null : <StageTiles key={key} label={label} tone={tone} devices={here} />
      })}
    </>
  )
}
