/** What the device hears by LLDP beside the links that are planned, with what differs. */
import { useAsk } from "../../api/useAsk.ts"
import { useMay } from "../../app/useSession.ts"
import { Asked } from "../../parts/Asked.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { SmallTable } from "../../parts/SmallTable.tsx"
import { Tone } from "../../parts/Tone.tsx"
import { compared, type Planned } from "./neighbours.ts"
import type { TabProps } from "./Device.tsx"

const usePlan = (id: number): ReadonlyArray<Planned> => {
  const may = useMay()
  const links = useAsk("GET /linknets", {}, { kinds: ["linknet"], enabled: may("GET", "/linknets") })
  const devices = useAsk("GET /devices", { query: { per_page: 1000 } }, { kinds: ["device"], keep: true })
  const nameOf = new Map((devices.data?.answer.data.devices ?? []).map((device) => [device.id, device.hostname]))
  return (links.data?.answer.data.linknets ?? []).flatMap((link) => {
    if (link.device_a_id === id)
      return [{ port: link.device_a_port, hostname: nameOf.get(link.device_b_id) ?? "", peerPort: link.device_b_port }]
    if (link.device_b_id === id)
      return [{ port: link.device_b_port, hostname: nameOf.get(link.device_a_id) ?? "", peerPort: link.device_a_port }]
    return []
  })
}

const TONES = { agreed: "good", missing: "bad", unexpected: "quiet", other: "warn" } as const
const WORDS = {
  agreed: "as planned",
  missing: "planned, not heard",
  unexpected: "heard, not planned",
  other: "heard, but another is planned"
} as const

export default function Neighbours({ device: { hostname, id } }: TabProps) {
  const plan = usePlan(id)
  const asked = useAsk("GET /device/:hostname/lldp_neighbors", { params: { hostname } }, { once: true })
  return (
    <Asked of={asked} what={`what ${hostname} hears`}>
      {({ data: { lldp_neighbors } }) => {
        const rows = compared(plan, lldp_neighbors)
        return rows.length === 0 ? (
          <Empty>Nothing is heard on any port, and no link is planned.</Empty>
        ) : (
          <SmallTable
            label="Neighbours"
            heads={["Port", "Neighbour", "Its port", "Against the plan"]}
            rows={rows}
            keyOf={({ name, peerPort, port }) => `${port} ${name} ${peerPort}`}
            cells={({ name, peerPort, port, standing }) => [
              port,
              <PlainLink to={`/device/${encodeURIComponent(name.split(".", 1)[0] ?? name)}`}>{name}</PlainLink>,
              peerPort,
              <Tone tone={TONES[standing]}>{WORDS[standing]}</Tone>
            ]}
          />
        )
      }}
    </Asked>
  )
}
