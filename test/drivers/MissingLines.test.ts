/** Which lines of a candidate are not shown, whatever the switch spells otherwise (docs/changes.md#lines-that-are-not-shown). */
import { describe, expect, it } from "@effect/vitest"
import { missingLines } from "../../src/drivers/MissingLines.ts"
import { eos } from "../../src/domain/platforms/eos/Platform.ts"
import { junos } from "../../src/domain/platforms/junos/Platform.ts"

const text = (...lines: ReadonlyArray<string>) => lines.join("\n")

const SHOWN = text(
  "! Command: show running-config",
  "!",
  "hostname acc1",
  "!",
  "username admin privilege 15 role network-admin secret sha512 $6$abc$def",
  "enable password sha512 $6$ghi$jkl",
  "!",
  "no aaa root",
  "!",
  "vlan 10-12,20",
  "!",
  "interface Ethernet1",
  "   description to the printer",
  "   switchport access vlan 10",
  "   spanning-tree portfast",
  "!",
  "interface Ethernet2",
  "   mtu 9214",
  "   switchport mode trunk",
  "   switchport trunk allowed vlan 10-12,20",
  "!",
  "interface Vlan600",
  "   ip address 10.0.0.1/24",
  "   ipv6 address 2001:db8::1/64",
  "!",
  "ip virtual-router mac-address 00:1c:73:00:00:99",
  "!",
  "ip route 0.0.0.0/0 10.0.0.254",
  "!",
  "banner login",
  "  Keep out",
  "EOF",
  "!",
  "event-handler e",
  "   action bash",
  "      echo hello",
  "      EOF",
  "   trigger on-boot",
  "!",
  "management api http-commands",
  "   no shutdown",
  "!",
  "end",
  ""
)

const missing = (...lines: ReadonlyArray<string>) =>
  missingLines(eos, text(...lines), SHOWN).map(({ line, lineNumber, sections }) => [lineNumber, ...sections, line])

describe("a switch that shows lines in another form", () => {
  it("misses no line that it shows", () => expect(missingLines(eos, SHOWN, SHOWN)).toEqual([]))

  it.each([
    ["abbreviations", ["int et1", "   desc to the printer", "   sw acc vlan 10", "   span portfast"]],
    ["defaults", ["interface Ethernet1", "   no shutdown", "   mtu 1500", "   switchport mode access", "lldp run"]],
    ["VLAN lists", ["vlan 10", "vlan 11,12", "interface Ethernet2", "   switchport trunk allowed vlan 20,10,12,11"]],
    [
      "parts of lists",
      ["interface Ethernet2", "   switchport trunk allowed vlan 10", "   switchport trunk allowed vlan add 11-12,20"]
    ],
    ["masks", ["interface Vlan600", "   ip address 10.0.0.1 255.255.255.0", "ip route 0.0.0.0 0.0.0.0 10.0.0.254"]],
    [
      "MAC and IPv6",
      ["ip virtual-router mac-address 001C.7300.0099", "interface Vlan600", "   ipv6 address 2001:0DB8:0:0::1/64"]
    ],
    ["secrets", ["username admin privilege 15 role network-admin secret 0 hunter2", "enable password hunter2"]],
    [
      "texts",
      [
        "banner login",
        "Keep out",
        "EOF",
        "event-handler e",
        "   trigger on-boot",
        "   action bash",
        "echo hello",
        "EOF"
      ]
    ],
    [
      "lines without indentation",
      ["interface Ethernet1", "description to the printer", "no shutdown", "exit", "hostname acc1"]
    ],
    [
      "what is taken away",
      [
        "no vlan 30",
        "interface Ethernet1",
        "   no ip address",
        "default interface Ethernet7",
        "boot system flash:/a.swi"
      ]
    ]
  ])("has the line: %s", (_, lines) => expect(missing(...lines)).toEqual([]))
})

describe("a secret with another salt", () => {
  it.each([
    ["ip ospf authentication-key 7 AA==", "ip ospf authentication-key 7 BB=="],
    ["ospfv3 authentication ipsec spi 3 md5 key 7 AA==", "ospfv3 authentication ipsec spi 3 md5 key 7 BB=="],
    ["isis authentication key 7 AA==", "isis authentication key 7 BB=="],
    ["ntp authentication-key 1 sha1 clear", "ntp authentication-key 1 sha1 7 BB=="],
    ["radius-server host 10.0.0.9 vrf MGMT key clear", "radius-server host 10.0.0.9 vrf MGMT key 7 BB=="],
    ["key 0abc 7 AA==", "key 0abc 7 BB=="],
    ["shared-key 7 AA==", "shared-key 7 BB=="],
    ["passphrase 7 AA==", "passphrase 7 BB=="],
    ["key clear", "key 7 BB=="]
  ])("is the given line: %s", (given, shown) => {
    expect(missingLines(eos, given, shown)).toEqual([])
  })

  it("hides no other word of its line", () => {
    expect(missingLines(eos, "ntp authentication-key 1 md5 clear", "ntp authentication-key 2 md5 7 BB==")).toHaveLength(
      1
    )
  })
})

