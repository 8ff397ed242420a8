import { describe, expect, it } from "@effect/vitest"
import * as Differences from "../../../src/lab/eos/Differences.ts"
import * as ConfigFacts from "../../../src/lab/eos/ConfigFacts.ts"
import * as Loader from "../../../src/lab/eos/ConfigLoader.ts"
import { empty, render } from "../../../src/lab/eos/ConfigTree.ts"

const TEXT = `! a comment
hostname acc1
dns domain net.example.org
!
banner login
Unauthorised use! end
% not an error
EOF
!
username admin privilege 15 secret s3cret
username admin ssh-key ssh-ed25519 AAAA admin@example
aaa authorization exec default local
lldp run
no ip routing
vlan 20
   name voice
vlan 10
   name users
interface Ethernet10
   description ten
   shutdown
interface Ethernet2
   description två ö
   no shutdown
   switchport access vlan 10
interface Vlan600
   ip address 10.1.2.3 255.255.255.0
router bgp 65001
   neighbor 10.0.0.1 remote-as 65002
   address-family ipv4
      neighbor 10.0.0.1 activate
   vlan 10
      rd 1:10
management api http-commands
   no shutdown
   vrf MGMT
      no shutdown
`

const PRINTED = `!
username admin privilege 15 secret s3cret
username admin ssh-key ssh-ed25519 AAAA admin@example
!
hostname acc1
!
dns domain net.example.org
!
aaa authorization exec default local
!
vlan 10
   name users
!
vlan 20
   name voice
!
management api http-commands
   no shutdown
   !
   vrf MGMT
      no shutdown
!
interface Ethernet2
   description två ö
   switchport access vlan 10
!
interface Ethernet10
   description ten
   shutdown
!
interface Vlan600
   ip address 10.1.2.3/24
!
no ip routing
!
router bgp 65001
   neighbor 10.0.0.1 remote-as 65002
   !
   address-family ipv4
      neighbor 10.0.0.1 activate
   !
   vlan 10
      rd 1:10
!
banner login
Unauthorised use! end
% not an error
EOF
!
`

const load = (text: string, onto = "", rules = Loader.LENIENT) => {
  const root = Loader.parse(onto)
  const loader = Loader.make(root, rules)
  const errors = text.split("\n").flatMap((line, index) => {
    const error = Loader.feed(loader, line)
    return error === undefined ? [] : [`${index + 1} ${error}`]
  })
  return { printed: render(root), errors }
}

const onlyFirstPort = (name: string) => name === "Ethernet1"

