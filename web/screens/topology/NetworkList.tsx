/** The network as lists: its blocks with their states, the cables that differ from the plan, and every device with its links. */
import { Title } from "@mantine/core"
import { useRouter } from "@tanstack/react-router"
import { useMemo } from "react"
import { typeWords } from "../../../src/domain/words/DeviceWords.ts"
import { sortedBy } from "../../../src/domain/Natural.ts"
import { switches } from "../../../src/domain/words/Units.ts"
import { textOf } from "../../../src/domain/words/Word.ts"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { StatusWord } from "../../parts/StatusWord.tsx"
import { type Column, DataTable } from "../../parts/DataTable.tsx"
import { CableList } from "./CableList.tsx"
import { type Standing, summed } from "./coloring.ts"
import type { NetworkCable, NetworkDevice } from "./useNetwork.ts"

export interface Block {
  readonly id: string
  readonly name: string
  readonly standings: ReadonlyArray<Standing>
}

interface Props {
  readonly devices: ReadonlyArray<NetworkDevice>
  readonly blocks: ReadonlyArray<Block>
  readonly differing: ReadonlyArray<NetworkCable>
  /** What each device is linked to, by its id. */
  readonly links: ReadonlyMap<number, ReadonlyArray<string>>
  readonly nameOf: (id: number) => string
  readonly standingOf: (device: NetworkDevice) => Standing
}

export const NetworkList = ({ blocks, devices, differing, links, nameOf, standingOf }: Props) => {
  const router = useRouter()
  const rows = useMemo(() => sortedBy(devices, ({ hostname }) => hostname), [devices])
  const columns: ReadonlyArray<Column<NetworkDevice>> = [
    {
      key: "hostname",
      head: "Device",
      width: 170,
      cell: ({ hostname }) => <PlainLink to={`/device/${encodeURIComponent(hostname)}`}>{hostname}</PlainLink>
    },
    { key: "type", head: "Type", width: 100, cell: ({ device_type }) => textOf(typeWords, device_type) },
    {
      key: "standing",
      head: "Standing",
      width: 170,
      cell: (device) => {
        const { tone, word } = standingOf(device)
        return <StatusWord tone={tone}>{`${word.charAt(0).toUpperCase()}${word.slice(1)}`}</StatusWord>
      }
    },
    { key: "group", head: "Group", width: 130, cell: ({ primary_group }) => primary_group },
    { key: "version", head: "Version", width: 110, cell: ({ os_version }) => os_version ?? "" },
    { key: "links", head: "Linked to", width: 520, cell: ({ id }) => (links.get(id) ?? []).join(", ") }
  ]
  return (
    <div className="network-list">
      {blocks.length > 0 && (
        <ul className="blocks" aria-label="Groups of access switches">
          {blocks.map(({ id, name, standings }) => (
            <li key={id}>
              <b>{name}</b>: {switches(standings.length)},{" "}
              {summed(standings)
                .map(({ count, word }) => `${count} ${word}`)
                .join(", ")}
            </li>
          ))}
        </ul>
      )}
      {differing.length > 0 && (
        <>
          <Title order={2} my="xs">
            Cables that differ from the plan
          </Title>
          <CableList cables={differing} nameOf={nameOf} label="Cables that differ from the plan" />
        </>
      )}
      <DataTable
        label="Devices and their links"
        columns={columns}
        count={rows.length}
        rowAt={(row) => rows[row]}
        keyOf={({ id }) => id}
        open={({ hostname }) => router.history.push(`/ui/device/${encodeURIComponent(hostname)}`)}
        height="60dvh"
      />
    </div>
  )
}
