import { describe, expect, it } from "@effect/vitest"
import { factsOf, uptimeOf } from "../../../src/drivers/eos/Facts.ts"

describe("facts", () => {
  const interfaces = { interfaces: { Ethernet10: {}, Ethernet2: {}, "Ethernet2.100": {}, Management1: {} } }
  const version = { modelName: "CCS-720XP-48Y6-F", serialNumber: "WTW22190555", version: "4.31.4M" }

  it("take the internal version, natural order and no subinterfaces", () => {
    const full = { ...version, internalVersion: "4.31.4M-36737551.4314M", uptime: 91233.4 }
    expect(factsOf(full, { hostname: "a", fqdn: "a.example.org" }, interfaces, 0)).toEqual({
      hostname: "a",
      fqdn: "a.example.org",
      vendor: "Arista",
      model: "CCS-720XP-48Y6-F",
      serial_number: "WTW22190555",
      os_version: "4.31.4M-36737551.4314M",
      uptime: 91233.4,
      interface_list: ["Ethernet2", "Ethernet10", "Management1"]
    })
  })

  it("count the uptime from the boot time on old releases", () => {
    expect(uptimeOf({ ...version, bootupTimestamp: 1000 }, 1500)).toBe(500)
  })
})
