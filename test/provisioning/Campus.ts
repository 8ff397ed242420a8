/** A small campus for the tests: two cores, two distribution switches, access switches, and what the settings say about them. */
import type { Device } from "../../src/domain/Device.ts"
import type { Interface } from "../../src/domain/Interface.ts"
import type { Linknet } from "../../src/domain/Linknet.ts"
import type { MgmtDomain } from "../../src/domain/MgmtDomain.ts"
import { configuredPorts, type PeerPortOwner } from "../../src/provisioning/Links.ts"

export type CampusDevice = Pick<
  Device,
  "id" | "hostname" | "platform" | "state" | "device_type" | "management_ip" | "synchronized"
>

export const device = (
  id: number,
  hostname: string,
  type: Device["device_type"],
  changes: Partial<CampusDevice> = {}
): CampusDevice => ({
  id,
  hostname,
  platform: "eos",
  state: "MANAGED",
  device_type: type,
  management_ip: null,
  synchronized: true,
  ...changes
})

export const core1 = device(5, "core1", "CORE")
export const core2 = device(6, "core2", "CORE")
export const dist1 = device(12, "dist-b2-1", "DIST")
export const dist2 = device(13, "dist-b2-2", "DIST")
export const acc1 = device(21, "acc-b2-01", "ACCESS", { management_ip: "10.0.6.6" })
export const blank = device(71, "mac-0C1A33BEEF01", "UNKNOWN", { state: "DISCOVERED", synchronized: false })
export const peer = device(72, "mac-0C1A33BEEF02", "UNKNOWN", { state: "DISCOVERED", synchronized: false })

const all = [core1, core2, dist1, dist2, acc1, blank, peer]
export const byHostname = new Map(all.map((one) => [one.hostname, one]))

/** Distribution switches: 1–10 downlinks, 11–12 downlinks for single uplinks, 49–52 fabric. Cores: 1–8 fabric. */
export const distPorts = configuredPorts([
  { name: "Ethernet[1-10]", ifclass: "downlink" },
  { name: "Ethernet[11-12]", ifclass: "downlink", redundant_link: false },
  { name: "Ethernet[49-52]", ifclass: "fabric" }
])
export const corePorts = configuredPorts([{ name: "Ethernet[1-8]", ifclass: "fabric" }])

const accessRow = (name: string, configtype: Interface["configtype"], data: Interface["data"] = null): Interface => ({
  device_id: acc1.id,
  name,
  configtype,
  data
})

export const acc1Rows = [
  accessRow("Ethernet1", "ACCESS_AUTO"),
  accessRow("Ethernet2", "ACCESS_DOWNLINK"),
  accessRow("Ethernet3", "ACCESS_DOWNLINK", { redundant_link: false }),
  accessRow("Ethernet4", "MLAG_PEER")
]

export const owners: ReadonlyMap<number, PeerPortOwner> = new Map([
  [core1.id, { ...core1, ports: corePorts, interfaces: [] }],
  [core2.id, { ...core2, ports: corePorts, interfaces: [] }],
  [dist1.id, { ...dist1, ports: distPorts, interfaces: [] }],
  [dist2.id, { ...dist2, ports: distPorts, interfaces: [] }],
  [acc1.id, { ...acc1, ports: new Map(), interfaces: acc1Rows }],
  [peer.id, { ...peer, ports: new Map(), interfaces: [] }]
])

export const linknet = (
  id: number,
  a: readonly [number, string],
  b: readonly [number, string],
  network: string | null = null
): Linknet => ({
  id,
  ipv4_network: network,
  device_a_id: a[0],
  device_a_ip: null,
  device_a_port: a[1],
  device_b_id: b[0],
  device_b_ip: null,
  device_b_port: b[1],
  site_id: null,
  description: null
})

export const domain = (id: number, a: number, b: number, changes: Partial<MgmtDomain> = {}): MgmtDomain => ({
  id,
  ipv4_gw: "10.0.6.1/24",
  ipv6_gw: null,
  device_a_id: a,
  device_a_ip: "10.0.6.2",
  device_b_id: b,
  device_b_ip: "10.0.6.3",
  site_id: null,
  vlan: 600,
  description: "b2",
  esi_mac: null,
  ...changes
})
