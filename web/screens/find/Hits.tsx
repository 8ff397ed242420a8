/** The results by kind: the place of a machine comes first, as one sentence. */
import { Title } from "@mantine/core"
import type { ReactNode } from "react"
import type { Data } from "../../../src/api/Calls.ts"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { SmallTable } from "../../parts/SmallTable.tsx"
import { StatusWord } from "../../parts/StatusWord.tsx"
import { When } from "../../parts/When.tsx"

type Hit = Data<"GET /find">["hits"][number]
type Cell = (hit: Hit) => ReactNode

const deviceAt = (hostname: string, tab = "") => `/device/${encodeURIComponent(hostname)}${tab}`

const device: Cell = ({ hostname }) => <PlainLink to={deviceAt(hostname)}>{hostname}</PlainLink>
const port: Cell = ({ hostname, port }) => <PlainLink to={deviceAt(hostname, "?tab=ports")}>{port}</PlainLink>
const place: Cell = ({ on_uplink }) =>
  on_uplink === true ? <StatusWord tone="quiet">on the way</StatusWord> : <StatusWord tone="good">edge port</StatusWord>
const first: Cell = ({ first_seen }) => <When at={first_seen} />
const last: Cell = ({ last_seen }) => <When at={last_seen} />
const text =
  (field: "description" | "ip" | "mac" | "vlan" | "port"): Cell =>
  (hit) =>
    hit[field] ?? ""

interface Kind {
  readonly title: string
  readonly columns: ReadonlyArray<readonly [head: string, cell: Cell]>
}

const kinds: Readonly<Record<Hit["kind"], Kind>> = {
  mac: {
    title: "Machines",
    columns: [
      ["MAC address", text("mac")],
      ["Device", device],
      ["Port", port],
      ["Place", place],
      ["VLAN", text("vlan")],
      ["IP address", text("ip")],
      ["Description", text("description")],
      ["Last seen", last],
      ["First seen", first]
    ]
  },
  arp: {
    title: "Addresses on routers",
    columns: [
      ["IP address", text("ip")],
      ["MAC address", text("mac")],
      ["Router", device],
      ["Interface", text("port")],
      ["Last seen", last],
      ["First seen", first]
    ]
  },
  device: {
    title: "Devices",
    columns: [
      ["Device", device],
      ["IP address", text("ip")],
      ["MAC address", text("mac")],
      ["What", text("description")],
      ["Last seen", last]
    ]
  },
  port: {
    title: "Ports",
    columns: [
      ["Device", device],
      ["Port", port],
      ["Description", text("description")]
    ]
  },
  vlan: {
    title: "Ports with machines in the VLAN",
    columns: [
      ["VLAN", text("vlan")],
      ["Device", device],
      ["Port", port],
      ["Place", place],
      ["Machines", text("description")],
      ["Last seen", last]
    ]
  }
}

const order = ["mac", "arp", "device", "port", "vlan"] as const

const keyOf = ({ hostname, ip, mac, port, vlan }: Hit) => [hostname, port, vlan, mac, ip].join(" ")

export const Hits = ({ hits }: { readonly hits: ReadonlyArray<Hit> }) => (
  <>
    {order.map((kind) => {
      const found = hits.filter((hit) => hit.kind === kind)
      if (found.length === 0) return null
      const { columns, title } = kinds[kind]
      return (
        <section key={kind} aria-label={title}>
          <Title order={2} mt="sm">
            {title}
          </Title>
          <SmallTable
            label={title}
            heads={columns.map(([head]) => head)}
            rows={found}
            keyOf={keyOf}
            cells={(hit) => columns.map(([, cell]) => cell(hit))}
          />
        </section>
      )
    })}
  </>
)
