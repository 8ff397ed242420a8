import { describe, expect, it } from "@effect/vitest"
import { Result } from "effect"
import type { Linknet } from "../../src/domain/Linknet.ts"
import {
  freeLinkNetworks,
  joinLinks,
  type LinkPlan,
  type LldpTable,
  planLinks,
  seenPeers,
  storedLinks,
  storedNames
} from "../../src/provisioning/Links.ts"
import { blank, byHostname, core1, core2, corePorts, dist1, dist2, linknet, owners, peer } from "./Campus.ts"

const longName = (_platform: string, port: string) => port.replace(/^Et(?=\d)/, "Ethernet")

const access = { ...blank, device_type: "ACCESS" as const, ports: new Map() }
const fabric = { ...blank, device_type: "DIST" as const, ports: corePorts }

const plan = (
  lldp: LldpTable,
  stored: ReadonlyArray<Linknet> = [],
  device: typeof access | typeof fabric = access,
  infraLinkNet: string | null = "10.198.0.0/24"
) =>
  planLinks({
    device,
    seen: seenPeers(lldp, byHostname, null, longName),
    peers: owners,
    stored,
    occupied: [],
    infraLinkNet
  })

const ok = (result: ReturnType<typeof plan>): LinkPlan => Result.getOrThrow(result)

describe("neighbours seen over LLDP", () => {
  it.each([
    ["dist-b2-1", ["dist-b2-1"]],
    ["dist-b2-1.net.example.org", ["dist-b2-1.net.example.org", "dist-b2-1"]],
    ["dist-b2-1.net.example.org.", ["dist-b2-1.net.example.org", "dist-b2-1"]]
  ])("announced as %s are looked up as %j", (name, names) => expect(storedNames(name)).toEqual(names))

  it("are found by their full name, their short name and with short port names", () => {
    const lldp = {
      Ethernet51: [{ hostname: "dist-b2-1.net.example.org", port: "Et7" }],
      Ethernet52: [{ hostname: "dist-b2-2", port: "Ethernet7" }]
    }
    expect(
      seenPeers(lldp, byHostname, null, longName).map(({ localPort, peer: { hostname }, peerPort }) => [
        localPort,
        hostname,
        peerPort
      ])
    ).toEqual([
      ["Ethernet51", "dist-b2-1", "Ethernet7"],
      ["Ethernet52", "dist-b2-2", "Ethernet7"]
    ])
  })

  it("count only if they are ours, MANAGED or UNMANAGED, and nearest on their port", () => {
    const lldp = {
      Ethernet1: [{ hostname: "printer", port: "1" }],
      Ethernet2: [],
      Ethernet3: [{ hostname: peer.hostname, port: "Et3" }],
      Ethernet4: [
        { hostname: "phone", port: "1" },
        { hostname: "dist-b2-1", port: "Et1" }
      ]
    }
    expect(seenPeers(lldp, byHostname, null, longName)).toEqual([])
    expect(seenPeers(lldp, byHostname, peer.id, longName).map(({ localPort }) => localPort)).toEqual(["Ethernet3"])
  })
})

const twoUplinks = {
  Ethernet51: [{ hostname: "dist-b2-1", port: "Et7" }],
  Ethernet52: [{ hostname: "dist-b2-2", port: "Et7" }]
}

describe("links of an access switch", () => {
  it("are reported in the documented form, without addresses", () => {
    expect(ok(plan(twoUplinks)).links[0]).toEqual({
      description: null,
      device_a_hostname: "mac-0C1A33BEEF01",
      device_a_id: 71,
      device_a_ip: null,
      device_a_port: "Ethernet51",
      device_b_hostname: "dist-b2-1",
      device_b_id: 12,
      device_b_ip: null,
      device_b_port: "Ethernet7",
      ipv4_network: null,
      redundant_link: true,
      site_id: null
    })
  })

  it.each([
    ["as it is", linknet(1, [blank.id, "Ethernet51"], [dist1.id, "Ethernet7"])],
    ["the other way round", linknet(1, [dist1.id, "Ethernet7"], [blank.id, "Ethernet51"])]
  ])("are kept when the same cable is stored %s", (_name, stored) => {
    const { add, links, remove } = ok(plan(twoUplinks, [stored]))
    expect(add.map(({ device_a_port }) => device_a_port)).toEqual(["Ethernet52"])
    expect(remove).toEqual([])
    expect(links[0]).toMatchObject({ id: 1, redundant_link: true })
  })

  it("replace a stored link whose cable was moved, at either end", () => {
    const moved = linknet(1, [blank.id, "Ethernet51"], [dist1.id, "Ethernet9"])
    const taken = linknet(2, [dist2.id, "Ethernet7"], [99, "Ethernet1"])
    const other = linknet(3, [dist2.id, "Ethernet8"], [98, "Ethernet1"])
    const { add, remove } = ok(plan(twoUplinks, [moved, taken, other]))
    expect(remove.map(({ id }) => id)).toEqual([1, 2])
    expect(add).toHaveLength(2)
  })

  it("are all refused when one port is not configured for its cable", () => {
    const lldp = { ...twoUplinks, Ethernet53: [{ hostname: "dist-b2-1", port: "Et20" }] }
    expect(Result.getFailure(plan(lldp))).toMatchObject({ value: { _tag: "InterfaceError" } })
  })

  it("are refused with one text for every port that is not configured", () => {
    const lldp = {
      ...twoUplinks,
      Ethernet53: [{ hostname: "dist-b2-1", port: "Et20" }],
      Ethernet54: [{ hostname: "dist-b2-2", port: "Et21" }]
    }
    const message =
      "Peer device interface is not configured: dist-b2-1 Ethernet20; Peer device interface is not configured: dist-b2-2 Ethernet21"
    expect(Result.getFailure(plan(lldp))).toMatchObject({ value: { _tag: "InterfaceError", message } })
  })

  it("count once per port of the neighbour", () => {
    const hub = {
      Ethernet1: [{ hostname: "dist-b2-1", port: "Et7" }],
      Ethernet2: [{ hostname: "dist-b2-1", port: "Et7" }]
    }
    expect(ok(plan(hub)).links).toHaveLength(1)
  })
})

