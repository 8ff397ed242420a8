/** Which changes are left to a person whatever their score is, and which are not. */
import { assert, describe, it } from "@effect/vitest"
import { type JudgedChange, refusalOf } from "../../src/domain/AutoPush.ts"
import { changedLines, configLines } from "../../src/domain/ConfigLines.ts"
import { randomOf } from "../support/Random.ts"

const RUNNING = `! Command: show running-config
hostname lhv-acc1
username noc privilege 15 secret sha512 abc
aaa authorization exec default local
aaa authentication dot1x default group CAMPUS-NAC
radius-server host 10.20.0.11 key 7 123
vlan 110
   name STAFF
vlan 120,130-131
vlan 600
   name MANAGEMENT
interface Vlan600
   description Management
   ip address 10.0.6.6/24
interface Vlan120
   ip address 10.120.0.1/20
   ip access-group EDGE in
interface Loopback7
   ip address 10.7.0.1/32
interface Ethernet1
   description desk
   switchport access vlan 110
interface Ethernet2
   switchport trunk allowed vlan 110,130-131
ip access-list EDGE
   10 permit ip any any
ip access-list standard MGMT
   10 permit 10.20.0.0/24
management ssh
   ip access-group MGMT in
ip route 0.0.0.0/0 10.0.6.1
ip route 10.9.0.0/16 10.0.6.2
snmp-server contact noc
`

const change = (from: string | RegExp, to: string, more: Partial<JudgedChange> = {}): JudgedChange => {
  const after = RUNNING.replace(from, () => to)
  assert.notStrictEqual(after, RUNNING)
  return {
    platform: "eos",
    before: RUNNING,
    after,
    addresses: ["10.0.6.6"],
    portEditsOnly: false,
    siteRules: [],
    ...more
  }
}

describe("A change that no person reviews", () => {
  it("may not touch the interface of a management address, however the address is written", () => {
    const before = "interface Vlan600\n   ipv6 address 2001:db8:17::6/64\n   mtu 1500\nend\n"
    const judged = {
      platform: "eos",
      before,
      after: before.replace("mtu 1500", "mtu 9000"),
      portEditsOnly: false,
      siteRules: []
    } as const
    for (const address of ["2001:db8:17::6", "2001:0DB8:17:0:0:0:0:6"])
      assert.strictEqual(refusalOf({ ...judged, addresses: [address] })?.refused, "management_address", address)
    assert.isNull(refusalOf({ ...judged, addresses: ["2001:db8:17::7"] }))
  })

  it.each<readonly [what: string, from: string, to: string, rule: string | null]>([
    ["removes a VLAN", "vlan 110\n   name STAFF\n", "", "removed_vlan"],
    ["removes a VLAN from a list", "vlan 120,130-131", "vlan 120,130", "removed_vlan"],
    ["splits a list of VLANs", "vlan 120,130-131", "vlan 120\nvlan 130\nvlan 131", null],
    ["adds a VLAN to a list", "vlan 120,130-131", "vlan 120,130-135", null],
    ["renames a VLAN", "name STAFF", "name STAFF2", null],
    ["removes the interface of a VLAN", /interface Vlan120\n.*\n.*\n/.exec(RUNNING)?.[0] ?? "", "", "removed_vlan"],
    ["removes an address", "   ip address 10.120.0.1/20\n", "", "removed_address"],
    ["changes an address", "10.7.0.1/32", "10.7.0.2/32", "removed_address"],
    [
      "adds an address",
      "interface Ethernet1\n",
      "interface Loopback8\n   ip address 10.7.0.9/32\ninterface Ethernet1\n",
      null
    ],
    ["changes the management address", "10.0.6.6/24", "10.0.6.7/24", "management_address"],
    [
      "shuts the management interface",
      "   description Management\n",
      "   description Management\n   shutdown\n",
      "management_address"
    ],
    ["describes the management interface", "description Management", "description In-band", null],
    ["changes the default route", "0.0.0.0/0 10.0.6.1", "0.0.0.0/0 10.0.6.9", "default_route"],
    [
      "adds a default route of a VRF",
      "snmp-server contact noc",
      "snmp-server contact noc\nip route vrf MGMT 0.0.0.0/0 10.1.1.1",
      "default_route"
    ],
    ["changes another route", "10.9.0.0/16 10.0.6.2", "10.9.0.0/16 10.0.6.3", null],
    ["changes a login", "sha512 abc", "sha512 def", "login"],
    ["adds a login", "vlan 110\n", "username eve secret 0 x\nvlan 110\n", "login"],
    ["changes authorization", "exec default local", "exec default none", "login"],
    ["changes 802.1X", "dot1x default group CAMPUS-NAC", "dot1x default group OTHER", null],
    ["changes a RADIUS server", "10.20.0.11", "10.20.0.12", "login"],
    ["runs a script later", "vlan 110\n", "event-handler x\n   action bash reload\nvlan 110\n", "runs_commands"],
    ["schedules a command", "vlan 110\n", "schedule x interval 5 command bash reload\nvlan 110\n", "runs_commands"],
    ["starts a program", "vlan 110\n", "daemon x\n   exec /mnt/flash/x\nvlan 110\n", "runs_commands"],
    ["names a command anew", "vlan 110\n", "alias sh reload\nvlan 110\n", "runs_commands"],
    ["opens the API", "vlan 110\n", "management api http-commands\n   no shutdown\nvlan 110\n", "login"],
    ["changes SSH", "management ssh\n", "management ssh\n   idle-timeout 5\n", "login"],
    ["opens another way to log in", "management ssh\n", "management telnet\nmanagement ssh\n", "login"],
    ["takes the list off SSH", "   ip access-group MGMT in\n", "", "management_acl"],
    ["changes the list of SSH", "permit 10.20.0.0/24", "permit 10.30.0.0/24", "management_acl"],
    ["removes the list of SSH", "ip access-list standard MGMT\n   10 permit 10.20.0.0/24\n", "", "management_acl"],
    ["changes a list of other interfaces", "permit ip any any", "permit tcp any any", null],
    ["describes a port", "description desk", "description window", null],
    ["moves a port", "access vlan 110", "access vlan 120", null]
  ])("that %s", (_what, from, to, rule) => {
    assert.strictEqual(refusalOf(change(from, to))?.refused ?? null, rule)
  })

  it("is shown with the lines that break the rule, each below its sections", () => {
    assert.deepStrictEqual(refusalOf(change("10.7.0.1/32", "10.7.0.2/32")), {
      refused: "removed_address",
      message: "An address is removed",
      lines: ["- interface Loopback7 / ip address 10.7.0.1/32"]
    })
  })

  it("of a platform without rules is refused", () => {
    assert.strictEqual(refusalOf(change("noc\n", "x\n", { platform: "junos" }))?.refused, "unknown_platform")
  })
})

