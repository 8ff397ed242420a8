import { assert, describe, it } from "@effect/vitest"
import { isIPv4 } from "node:net"
import { networkInterfaces } from "node:os"
import { isLocal } from "../../src/firmware/ForeignHosts.ts"

/** Addresses of this machine and its link, by the form in which they are written. */
const local: Readonly<Record<string, ReadonlyArray<string>>> = {
  "IPv4 loopback, link-local, unspecified, multicast and broadcast": [
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
    "0.0.0.0",
    "0.1.2.3",
    "224.0.0.1",
    "255.255.255.255"
  ],
  "IPv6 loopback, link-local, unspecified and multicast": [
    "::1",
    "::",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1"
  ],
  "IPv4 mapped, compatible and translated": [
    "::ffff:127.0.0.1",
    "::ffff:a9fe:a9fe",
    "::127.0.0.1",
    "::ffff:0:127.0.0.1",
    "0:0:0:0:0:ffff:7f00:1"
  ],
  "the well-known prefix of NAT64, and the one for local use": [
    "64:ff9b::127.0.0.1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::7f00:1",
    "64:ff9b:1:a00:0:100::",
    "64:ff9b:1:ffff::1"
  ],
  "6to4, Teredo and ISATAP": [
    "2002:7f00:1::",
    "2002:a9fe:a9fe::1",
    "2001:0:7f00:1::",
    "2001::80ff:fffe",
    "2001:db8::5efe:127.0.0.1",
    "2001:db8::200:5efe:7f00:1"
  ],
  "metadata of clouds": ["fd00:ec2::254", "168.63.129.16", "100.100.100.200", "192.0.0.192"],
  "what is no address": ["", "localhost", "127.1", "1.2.3.4.5"]
}

const foreign = [
  "192.0.2.77",
  "10.0.0.7",
  "172.16.0.7",
  "100.64.0.7",
  "fd00:1::7",
  "2001:db8::7",
  "::ffff:10.0.0.7",
  "64:ff9b::10.0.0.7",
  "2002:a00:7::1",
  "2001:db8::5efe:10.0.0.7"
]

const own = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .map(({ address }) => address)

const hidden = (address: string): ReadonlyArray<string> => {
  const [a = 0, b = 0, c = 0, d = 0] = address.split(".").map(Number)
  const [high, low] = [(a * 256 + b).toString(16), (c * 256 + d).toString(16)]
  return [`::ffff:${address}`, `64:ff9b::${address}`, `2002:${high}:${low}::1`, `::ffff:0:${high}:${low}`]
}

describe("An address", () => {
  for (const [what, addresses] of Object.entries(local)) {
    it(`is this machine's or its link's: ${what}`, () => {
      assert.deepEqual(
        addresses.filter((address) => !isLocal(address)),
        []
      )
    })
  }

  it("is this machine's when one of its interfaces has it, in every form", () => {
    const forms = [...own, ...own.filter((address) => isIPv4(address)).flatMap(hidden)]
    assert.deepEqual(
      forms.filter((address) => !isLocal(address)),
      []
    )
    assert.isAbove(forms.length, 1)
  })

  it("of somebody else is not, in private networks neither", () => {
    assert.deepEqual(
      foreign.filter((address) => !own.includes(address) && isLocal(address)),
      []
    )
  })
})
