import { describe, expect, it } from "@effect/vitest"
import type { Linknet } from "../../src/domain/Linknet.ts"
import {
  edgesOf,
  type EndDevice,
  type LldpNeighbour,
  type PlaceDevice,
  placesOf,
  replacedBy
} from "../../src/domain/Topology.ts"

const device = (id: number, hostname: string, read = true): EndDevice => ({
  id,
  hostname,
  platform: "eos",
  neighbours_read: read ? "2026-03-02T09:12:07" : null
})
const link = (id: number, a: number, a_port: string, b: number, b_port: string): Linknet => ({
  id,
  ipv4_network: null,
  device_a_id: a,
  device_a_ip: null,
  device_a_port: a_port,
  device_b_id: b,
  device_b_ip: null,
  device_b_port: b_port,
  site_id: null,
  description: null
})
const hears = (device_id: number, port: string, name: string, peer_port: string): LldpNeighbour => ({
  device_id,
  port,
  name,
  peer_port
})

const dist = device(1, "dist1")
const acc = device(2, "acc1")
const plan = [link(7, 2, "Ethernet49", 1, "Ethernet3")]

describe("planned and seen cables", () => {
  const table: ReadonlyArray<
    readonly [string, ReadonlyArray<EndDevice>, ReadonlyArray<LldpNeighbour>, ReadonlyArray<string>]
  > = [
    [
      "agree when one end sees what is planned",
      [dist, acc],
      [hears(1, "Et3", "ACC1.example.org.", "Et49")],
      ["agreed"]
    ],
    ["are planned only when an end was read and sees nothing", [dist, acc], [], ["planned"]],
    ["are unread when nobody was asked", [device(1, "dist1", false), device(2, "acc1", false)], [], ["unread"]],
    [
      "have moved when a port sees another one, which is seen without a link",
      [dist, acc],
      [hears(1, "Ethernet3", "acc1", "Ethernet50")],
      ["moved", "seen"]
    ],
    ["are left out to a device that may not be seen", [dist], [hears(1, "Ethernet3", "acc1", "Ethernet49")], []],
    ["are no cables of a device to itself", [dist, acc], [hears(1, "Ethernet5", "dist1", "Ethernet6")], ["planned"]]
  ]
  it.each(table)("%s", (_name, devices, heard, agreements) => {
    expect(edgesOf(devices, plan, heard).map(({ agreement }) => agreement)).toEqual(agreements)
  })

  it("name the neighbour that a port sees instead", () => {
    const [moved] = edgesOf([dist, acc], plan, [hears(1, "Ethernet3", "acc1", "Ethernet50")])
    expect(moved?.instead).toBe("dist1 Ethernet3 sees acc1 Ethernet50")
  })

  it("are one when both ends see each other", () => {
    const heard = [hears(1, "Ethernet9", "acc1", "Ethernet9"), hears(2, "Ethernet9", "dist1", "Ethernet9")]
    expect(edgesOf([dist, acc], [], heard)).toHaveLength(1)
  })
})

describe("the place of a new switch", () => {
  const at = (id: number, hostname: string, state: PlaceDevice["state"]): PlaceDevice => ({
    id,
    hostname,
    platform: "eos",
    state
  })
  const fresh = at(9, "mac-0800275C091F", "DISCOVERED")
  const all = [at(1, "dist1", "MANAGED"), at(2, "acc1", "UNMANAGED"), at(3, "dist2", "MANAGED"), fresh]
  const links = [...plan, link(8, 2, "Ethernet50", 3, "Ethernet3")]

  it("is the port that it sees, once, and the device that was there", () => {
    const heard = [
      hears(9, "Ethernet49", "dist1", "Ethernet3"),
      hears(1, "Ethernet3", "mac-0800275C091F", "Ethernet49")
    ]
    const places = placesOf(fresh, all, links, heard)
    expect(places).toEqual([
      {
        hostname: "dist1",
        port: "Ethernet3",
        own_port: "Ethernet49",
        heard_by: "switch",
        linknet_id: 7,
        was: "acc1",
        was_state: "UNMANAGED"
      }
    ])
    expect(replacedBy(places)).toBe("acc1")
  })

  it("is reported by the neighbour if no login to it was possible", () => {
    const places = placesOf(fresh, all, links, [hears(3, "Et7", "mac-0800275C091F", "")])
    expect(places).toMatchObject([{ hostname: "dist2", port: "Ethernet7", heard_by: "neighbour", was: null }])
    expect(replacedBy(places)).toBeNull()
  })

  it("is empty when two devices were there", () => {
    const others = [...all, at(4, "acc2", "MANAGED")]
    const both = [...plan, link(8, 4, "Ethernet50", 3, "Ethernet3")]
    const heard = [hears(9, "Ethernet49", "dist1", "Ethernet3"), hears(9, "Ethernet50", "dist2", "Ethernet3")]
    expect(replacedBy(placesOf(fresh, others, both, heard))).toBeNull()
  })
})
