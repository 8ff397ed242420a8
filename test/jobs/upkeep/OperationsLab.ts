/** A whole server over a lab of two managed access switches below a distribution switch, used through the API only. */
import { Effect } from "effect"
import type { Quirks } from "../../../src/lab/eos/Quirks.ts"
import { makeLab } from "../../../src/lab/Lab.ts"
import type * as Topology from "../../../src/lab/Topology.ts"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import { InterfaceStore } from "../../../src/store/InterfaceStore.ts"
import { NetworkStore } from "../../../src/store/NetworkStore.ts"
import * as Campus from "../../support/Campus.ts"
import { serve } from "../../support/ServedCampus.ts"

const MODEL = "CCS-720XP-24ZY4-F"
export const NAMES = ["lhv-acc1", "lhv-acc2"] as const

const config = (hostname: string, address: string, ports = "") => `hostname ${hostname}
username switchyard privilege 15 role network-admin secret sha512 ${Campus.HASH}
aaa authorization exec default local
lldp run
vlan 3016
   name MANAGEMENT
${ports}interface Vlan3016
   ip address ${address}/24
`

const PORTS = `interface Ethernet1
   description AP 12
interface Ethernet3
   description meeting room
   spanning-tree portfast
interface Ethernet4
   shutdown
interface Ethernet8
   switchport access vlan 3016
`

/** One in VLAN 1 and one in the VLAN that the switches route. */
const MACHINES = {
  Ethernet7: [{ mac: "00:50:56:aa:12:07" }],
  Ethernet8: [{ mac: "00:50:56:aa:12:08", ip: "10.196.16.77" }]
}

const addressOf = (index: number): string => `10.196.16.${10 + index}`

/** The facts of the first switch, in place of the common ones. */
type Box = Pick<Topology.Node, "serial" | "model" | "version" | "hosts">

const makeLabOf = (quirks: Quirks, box: Box) => {
  const access = (name: string, index: number, ports: string) => ({
    role: "access" as const,
    gateway: true,
    model: MODEL,
    ports: 28,
    quirks,
    "startup-config": config(name, addressOf(index), ports)
  })
  return makeLab({
    name: "operations",
    topology: {
      defaults: { kind: "eos", passwords: { switchyard: Campus.PASSWORD }, version: "4.31.4M" },
      nodes: {
        [NAMES[0]]: { ...access(NAMES[0], 0, PORTS), hosts: MACHINES, ...box },
        [NAMES[1]]: access(NAMES[1], 1, ""),
        "lhv-dist1": { role: "dist", gateway: true, "startup-config": config("lhv-dist1", "10.196.16.2") }
      },
      links: [
        { endpoints: [`${NAMES[0]}:Ethernet27`, "lhv-dist1:Ethernet1"] },
        { endpoints: [`${NAMES[0]}:Ethernet26`, `${NAMES[1]}:Ethernet26`] }
      ]
    }
  })
}

const seed = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const interfaces = yield* InterfaceStore
  const { links } = yield* NetworkStore
  const { one } = yield* Campus.seedSite
  const [first, second] = yield* Effect.forEach(NAMES, (hostname, index) =>
    devices.insert({
      hostname,
      state: "MANAGED",
      device_type: "ACCESS",
      platform: "eos",
      management_ip: addressOf(index),
      synchronized: true
    })
  )
  const a = yield* Effect.orDie(Effect.fromNullishOr(first))
  const b = yield* Effect.orDie(Effect.fromNullishOr(second))
  const link = { ipv4_network: null, device_a_ip: null, device_b_ip: null, site_id: null, description: null } as const
  const peer = { device_b_id: b.id, device_b_port: "Ethernet26" } as const
  yield* links.insert({ ...link, device_a_id: a.id, device_a_port: "Ethernet26", ...peer })
  const up = { device_b_id: one.id, device_b_port: "Ethernet1" } as const
  yield* links.insert({ ...link, device_a_id: a.id, device_a_port: "Ethernet27", ...up })
  yield* interfaces.put(a.id, "Ethernet27", "ACCESS_UPLINK", { neighbor: "lhv-dist1" })
  yield* interfaces.put(a.id, "Ethernet1", "ACCESS_TAGGED", { description: "AP 12" })
  yield* interfaces.put(a.id, "Ethernet99", "ACCESS_AUTO", null)
  yield* interfaces.put(a.id, "Ethernet98", "ACCESS_UPLINK", { neighbor: "lhv-dist2" })
})

/** The server with these variables, its client and the switches, which have these quirks. The repositories have been read. */
export const makeQuirkyLab = Effect.fnUntraced(function* (
  quirks: Quirks,
  variables: Readonly<Record<string, string>> = {},
  box: Box = {}
) {
  const folders = yield* Campus.makeFolders
  const network = yield* makeLabOf(quirks, box)
  const { api, running, url } = yield* serve({ ...Campus.environment(network, folders, folders.folder), ...variables })
  yield* Effect.provideContext(seed, running)
  while ((yield* api.send("GET", "/settings")).status !== 200) yield* Effect.sleep("50 millis")
  while ((yield* api.send("PUT", "/repository/templates", { action: "REFRESH" })).status === 503) {
    yield* Effect.sleep("50 millis")
  }
  const [first, second] = yield* Effect.orDie(Effect.forEach(NAMES, (name) => network.get(name)))
  return {
    api,
    url,
    running,
    first: yield* Effect.orDie(Effect.fromNullishOr(first)),
    second: yield* Effect.orDie(Effect.fromNullishOr(second)),
    folder: folders.folder
  }
})

/** The same with switches as the documentation has them. */
export const makeOperationsLab = Effect.suspend(() => makeQuirkyLab({}))