describe("links between fabric devices", () => {
  const cores = {
    Ethernet1: [{ hostname: "core1", port: "Et3" }],
    Ethernet2: [{ hostname: "core2", port: "Et3" }],
    Ethernet3: [{ hostname: "core1", port: "Et4" }]
  }

  it("get the lowest free /31 networks, the lower address on the new device, several links to one peer included", () => {
    const used = linknet(1, [core1.id, "Ethernet1"], [core2.id, "Ethernet1"], "10.198.0.2/31")
    const { links } = ok(plan(cores, [used], fabric))
    expect(links.map(({ device_a_ip, device_b_ip, ipv4_network }) => [ipv4_network, device_a_ip, device_b_ip])).toEqual(
      [
        ["10.198.0.0/31", "10.198.0.0", "10.198.0.1"],
        ["10.198.0.4/31", "10.198.0.4", "10.198.0.5"],
        ["10.198.0.6/31", "10.198.0.6", "10.198.0.7"]
      ]
    )
  })

  it("keep the network of a stored cable", () => {
    const stored = {
      ...linknet(1, [core1.id, "Ethernet3"], [blank.id, "Ethernet1"], "10.198.0.8/31"),
      device_a_ip: "10.198.0.8"
    }
    const { add, links } = ok(plan(cores, [stored], fabric))
    expect(links[0]).toMatchObject({
      ipv4_network: "10.198.0.8/31",
      device_a_hostname: "core1",
      device_b_hostname: blank.hostname
    })
    expect(add.map(({ ipv4_network }) => ipv4_network)).toEqual(["10.198.0.0/31", "10.198.0.2/31"])
  })

  it("may use the network of a link that is replaced", () => {
    const moved = linknet(1, [blank.id, "Ethernet1"], [core2.id, "Ethernet8"], "10.198.0.0/31")
    expect(ok(plan(cores, [moved], fabric)).add[0]?.ipv4_network).toBe("10.198.0.0/31")
  })

  it.each([null, "10.198.0.0/30"])("are refused when there is no prefix left in %s", (infraLinkNet) => {
    expect(Result.getFailure(plan(cores, [], fabric, infraLinkNet))).toMatchObject({
      value: { message: "Device types requires IP linknets, but no prefix could be found" }
    })
  })

  it("do not touch broken network texts of the database", () => {
    const free = freeLinkNetworks("10.198.0.0/31", [{ ipv4_network: "nonsense" }, { ipv4_network: null }], 1)
    expect(Result.isSuccess(free)).toBe(true)
  })
})

describe("links of several sources", () => {
  it("are joined without repeats, whichever way round they are stored", () => {
    const hostnames = new Map([
      [blank.id, blank.hostname],
      [dist1.id, dist1.hostname]
    ])
    const stored = storedLinks(
      [
        linknet(1, [dist1.id, "Ethernet7"], [blank.id, "Ethernet51"]),
        linknet(2, [blank.id, "Ethernet9"], [dist1.id, "Ethernet9"]),
        linknet(3, [blank.id, "Ethernet8"], [400, "Ethernet8"])
      ],
      hostnames
    )
    const joined = joinLinks(ok(plan(twoUplinks)).links, stored)
    expect(joined.map(({ device_a_port, id }) => [id ?? null, device_a_port])).toEqual([
      [null, "Ethernet51"],
      [null, "Ethernet52"],
      [2, "Ethernet9"]
    ])
  })
})