describe("a missing line", () => {
  it("is named with its number and its headings", () => {
    expect(
      missing("hostname acc1", "interface Ethernet1", "   description to the printer", "   dot1x pae authenticator")
    ).toEqual([[4, "interface Ethernet1", "dot1x pae authenticator"]])
  })

  it.each([
    ["another value", ["interface Ethernet2", "   mtu 1500"]],
    ["the beginning of another text", ["interface Ethernet1", "   description to"]],
    ["another number", ["interface Ethernet1", "   switchport access vlan 1"]],
    ["an address that begins like another one", ["interface Vlan600", "   ip address 10.0.0.1/2"]],
    ["a default that is turned off", ["interface Ethernet1", "   no switchport"]],
    ["what only another section has", ["interface Ethernet2", "   spanning-tree portfast"]],
    ["a VLAN beside the list", ["vlan 21"]],
    ["another text", ["banner login", "Come in", "EOF"]],
    ["what is still there", ["interface Ethernet2", "   no mtu 9214"]]
  ])("is reported: %s", (_, lines) =>
    expect(missing(...lines).map((found) => found.at(-1))).toEqual([
      lines.find((line) => !line.startsWith("interface"))?.trim()
    ])
  )

  it("is reported with all lines below it", () => {
    expect(missing("router bgp 65001", "   router-id 10.0.0.1")).toEqual([
      [1, "router bgp 65001"],
      [2, "router bgp 65001", "router-id 10.0.0.1"]
    ])
  })
})

it("uses the spellings learnt for the release, and ignores platforms without a record", () => {
  const candidate = text("interface Ethernet1", "   storm level 5")
  const known = (shown: ReadonlyArray<string>) => missingLines(eos, candidate, SHOWN, () => shown)
  expect(known(["spanning-tree portfast"])).toEqual([])
  expect(known([])).toEqual([])
  expect(known(["storm-control all level 5"])).toHaveLength(1)
  const user = "username admin secret hunter2 privilege 15 role network-admin"
  const shown = "username admin privilege 15 role network-admin secret sha512 $6$another$salt"
  expect(missingLines(eos, user, SHOWN)).toHaveLength(1)
  expect(missingLines(eos, user, SHOWN, () => [shown])).toEqual([])
  expect(missingLines(junos, "a;\nb;", "a;")).toMatchObject([{ lineNumber: 2, line: "b;" }])
})

describe("the place of a missing line", () => {
  const places = (...lines: ReadonlyArray<string>) =>
    missingLines(eos, text(...lines), SHOWN).map(({ line, places }) => [
      line,
      ...places.map((place) => place.join(" / "))
    ])

  it("is the section as it is shown", () => {
    expect(places("int et1", "   dot1x pae authenticator")).toEqual([
      ["dot1x pae authenticator", "interface Ethernet1"]
    ])
  })

  it("is the section of the heading before, or the one around it, without indentation", () => {
    expect(places("interface Ethernet1", "mtu 9500")).toEqual([["mtu 9500", "interface Ethernet1", ""]])
  })

  it("is outside of a section with indented lines", () => {
    expect(places("interface Ethernet1", "   switchport access vlan 10", "ip routing")).toEqual([["ip routing", ""]])
  })

  it("is the section of its own heading, also when nothing is shown below it", () => {
    const shown = "interface Ethernet4\n   mtu 9500\ninterface Ethernet5\n"
    const found = missingLines(eos, "interface Ethernet4\nmtu 9500\ninterface Ethernet5\nmtu 9500", shown)
    expect(found).toMatchObject([{ lineNumber: 4, places: [["interface Ethernet5"], []] }])
  })

  it("is below a heading in a learnt spelling", () => {
    const shown = "vrf instance A\n   rd 10.0.0.1:1\n"
    const known = (_: ReadonlyArray<string>, line: string) =>
      line === "vrf definition A" ? ["vrf instance A"] : undefined
    expect(missingLines(eos, "vrf definition A\n   rd 10.0.0.1:1", shown, known)).toEqual([])
    expect(missingLines(eos, "vrf definition A\n   rd 10.0.0.1:2", shown, known)).toMatchObject([
      { line: "rd 10.0.0.1:2", sections: ["vrf definition A"], places: [["vrf instance A"]] }
    ])
  })
})

describe("lines of an access list", () => {
  const shown = "ip access-list MGMT\n   10 permit tcp any any eq ssh\n   20 deny ip any any\n"
  const lacks = (...lines: ReadonlyArray<string>) =>
    missingLines(eos, text("ip access-list MGMT", ...lines), shown).map(({ line }) => line)

  it("may be typed without the numbers that the switch gives them", () => {
    expect(lacks("   permit tcp any any eq ssh", "   deny ip any any")).toEqual([])
  })

  it("are missing with other numbers, and if they say something else", () => {
    expect(lacks("   30 deny ip any any", "   permit ip any any")).toEqual(["30 deny ip any any", "permit ip any any"])
  })
})

describe("lines of a candidate that a configuration does not have", () => {
  it("are searched below their sections, with any indentation", () => {
    const candidate = "interface Ethernet1\n  shutdown\ninterface Ethernet2\n  shutdown\n! a remark\nend\n"
    const text = "interface Ethernet1\n   shutdown\n!\ninterface Ethernet2\n   no shutdown\nend\n"
    expect(missingLines(eos, candidate, text)).toMatchObject([{ lineNumber: 4, line: "shutdown" }])
  })

  it("are empty for the same configuration in any order", () => {
    expect(missingLines(eos, "vlan 10\n   name a\nvlan 20\n", "vlan 20\nvlan 10\n   name a\n")).toEqual([])
  })
})
