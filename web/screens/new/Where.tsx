/** Where a new switch hangs, as it hears its neighbours itself, and who was there before. */
import { List } from "@mantine/core"
import { useAsk } from "../../api/useAsk.ts"
import { useMay } from "../../app/useSession.ts"
import { Asked } from "../../parts/Asked.tsx"
import { Empty } from "../../parts/Empty.tsx"
import type { NewSwitch } from "./New.tsx"
import { placesOf } from "./places.ts"

/** Links and names, to tell who was there before. */
export const useCables = () => {
  const may = useMay()
  const links = useAsk("GET /linknets", {}, { kinds: ["linknet"], enabled: may("GET", "/linknets") })
  const devices = useAsk("GET /devices", { query: { per_page: 1000 } }, { kinds: ["device"] })
  return { links: links.data?.answer.data.linknets ?? [], devices: devices.data?.answer.data.devices ?? [] }
}

export const Where = ({ device: { hostname, id } }: { readonly device: NewSwitch }) => {
  const cables = useCables()
  const asked = useAsk("GET /device/:hostname/lldp_neighbors", { params: { hostname } }, { once: true })
  return (
    <Asked of={asked} what={`what ${hostname} hears`}>
      {({ data: { lldp_neighbors } }) => {
        const places = placesOf(id, lldp_neighbors, cables)
        return places.length === 0 ? (
          <Empty>It hears no neighbour. Look at its uplinks, and whether the other end sends LLDP.</Empty>
        ) : (
          <List size="sm">
            {places.map(({ before, own, peer, peerPort }) => (
              <List.Item key={`${own} ${peer} ${peerPort}`}>
                on <b>{peer}</b> {peerPort} (by its {own}){before === undefined ? "" : `, where ${before} was`}
              </List.Item>
            ))}
          </List>
        )
      }}
    </Asked>
  )
}
