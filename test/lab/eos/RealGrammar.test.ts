import { describe, expect, it } from "@effect/vitest"
import * as Loader from "../../../src/lab/eos/ConfigLoader.ts"
import { render } from "../../../src/lab/eos/ConfigTree.ts"
import * as Hardware from "../../../src/lab/eos/Hardware.ts"

const hardware = Hardware.make({ name: "acc1", index: 1, linked: [] })

/** The rules of a simulated access switch. */
const ACCESS: Loader.LoaderRules = {
  hasInterface: (name) => Hardware.hasInterface(hardware, name),
  poe: true,
  strictWords: true,
  dropDefaults: true,
  reject: undefined
}

const load = (text: string, onto = "", rules = ACCESS) => {
  const root = Loader.parse(onto)
  const loader = Loader.make(root, rules)
  const errors = text.split("\n").flatMap((line) => {
    const error = Loader.feed(loader, line)
    return error === undefined ? [] : [`${line.trim()}: ${error}`]
  })
  Loader.finish(loader)
  return { printed: render(root), errors }
}

const flat = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .join("\n")

const block = (...lines: ReadonlyArray<string>) => `!\n${lines.join("\n")}\n!\n`

/** Each block is taken behind a running configuration, indented or not, and shown as it is written. */
const AS_WRITTEN: ReadonlyArray<readonly [string, string]> = [
  ["a virtual router address", block("interface Vlan92", "   ip virtual-router address 10.254.254.1")],
  [
    "a bundle of VLANs in BGP",
    block(
      "router bgp 65101",
      "   router-id 10.0.0.1",
      "   neighbor FABRIC peer group",
      "   !",
      "   vlan 10",
      "      rd 10.0.0.1:10",
      "      route-target both 10:10",
      "      redistribute learned",
      "   !",
      "   vlan-aware-bundle B3",
      "      rd 10.0.0.1:1",
      "      route-target both 3:3",
      "      redistribute learned",
      "      vlan 90,100,1008-1009",
      "   !",
      "   address-family evpn",
      "      neighbor FABRIC activate",
      "   !",
      "   vrf RED",
      "      rd 10.0.0.1:7",
      "      redistribute connected",
      "      !",
      "      address-family ipv4",
      "         neighbor 10.1.1.1 activate",
      "   !",
      "   vrf BLUE",
      "      rd 10.0.0.1:8"
    )
  ],
  [
    "a QoS profile with queues",
    block(
      "qos profile EGRESS",
      "   qos trust dscp",
      "   shape rate 80 percent",
      "   !",
      "   tx-queue 2",
      "      no priority",
      "      bandwidth percent 30",
      "   !",
      "   tx-queue 5",
      "      bandwidth guaranteed percent 90",
      "   !",
      "   uc-tx-queue 6",
      "      priority strict"
    )
  ],
  [
    "802.1X with its own words for AAA, RADIUS and VLANs",
    block(
      "dot1x",
      "   aaa unresponsive action traffic allow vlan 10",
      "   mac based authentication delay 5 seconds",
      "   radius av-pair service-type",
      "   vlan assignment group STAFF members 20-22",
      "   vlan assignment group GUEST members 30"
    )
  ],
  [
    "a DHCP server with subnets and reservations",
    block(
      "dhcp server vrf GUEST",
      "   dns domain name ipv4 example.org",
      "   !",
      "   subnet 10.0.0.0/24",
      "      name GUESTS",
      "      !",
      "      reservations",
      "         !",
      "         mac-address 0001.0001.0001",
      "            ipv4-address 10.0.0.2",
      "            hostname printer"
    )
  ],
  [
    "telemetry with nested exporters",
    block(
      "flow tracking hardware",
      "   no shutdown",
      "   !",
      "   tracker T1",
      "      record export on interval 5000",
      "      !",
      "      exporter E1",
      "         collector 10.0.0.60 port 888",
      "         local interface Loopback0"
    )
  ],
  [
    "management services of several VRFs",
    block(
      "management api http-commands",
      "   protocol https ssl profile SITE",
      "   no shutdown",
      "   !",
      "   vrf MGMT",
      "      no shutdown",
      "      ip access-group API in"
    )
  ],
  [
    "multicast routing for two address families",
    block(
      "router pim sparse-mode",
      "   !",
      "   ipv4",
      "      rp address 10.0.0.1 239.0.0.0/8",
      "   !",
      "   vrf TV",
      "      !",
      "      ipv4",
      "         rp address 10.0.0.2"
    )
  ],
  [
    "traffic policies",
    block(
      "traffic-policies",
      "   !",
      "   field-set ipv4 prefix SITES",
      "      10.0.0.0/8 192.168.0.0/16",
      "   !",
      "   traffic-policy EDGE",
      "      !",
      "      match BAD ipv4",
      "         source prefix field-set SITES",
      "         !",
      "         actions",
      "            drop",
      "      !",
      "      match GOOD ipv4",
      "         protocol tcp"
    )
  ],
  ["a group of interfaces", block("group interface UPLINKS", "   interface Ethernet1,5")],
  [
    "a monitor with a set of interfaces",
    block("monitor connectivity", "   interface set UPLINKS Ethernet1-4", "   !", "   host dns", "      ip 10.0.0.53")
  ],
  ["settings of switch ports for all", block("switchport default mode routed")],
  [
    "a section of a kind that the lab has no table of, by its indentation",
    block("router something-new", "   !", "   part A", "      value 1", "      !", "      deeper", "         value 2")
  ]
]