/** Ethernet1 leaves VLAN 110, which nothing else uses when Ethernet2 does not. */
const leaving = (alsoTrunk: boolean, portEditsOnly: boolean): JudgedChange => {
  const before = alsoTrunk ? RUNNING.replace("allowed vlan 110,", "allowed vlan ") : RUNNING
  const after = before.replace("access vlan 110", "access vlan 120").replace("vlan 110\n   name STAFF\n", "")
  return { ...change("noc\n", "x\n"), before, after, portEditsOnly }
}

describe("A VLAN without remaining ports", () => {
  it("may be removed with the port edit that emptied it", () => {
    assert.isNull(refusalOf(leaving(true, true)))
  })

  it("may not be removed while another port uses it, or when something else has changed the device too", () => {
    assert.strictEqual(refusalOf(leaving(false, true))?.refused, "removed_vlan")
    assert.strictEqual(refusalOf(leaving(true, false))?.refused, "removed_vlan")
  })

  it("may be removed with its own interface, but no other one", () => {
    const base = change("noc\n", "x\n", { portEditsOnly: true })
    const before = RUNNING.replace("access vlan 110", "access vlan 120").replace("allowed vlan 110,", "allowed vlan ")
    const after = before.replace("access vlan 120", "access vlan 130").replace("vlan 120,130-131", "vlan 130-131")
    const svi = "interface Vlan120\n   ip address 10.120.0.1/20\n   ip access-group EDGE in\n"
    assert.isNull(refusalOf({ ...base, before, after: after.replace(svi, "") }))
    const other = after.replace("   ip address 10.7.0.1/32\n", "")
    assert.strictEqual(refusalOf({ ...base, before, after: other })?.refused, "removed_address")
  })
})

describe("Two configurations", () => {
  const lists = /^((?:vlan|switchport trunk allowed vlan) )(\d[\d,-]*)$/
  const blocks = RUNNING.split(/\n(?! )/).filter((block) => block !== "")

  it("with the same lines in another order do not differ", () => {
    for (let seed = 1; seed <= 200; seed += 1) {
      const random = randomOf(seed)
      const shuffled = blocks.map((block) => [random(), block] as const).toSorted(([a], [b]) => a - b)
      const other = shuffled.map(([, block]) => block).join("\n")
      assert.deepStrictEqual(changedLines(configLines(RUNNING, lists), configLines(other, lists)), [], `seed ${seed}`)
    }
  })

  it("with missing lines on either side report them", () => {
    const all = configLines(RUNNING, lists)
    for (const [index, line] of RUNNING.split("\n").entries()) {
      if (line.trim() === "" || line.startsWith("!")) continue
      const without = RUNNING.split("\n").toSpliced(index, 1).join("\n")
      const changed = changedLines(all, configLines(without, lists))
      const removed = changed.filter((found) => found.change === "removed")
      assert.isAbove(removed.length, 0, line)
    }
  })
})
