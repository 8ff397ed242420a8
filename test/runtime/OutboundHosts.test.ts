import { assert, describe, it } from "@effect/vitest"
import { isIPv4 } from "node:net"
import { networkInterfaces } from "node:os"
import { Effect, Option, Schema } from "effect"
import { OutboundNames } from "../../src/domain/access/HostLists.ts"
import {
  imageGuard,
  isLocal,
  type OutboundSettings,
  receiverGuard,
  switchGuard
} from "../../src/runtime/OutboundHosts.ts"

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

  it("of another host is not, in private networks neither", () => {
    assert.deepEqual(
      foreign.filter((address) => !own.includes(address) && isLocal(address)),
      []
    )
  })
})

const OWN = "http://127.0.0.1:5000/firmware"
const unset: OutboundSettings = {
  OUTBOUND_HOSTS: Option.none(),
  FIRMWARE_URL: Option.none(),
  HTTPD_URL: OWN,
  FIRMWARE_ALLOW_LOCAL: false,
  SECURE_DEFAULTS: false
}
const naming = (list: string): OutboundSettings => ({
  ...unset,
  OUTBOUND_HOSTS: Schema.decodeUnknownOption(OutboundNames)(list)
})

/** Hosts as a URL spells them. */
const spelled = (host: string): string => new URL(`http://${host}/`).hostname

interface Rule {
  readonly says: string
  readonly settings: OutboundSettings
  readonly lets: ReadonlyArray<string>
  readonly refuses: ReadonlyArray<string>
}

const METADATA = [
  "169.254.169.254",
  "2852039166",
  "0xa9fea9fe",
  "[::ffff:169.254.169.254]",
  "[fd00:ec2::254]",
  "100.100.100.200"
]
const LOOPBACK = [
  "127.0.0.1",
  "0x7f.1",
  "2130706433",
  "017700000001",
  "127.1",
  "[::1]",
  "[::ffff:127.0.0.1]",
  "localhost",
  "a.localhost."
]
const PRIVATE = [
  "10.0.0.5",
  "172.16.0.5",
  "192.168.1.5",
  "100.64.0.5",
  "[fd00:1::5]",
  "[::ffff:10.0.0.5]",
  "167772165",
  "0xa.5"
]
const PUBLIC = ["images.example.org", "203.0.113.7", "[2001:db9::7]"]

const rules: ReadonlyArray<Rule> = [
  {
    says: "which names no hosts: those of the internet, and nothing private",
    settings: unset,
    lets: PUBLIC,
    refuses: [...METADATA, ...LOOPBACK, ...PRIVATE, "0.0.0.0", "[::]", "[fe80::1]", "224.0.0.1"]
  },
  {
    says: "which names a host: that one, in any spelling, and no other",
    settings: naming("Images.Example.org., *.mirror.example.org"),
    lets: ["images.example.org", "IMAGES.EXAMPLE.ORG.", "a.mirror.example.org", "a.b.mirror.example.org"],
    refuses: [
      "example.org",
      "a.images.example.org",
      "mirror.example.org",
      "amirror.example.org",
      "images.example.org.evil.net",
      "203.0.113.7",
      ...METADATA,
      ...LOOPBACK,
      ...PRIVATE
    ]
  },
  {
    says: "which names nothing: none",
    settings: naming(","),
    lets: [],
    refuses: [...PUBLIC, ...METADATA, ...LOOPBACK, ...PRIVATE]
  },
  {
    says: "which is new and names no hosts: none but that of FIRMWARE_URL",
    settings: { ...unset, SECURE_DEFAULTS: true, FIRMWARE_URL: Option.some("http://firmware.example.org/images") },
    lets: ["firmware.example.org"],
    refuses: [...PUBLIC, ...METADATA, ...LOOPBACK, ...PRIVATE]
  },
  {
    says: "which names a private network: what lies in it, and none beside it",
    settings: naming("10.0.0.0/24,fd00:1::/64"),
    lets: ["10.0.0.5", "167772165", "[fd00:1::5]"],
    refuses: ["10.0.1.5", "192.168.1.5", "203.0.113.7", "[fd00:2::5]", ...METADATA, ...LOOPBACK]
  },
  {
    says: "which names everything: the internet, and nothing in particular",
    settings: naming("0.0.0.0/0,::/0"),
    lets: ["203.0.113.7", "[2001:db9::7]"],
    refuses: [...METADATA, ...LOOPBACK, ...PRIVATE, "0.0.0.0"]
  },
  {
    says: "which names metadata by its address: that alone",
    settings: naming("169.254.169.254,127.0.0.1"),
    lets: ["169.254.169.254", "127.0.0.1", "localhost", "0x7f.1"],
    refuses: ["169.254.169.253", "127.0.0.2", "[::1]"]
  },
  {
    says: "which names a link: what lies in it but metadata",
    settings: naming("169.254.0.0/16"),
    lets: ["169.254.1.1"],
    refuses: METADATA
  },
  {
    says: "whose FIRMWARE_URL is private: its host by that name",
    settings: { ...naming(","), FIRMWARE_URL: Option.some("http://10.0.0.9:8080/firmware") },
    lets: ["10.0.0.9"],
    refuses: ["10.0.0.8", "127.0.0.1", "images.example.org"]
  },
  {
    says: "whose FIRMWARE_URL is this machine, for switches: no other port of it by that",
    settings: { ...unset, FIRMWARE_URL: Option.some("http://127.0.0.1:5000/firmware") },
    lets: ["images.example.org"],
    refuses: LOOPBACK
  },
  {
    says: "with FIRMWARE_ALLOW_LOCAL: this machine, and no metadata",
    settings: { ...unset, FIRMWARE_ALLOW_LOCAL: true },
    lets: ["127.0.0.1", "localhost", "[::1]", "169.254.1.1"],
    refuses: [...METADATA, ...PRIVATE]
  }
]

