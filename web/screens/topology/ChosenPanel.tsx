/** The switch that was chosen in the drawing: how it stands, its cables that differ from the plan, and where to go from it. */
import { ActionIcon, Button, Group, Title } from "@mantine/core"
import { IconArrowUpRight, IconRoute, IconX } from "@tabler/icons-react"
import { useRouter } from "@tanstack/react-router"
import { releaseOf, stateWords, syncWord, typeWords } from "../../../src/domain/words/DeviceWords.ts"
import { switches } from "../../../src/domain/words/Units.ts"
import { textOf } from "../../../src/domain/words/Word.ts"
import { KeyValues } from "../../parts/KeyValues.tsx"
import { StatusBadge } from "../../parts/StatusBadge.tsx"
import { CableList } from "./CableList.tsx"
import type { NetworkCable, NetworkDevice } from "./useNetwork.ts"

interface Props {
  readonly device: NetworkDevice
  /** Its cables that differ from the plan. */
  readonly cables: ReadonlyArray<NetworkCable>
  readonly nameOf: (id: number) => string
  /** The number of access switches below it; 0 for an access switch. */
  readonly below: number
  readonly isOnWay: boolean
  readonly showWay: () => void
  readonly close: () => void
}

export const ChosenPanel = ({ below, cables, close, device, isOnWay, nameOf, showWay }: Props) => {
  const router = useRouter()
  const { device_type, hostname, model, os_version, primary_group, state, unreachable } = device
  const path = `/ui/device/${encodeURIComponent(hostname)}`
  return (
    <aside className="topology-panel topology-card" aria-label={`About ${hostname}`}>
      <div className="topology-panel-head">
        <Title order={2}>{hostname}</Title>
        <ActionIcon variant="subtle" aria-label="Close the panel" onClick={close}>
          <IconX size={16} stroke={1.75} />
        </ActionIcon>
      </div>
      <Group gap={6}>
        {unreachable ? (
          <StatusBadge tone="bad">Not answering</StatusBadge>
        ) : (
          <StatusBadge of={stateWords} value={state} />
        )}
        {state === "MANAGED" && <StatusBadge word={syncWord(device)} raw={String(device.synchronized)} />}
      </Group>
      <KeyValues
        side
        label={`Facts of ${hostname}`}
        items={[
          { key: "Type", value: textOf(typeWords, device_type) },
          { key: "Group", value: primary_group },
          { key: "Model", value: model },
          { key: "Version", value: os_version === null ? null : releaseOf(os_version) },
          ...(below === 0 ? [] : [{ key: "Below it", value: switches(below) }])
        ]}
      />
      {cables.length > 0 && (
        <>
          <h3>Cables that differ</h3>
          <CableList cables={cables} nameOf={nameOf} label={`Cables of ${hostname} that differ`} />
        </>
      )}
      <Group gap="xs">
        <Button
          size="xs"
          variant="default"
          leftSection={<IconArrowUpRight size={14} stroke={1.75} />}
          onClick={() => router.history.push(path)}
        >
          Open switch
        </Button>
        {device_type !== "CORE" && (
          <Button
            size="xs"
            variant="default"
            aria-pressed={isOnWay}
            leftSection={<IconRoute size={14} stroke={1.75} />}
            onClick={showWay}
          >
            {isOnWay ? "Show everything" : "Way to the core"}
          </Button>
        )}
        <Button size="xs" variant="subtle" onClick={() => router.history.push(`${path}?tab=neighbours`)}>
          All neighbours
        </Button>
      </Group>
    </aside>
  )
}
