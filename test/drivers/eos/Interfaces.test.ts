import { expect, it } from "@effect/vitest"
import { interfacesOf } from "../../../src/drivers/eos/Interfaces.ts"

it("normalises the states of interfaces", () => {
  const found = interfacesOf({
    interfaces: {
      Loopback0: { interfaceStatus: "connected", lineProtocolStatus: "up" },
      Ethernet1: {
        description: "desk",
        interfaceStatus: "disabled",
        lineProtocolStatus: "down",
        bandwidth: 1_000_000_000,
        mtu: 9214,
        physicalAddress: "94:8e:d3:11:22:34",
        lastStatusChangeTimestamp: 1741081234.55
      },
      "Ethernet1.5": {}
    }
  })
  expect(Object.keys(found)).toEqual(["Ethernet1", "Loopback0"])
  expect(found["Ethernet1"]).toEqual({
    is_up: false,
    is_enabled: false,
    description: "desk",
    last_flapped: 1741081234.55,
    mtu: 9214,
    speed: 1000,
    mac_address: "94:8E:D3:11:22:34"
  })
  expect(found["Loopback0"]).toMatchObject({ is_up: true, is_enabled: true, last_flapped: -1, mac_address: "" })
})