describe("Images for a site", () => {
  for (const { lets, refuses, says, settings } of rules) {
    it(says, () => {
      const { refusalOf } = imageGuard(settings, OWN)
      const isRefused = (host: string) => refusalOf(spelled(host)) !== undefined
      assert.deepEqual([lets.filter(isRefused), refuses.filter((host) => !isRefused(host))], [[], []])
    })
  }
})

describe("A name", () => {
  it.effect("that leads to a private network is refused when it is resolved, also if it is listed", () =>
    Effect.gen(function* () {
      const resolved = (settings: OutboundSettings, host: string) =>
        Effect.callback<string>((resume) =>
          imageGuard(settings, OWN).lookup(host, { all: true }, (error, found) =>
            resume(Effect.succeed(error === null ? JSON.stringify(found) : error.message))
          )
        )
      for (const settings of [unset, naming("localhost"), naming("localhost,10.0.0.0/8")]) {
        assert.match(
          yield* resolved(settings, "localhost"),
          /leads to .*, which is an address of this machine.*OUTBOUND_HOSTS/
        )
        assert.match(yield* resolved(settings, "0x7f.1"), /OUTBOUND_HOSTS|ENOTFOUND/)
      }
      assert.match(yield* resolved(naming("127.0.0.0/8,::1"), "localhost"), /"address":"(127\.0\.0\.1|::1)"/)
    })
  )
})

describe("Receivers of alerts", () => {
  it("may be anywhere except metadata while a site lists no hosts, and then only at the listed ones", () => {
    const open = receiverGuard(unset)
    const isRefused = (host: string) => open.refusalOf(spelled(host)) !== undefined
    assert.deepEqual([...PUBLIC, ...LOOPBACK, ...PRIVATE].filter(isRefused), [])
    assert.deepEqual(
      METADATA.filter((host) => !isRefused(host)),
      []
    )
    const named = receiverGuard(naming("hooks.example.org,10.0.0.0/24"))
    assert.isUndefined(named.refusalOf("hooks.example.org"))
    assert.isUndefined(named.refusalOf("10.0.0.5"))
    for (const host of ["127.0.0.1", "10.0.1.5", "203.0.113.7", "localhost"])
      assert.isString(named.refusalOf(host), host)
  })
})

describe("Switches", () => {
  it("are sent to this server, and to listed hosts", () => {
    const { refusalOf } = switchGuard({
      ...naming("images.example.org"),
      FIRMWARE_URL: Option.some("http://nms.example.org/firmware")
    })
    for (const host of ["images.example.org", "nms.example.org", "127.0.0.1"]) assert.isUndefined(refusalOf(host), host)
    for (const host of ["evil.example.net", "10.0.0.5", "169.254.169.254"]) assert.isString(refusalOf(host), host)
  })
})

describe("Programs that resolve names themselves", () => {
  it.effect("are sent to listed names, and to names that lead into a listed network, and to no others", () =>
    Effect.gen(function* () {
      const refused = (settings: OutboundSettings, host: string) =>
        Effect.map(switchGuard(settings).refusalForOthers(spelled(host)), (refusal) => refusal !== undefined)
      const networks = naming("images.example.org,127.0.0.0/8,::1,10.0.0.0/24")
      for (const host of ["images.example.org.", "10.0.0.5", "0xa000005", "localhost"])
        assert.isFalse(yield* refused(networks, host), host)
      for (const host of ["evil.invalid", "images.example.org.evil.invalid", "10.0.1.5", "169.254.169.254"])
        assert.isTrue(yield* refused(networks, host), host)
      assert.isTrue(yield* refused(naming("10.0.0.0/24,images.example.org"), "evil.invalid"))
      // an external server of images is not sent to this machine by a name
      const image = imageGuard({ ...unset, HTTPD_URL: "http://files.example.org/" }, OWN)
      assert.isString(yield* image.refusalForOthers("localhost"))
      assert.isUndefined(yield* image.refusalForOthers("no-such-name.invalid"))
    })
  )
})

describe("OUTBOUND_HOSTS", () => {
  it("accepts names, wildcards, addresses and prefixes, and nothing ambiguous", () => {
    const isTaken = (list: string) => Option.isSome(Schema.decodeUnknownOption(OutboundNames)(list))
    const good = [
      "",
      ",",
      "a",
      "a.example.org, *.b.org",
      "10.0.0.0/8",
      "[2001:db8::1]",
      "2001:db8::/32",
      "a_b.example.org"
    ]
    const bad = [
      "http://a.org",
      "a.org:80",
      "*",
      "*.",
      "a.*.org",
      "0x7f.1",
      "2130706433",
      "1.2.3",
      "10.0.0.0/33",
      "a b",
      "-a.org",
      "fe80::1%eth0",
      "a..b"
    ]
    assert.deepEqual([good.filter((list) => !isTaken(list)), bad.filter(isTaken)], [[], []])
  })
})
