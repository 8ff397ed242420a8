/** The neighbours that the device sees over LLDP, next to the planned links, with the differences. */
import { StatusWord } from "../../parts/StatusWord.tsx"
import { neighbourWords } from "../../../src/domain/words/DeviceWords.ts"
import { useQueries } from "@tanstack/react-query"
import { endOf } from "../../../src/domain/Linknet.ts"
import { ask } from "../../api/call.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useMay } from "../../app/useSession.ts"
import { Asked } from "../../parts/Asked.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { SmallTable } from "../../parts/SmallTable.tsx"
import { compared, type Planned } from "./neighbours.ts"
import type { TabProps } from "./record.ts"

interface PlannedTo extends Planned {
  /** What the other end is for. */
  readonly type: string
}

/** The planned links of a device; the names of the other ends are requested one by one, because the network may be large. */
export const usePlan = (id: number): ReadonlyArray<PlannedTo> => {
  const may = useMay()
  const { data } = useAsk("GET /linknets", {}, { kinds: ["linknet"], enabled: may("GET", "/linknets") })
  const ends = (data?.answer.data.linknets ?? []).map((link) => endOf(link, id)).filter((end) => end !== null)
  const peers = useQueries({
    queries: [...new Set(ends.map(({ peerId }) => peerId))].map((peer) => ({
      queryKey: ["GET /device/:id", { id: peer }, null, null],
      queryFn: () => ask("GET /device/:id", { params: { id: peer } }),
      meta: { kinds: ["device"] }
    }))
  })
  const found = peers.flatMap((peer) => peer.data?.answer.data.devices ?? [])
  const byId = new Map(found.map((device) => [device.id, device]))
  return ends.map(({ peerId, peerPort, port }) => {
    const peer = byId.get(peerId)
    return { port, hostname: peer?.hostname ?? "", peerPort, type: peer?.device_type ?? "" }
  })
}

export default function Neighbours({ device: { hostname, id } }: TabProps) {
  const plan = usePlan(id)
  const asked = useAsk("GET /device/:hostname/lldp_neighbors", { params: { hostname } }, { once: true })
  return (
    <Asked of={asked} what={`the neighbours of ${hostname}`}>
      {({ data: { lldp_neighbors } }) => {
        const rows = compared(plan, lldp_neighbors)
        return rows.length === 0 ? (
          <Empty>No neighbour is seen on any port, and no link is planned.</Empty>
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
              <StatusWord of={neighbourWords} value={standing} />
            ]}
          />
        )
      }}
    </Asked>
  )
}