describe("configuration of a simulated switch", () => {
  it("prints what it loaded in the device's order, without comments and defaults", () => {
    expect(load(TEXT).printed).toBe(PRINTED)
  })

  it("loads its own print without a difference, indented or not", () => {
    expect(load(PRINTED).printed).toBe(PRINTED)
    const flat = PRINTED.split("\n").map((line) => line.trim())
    expect(load(flat.join("\n")).printed).toBe(PRINTED)
  })

  it("merges: replaces single values, adds to lists, removes with no", () => {
    const change = `hostname other
interface Ethernet2
   no description
   switchport access vlan 20
interface Ethernet10
   no shutdown
no vlan 10
no banner login
no username admin ssh-key
router bgp 65001
   no neighbor 10.0.0.1
`
    const { printed } = load(change, PRINTED)
    expect(printed).toContain("\nhostname other\n")
    expect(printed).toContain("interface Ethernet2\n   switchport access vlan 20\n!")
    expect(printed).toContain("interface Ethernet10\n   description ten\n!")
    expect(printed).not.toMatch(/^vlan 10|banner|ssh-key|remote-as/m)
  })

  it("keeps a negative line that has nothing to remove", () => {
    const { printed } = load("interface Ethernet1\n   no switchport\n   no ip redirects\n")
    expect(printed).toContain("interface Ethernet1\n   no switchport\n   no ip redirects\n")
  })

  it("refuses statements that the switch does not have", () => {
    const rules = { ...Loader.LENIENT, strictWords: true, poe: false, hasInterface: onlyFirstPort }
    const text = "intreface Ethernet1\ninterface Ethernet99\ninterface Ethernet1\n   poe disabled\nvlan 5000\n"
    const { errors } = load(text, "", rules)
    expect(errors).toEqual(["1 % Invalid input", "2 % Invalid input", "4 % Invalid input", "5 % Invalid input"])
  })

  it("refuses a sequence number that is taken", () => {
    const { errors } = load("ip access-list A\n   10 permit ip any any\n   10 deny ip any any\n")
    expect(errors).toEqual(["3 % Duplicate sequence number"])
  })

  it("handles 20,000 lines and a line of 2,000 characters", () => {
    const lines = Array.from(
      { length: 10_000 },
      (_, i) => `vrf instance V${i}\n   description ${"x".repeat(i === 7 ? 2000 : 5)}`
    )
    const { printed } = load(lines.join("\n"))
    expect(printed.match(/^vrf instance/gm)).toHaveLength(10_000)
    expect(printed).toContain("x".repeat(2000))
  })

  it("shows a unified diff with three lines of context", () => {
    const after = load("interface Vlan600\n   description mgmt\n", PRINTED).printed
    expect(Differences.ofSession(PRINTED, after, "job1", "unified")).toBe(`--- system:/running-config
+++ session:/job1-session-config
@@ -30,6 +30,7 @@
 !
 interface Vlan600
    ip address 10.1.2.3/24
+   description mgmt
 !
 no ip routing
 !
`)
    expect(Differences.ofSession(PRINTED, PRINTED, "job1", "unified")).toBe("")
  })

  it("shows a difference by sections: their headings, the line before, no hunks and no separators", () => {
    const before = load(
      "interface Ethernet5\n   description old room\n   mtu 9000\nvlan 10\n   name a\nvlan 11\nrouter bgp 65001\n   neighbor 10.1.1.1 peer group UNDERLAY\n   vrf A\n      rd 1:1\n"
    ).printed
    const after = load(
      "hostname acc2\ninterface Ethernet5\n   description room 12\n   mtu 9000\nvlan 11\nrouter bgp 65001\n   neighbor 10.1.1.1 peer group UNDERLAY\n   neighbor 10.1.1.1 description spine1\n   vrf A\n      rd 1:2\nbanner login\nWelcome\nEOF\n"
    ).printed
    expect(Differences.ofSession(before, after, "job7", "sections")).toBe(`--- system:/running-config
+++ session:/job7-session-config
-vlan 10
-   name a
+hostname acc2
 interface Ethernet5
-   description old room
+   description room 12
 router bgp 65001
    neighbor 10.1.1.1 peer group UNDERLAY
+   neighbor 10.1.1.1 description spine1
    vrf A
-      rd 1:1
+      rd 1:2
+banner login
+Welcome
+EOF
`)
    expect(Differences.ofSession(before, before, "job7", "sections")).toBe("")
  })

  it("reads its name, addresses and logins from the configuration", () => {
    const more =
      "interface Vlan601\n   ip address virtual 10.1.3.1/24\ninterface Loopback0\n   ip address 10.5.0.1/32\n"
    const facts = ConfigFacts.read(load(more, PRINTED).printed)
    expect(facts).toMatchObject({ hostname: "acc1", domain: "net.example.org", execAuthorization: true })
    expect(facts.addresses).toEqual(["10.5.0.1", "10.1.2.3"])
    expect(facts.users.get("admin")).toEqual({ privilege: 15, secret: "s3cret" })
    expect([...facts.shutPorts]).toEqual(["Ethernet10"])
    expect(ConfigFacts.read(render(empty())).hostname).toBe("localhost")
  })

  it("keeps comments of sections and certificates of two texts", () => {
    const text = `management security
   protocol https certificate
CERT
EOF
KEY
EOF
interface Ethernet1
   !! ask the owner first
   description desk
`
    const { printed, errors } = load(text)
    expect(errors).toEqual([])
    expect(printed).toContain("   protocol https certificate\nCERT\nEOF\nKEY\nEOF\n!")
    expect(printed).toContain("interface Ethernet1\n   !! ask the owner first\n   description desk\n")
    expect(load(printed).printed).toBe(printed)
    expect(load("interface Ethernet1\ncomment\nask the owner first\nEOF\ndescription desk\n").printed).toContain(
      "interface Ethernet1\n   !! ask the owner first\n   description desk\n"
    )
  })
})
