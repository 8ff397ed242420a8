/** `show running-config all` of a simulated switch: defaults beside what is configured, spelled as the release spells them. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { oneSwitch } from "../../support/lab/Campus.ts"

const MORE = `vlan 10
   name users
vlan 20
interface Ethernet1
   description desk
   mtu 9000
   switchport mode trunk
   lacp timer fast
   no lldp receive
interface Ethernet2
   no switchport
   ip address 10.8.0.1/31
ip route 0.0.0.0/0 10.8.0.0
router bgp 65001
   router-id 10.8.0.1
   vrf A
      rd 1:1
management ssh
   idle-timeout 15
`

const shown = Effect.fnUntraced(function* (version: string) {
  const { device, shell } = yield* oneSwitch({ version })
  const session = yield* shell
  device.configure(MORE)
  const text = yield* Effect.promise(() => session.ask("show running-config all"))
  session.close()
  const plain = device.running()
  const lines = text.split("\n")
  return {
    text,
    plain,
    /** The lines below a heading. */
    section: (heading: string) => {
      const rest = lines.slice(lines.indexOf(heading) + 1)
      return rest.slice(0, rest.indexOf("!")).map((line) => line.trim())
    }
  }
})

const NEW = "4.31.4M"
const OLD = "4.21.5F"

describe("the running configuration with defaults", () => {
  it.effect("has every configured line, and no default beside a line about the same", () =>
    Effect.gen(function* () {
      const { plain, section, text } = yield* shown(NEW)
      expect(text).toMatch(/^! Command: show running-config all\n! device: acc1 /)
      for (const line of plain.split("\n").filter((line) => !line.startsWith("ip route"))) expect(text).toContain(line)
      const port = section("interface Ethernet1")
      expect(port).toEqual(expect.arrayContaining(["no shutdown", "description desk", "mtu 9000", "lldp transmit"]))
      expect(port).toEqual(expect.arrayContaining(["switchport access vlan 1", "switchport trunk native vlan 1"]))
      for (const line of ["no description", "mtu 1500", "switchport mode access", "lacp timer normal", "lldp receive"])
        expect(port).not.toContain(line)
      expect(section("interface Ethernet2")).toEqual(expect.arrayContaining(["no switchport", "mtu 1500"]))
      expect(section("interface Ethernet2")).not.toContain("switchport mode access")
      expect(section("vlan 20")).toEqual(["name VLAN0020", "mac address learning", "state active", "no private-vlan"])
      expect(section("router bgp 65001")).toEqual(expect.arrayContaining(["router-id 10.8.0.1", "timers bgp 60 180"]))
      expect(text).toContain("   !\n   vrf A\n      rd 1:1\n")
      expect(section("management ssh")).toEqual(expect.arrayContaining(["idle-timeout 15", "server-port 22"]))
      expect(section("management ssh")).not.toContain("idle-timeout 0")
      expect(section("management telnet")).toEqual(["shutdown", "idle-timeout 0"])
      expect(text).toContain("\nip route 0.0.0.0/0 10.8.0.0 1 tag 0\n")
      expect(text).toContain("\nspanning-tree mode mstp\n")
    })
  )

  it.effect("spells defaults as the release does", () =>
    Effect.gen(function* () {
      const [now, before] = [yield* shown(NEW), yield* shown(OLD)]
      const pairs = [
        ["lldp hold-time 120", "lldp holdtime 120"],
        ["lldp tlv transmit system-name", "lldp tlv-select system-name"],
        ["no aaa authorization serial-console", "no aaa authorization console"],
        ["errdisable detect cause link-change", "errdisable detect cause link-flap"],
        ["   snmp trap link-change", "   snmp trap link-status"],
        ["system control-plane", "control-plane"],
        ["   secret hash sha512", "   secret hash md5"]
      ] as const
      for (const [spelledNow, spelledBefore] of pairs) {
        expect(now.text).toContain(`\n${spelledNow}\n`)
        expect(before.text).toContain(`\n${spelledBefore}\n`)
        expect(now.text).not.toContain(`\n${spelledBefore}\n`)
      }
      expect(before.section("vlan 20")).not.toContain("mac address learning")
    })
  )
})
