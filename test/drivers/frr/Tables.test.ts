import { describe, expect, it } from "@effect/vitest"
import { arpEntriesOf, joinedOf, macEntriesOf } from "../../../src/drivers/frr/Neighbours.ts"

const bridged = [
  { mac: "33:33:00:00:00:01", ifname: "swp1", flags: ["self"], state: "permanent" },
  { mac: "44:38:39:00:00:11", ifname: "swp1", vlan: 1, flags: [], master: "bridge", state: "permanent" },
  { mac: "00:50:56:aa:12:07", ifname: "swp1", vlan: 110, flags: [], master: "bridge", state: "" },
  { mac: "00:50:56:aa:12:08", ifname: "bond51", vlan: 110, flags: [], master: "bridge", state: "" },
  { mac: "00:50:56:aa:12:09", ifname: "vni110", vlan: 110, flags: ["extern_learn"], master: "bridge", state: "" },
  { mac: "00:50:56:aa:12:09", dst: "10.0.0.2", ifname: "vni110", flags: ["self", "extern_learn"], state: "" },
  { mac: "00:50:56:aa:12:10", ifname: "swp2@if7", flags: [], master: "br0", state: "" }
]

const kinds = [
  { ifname: "swp51", master: "bond51", linkinfo: { info_slave_kind: "bond" } },
  { ifname: "swp52", master: "bond51", linkinfo: { info_slave_kind: "bond" } },
  { ifname: "bond51", master: "bridge", linkinfo: { info_kind: "bond", info_slave_kind: "bridge" } },
  { ifname: "vni110", master: "bridge", linkinfo: { info_kind: "vxlan", info_slave_kind: "bridge" } },
  { ifname: "swp1", master: "bridge", linkinfo: { info_slave_kind: "bridge" } }
]

describe("machines that a Linux switch has learnt", () => {
  it("are those of its bridges, each once, without its own addresses and groups", () => {
    expect(macEntriesOf(bridged)).toEqual([
      { port: "swp1", vlan: 110, mac: "00:50:56:AA:12:07" },
      { port: "bond51", vlan: 110, mac: "00:50:56:AA:12:08" },
      { port: "vni110", vlan: 110, mac: "00:50:56:AA:12:09" },
      { port: "swp2", vlan: null, mac: "00:50:56:AA:12:10" }
    ])
  })

  it("are reached over the cables of a bond, or over a tunnel from another switch", () => {
    expect(joinedOf(macEntriesOf(bridged), kinds)).toEqual([
      { port: "bond51", members: ["swp51", "swp52"], isTunnel: false },
      { port: "vni110", members: [], isTunnel: true }
    ])
  })

  it("have an address once they have answered", () => {
    const stations = [
      { dst: "10.110.0.57", dev: "vlan110", lladdr: "00:50:56:aa:12:07", state: ["STALE"] },
      { dst: "fe80::250:56ff:feaa:1207", dev: "vlan110", lladdr: "00:50:56:aa:12:07", state: ["REACHABLE"] },
      { dst: "10.110.0.58", dev: "vlan110", state: ["FAILED"] },
      { dst: "10.110.0.59", dev: "vlan110", lladdr: "00:50:56:aa:12:08", state: ["FAILED"] },
      { dst: "224.0.0.5", dev: "swp1", lladdr: "01:00:5e:00:00:05", state: ["NOARP"] }
    ]
    expect(arpEntriesOf(stations)).toEqual([
      { ip: "10.110.0.57", mac: "00:50:56:AA:12:07", interface: "vlan110" },
      { ip: "fe80::250:56ff:feaa:1207", mac: "00:50:56:AA:12:07", interface: "vlan110" }
    ])
  })
})
