/** The columns of the list of devices. */
import { Worded, WordShown } from "../../parts/Worded.tsx"
import { textOf } from "../../../src/domain/words/Word.ts"
import { standingWords, stateWords, syncWord, typeWords } from "../../../src/domain/words/DeviceWords.ts"
import type { Data } from "../../../src/api/Calls.ts"
import { PlainLink } from "../../parts/PlainLink.tsx"
import type { Causes } from "./useCauses.ts"
import type { Column } from "../../parts/VirtualTable.tsx"
import { When } from "../../parts/When.tsx"

export type DeviceRow = Data<"GET /devices">["devices"][number]

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
    width: 170,
    sort: "state",
    cell: ({ state }) => <Worded of={stateWords} value={state} />
  },
  {
    key: "synchronized",
    head: "In sync",
    width: 250,
    sort: "synchronized",
    cell: (row) => {
      const cause = causes.of(row.hostname)
      return <WordShown word={syncWord(row, cause)} raw={cause ?? String(row.synchronized)} />
    }
  },
  {
    key: "type",
    head: "Type",
    width: 120,
    sort: "device_type",
    cell: ({ device_type }) => textOf(typeWords, device_type)
  },
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
  { key: "seen", head: "Last seen", width: 160, sort: "last_seen", cell: ({ last_seen }) => <When at={last_seen} /> },
  {
    key: "drift",
    head: "By hand",
    width: 160,
    sort: "drifted",
    cell: ({ hostname }) => (causes.hasDrifted(hostname) ? <Worded of={standingWords} value="drifted" /> : "")
  }
]
