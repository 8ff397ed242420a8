/** How far a running configuration is from the generated one: what counts, what does not, and how differences are grouped. */
import { assert, describe, it } from "@effect/vitest"
import { eos } from "../../src/domain/platforms/eos/Platform.ts"
import { frr } from "../../src/domain/platforms/frr/Platform.ts"
import { distanceOf, groupPieces, percentOf, piecesIn } from "../../src/onboarding/Distance.ts"

const RUNNING = `! Command: show running-config
! device: lhv-a1 (CCS-720XP, EOS-4.31.5M)
!
hostname lhv-a1
!
ntp server 10.9.9.9
!
vlan 110
   name STAFF
!
interface Ethernet1
   description desk
   switchport access vlan 110
!
interface Vlan3016
   ip address 10.0.6.6/24
!
end
`

const GENERATED = `hostname lhv-a1
ntp server 10.20.0.1 prefer
vlan 110
   name STAFF
interface Ethernet1
   switchport mode access
   switchport access vlan 110
   spanning-tree portfast
interface Vlan3016
   no shutdown
   ip address 10.0.6.6 255.255.255.0
`

const blank = { extra: 0, missing: 0, pieces: [], secrets: [] }

describe("The distance of a configuration", () => {
  it("counts lines that only one side has, and neither comments nor defaults nor another spelling", () => {
    const { extra, lines, missing, pieces } = distanceOf(eos, RUNNING, GENERATED)
    // hostname, ntp, vlan and name, Ethernet1 with two lines, Vlan3016 with one; and the two that are generated only
    assert.deepEqual({ lines, extra, missing }, { lines: 11, extra: 2, missing: 2 })
    assert.deepEqual(
      pieces.map(({ diff }) => diff),
      [
        "-ntp server 10.9.9.9",
        " interface Ethernet1\n-   description desk\n+   spanning-tree portfast",
        "+ntp server 10.20.0.1 prefer"
      ]
    )
  })

  it("leaves out what a device writes of itself, such as its release and the image that it boots", () => {
    const router = "frr defaults datacenter\nhostname core1\ninterface swp1\n description dist1\nexit\n"
    const { lines, ...left } = distanceOf(frr, `!\nfrr version 8.4.4\n${router}end\n`, router)
    // also the line that ends its section
    assert.deepEqual({ lines, ...left }, { ...blank, lines: 5 })
    const { extra } = distanceOf(eos, `! boot system flash:/EOS.swi\n${RUNNING}`, RUNNING)
    assert.strictEqual(extra, 0)
  })

  it("is nothing if both say the same, and everything if they share no line", () => {
    const same = distanceOf(eos, RUNNING, RUNNING.replaceAll(/^!.*\n/gm, ""))
    assert.deepEqual({ ...same, lines: 0 }, { ...blank, lines: 0 })
    assert.strictEqual(percentOf(same), 0)
    assert.strictEqual(percentOf(distanceOf(eos, "hostname a\n", "vlan 7\n")), 100)
    assert.strictEqual(percentOf({ lines: 100_000, extra: 1, missing: 0 }), 0.1)
  })

  it("counts an access list in another order, whose numbers the switch gives", () => {
    const runs = "ip access-list A\n   10 permit ip any any\n   20 deny ip any host 10.0.0.1\n"
    const same = "ip access-list A\n   permit ip any any\n   deny ip any host 10.0.0.1\n"
    const other = "ip access-list A\n   deny ip any host 10.0.0.1\n   permit ip any any\n"
    assert.strictEqual(percentOf(distanceOf(eos, runs, same)), 0)
    assert.strictEqual(distanceOf(eos, runs, other).extra, 2)
  })

  it("names lines whose secrets differ, masked, without counting them", () => {
    const line = (secret: string) => `username noc privilege 15 role network-admin secret sha512 ${secret}\n`
    const { extra, missing, secrets } = distanceOf(eos, line("$6$a$b"), line("$6$c$d"))
    assert.deepEqual([extra, missing, secrets.length], [0, 0, 1])
    assert.notInclude(secrets.join(), "$6$c$d")
    assert.deepEqual(distanceOf(eos, line("$6$a$b"), line("$6$a$b")).secrets, [])
  })

  it("counts a banner with another text", () => {
    const banner = (text: string) => `banner login\n${text}\nEOF\n`
    const { extra, missing } = distanceOf(eos, banner("Stop"), banner("Go"))
    assert.deepEqual([extra, missing], [1, 1])
  })

  it("groups equal pieces of devices and ports, those of the most devices first", () => {
    const port = (name: string) => ` interface ${name}\n+   spanning-tree portfast`
    const groups = groupPieces([
      { hostname: "a1", ...one(port("Ethernet1")) },
      { hostname: "a1", ...one(port("Ethernet2")) },
      { hostname: "a2", ...one(port("Ethernet7")) },
      { hostname: "a1", ...one("+ntp server 10.20.0.1") },
      { hostname: "a2", ...one("+ntp server 10.20.0.1") },
      { hostname: "a3", ...one("+ntp server 10.20.0.1") },
      { hostname: "a3", ...one(" interface Vlan110\n+   mtu 1500") },
      { hostname: "a1", ...one(" interface Vlan120\n+   mtu 1500") }
    ])
    assert.deepEqual(
      groups.map(({ diff, hostnames, places }) => [diff.split("\n")[0], hostnames.join(" "), places]),
      [
        ["+ntp server 10.20.0.1", "a1 a2 a3", 3],
        [" interface Ethernet1", "a1 a2", 3],
        [" interface Vlan110", "a3", 1],
        [" interface Vlan120", "a1", 1]
      ]
    )
  })

  it("reads the pieces back from the stored difference", () => {
    const { pieces } = distanceOf(eos, RUNNING, GENERATED)
    assert.deepEqual(piecesIn(pieces.map(({ diff }) => diff).join("\n")), pieces)
    assert.deepEqual(piecesIn(""), [])
  })
})

function one(diff: string) {
  return { heading: diff.split("\n")[0]?.slice(1) ?? "", diff, lines: diff.split("\n").length }
}
