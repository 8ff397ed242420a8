/** Finding machines, devices and ports (docs/api.md#find). */
import type { Case, Expected } from "../Case.ts"

const seen = (from: number, to: number) => `'2026-03-0${from}T12:03:05Z', '2026-03-0${to}T12:03:05Z'`

/** One machine below east-a1, which dist1 and core1 have learnt over a bundle and a tunnel; east-a1 has been read by now. */
const tables = [
  `insert into mac_entry (device_id, port, vlan, mac, first_seen, last_seen) values
    (1, 'Vxlan1', 110, '005056AA1207', ${seen(1, 3)}),
    (2, 'Port-Channel7', 110, '005056AA1207', ${seen(1, 3)}),
    (4, 'Ethernet2', 110, '005056AA1207', ${seen(2, 3)}),
    (4, 'Ethernet1', 110, '005056AA1207', ${seen(1, 1)}),
    (8, 'Ethernet5', 120, '005056AA1301', ${seen(1, 2)})`,
  `insert into station_port (device_id, port, members, neighbours, is_tunnel) values
    (1, 'Vxlan1', '{}', '{}', true), (2, 'Port-Channel7', '{Ethernet1}', '{}', false), (4, 'Ethernet2', '{}', '{phone}', false),
    (8, 'Ethernet5', '{}', '{east-a1.example.org,east-a1}', false)`,
  `insert into arp_entry (device_id, ip, mac, interface, first_seen, last_seen) values
    (2, '10.110.0.57', '005056AA1207', 'Vlan110', ${seen(1, 3)}), (2, '2001:db8::57', '005056AA1207', 'Vlan110', ${seen(1, 2)})`,
  `insert into tables_read (device_id, read_at, macs, arps) values (4, '2026-03-03T12:03:05Z', 2, 0)`
]

interface Hit {
  readonly [field: string]: string | number | boolean | null
}

const found = (name: string, q: string, hits: ReadonlyArray<Hit>): Case => ({
  name,
  given: tables,
  request: { method: "GET", path: `/find?q=${encodeURIComponent(q)}` },
  reply: {
    status: 200,
    body: {
      status: "success",
      data: {
        hits: hits satisfies ReadonlyArray<Expected>,
        truncated: false,
        tables: { devices: 6, read: 1, oldest: "2026-03-03T12:03:05", newest: "2026-03-03T12:03:05" }
      }
    }
  }
})

const refused = (name: string, query: string, message: string): Case => ({
  name,
  request: { method: "GET", path: `/find${query}` },
  reply: { status: 400, body: { status: "error", message } }
})

const machine = {
  kind: "mac",
  mac: "00:50:56:AA:12:07",
  ip: "10.110.0.57",
  vlan: 110,
  last_seen: "2026-03-03T12:03:05"
}
const edge = { ...machine, hostname: "east-a1", port: "Ethernet2", description: "room 5", on_uplink: false }
const learnt = [
  edge,
  {
    ...machine,
    hostname: "east-a1",
    port: "Ethernet1",
    first_seen: "2026-03-01T12:03:05",
    last_seen: "2026-03-01T12:03:05",
    on_uplink: false
  },
  { ...machine, hostname: "core1", port: "Vxlan1", on_uplink: true },
  { ...machine, hostname: "dist1", port: "Port-Channel7", on_uplink: true }
]
const four = { kind: "arp", hostname: "dist1", port: "Vlan110", ip: "10.110.0.57", mac: "00:50:56:AA:12:07" }

export const findCases: ReadonlyArray<Case> = [
  found("a machine by its address: the edge port first, then where it was, then the way there", "0050.56aa.1207", [
    ...learnt,
    four,
    { ...four, ip: "2001:db8::57" }
  ]),
  found("a machine whose switch sees another device there", "00:50:56:aa:13", [
    { kind: "mac", hostname: "special-a8", port: "Ethernet5", ip: null, on_uplink: true }
  ]),
  found("a machine by its IP address", "2001:0db8::57", [...learnt, { ...four, ip: "2001:db8::57" }]),
  found("a device by the beginning of its own MAC address", "08:00:27:08:a8:be", [
    { kind: "device", hostname: "east-a1", mac: "08:00:27:08:A8:BE", ip: "10.0.6.6", on_uplink: null }
  ]),
  found("a device by its IP address", "10.100.3.1", [{ kind: "device", hostname: "dist1" }]),
  found("a device by the serial number of a member", "ab1234", [{ kind: "device", hostname: "east-a1" }]),
  found("a device by its location", "room e-2", [
    { kind: "device", hostname: "special-a8", location: "East wing, room E-2, rack 2" }
  ]),
  found("a port by its switch and its number", "a1 eth2", [
    { kind: "port", hostname: "east-a1", port: "Ethernet2", description: "room 5", location: null }
  ]),
  found("a port by its description", "ROOM", [
    { kind: "port", hostname: "east-a1", port: "Ethernet2", description: "room 5", mac: null }
  ]),
  found("ports on which a VLAN has machines", "vlan 110", [
    { kind: "vlan", hostname: "east-a1", port: "Ethernet1", vlan: 110, description: "1 MAC address", on_uplink: false },
    { kind: "vlan", hostname: "east-a1", port: "Ethernet2", last_seen: "2026-03-03T12:03:05" },
    { kind: "vlan", hostname: "core1", port: "Vxlan1", on_uplink: true },
    { kind: "vlan", hostname: "dist1", port: "Port-Channel7", on_uplink: true }
  ]),
  found("nothing", "nobody %", []),
  refused(
    "an error for a missing question",
    "",
    "q must be given: a MAC address or how it begins, an IP address, a serial number, a hostname, the description of a port, or a VLAN by id or name"
  ),
  refused(
    "that an address is none",
    "?q=10.0.0.300",
    "q is no IP address: each number of 10.0.0.300 must be from 0 to 255, without zeros before it"
  ),
  refused(
    "an error for a question without letters and digits",
    "?q=--",
    "q has no letter and no digit, so nothing can be found by it"
  )
]
