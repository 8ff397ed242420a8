import { describe, expect, it } from "@effect/vitest"
import { Result } from "effect"
import {
  containsAddress,
  formatAddress,
  formatNetwork,
  hostAddresses,
  type Network,
  parseNetwork
} from "../../src/domain/Network.ts"

const network = (cidr: string): Network => Result.getOrThrow(parseNetwork(cidr))

describe("a network", () => {
  it.each([
    ["10.0.6.1/24", "10.0.6.0/24", "10.0.6.1", "10.0.6.254"],
    ["10.0.6.0/31", "10.0.6.0/31", "10.0.6.0", "10.0.6.1"],
    ["10.0.6.7/32", "10.0.6.7/32", "10.0.6.7", "10.0.6.7"],
    ["10.0.6.130/25", "10.0.6.128/25", "10.0.6.129", "10.0.6.254"],
    ["2001:db8:0:6::1/64", "2001:db8:0:6::/64", "2001:db8:0:6::1", "2001:db8:0:6:ffff:ffff:ffff:ffff"],
    ["2001:db8::/127", "2001:db8::/127", "2001:db8::", "2001:db8::1"]
  ])("around %s is %s with the host addresses %s to %s", (cidr, text, first, last) => {
    const parsed = network(cidr)
    const hosts = hostAddresses(parsed)
    expect(formatNetwork(parsed)).toBe(text)
    expect([hosts.first, hosts.last].map((value) => formatAddress(parsed.version, value))).toEqual([first, last])
  })

  it.each(["10.0.6.1", "10.0.6.1/33", "10.0.6/24", "", "x/24", "10.0.6.1/-1", "2001:db8::1/129"])(
    "is not parsed from %j",
    (cidr) =>
      expect(Result.getFailure(parseNetwork(cidr))).toMatchObject({ value: { message: `Invalid network: ${cidr}` } })
  )

  it("contains its own addresses and no others, of either version", () => {
    expect(
      ["10.0.6.0", "10.0.6.255", "10.0.7.0", "2001:db8::1", "x"].map((ip) =>
        containsAddress(network("10.0.6.1/24"), ip)
      )
    ).toEqual([true, true, false, false, false])
  })
})