describe("the configuration language of a simulated switch", () => {
  for (const [what, text] of AS_WRITTEN) {
    it(`takes ${what}`, () => {
      expect(load(text)).toEqual({ printed: text, errors: [] })
      expect(load(text, text)).toEqual({ printed: text, errors: [] })
    })
    if (!what.includes("indentation")) {
      it(`takes ${what} without indentation`, () => {
        const before = "interface Ethernet1\ndescription desk\n"
        const after = "interface Ethernet2\nvlan 7\nip routing\nhostname acc1\n"
        const { errors, printed } = load(before + flat(text) + after)
        expect(errors).toEqual([])
        expect(printed).toContain(text.split("\n").slice(1, -2).join("\n"))
        expect(printed).toContain("\ninterface Ethernet1\n   description desk\n!")
      })
    }
  }

  it("refuses lines of other sections, and unknown words, at the top level", () => {
    const lines = [
      "switchport mode trunk",
      "tx-queue 5",
      "rd 1:1",
      "redistribute learned",
      "neighbor 10.0.0.1 remote-as 1"
    ]
    expect(load(lines.join("\n")).errors).toEqual(lines.map((line) => `${line}: % Invalid input`))
  })
})

describe("ranges on a simulated switch", () => {
  const ranges: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
    ["Et6-8", ["Ethernet6", "Ethernet7", "Ethernet8"]],
    ["Ethernet1-2,6", ["Ethernet1", "Ethernet2", "Ethernet6"]],
    ["ethernet 1 - 2, Po5", ["Port-Channel5", "Ethernet1", "Ethernet2"]],
    ["Eth3/1-4", ["Ethernet3/1", "Ethernet3/2", "Ethernet3/3", "Ethernet3/4"]],
    ["Et3/3-4/2", ["Ethernet3/3", "Ethernet3/4", "Ethernet4/1", "Ethernet4/2"]],
    ["Et3/1-5/1", ["Ethernet3/1", "Ethernet4/1", "Ethernet5/1"]],
    ["vl 10-12", ["Vlan10", "Vlan11", "Vlan12"]],
    ["po1-2", ["Port-Channel1", "Port-Channel2"]],
    ["Lo0,Ma1", ["Loopback0", "Management1"]],
    ["Et5.100-101", ["Ethernet5.100", "Ethernet5.101"]]
  ]
  for (const [typed, names] of ranges) {
    it(`applies each line to every interface of ${typed}, and shows each on its own`, () => {
      const { errors, printed } = load(
        `interface ${typed}\n   description three at once\n   mtu 9000\n   no mtu\nhostname x\n`
      )
      expect(errors).toEqual([])
      const shown = names.map((name) => `interface ${name}\n   description three at once\n!\n`).join("")
      expect(printed).toBe(`!\nhostname x\n!\n${shown}`)
    })
  }

  it("changes, resets and removes by ranges what is there", () => {
    const before = load("interface Et1-4\n description a\n shutdown\ninterface Vlan10-12\n mtu 9000\n").printed
    const { printed } = load("interface Et2-3\nno shutdown\ndefault interface Et4\nno interface Vlan10,12\n", before)
    expect(printed).toBe(
      "!\ninterface Ethernet1\n   description a\n   shutdown\n!\ninterface Ethernet2\n   description a\n!\n" +
        "interface Ethernet3\n   description a\n!\ninterface Vlan11\n   mtu 9000\n!\n"
    )
  })

  it("opens sections inside of a range", () => {
    const { printed } = load("interface Po1-2\nevpn ethernet-segment\nidentifier auto lacp\nroute-target import 1\n")
    const inside = "   !\n   evpn ethernet-segment\n      identifier auto lacp\n      route-target import 1\n!\n"
    expect(printed).toBe(`!\ninterface Port-Channel1\n${inside}interface Port-Channel2\n${inside}`)
  })

  it("refuses a range with an interface that does not exist, and one that ends before it begins", () => {
    const { errors, printed } = load("interface Ethernet50-60\ninterface Ethernet4-2\ninterface Vlan4090-5000\n")
    expect(errors).toHaveLength(3)
    expect(printed).toBe("")
  })

  it("keeps VLANs that were made together in one section until one of them differs", () => {
    const list = load("vlan 10,20-22\n").printed
    expect(list).toBe("!\nvlan 10,20-22\n!\n")
    expect(load("vlan 21\n   name voice\n", list).printed).toBe("!\nvlan 10,20,22\n!\nvlan 21\n   name voice\n!\n")
    expect(load("no vlan 20-21\n", list).printed).toBe("!\nvlan 10,22\n!\n")
    expect(load("vlan 20-23\n   state suspend\n", list).printed).toBe(
      "!\nvlan 10\n!\nvlan 20-22\n   state suspend\n!\nvlan 23\n   state suspend\n!\n"
    )
  })
})

