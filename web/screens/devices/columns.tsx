/** The columns of the list of devices. */
import type { Data } from "../../../src/api/Calls.ts"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { Tone } from "../../parts/Tone.tsx"
import { toneOfState } from "../../parts/tones.ts"
import type { Causes } from "./useCauses.ts"
import type { Column } from "../../parts/VirtualTable.tsx"
import { When } from "../../parts/When.tsx"

export type DeviceRow = Data<"GET /devices">["devices"][number]

const Synchronized = ({ cause, row }: { readonly row: DeviceRow; readonly cause: string | undefined }) => {
  if (row.state !== "MANAGED") return <Tone tone="quiet">not managed</Tone>
  if (row.synchronized) return <Tone tone="good">synchronized</Tone>
  return <Tone tone="warn">{cause === undefined ? "unsynchronized" : `unsynchronized: ${cause}`}</Tone>
}

/** The columns, with why devices are not synchronized. */
export const columnsWith = (causes: Causes): ReadonlyArray<Column<DeviceRow>> => [
  {
    key: "hostname",
    head: "Name",
    width: 200,
    sort: "hostname",
    cell: ({ hostname }) => <PlainLink to={`/device/${encodeURIComponent(hostname)}`}>{hostname}</PlainLink>
  },
  {
    key: "state",
    head: "State",
    width: 140,
    sort: "state",
    cell: ({ state }) => <Tone tone={toneOfState(state)}>{state}</Tone>
  },
  {
    key: "synchronized",
    head: "Synchronized",
    width: 250,
    sort: "synchronized",
    cell: (row) => <Synchronized row={row} cause={causes.of(row.hostname)} />
  },
  { key: "type", head: "Type", width: 90, sort: "device_type", cell: ({ device_type }) => device_type },
  { key: "group", head: "Group", width: 140, cell: ({ primary_group }) => primary_group },
  {
    key: "address",
    head: "Address",
    width: 150,
    sort: "management_ip",
    cell: ({ dhcp_ip, management_ip }) => management_ip ?? dhcp_ip ?? ""
  },
  { key: "model", head: "Model", width: 180, sort: "model", cell: ({ model }) => model ?? "" },
  { key: "version", head: "Version", width: 110, sort: "os_version", cell: ({ os_version }) => os_version ?? "" },
  { key: "seen", head: "Last seen", width: 210, sort: "last_seen", cell: ({ last_seen }) => <When at={last_seen} /> },
  {
    key: "drift",
    head: "Drift",
    width: 100,
    sort: "drifted",
    cell: ({ hostname }) => (causes.hasDrifted(hostname) ? <Tone tone="bad">drifted</Tone> : "")
  }
]
