/** The columns of the list of devices, their text in files, and the card of a device on the phone. */
import type { Data } from "../../../src/api/Calls.ts"
import {
  answerWord,
  causeWords,
  releaseOf,
  stateWords,
  standingWord,
  typeWords
} from "../../../src/domain/words/DeviceWords.ts"
import { MISSING } from "../../../src/domain/words/Units.ts"
import { textOf } from "../../../src/domain/words/Word.ts"
import type { Column } from "../../parts/DataTable.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { StatusWord } from "../../parts/StatusWord.tsx"
import { When } from "../../parts/When.tsx"
import type { Standings } from "./useStandings.ts"

export type DeviceRow = Data<"GET /devices">["devices"][number]

const Name = ({ hostname }: DeviceRow) => (
  <PlainLink to={`/device/${encodeURIComponent(hostname)}`} className="row-link">
    {hostname}
  </PlainLink>
)

/** A column of a text, a dash where it is missing. */
const plain = (
  key: string,
  head: string,
  width: number,
  text: (row: DeviceRow) => string,
  sort?: string
): Column<DeviceRow> => ({
  key,
  head,
  width,
  text,
  cell: (row) => text(row) || MISSING,
  ...(sort === undefined ? {} : { sort })
})

const extra = (column: Column<DeviceRow>): Column<DeviceRow> => ({ ...column, isExtra: true })

const wordsWith = (standings: Standings) => ({
  answers: (row: DeviceRow) => answerWord(row, standings.isSilent(row.hostname)),
  sync: (row: DeviceRow) =>
    standingWord(row, { drifted: standings.hasDrifted(row.hostname), in_change: standings.isChanging(row.hostname) }),
  why: (row: DeviceRow) => {
    const cause = row.state === "MANAGED" && !row.synchronized ? standings.cause(row.hostname) : undefined
    return cause === undefined ? "" : textOf(causeWords, cause)
  }
})

export const columnsWith = (standings: Standings): ReadonlyArray<Column<DeviceRow>> => {
  const { answers, sync, why } = wordsWith(standings)
  return [
    {
      key: "name",
      head: "Name",
      width: 125,
      sort: "hostname",
      text: ({ hostname }) => hostname,
      cell: (row) => <Name {...row} />
    },
    {
      key: "answers",
      head: "Answers",
      width: 122,
      text: (row) => answers(row).text,
      sort: "state",
      cell: (row) => <StatusWord word={answers(row)} raw={row.state} />
    },
    {
      key: "sync",
      head: "Sync",
      width: 132,
      sort: "synchronized",
      text: (row) => sync(row).text,
      cell: (row) => <StatusWord word={sync(row)} raw={standings.cause(row.hostname) ?? String(row.synchronized)} />
    },
    plain("why", "Why", 125, why, "unsynchronized_by"),
    plain("type", "Type", 85, ({ device_type }) => textOf(typeWords, device_type), "device_type"),
    plain("group", "Group", 76, ({ primary_group }) => primary_group ?? ""),
    plain("model", "Model", 150, ({ model }) => model ?? "", "model"),
    {
      ...plain("version", "Version", 72, ({ os_version }) => os_version ?? "", "os_version"),
      cell: ({ os_version }) =>
        os_version === null ? MISSING : <span title={os_version}>{releaseOf(os_version)}</span>
    },
    {
      ...plain(
        "address",
        "Address",
        105,
        ({ dhcp_ip, management_ip }) => management_ip ?? dhcp_ip ?? "",
        "management_ip"
      ),
      cell: ({ dhcp_ip, management_ip }) => <span className="mono">{management_ip ?? dhcp_ip ?? MISSING}</span>
    },
    {
      key: "seen",
      head: "Seen",
      width: 118,
      sort: "last_seen",
      text: ({ last_seen }) => last_seen ?? "",
      cell: ({ last_seen }) => <When at={last_seen} />
    },
    extra(plain("state", "State", 150, ({ state }) => textOf(stateWords, state), "state")),
    extra(plain("serial", "Serial", 130, ({ serial }) => serial ?? "", "serial")),
    extra(plain("mac", "MAC", 130, ({ ztp_mac }) => ztp_mac ?? "", "ztp_mac")),
    extra(plain("vendor", "Vendor", 100, ({ vendor }) => vendor ?? "", "vendor")),
    extra(plain("platform", "Platform", 100, ({ platform }) => platform ?? "", "platform")),
    extra(plain("description", "Description", 220, ({ description }) => description ?? "", "description"))
  ]
}

/** Name and what is wrong with it; type, group and version. */
export const cardWith = (standings: Standings) => {
  const { answers, sync } = wordsWith(standings)
  return (row: DeviceRow) => {
    const answer = answers(row)
    return (
      <>
        <div>
          <Name {...row} />
          <StatusWord word={answer.tone === "good" ? sync(row) : answer} raw={row.state} />
        </div>
        <div>
          <span>{[textOf(typeWords, row.device_type), row.primary_group].filter(Boolean).join(" · ")}</span>
          <span>{row.os_version === null ? (row.model ?? "") : releaseOf(row.os_version)}</span>
        </div>
      </>
    )
  }
}