describe("numbered lists on a simulated switch", () => {
  const lists = ["ip access-list A", "ipv6 access-list A", "mac access-list A", "ip access-list standard A"]
  for (const list of lists) {
    it(`numbers the lines of ${list} that have no number`, () => {
      const { errors, printed } = load(
        `${list}\n   remark first\n   permit any\n   15 deny host 10.0.0.9\n   deny any log\n   100 remark late\n   permit host x\n   counters per-entry\n`
      )
      expect(errors).toEqual([])
      expect(printed).toBe(
        `!\n${list}\n   counters per-entry\n   10 remark first\n   15 deny host 10.0.0.9\n   20 permit any\n` +
          "   30 deny any log\n   100 remark late\n   110 permit host x\n!\n"
      )
      expect(load(printed, printed).printed).toBe(printed)
      expect(load(`${list}\n   permit any\n`, printed).printed).toBe(printed)
    })
  }

  const LIST = "!\nip access-list A\n   10 permit tcp any any eq ssh\n   20 deny ip any any\n!\n"

  it("removes by number and by rule, and renumbers", () => {
    expect(load("ip access-list A\nno 10\n", LIST).printed).toBe("!\nip access-list A\n   20 deny ip any any\n!\n")
    expect(load("ip access-list A\nno deny ip any any\nno 77\n", LIST).printed).toBe(
      "!\nip access-list A\n   10 permit tcp any any eq ssh\n!\n"
    )
    expect(load("ip access-list A\nno 10\n10 permit ip host 10.0.0.1 any\n", LIST).printed).toBe(
      "!\nip access-list A\n   10 permit ip host 10.0.0.1 any\n   20 deny ip any any\n!\n"
    )
    expect(load("ip access-list A\n5 remark top\nresequence 100 5\n", LIST).printed).toBe(
      "!\nip access-list A\n   100 remark top\n   105 permit tcp any any eq ssh\n   110 deny ip any any\n!\n"
    )
    expect(load("ip access-list A\nresequence\n", "ip access-list A\n   7 permit ip any any\n").printed).toContain(
      " 10 "
    )
  })

  it("numbers prefix lists, also those of one line, and replaces by number", () => {
    const { errors, printed } = load(
      "ip prefix-list P seq 20 permit 10.0.0.0/8\nip prefix-list P permit 10.1.0.0/16 le 24\nip prefix-list P\n   seq 5 deny 0.0.0.0/0\n   permit 10.2.0.0/16\n"
    )
    expect(errors).toEqual([])
    expect(printed).toBe(
      "!\nip prefix-list P\n   seq 5 deny 0.0.0.0/0\n   seq 20 permit 10.0.0.0/8\n   seq 30 permit 10.1.0.0/16 le 24\n" +
        "   seq 40 permit 10.2.0.0/16\n!\n"
    )
    expect(load("ip prefix-list P seq 20 permit 172.16.0.0/12\n", printed).printed).toContain(
      "seq 20 permit 172.16.0.0/12\n"
    )
    expect(load("no ip prefix-list P seq 20\nip prefix-list P\nno seq 30\n", printed).printed).toBe(
      "!\nip prefix-list P\n   seq 5 deny 0.0.0.0/0\n   seq 40 permit 10.2.0.0/16\n!\n"
    )
    expect(load("no ip prefix-list P\n", printed).printed).toBe("")
  })

  it("shows a route map with action and number, in the order of numbers", () => {
    const { printed } = load(
      "route-map B\n   set metric 5\nroute-map A deny 20\nroute-map B deny 5\n   match tag 9\nroute-map A permit 10\n"
    )
    expect(printed).toBe(
      "!\nroute-map B deny 5\n   match tag 9\n!\nroute-map B permit 10\n   set metric 5\n!\nroute-map A permit 10\n!\nroute-map A deny 20\n!\n"
    )
    const changed = load("route-map B deny\nno route-map A\nno route-map B deny 5\n", printed).printed
    expect(changed).toBe("!\nroute-map B deny 10\n   set metric 5\n!\n")
  })

  it("numbers peer filters, roles and lists of patterns", () => {
    const text =
      "peer-filter F\n   match as-range 1-9 result accept\nrole R\n   deny command reload\n   permit command .*\n"
    expect(load(text).printed).toContain("role R\n   10 deny command reload\n   20 permit command .*\n")
    expect(load(text).printed).toContain("peer-filter F\n   10 match as-range 1-9 result accept\n")
  })
})
