/** Only commands that read are sent for a check of a plugin, whatever it asks. */
import { describe, expect, it } from "@effect/vitest"
import { eos } from "../../../src/domain/platforms/eos/Platform.ts"
import { frr } from "../../../src/domain/platforms/frr/Platform.ts"
import { junos } from "../../../src/domain/platforms/junos/Platform.ts"
import { readOnlyFault } from "../../../src/domain/platforms/ReadOnlyCommands.ts"

const onEos = (command: string) => readOnlyFault(eos.capabilities?.shows, command)
const onJunos = (command: string) => readOnlyFault(junos.capabilities?.shows, command)
const onFrr = (command: string) => readOnlyFault(frr.capabilities?.shows, command)

describe("a command for EOS", () => {
  it.each([
    "show version",
    "show  ip  route vrf all",
    "show vlan | json",
    "show ip route 10.0.0.0/8 longer-prefixes | json",
    "show interfaces Ethernet1-4,6 status",
    "show running-config | section router bgp",
    "show interfaces status | include connected | exclude Po",
    "show logging last 60 seconds | include -[0-3]-[A-Z]",
    "show snmp",
    "show tacacs"
  ])("is sent: %s", (command) => {
    expect(onEos(command)).toBeNull()
  })

  it.each([
    ["write memory", "begins with the word show"],
    ["sh version", "begins with the word show"],
    ["SHOW version", "begins with the word show"],
    ["show", "begins with the word show"],
    [" show version", "begins with the word show"],
    ["showers on", "begins with the word show"],
    ["configure\nshow version", "begins with the word show"],
    ["show version\nreload now", "characters"],
    ["show version\r", "characters"],
    ["show version; reload", "characters"],
    ["show version > flash:x", "characters"],
    ["show version >> flash:x", "characters"],
    ["show ?", "characters"],
    ["show ver\t", "characters"],
    ["show version $(reload)", "characters"],
    ["show version | redirect flash:x", '"| redirect" is not one of'],
    ["show version | red flash:x", '"| red" is not one of'],
    ["show version | tee flash:x", '"| tee" is not one of'],
    ["show version | append flash:x", '"| append" is not one of'],
    ["show version | include a | redirect flash:x", '"| redirect" is not one of'],
    ["show version | bash", '"| bash" is not one of'],
    ["show version |", '"| " is not one of'],
    ["show version | | json", '"| " is not one of'],
    ["show snmp community", "not for checks"],
    ["show sn c", "not for checks"],
    ["show tech", "not for checks"],
    ["show logging follow", "not for checks"],
    [`show ${"x".repeat(200)}`, "longer than 200 characters"]
  ])("is not sent: %j", (command, why) => {
    expect(onEos(command)).toContain(why)
  })
})

describe("a command for Junos", () => {
  it.each([
    "show version",
    "show bgp summary | match Establ",
    "show interfaces ge-0/0/[0-3] terse | except down | no-more",
    "show system commit",
    "show route table inet.0 | count"
  ])("is sent: %s", (command) => {
    expect(onJunos(command)).toBeNull()
  })

  it.each([
    ["request system reboot", "begins with the word show"],
    ["clear bgp neighbor", "begins with the word show"],
    ["show configuration", "not for checks"],
    ["show conf system login", "not for checks"],
    ["show system rollback 1", "not for checks"],
    ["show sys roll", "not for checks"],
    ["show version | save /var/tmp/x", '"| save" is not one of'],
    ["show version | append x", '"| append" is not one of'],
    ["show version | request message all", '"| request" is not one of'],
    ["show interfaces | refresh 1", '"| refresh" is not one of'],
    ["show version | display xml", '"| display" is not one of'],
    ["show version <x>", "characters"]
  ])("is not sent: %j", (command, why) => {
    expect(onJunos(command)).toContain(why)
  })
})

describe("a command for FRR", () => {
  it.each(["show bgp summary", "show bgp vrf all summary json", "show ip route | include 10.0"])(
    "is sent: %s",
    (command) => {
      expect(onFrr(command)).toBeNull()
    }
  )

  it.each([
    ["clear bgp *", "begins with the word show"],
    ["configure terminal", "begins with the word show"],
    ["show version' -c 'configure", "characters"],
    ["show version\nconfigure terminal", "characters"],
    ["show version | json", '"| json" is not one of'],
    ["show tech-support", "not for checks"]
  ])("is not sent: %j", (command, why) => {
    expect(onFrr(command)).toContain(why)
  })
})

it("a platform without such words sends nothing", () => {
  expect(readOnlyFault(undefined, "show version")).toContain("has no read-only commands")
})
