import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { interfacesOf, opticsOf } from "../../../src/drivers/eos/Facts.ts"
import { makeOneSwitch } from "./OneSwitchLab.ts"

const desk = {
  description: "desk",
  interfaceStatus: "disabled",
  lineProtocolStatus: "down",
  bandwidth: 1_000_000_000,
  mtu: 9214,
  physicalAddress: "94:8e:d3:11:22:34",
  lastStatusChangeTimestamp: 1741081234.55
}

const one = (found: unknown) => interfacesOf({ Ethernet1: found }).interfaces["Ethernet1"]

it("normalises the states of interfaces", () => {
  const { interfaces: found, remarks } = interfacesOf({
    Loopback0: { interfaceStatus: "connected", lineProtocolStatus: "up" },
    Ethernet1: desk,
    "Ethernet1.5": {}
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
  // a loopback needs no hardware address
  expect(remarks).toEqual([])
})

it.each([
  ["94:8e:d3:11:22:34", "94:8E:D3:11:22:34"],
  ["94:8E:D3:11:22:34", "94:8E:D3:11:22:34"],
  ["948e.d311.2234", "94:8E:D3:11:22:34"],
  ["94-8e-d3-11-22-34", "94:8E:D3:11:22:34"],
  ["948ed3112234", "94:8E:D3:11:22:34"],
  ["00:00:00:00:00:00", ""],
  ["", ""],
  ["N/A", ""],
  ["no address", ""],
  [null, ""]
])("gives the address %j as %j", (physicalAddress, expected) => {
  expect(one({ ...desk, physicalAddress })?.mac_address).toBe(expected)
})

it.each([
  [
    { totalInErrors: 3, totalOutErrors: 0, inDiscards: 0, outDiscards: 12 },
    { in: 3, out: 0, in_discards: 0, out_discards: 12 }
  ],
  [{ inErrors: "7" }, { in: 7, out: 0, in_discards: 0, out_discards: 0 }],
  [{ inOctets: 5 }, undefined],
  [null, undefined]
])("counts of %j the errors %j, and none if the switch reports none", (interfaceCounters, errors) => {
  expect(one({ ...desk, interfaceCounters })?.errors).toEqual(errors)
})

it.each([
  [{ lineProtocolStatus: "up" }, true, true],
  [{ lineProtocolStatus: "down" }, false, null],
  [{ interfaceStatus: "connected" }, true, true],
  [{ interfaceStatus: "notconnect" }, false, true],
  [{ interfaceStatus: "disabled" }, false, false],
  [{ lineProtocolStatus: "up", interfaceStatus: "disabled" }, true, true],
  [{}, null, null],
  [{ lineProtocolStatus: 4, interfaceStatus: [] }, null, null],
  [null, null, null]
])("reports of %j whether it is up (%j) and enabled (%j), and does not guess", (found, is_up, is_enabled) => {
  expect(one(found)).toMatchObject({ is_up, is_enabled })
})

it("reports missing fields of physical ports, and names three ports", () => {
  const ports = Object.fromEntries([3, 1, 2, 10, 4].map((port) => [`Ethernet${port}`, { ...desk, mtu: undefined }]))
  expect(interfacesOf(ports).remarks).toEqual([
    '"show interfaces" gives no mtu at Ethernet1, Ethernet2, Ethernet3 and 2 more'
  ])
})

it("lists the light levels of transceivers in port order, without empty cages", () => {
  const shown = {
    Ethernet50: {},
    Ethernet10: { mediaType: "10GBASE-T" },
    Ethernet9: {
      mediaType: "10GBASE-LR",
      vendorSn: "XCW1 ",
      rxPower: -4.13,
      txPower: "-2.2",
      txBias: 31.4,
      temperature: "N/A"
    }
  }
  const light = { rx_power: -4.13, tx_power: -2.2, bias: 31.4, temperature: null }
  expect(Object.entries(opticsOf(shown))).toEqual([
    ["Ethernet9", { media: "10GBASE-LR", serial: "XCW1", ...light }],
    ["Ethernet10", { media: "10GBASE-T", serial: "", rx_power: null, tx_power: null, bias: null, temperature: null }]
  ])
})

it.live("reads the ports of a modular switch, which are megabytes", () =>
  Effect.gen(function* () {
    const { driver, target } = yield* makeOneSwitch({ ports: 6_000, supervisor: "s1" })
    const session = yield* driver.open(target)
    const found = yield* session.interfaces
    expect(Object.keys(found)).toHaveLength(6_001)
    expect((yield* session.facts).interface_list).toHaveLength(6_001)
    expect(found["Ethernet6000"]).toMatchObject({ is_enabled: true })
  }).pipe(Effect.scoped)
)
