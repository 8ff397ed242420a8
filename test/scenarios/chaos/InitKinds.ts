/**
 * The ways in which a switch joins, as data for `InitScene`: the cabling, the existing rows, and the job that begins it. Every run uses
 * switches and ports of its own, so that runs can be compared with each other.
 */
import { Effect } from "effect"
import type { Node } from "../../../src/lab/Topology.ts"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import { InterfaceStore } from "../../../src/store/InterfaceStore.ts"
import { NetworkStore } from "../../../src/store/NetworkStore.ts"
import * as Campus from "../../support/Campus.ts"

/** The new switch of a run, or both of a pair: name in the lab and hostname that it is to get. */
export interface Newcomer {
  readonly node: string
  readonly hostname: string
}

export interface InitKind {
  readonly newcomers: (run: number) => ReadonlyArray<Newcomer>
  readonly nodes: (run: number) => Readonly<Record<string, Node>>
  readonly links: (run: number) => ReadonlyArray<Campus.Link>
  /** Managed switches of the site in addition to its two distribution switches. */
  readonly cores: ReadonlyArray<string>
  /** Hostnames and lab names of the switches above. */
  readonly neighbours: ReadonlyArray<string>
  /** The first job, for the ids of the newcomers. */
  readonly job: (
    newcomers: ReadonlyArray<Newcomer>,
    ids: ReadonlyArray<number>
  ) => { readonly name: string; readonly args: Readonly<Record<string, unknown>> }
  /** Existing rows. */
  readonly prepare: (
    run: number,
    newcomers: ReadonlyArray<Newcomer>
  ) => Effect.Effect<void, unknown, DeviceStore | InterfaceStore | NetworkStore>
}

const DISTS = ["lhv-dist1", "lhv-dist2"]
const CORES = ["lhv-core1", "lhv-core2"]

const accessName = (number: number) => `lhv-acc${50 + number}`

const nothing = () => Effect.void

/** One switch with an uplink to both distribution switches. */
const access: InitKind = {
  newcomers: (run) => [{ node: `acc${run}`, hostname: accessName(run) }],
  nodes: (run) => ({ [`acc${run}`]: Campus.blankAccess }),
  links: (run) => Campus.uplinks(`acc${run}`, run),
  cores: [],
  neighbours: DISTS,
  job: ([one], [device_id]) => ({
    name: "init_access_device_step1",
    args: { device_id, new_hostname: one?.hostname }
  }),
  prepare: nothing
}

/** Two switches with two cables between them and one uplink each. */
const pair: InitKind = {
  newcomers: (run) => [
    { node: `left${run}`, hostname: accessName(2 * run) },
    { node: `right${run}`, hostname: accessName(2 * run + 1) }
  ],
  nodes: (run) => ({ [`left${run}`]: Campus.blankAccess, [`right${run}`]: Campus.blankAccess }),
  links: (run) => [
    { endpoints: [`left${run}:Ethernet25`, `right${run}:Ethernet25`] },
    { endpoints: [`left${run}:Ethernet26`, `right${run}:Ethernet26`] },
    { endpoints: [`left${run}:Ethernet28`, `lhv-dist1:Ethernet${run}`] },
    { endpoints: [`right${run}:Ethernet28`, `lhv-dist2:Ethernet${run}`] }
  ],
  cores: [],
  neighbours: DISTS,
  job: ([one, other], [device_id, mlag_peer_id]) => ({
    name: "init_access_device_step1",
    args: { device_id, new_hostname: one?.hostname, mlag_peer_id, mlag_peer_new_hostname: other?.hostname }
  }),
  prepare: nothing
}

/** A distribution switch between two core switches, which are synchronized afterwards. */
const fabric: InitKind = {
  newcomers: (run) => [{ node: `dist${run}`, hostname: `lhv-dist${50 + run}` }],
  nodes: (run) => ({ [`dist${run}`]: Campus.blankDist }),
  links: (run) => [
    { endpoints: [`dist${run}:Ethernet49/1`, `lhv-core1:Ethernet${run}/1`] },
    { endpoints: [`dist${run}:Ethernet50/1`, `lhv-core2:Ethernet${run}/1`] }
  ],
  cores: CORES,
  neighbours: CORES,
  job: ([one], [device_id]) => ({
    name: "init_fabric_device_step1",
    args: { device_id, new_hostname: one?.hostname, device_type: "DIST", neighbors: null }
  }),
  prepare: nothing
}

/** A broken switch: one of its uplinks is where the new unit has it, the other one and a port are not on the new unit. */
const broken = Effect.fnUntraced(function* (run: number, hostname: string) {
  const devices = yield* DeviceStore
  const interfaces = yield* InterfaceStore
  const { links } = yield* NetworkStore
  const { id } = yield* devices.insert({
    hostname,
    state: "UNMANAGED",
    device_type: "ACCESS",
    platform: "eos",
    ztp_mac: `AABBCCDDE${String(run).padStart(3, "0")}`,
    serial: `OLD${run}`,
    model: "CCS-720XP-48Y6-F",
    management_ip: `10.196.16.${150 + run}`,
    confhash: "of its last configuration"
  })
  yield* interfaces.put(id, "Ethernet1", "ACCESS_UNTAGGED", { untagged_vlan: "PRINTER" })
  yield* interfaces.put(id, "Ethernet40", "ACCESS_AUTO", null)
  for (const [port, far] of [
    ["Ethernet27", "lhv-dist1"],
    ["Ethernet48", "lhv-dist2"]
  ] as const) {
    yield* interfaces.put(id, port, "ACCESS_UPLINK", { neighbor: far })
    yield* links.insert({
      device_a_id: id,
      device_a_port: port,
      device_a_ip: null,
      device_b_id: (yield* devices.getByHostname(far)).id,
      device_b_port: `Ethernet${run}`,
      device_b_ip: null,
      ipv4_network: null,
      site_id: null,
      description: null
    })
  }
})

/** A switch that takes the place of one that broke. */
const replacement: InitKind = {
  ...access,
  job: ([one], [device_id]) => ({
    name: "init_access_device_step1",
    args: { device_id, new_hostname: one?.hostname, replace_hostname: true }
  }),
  prepare: (run, [one]) => broken(run, one?.hostname ?? "")
}

export const kinds = { access, pair, fabric, replacement } as const
