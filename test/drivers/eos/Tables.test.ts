import { describe, expect, it } from "@effect/vitest"
import { arpEntriesOf, joinedOf, macEntriesOf } from "../../../src/drivers/eos/Neighbours.ts"

const entry = (macAddress: string, port: string, vlanId: number, entryType = "dynamic") => ({
  macAddress,
  interface: port,
  vlanId,
  entryType,
  moves: 1,
  lastMove: 1_761_200_000.5
})

const shown = {
  multicastTable: { tableEntries: [entry("01:00:5e:00:00:fb", "Ethernet3", 110)] },
  unicastTable: {
    tableEntries: [
      entry("28:99:3a:bf:26:46", "Router", 110, "static"),
      entry("00:1c:73:00:dc:01", "Cpu", 1, "static"),
      entry("00:50:56:aa:12:07", "Ethernet3", 110),
      entry("0050.56aa.1208", "Et4", 120),
      entry("00:50:56:aa:12:09", "Port-Channel51", 110),
      entry("00:50:56:aa:12:10", "Vxlan1", 110),
      { interface: "Ethernet5", vlanId: 1 },
      { macAddress: "00:50:56:aa:12:11", vlanId: 1 }
    ]
  },
  disabledMacLearningVlans: []
}

describe("machines that an EOS switch has learnt", () => {
  it("have long port names and one spelling, and exclude the switch's own addresses", () => {
    expect(macEntriesOf(shown)).toEqual([
      { port: "Ethernet3", vlan: 110, mac: "00:50:56:AA:12:07" },
      { port: "Ethernet4", vlan: 120, mac: "00:50:56:AA:12:08" },
      { port: "Port-Channel51", vlan: 110, mac: "00:50:56:AA:12:09" },
      { port: "Vxlan1", vlan: 110, mac: "00:50:56:AA:12:10" }
    ])
  })

  it("are reached over the cables of a bundle, or over a tunnel from another switch", () => {
    const interfaces = { "Port-Channel51": { memberInterfaces: { Ethernet51: {}, Et52: {} } }, Ethernet3: {} }
    expect(joinedOf(macEntriesOf(shown), interfaces)).toEqual([
      { port: "Port-Channel51", members: ["Ethernet51", "Ethernet52"], isTunnel: false },
      { port: "Vxlan1", members: [], isTunnel: true }
    ])
  })

  it("have addresses in all VRFs, of both families, also if a release shows only one VRF", () => {
    const four = { hwAddress: "0050.56aa.1207", address: "10.110.0.57", interface: "Vlan110, Ethernet3", age: 12 }
    const entry = { ip: "10.110.0.57", mac: "00:50:56:AA:12:07", interface: "Vlan110" }
    const six = { hwAddress: "00:50:56:aa:12:07", address: "2001:db8:110::57", interface: "Vlan110", age: "0:00:12" }
    expect(arpEntriesOf({ ipV4Neighbors: [four], totalEntries: 1 })).toEqual([entry])
    expect(arpEntriesOf({ vrfs: { default: { ipV4Neighbors: [] }, CAMPUS: { ipV4Neighbors: [four] } } })).toEqual([
      entry
    ])
    expect(arpEntriesOf({ vrfs: { CAMPUS: { ipV6Neighbors: [six] } } })).toEqual([{ ...entry, ip: "2001:db8:110::57" }])
    expect(arpEntriesOf({ ipV4Neighbors: [{ address: "10.0.0.9", hwAddress: "incomplete" }] })).toEqual([])
  })
})
