/** See docs/provisioning.md#ports-of-an-access-switch and docs/jobs.md#update_interfacedb. */
import { describe, expect, it } from "@effect/vitest"
import { Result } from "effect"
import type { Interface } from "../../src/domain/Interface.ts"
import {
  cabledPorts,
  checkMlagRows,
  deleteAllInterfaces,
  type InterfaceSurvey,
  physicalInterfaces,
  planInterfaces,
  trustsStoredUplinks,
  uplinkHostnames
} from "../../src/provisioning/InterfaceDatabase.ts"
import { acc1, blank, core1, dist1, dist2, linknet, peer } from "./Campus.ts"

const row = (name: string, configtype: Interface["configtype"], data: Interface["data"] = null): Interface => ({
  device_id: 71,
  name,
  configtype,
  data
})

describe("physical interfaces", () => {
  it.each([
    ["eos", ["Ethernet1", "Ethernet49/1", "Management1", "Ethernet1.100", "Vlan1"], ["Ethernet1", "Ethernet49/1"]],
    ["junos", ["ge-0/0/1", "mge-0/0/2", "ge-0/0/1.0", "irb", "ae0"], ["ge-0/0/1", "mge-0/0/2"]],
    [
      "ios",
      ["GigabitEthernet1/0/1", "Vlan1", "TenGigabitEthernet1/1/1"],
      ["GigabitEthernet1/0/1", "TenGigabitEthernet1/1/1"]
    ],
    ["nxos", ["Ethernet1/1", "mgmt0"], ["Ethernet1/1"]],
    ["iosxr", ["TenGigE0/0/0/1", "Loopback0"], ["TenGigE0/0/0/1"]]
  ])("of %s are distinguished from the others", (platform, names, expected) => {
    expect(physicalInterfaces(platform, "a1", names)).toEqual(Result.succeed(expected))
  })

  it.each([
    ["eos", ["Management1"]],
    ["other", ["Ethernet1"]]
  ])("of %s that are missing are an error", (platform, names) => {
    expect(physicalInterfaces(platform, "a1", names)).toMatchObject({
      failure: { message: "Could not find any physical interfaces for device a1" }
    })
  })
})

const devices = new Map([dist1, dist2, acc1, core1, peer].map((one) => [one.id, one]))

describe("cabled ports", () => {
  it("are uplinks to DIST and ACCESS devices and ports to the MLAG peer, in either direction of the link", () => {
    const links = [
      linknet(1, [blank.id, "Ethernet51"], [dist1.id, "Ethernet7"]),
      linknet(2, [dist2.id, "Ethernet7"], [blank.id, "Ethernet52"]),
      linknet(3, [blank.id, "Ethernet1"], [acc1.id, "Ethernet2"]),
      linknet(4, [blank.id, "Ethernet2"], [core1.id, "Ethernet2"]),
      linknet(5, [peer.id, "Ethernet3"], [blank.id, "Ethernet3"]),
      linknet(6, [blank.id, "Ethernet4"], [blank.id, "Ethernet5"]),
      linknet(7, [dist1.id, "Ethernet1"], [dist2.id, "Ethernet1"])
    ]
    const { mlagPeers, uplinks } = cabledPorts(blank.id, links, devices, peer.id)
    expect([...uplinks]).toEqual([
      ["Ethernet51", "dist-b2-1"],
      ["Ethernet52", "dist-b2-2"],
      ["Ethernet1", "acc-b2-01"]
    ])
    expect([...mlagPeers]).toEqual([["Ethernet3", peer.id]])
  })
})

const survey = (changes: Partial<InterfaceSurvey> = {}): InterfaceSurvey => ({
  deviceId: 71,
  ports: ["Ethernet1", "Ethernet2", "Ethernet51", "Ethernet52"],
  stored: [],
  cabled: { uplinks: new Map([["Ethernet51", "dist-b2-1"]]), mlagPeers: new Map([["Ethernet52", 72]]) },
  replace: false,
  ...changes
})

describe("the interface database", () => {
  it("is filled from the ports and the cables of a new switch", () => {
    expect(planInterfaces(survey())).toEqual({
      write: [
        row("Ethernet1", "ACCESS_AUTO"),
        row("Ethernet2", "ACCESS_AUTO"),
        row("Ethernet51", "ACCESS_UPLINK", { neighbor: "dist-b2-1" }),
        row("Ethernet52", "MLAG_PEER", { neighbor_id: 72 })
      ],
      remove: [],
      missing: []
    })
  })

  const stored = [
    row("Ethernet1", "ACCESS_UNTAGGED", { untagged_vlan: "staff" }),
    row("Ethernet51", "ACCESS_AUTO", { description: "x" }),
    row("Ethernet90", "ACCESS_DOWNLINK"),
    row("Ethernet91", "ACCESS_UPLINK", { neighbor: "dist-b2-1" }),
    row("Ethernet92", "MLAG_PEER", { neighbor_id: 72 })
  ]

  it("gets only new rows without replace, and loses only those of ports that are gone and follow no cable", () => {
    const { missing, remove, write } = planInterfaces(survey({ stored }))
    expect(write.map(({ name }) => name)).toEqual(["Ethernet2", "Ethernet52"])
    expect(remove).toEqual(["Ethernet90"])
    expect(missing).toEqual(["Ethernet91", "Ethernet92"])
  })

  it("is rewritten with replace; a port that becomes automatic keeps its data", () => {
    expect(planInterfaces(survey({ stored, replace: true })).write).toEqual([
      row("Ethernet1", "ACCESS_AUTO", { untagged_vlan: "staff" }),
      row("Ethernet2", "ACCESS_AUTO"),
      row("Ethernet51", "ACCESS_UPLINK", { neighbor: "dist-b2-1" }),
      row("Ethernet52", "MLAG_PEER", { neighbor_id: 72 })
    ])
  })

  it("is emptied by delete_all, uplinks and MLAG ports included", () => {
    expect(deleteAllInterfaces(stored)).toEqual({ write: [], remove: stored.map(({ name }) => name), missing: [] })
  })

  it("lists the uplinks of a switch, one per port", () => {
    const rows = [
      ...stored,
      row("Ethernet93", "ACCESS_UPLINK", {}),
      row("Ethernet94", "ACCESS_UPLINK", { neighbor: "dist-b2-1" })
    ]
    expect(uplinkHostnames(rows)).toEqual(["dist-b2-1", "dist-b2-1"])
  })

  it.each([
    [0, false, false],
    [1, false, true],
    [2, false, true],
    [3, false, false],
    [1, true, false]
  ])("with %i uplink rows and replace %s is trusted: %s", (count, replace, trusted) => {
    const rows = Array.from({ length: count }, (_, index) => row(`Ethernet${index}`, "ACCESS_UPLINK"))
    expect(trustsStoredUplinks(rows, replace)).toBe(trusted)
  })

  it("of an MLAG pair points at the other switch", () => {
    expect(checkMlagRows("a1", stored, 72)).toEqual(Result.succeed(undefined))
    expect(checkMlagRows("a1", stored, 73)).toMatchObject({
      failure: { message: "Inconsistent MLAG peer 72 detected for device a1" }
    })
  })
})
