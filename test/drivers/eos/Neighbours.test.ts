import { describe, expect, it } from "@effect/vitest"
import { neighbourDetailsOf, neighboursOf } from "../../../src/drivers/eos/Neighbours.ts"

describe("neighbours", () => {
  it("have long port names, and a port may have several", () => {
    const heard = [
      { port: "Et51", neighborDevice: "dist-b2-1", neighborPort: '"Ethernet7"' },
      { port: "Ethernet51", neighborDevice: "phone", neighborPort: "0a:1b" }
    ]
    expect(neighboursOf(heard)).toEqual({
      neighbours: {
        Ethernet51: [
          { hostname: "dist-b2-1", port: "Ethernet7" },
          { hostname: "phone", port: "0a:1b" }
        ]
      },
      remarks: []
    })
  })

  it("are read from a short form as from the detailed one", () => {
    const info = (port: object) => ({ lldpNeighborInfo: [{ systemName: "dist-b2-1", neighborInterfaceInfo: port }] })
    for (const port of [
      { interfaceId: '"Ethernet7"' },
      { interfaceId: "Ethernet7" },
      { interfaceId_v2: "Ethernet7", interfaceId: "other" },
      { interfaceId: '"Et7"', interfaceIdType: "interfaceName" }
    ]) {
      expect(neighboursOf({ Ethernet51: info(port), Ethernet52: { lldpNeighborInfo: [] } })).toEqual({
        neighbours: { Ethernet51: [{ hostname: "dist-b2-1", port: "Ethernet7" }] },
        remarks: []
      })
    }
  })

  it("omit fields that the switch does not give, with a remark", () => {
    const heard = [
      { port: "Ethernet1", neighborDevice: "dist-b2-1" },
      { port: "Ethernet2", neighborPort: "Ethernet7" },
      { neighborDevice: "dist-b2-1", neighborPort: "Ethernet8" },
      "nonsense"
    ]
    expect(neighboursOf(heard)).toEqual({
      neighbours: {
        Ethernet1: [{ hostname: "dist-b2-1", port: "" }],
        Ethernet2: [{ hostname: "", port: "Ethernet7" }]
      },
      remarks: [
        '"show lldp neighbors" gives no neighborPort at Ethernet1',
        '"show lldp neighbors" gives no neighborDevice at Ethernet2',
        '"show lldp neighbors" gives no port'
      ]
    })
  })
})

describe("the announcements of neighbours", () => {
  const detail = (heard: unknown) =>
    neighbourDetailsOf({ Ethernet1: { lldpNeighborInfo: [heard] } }).neighbours["Ethernet1"]?.[0]

  it.each([
    ["948e.d311.2200", "macAddress", "94:8E:D3:11:22:00"],
    ["94:8e:d3:11:22:00", "macAddress", "94:8E:D3:11:22:00"],
    ["94-8E-D3-11-22-00", undefined, "94:8E:D3:11:22:00"],
    ["948ed3112200", undefined, "94:8E:D3:11:22:00"],
    // an id of another kind may look like an address
    ["948ed3112200", "local", "948ed3112200"],
    ["switch-7", "macAddress", "switch-7"],
    [undefined, undefined, ""]
  ])("contain the chassis id %j of type %j as %j", (chassisId, chassisIdType, expected) => {
    expect(detail({ chassisId, chassisIdType })?.remote_chassis_id).toBe(expected)
  })

  it("are empty for missing or unusual values", () => {
    const empty = {
      parent_interface: "",
      remote_port: "",
      remote_port_description: "",
      remote_chassis_id: "",
      remote_system_name: "",
      remote_system_description: "",
      remote_system_capab: [],
      remote_system_enable_capab: []
    }
    expect(detail({})).toEqual(empty)
    const odd = { systemName: null, chassisId: 7, systemCapabilities: [], neighborInterfaceInfo: "Ethernet7" }
    expect(detail(odd)).toEqual(empty)
    expect(detail({ systemCapabilities: { stationOnly: true, other: "yes" } })).toEqual({
      ...empty,
      remote_system_capab: ["stationOnly", "other"],
      remote_system_enable_capab: ["stationOnly"]
    })
  })
})
