/** Every switch of a preview: whether it would change, and why it could not be compared. */
import type { Data } from "../../../src/api/Calls.ts"
import { sortedBy } from "../../../src/domain/Natural.ts"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { StatusWord } from "../../parts/StatusWord.tsx"
import { DataTable } from "../../parts/DataTable.tsx"

type Device = Data<"GET /job/:id/progress">["devices"][number]

const Standing = ({
  device: { changed, failed, hostname },
  outdated
}: {
  readonly device: Device
  readonly outdated: ReadonlySet<string>
}) => {
  if (failed === null) return <StatusWord tone="info">Being compared</StatusWord>
  if (failed) return <StatusWord tone="bad">Could not be compared</StatusWord>
  if (outdated.has(hostname)) return <StatusWord tone="warn">Changed since the preview</StatusWord>
  return changed ? <StatusWord tone="info">Would change</StatusWord> : <StatusWord tone="good">Already so</StatusWord>
}

interface Props {
  readonly devices: ReadonlyArray<Device>
  readonly outdated: ReadonlyArray<string>
}

export const Switches = ({ devices, outdated }: Props) => {
  const changed = new Set(outdated)
  const rows = sortedBy(devices, ({ hostname }) => hostname)
  return (
    <DataTable
      label="Switches of this change"
      count={rows.length}
      rowAt={(index) => rows[index]}
      keyOf={({ hostname }) => hostname}
      columns={[
        {
          key: "name",
          head: "Name",
          width: 220,
          cell: ({ hostname }) => <PlainLink to={`/device/${encodeURIComponent(hostname)}`}>{hostname}</PlainLink>
        },
        { key: "what", head: "Result", width: 220, cell: (device) => <Standing device={device} outdated={changed} /> },
        { key: "why", head: "Why", width: 480, cell: ({ why }) => why ?? "" }
      ]}
    />
  )
}
