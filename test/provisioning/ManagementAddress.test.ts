/** See docs/provisioning.md#addresses, and the template variables that follow from the addresses. */
import { describe, expect, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import {
  accessVariables,
  type AccessAllocation,
  allocateFabric,
  allocateLoopback,
  allocateManagement,
  fabricVariables
} from "../../src/provisioning/Addresses.ts"
import { domain } from "./Campus.ts"

const dual = domain(2, 12, 13, { ipv6_gw: "2001:db8:6::1/64" })

const allocation = (changes: Partial<AccessAllocation> = {}): AccessAllocation => ({
  domain: domain(2, 12, 13),
  reservedCount: 5,
  primaryVersion: 4,
  taken: [],
  ...changes
})

const ips = (changes: Partial<AccessAllocation>) => {
  const { primary, secondary } = Result.getOrThrow(allocateManagement(allocation(changes)))
  return [primary.ip, secondary?.ip ?? null]
}

describe("the management address of an access switch", () => {
  it("is the first behind the reserved ones, with the values of its network for templates", () => {
    expect(Result.getOrThrow(allocateManagement(allocation()))).toEqual({
      primary: { ip_version: 4, ip: "10.0.6.6", prefixLength: 24, gateway: "10.0.6.1", network: "10.0.6.0/24" },
      secondary: null
    })
  })

  it.each([
    ["the next one when it is taken", { taken: ["10.0.6.6", "10.0.6.8"] }, ["10.0.6.7", null]],
    ["not the gateway or a member, even when nothing is reserved", { reservedCount: 0 }, ["10.0.6.4", null]],
    ["one of each family on a dual-stack domain", { domain: dual }, ["10.0.6.6", "2001:db8:6::6"]],
    ["the IPv6 one first when the server says so", { domain: dual, primaryVersion: 6 }, ["2001:db8:6::6", "10.0.6.6"]],
    [
      "none that another device has as secondary",
      { domain: dual, taken: ["2001:db8:6:0::6"] },
      ["10.0.6.6", "2001:db8:6::7"]
    ],
    [
      "the old ones again for a replacement",
      { domain: dual, reuse: ["10.0.6.99", "2001:db8:6::99"], taken: ["10.0.6.99"] },
      ["10.0.6.99", "2001:db8:6::99"]
    ],
    ["a new one when the old one is of another domain", { reuse: ["10.9.9.9"] }, ["10.0.6.6", null]],
    ["IPv6 on a domain with only such a gateway", { domain: { ...dual, ipv4_gw: null } }, ["2001:db8:6::6", null]]
  ] as const)("is %s", (_name, changes, expected) => expect(ips(changes)).toEqual(expected))

  it.each([
    [
      "full",
      { domain: domain(2, 1, 2, { ipv4_gw: "10.0.6.1/29" }), taken: ["10.0.6.6"] },
      "Could not find free primary management IP for management domain 2/b2"
    ],
    [
      "smaller than its reserved part",
      { domain: domain(2, 1, 2, { ipv4_gw: "10.0.6.1/30", description: null }) },
      "Could not find free primary management IP for management domain 2/None"
    ],
    [
      "full in its second family",
      { domain: { ...dual, ipv6_gw: "2001:db8::1/126" } },
      "Could not find free secondary management IP for management domain 2/b2"
    ],
    [
      "full in both families",
      { domain: { ...dual, ipv4_gw: "10.0.6.1/30", ipv6_gw: "2001:db8::1/126" } },
      "Could not find free primary management IP for management domain 2/b2; Could not find free secondary management IP for management domain 2/b2"
    ],
    ["without a gateway", { domain: domain(2, 1, 2, { ipv4_gw: null }) }, "Management domain 2/b2 has no gateway"],
    ["with a broken gateway", { domain: domain(2, 1, 2, { ipv4_gw: "10.0.6.1" }) }, "Invalid network: 10.0.6.1"]
  ] as const)("cannot be found in a domain that is %s", (_name, changes, message) => {
    expect(allocateManagement(allocation(changes))).toMatchObject({ failure: { message } })
  })

  it.prop(
    "is never given to two switches",
    [Schema.Array(Schema.Literals(Array.from({ length: 60 }, (_, index) => index)))],
    ([hosts]) => {
      const taken = new Set(hosts.map((host) => `10.0.6.${host}`))
      const small = domain(2, 12, 13, { ipv4_gw: "10.0.6.1/26" })
      for (let count = 0; count < 10; count++) {
        const chosen = allocateManagement(allocation({ domain: small, taken }))
        if (Result.isFailure(chosen)) break
        const { ip } = chosen.success.primary
        expect(taken.has(ip)).toBe(false)
        expect(Number(ip.split(".")[3])).toBeGreaterThan(5)
        expect(Number(ip.split(".")[3])).toBeLessThan(63)
        taken.add(ip)
      }
    }
  )
})

describe("the addresses of a fabric device", () => {
  it("are the lowest free ones of both loopback networks, the first address included", () => {
    const chosen = allocateFabric({
      mgmtLoNet: "10.200.0.0/24",
      infraLoNet: "10.199.0.0/24",
      takenManagement: [],
      takenInfra: ["10.199.0.0"]
    })
    expect(Result.getOrThrow(chosen)).toEqual({
      management: { ip_version: 4, ip: "10.200.0.0" },
      infra: { ip_version: 4, ip: "10.199.0.1" }
    })
  })

  it.each([
    [null, "No underlay->mgmt_lo_net in the settings"],
    ["10.200.0.0/32", "Could not find free address in mgmt_lo_net 10.200.0.0/32"],
    ["nonsense", "Invalid network: nonsense"]
  ])("are refused when the setting is %s", (cidr, message) => {
    expect(allocateLoopback("mgmt_lo_net", cidr, ["10.200.0.0"])).toMatchObject({ failure: { message } })
  })
})

describe("a fabric device without addresses", () => {
  it("requires both missing networks", () => {
    const chosen = allocateFabric({
      mgmtLoNet: null,
      infraLoNet: "10.199.0.0/32",
      takenManagement: [],
      takenInfra: ["10.199.0.0"]
    })
    expect(chosen).toMatchObject({
      failure: {
        message: "No underlay->mgmt_lo_net in the settings; Could not find free address in infra_lo_net 10.199.0.0/32"
      }
    })
  })
})

describe("template variables", () => {
  it("of an access switch on a dual-stack domain are of both families", () => {
    expect(accessVariables(Result.getOrThrow(allocateManagement(allocation({ domain: dual }))), dual)).toEqual({
      mgmt_ip: "10.0.6.6",
      mgmt_ipif: "10.0.6.6/24",
      mgmt_prefixlen: 24,
      mgmt_vlan_id: 600,
      mgmt_gw: "10.0.6.1",
      secondary_mgmt_ip: "2001:db8:6::6",
      secondary_mgmt_ipif: "2001:db8:6::6/64",
      secondary_mgmt_prefixlen: 64,
      secondary_mgmt_gw: "2001:db8:6::1"
    })
  })

  it("of an access switch without a second family have no secondary ones", () => {
    const variables = accessVariables(Result.getOrThrow(allocateManagement(allocation())), domain(2, 12, 13))
    expect(Object.keys(variables).filter((name) => name.startsWith("secondary"))).toEqual([])
  })

  it("of a fabric device are host addresses", () => {
    const addresses = {
      management: { ip_version: 4, ip: "10.200.0.0" },
      infra: { ip_version: 4, ip: "10.199.0.1" }
    } as const
    expect(fabricVariables(addresses)).toEqual({
      mgmt_ip: "10.200.0.0",
      mgmt_ipif: "10.200.0.0/32",
      mgmt_prefixlen: 32,
      infra_ip: "10.199.0.1",
      infra_ipif: "10.199.0.1/32"
    })
  })
})
