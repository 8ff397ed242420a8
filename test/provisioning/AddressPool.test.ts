import { describe, expect, it } from "@effect/vitest"
import { Option, Result, Schema } from "effect"
import {
  formatAddress,
  formatNetwork,
  hostAddresses,
  type Network,
  parseAddress,
  parseNetwork
} from "../../src/domain/Network.ts"
import { allAddresses, firstFree, freeSubnets, withoutFirst } from "../../src/provisioning/Addresses.ts"

const network = (cidr: string): Network => Result.getOrThrow(parseNetwork(cidr))

describe("the first free address", () => {
  it.each([
    ["10.0.6.0/29", 0, [], "10.0.6.1"],
    ["10.0.6.0/29", 2, ["10.0.6.3"], "10.0.6.4"],
    ["10.0.6.0/29", 0, ["10.0.6.1", "10.0.6.2", "10.0.6.3", "10.0.6.4", "10.0.6.5", "10.0.6.6"], null],
    ["10.0.6.0/29", 6, [], null],
    ["10.0.6.0/29", 0, ["2001:db8::1", "no address"], "10.0.6.1"],
    ["2001:db8::/64", 1, ["2001:db8:0:0::2"], "2001:db8::3"]
  ])("of %s without the first %i and %j is %s", (cidr, reserved, taken, expected) => {
    expect(Option.getOrNull(firstFree(withoutFirst(hostAddresses(network(cidr)), reserved), taken))).toBe(expected)
  })

  it("of a loopback network may be the network's own address", () => {
    expect(firstFree(allAddresses(network("10.199.0.0/24")), [])).toEqual(Option.some("10.199.0.0"))
  })

  it("is found in a full /16 with one free address", () => {
    const pool = network("10.1.0.0/16")
    const taken = Array.from({ length: 65_534 }, (_, index) => formatAddress(4, pool.first + BigInt(index) + 1n))
    expect(
      firstFree(
        hostAddresses(pool),
        taken.filter((ip) => ip !== "10.1.200.200")
      )
    ).toEqual(Option.some("10.1.200.200"))
  })
})

const free = (cidr: string, taken: ReadonlyArray<string>, count: number) =>
  freeSubnets(network(cidr), 31, taken.map(network), count).map(formatNetwork)

describe("free subnets", () => {
  it.each([
    [[], 2, ["10.198.0.0/31", "10.198.0.2/31"]],
    [["10.198.0.0/31"], 1, ["10.198.0.2/31"]],
    [["10.198.0.2/31"], 2, ["10.198.0.0/31", "10.198.0.4/31"]],
    [["10.198.0.0/30"], 1, ["10.198.0.4/31"]],
    [["10.198.0.0/29", "10.198.0.2/31"], 1, []],
    [["10.0.0.0/8"], 1, []],
    [["192.0.2.0/24", "2001:db8::/64"], 1, ["10.198.0.0/31"]]
  ])("next to %j, %i of them, are %j", (taken, count, expected) => {
    expect(free("10.198.0.0/29", taken, count)).toEqual(expected)
  })

  it("do not exist in a network that is smaller than they are", () => expect(free("10.198.0.0/32", [], 1)).toEqual([]))
})

const byte = Schema.Literals(Array.from({ length: 256 }, (_, index) => index))

describe("for any addresses", () => {
  it.prop("text and value are the same address", [byte, byte, byte, byte], ([a, b, c, d]) => {
    const text = `${a}.${b}.${c}.${d}`
    expect(Option.map(parseAddress(4, text), (value) => formatAddress(4, value))).toEqual(Option.some(text))
  })

  it.prop(
    "assigning address after address never repeats one, never touches the reserved ones, nor network and broadcast",
    { third: byte, reserved: Schema.Literals([0, 1, 5, 10]), taken: Schema.Array(byte) },
    ({ reserved, taken, third }) => {
      const pool = network(`10.0.${third}.1/26`)
      const used = new Set(taken.map((host) => `10.0.${third}.${host}`))
      const given: Array<string> = []
      for (;;) {
        const next = firstFree(withoutFirst(hostAddresses(pool), reserved), [...used])
        if (Option.isNone(next)) break
        expect(used.has(next.value)).toBe(false)
        used.add(next.value)
        given.push(next.value)
      }
      const hosts = given.map((ip) => Number(ip.split(".")[3]))
      expect(hosts).toEqual(hosts.toSorted((a, b) => a - b))
      expect(hosts.every((host) => host > reserved && host < 63)).toBe(true)
      const free = new Set(Array.from({ length: 62 - reserved }, (_, index) => index + reserved + 1))
      for (const host of taken) free.delete(host)
      expect(hosts).toHaveLength(free.size)
    }
  )

  it.prop(
    "free subnets overlap neither each other nor a taken one",
    [Schema.Array(Schema.Tuple([byte, Schema.Literals([29, 30, 31, 32])]))],
    ([blocks]) => {
      const taken = blocks.map(([host, length]) => network(`10.198.0.${host}/${length}`))
      const all = freeSubnets(network("10.198.0.0/24"), 31, taken, 128)
      const occupied = new Set(
        taken.flatMap(({ first, last }) =>
          Array.from({ length: Number(last - first) + 1 }, (_, index) => first + BigInt(index))
        )
      )
      for (const { first, last } of all) {
        expect(occupied.has(first) || occupied.has(last)).toBe(false)
        occupied.add(first).add(last)
      }
      const whole = Array.from({ length: 128 }, (_, index) => network("10.198.0.0/24").first + BigInt(2 * index))
      expect(whole.some((first) => !occupied.has(first) && !occupied.has(first + 1n))).toBe(false)
    }
  )
})
