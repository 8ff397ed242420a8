import { describe, expect, it } from "@effect/vitest"
import { junos } from "../../../src/domain/platforms/junos/Platform.ts"
import { compareNames, isSubinterface, longName } from "../../../src/domain/platforms/Platforms.ts"

describe("interface names", () => {
  it.each([
    ["eos", "Et51", "Ethernet51"],
    ["eos", "Et1/1", "Ethernet1/1"],
    ["eos", "Ma1", "Management1"],
    ["eos", "Po10", "Port-Channel10"],
    ["nxos", "Po10", "port-channel10"],
    ["ios", "Po10", "Port-channel10"],
    ["nxos", "Eth1/2", "Ethernet1/2"],
    ["ios", "Gi1/0/1", "GigabitEthernet1/0/1"],
    ["ios", "Te1/1", "TenGigabitEthernet1/1"],
    ["iosxr", "Te0/0/0/1", "TenGigE0/0/0/1"],
    ["iosxr", "Mg0/RP0/CPU0/0", "Mg0/RP0/CPU0/0"],
    ["ios", "Twe1/0/1", "TwentyFiveGigE1/0/1"],
    ["ios", "Hu1/0/1", "HundredGigE1/0/1"],
    ["eos", "Ethernet51", "Ethernet51"],
    ["junos", "xe-0/0/1.0", "xe-0/0/1.0"],
    ["eos", "94:8e:d3:11:22:33", "94:8e:d3:11:22:33"],
    ["eos", "948e.d311.2233", "948e.d311.2233"],
    ["eos", "Xx1", "Xx1"]
  ])("on %s %s is %s", (platform, short, long) => {
    expect(longName(platform, short)).toBe(long)
  })

  it("sort in natural order", () => {
    const sorted = ["Ethernet1", "Ethernet1/2", "Ethernet1/10", "Ethernet2", "Ethernet10", "Loopback0", "Management1"]
    expect(sorted.toReversed().toSorted(compareNames)).toEqual(sorted)
  })

  it("of Junos sort by member, slot and port", () => {
    const sorted = ["ae1", "ae10", "ge-0/0/2", "ge-0/0/10", "ge-1/0/0", "irb", "xe-0/2/0", "xe-0/2/0:1"]
    expect(sorted.toReversed().toSorted(compareNames)).toEqual(sorted)
  })

  it.each([
    ["ge-0/0/1", true, true],
    ["mge-1/0/47", true, true],
    ["et-0/0/48", true, true],
    ["xe-0/0/48:3", true, true],
    ["ge-0/0/1.0", false, true],
    ["ae1", false, true],
    ["irb", false, true],
    ["irb.3016", false, true],
    ["lo0", false, true],
    ["vme", false, true],
    ["me0", false, true],
    ["em0", false, true],
    ["Ethernet1", false, false],
    ["aero", false, false]
  ])("of Junos: %s is a port for a cable: %s, and one of its names: %s", (name, isPort, isPossible) => {
    const { physical, possible } = junos.interfaces
    expect(physical.test(name)).toBe(isPort)
    expect(possible?.test(name)).toBe(isPossible)
  })

  it("include subinterfaces", () => {
    expect(["Ethernet1", "Ethernet1.100"].map(isSubinterface)).toEqual([false, true])
  })
})
