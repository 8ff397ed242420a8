/** The permitted contents of a candidate, and the refusals before any of it is sent. */
import { assert, describe, expect, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { refusalText, refusedLines } from "../../src/domain/CandidateGate.ts"
import { eos } from "../../src/domain/platforms/eos/Platform.ts"
import { frr } from "../../src/domain/platforms/frr/Platform.ts"
import type { Platform } from "../../src/domain/platforms/Platform.ts"
import { platforms } from "../../src/domain/platforms/Platforms.ts"
import { appended } from "../scenarios/personalities/Candidate.ts"
import { stored } from "../support/Lindhaven.ts"
import { randomOf } from "../support/Random.ts"
import { eosConfigurations } from "./platforms/EosConfigurations.ts"
import { frrConfigurations } from "./platforms/FrrConfigurations.ts"

/** Number and word of each refused line. */
const refused = (platform: Platform, text: string, surroundings = {}): ReadonlyArray<string> =>
  refusedLines(platform, text, surroundings).map(({ lineNumber, word }) => `${lineNumber} ${word}`)

const recorded = readFileSync(new URL("../drivers/recordings/running-config.txt", import.meta.url), "utf8")
  .split("\n")
  .filter((line) => line.startsWith("< ") && !line.includes("LINEPROTO") && line !== "< show running-config")
  .map((line) => line.slice(2))
  .join("\n")

describe("A configuration", () => {
  it.each(Object.entries(eosConfigurations))("of EOS is accepted: %s", (_name, text) => {
    expect(refusedLines(eos, text)).toEqual([])
  })

  it.each(Object.entries(frrConfigurations))("of FRR is accepted: %s", (_name, text) => {
    expect(refusedLines(frr, text)).toEqual([])
  })

  it.each(["lhv-acc1", "lhv-dist1", "lhv-core1"])("of the examples is accepted: %s", (hostname) => {
    expect(refusedLines(eos, stored(`${hostname}.cfg`) + appended)).toEqual([])
  })

  it("that a switch has shown is accepted, with a banner that looks like prompts", () => {
    expect(recorded).toContain("acc-b2-01#")
    expect(refusedLines(eos, recorded)).toEqual([])
  })

  it("is accepted with either kind of line ends, tabs, and blanks at its ends", () => {
    for (const text of Object.values(eosConfigurations)) {
      expect(refusedLines(eos, text.replaceAll("\n", "\r\n"))).toEqual([])
      expect(refusedLines(eos, text.replaceAll("   ", "\t"))).toEqual([])
      expect(refusedLines(eos, text.replaceAll(/$/gm, "  "))).toEqual([])
    }
  })

  it("of a platform without a driver is checked for control characters only", () => {
    const others = platforms.filter(
      ({ capabilities, configuration }) => capabilities === null && configuration.sections === "indentation"
    )
    for (const platform of others) {
      expect(refused(platform, "commit\nset system host-name a\n")).toEqual([])
      expect(refused(platform, "a\nset\u0003 b\n")).toEqual(["2 U+0003"])
    }
  })
})

/** Lines of EOS, each alone behind a heading, and the word that is named. */
const eosRefused: ReadonlyArray<readonly [line: string, word: string]> = [
  ["commit", "commit"],
  ["commit timer 00:01:00", "commit"],
  ["com", "com"],
  ["comm", "comm"],
  ["COMMIT", "COMMIT"],
  ["Abort", "Abort"],
  ["abort", "abort"],
  ["ab", "ab"],
  ["rollback clean-config", "rollback"],
  ["configure", "configure"],
  ["configure session other", "configure"],
  ["configure replace flash:x", "configure"],
  ["configure checkpoint restore x", "configure"],
  ["conf t", "conf"],
  ["config", "config"],
  ["no configure session job1", "configure"],
  ["no commit", "commit"],
  ["no  no commit", "commit"],
  ["default commit", "commit"],
  ["def commit", "commit"],
  ["defa reload", "reload"],
  ["no exit", "exit"],
  ["default end", "end"],
  ["end now", "end"],
  ["exit now", "exit"],
  ["End", "End"],
  ["en", "en"],
  ["ex", "ex"],
  ["exi", "exi"],
  ["qui", "qui"],
  ["disable", "disable"],
  ["disa", "disa"],
  ["enable", "enable"],
  ["enable 15", "enable"],
  ["ena", "ena"],
  ["logout", "logout"],
  ["logo", "logo"],
  ["do show version", "do"],
  ["do reload", "do"],
  ["run show version; reload", "run"],
  ["routing-context vrf MGMT", "routing-context"],
  ["show running-config", "show"],
  ["sh run | tee flash:x", "sh"],
  ["show version > flash:x", "show"],
  ["show|no-more", "show|no-more"],
  ["reload", "reload"],
  ["reload now", "reload"],
  ["reload force", "reload"],
  ["rel", "rel"],
  ["reload;hostname x", "reload;hostname"],
  ["write", "write"],
  ["write memory", "write"],
  ["write erase now", "write"],
  ["wr", "wr"],
  ["wri mem", "wri"],
  ["copy running-config startup-config", "copy"],
  ["cop run start", "cop"],
  ["delete flash:EOS.swi", "delete"],
  ["del flash:x", "del"],
  ["erase startup-config", "erase"],
  ["era st", "era"],
  ["bash", "bash"],
  ["bash sudo reboot", "bash"],
  ["ba", "ba"],
  ["python", "python"],
  ["python-shell", "python-shell"],
  ["dir", "dir"],
  ["dir flash:", "dir"],
  ["mkdir flash:x", "mkdir"],
  ["rmdir flash:x", "rmdir"],
  ["rename flash:a flash:b", "rename"],
  ["more flash:x", "more"],
  ["cd flash:", "cd"],
  ["pwd", "pwd"],
  ["format flash:", "format"],
  ["clear counters", "clear"],
  ["cle arp", "cle"],
  ["clear ip bgp *", "clear"],
  ["clock set 10:00:00 1 January 2026", "clock"],
  ["clo se 10:00:00", "clo"],
  ["ping 10.0.0.1", "ping"],
  ["traceroute 10.0.0.1", "traceroute"],
  ["ssh 10.0.0.1", "ssh"],
  ["telnet 10.0.0.1", "telnet"],
  ["tftp 10.0.0.1", "tftp"],
  ["tcpd", "tcpd"],
  ["tcpdump interface ethernet1", "tcpdump"],
  ["watch 1 show version", "watch"],
  ["who", "who"],
  ["send log message x", "send"],
  ["install source flash:x", "install"],
  ["extension x.rpm", "extension"],
  ["boot system flash:EOS.swi", "boot"],
  ["boot sys flash:EOS.swi", "boot"],
  ["no boot system", "boot"],
  ["default boot system flash:x", "boot"],
  ["agent Bgp terminate", "agent"],
  ["agent Bgp ter", "agent"],
  ["redundancy force-switchover", "redundancy"],
  ["redundancy force", "redundancy"],
  ["platform trident diag", "platform"],
  ["plat fap shell", "plat"],
  ["event-monitor clear", "event-monitor"],
  ["event-mon cle", "event-mon"],
  ["security pki key generate rsa 2048 k", "security"],
  ["license import flash:x", "license"],
  ["email noc@example.org", "email"],
  ["terminal monitor", "terminal"],
  ["no terminal monitor", "terminal"],
  ["terminal", "terminal"],
  ["zerotouch cancel", "zerotouch"],
  ["zerotouch disable", "zerotouch"],
  ["test cable", "test"],
  ["reset system storage secure", "reset"],
  ["verify /md5 flash:x", "verify"],
  ["locator-led interface Ethernet1", "locator-led"],
  ["cli vrf MGMT", "cli"],
  ["diff running-config startup-config", "diff"],
  ["debug all", "debug"],
  ["help", "help"],
  ["history", "history"],
  ['"commit"', '"commit"'],
  ["'reload'", "'reload'"],
  ["comm?it", "comm?it"],
  ["?", "?"],
  ["re?load", "re?load"],
  ["clock s?et 10:00:00", "clock"],
  ["hostname x | tee flash:y", "|"],
  ["hostname x > flash:y", ">"],
  ["vlan 10 >> flash:y", ">>"],
  ["hostname x |bash", "|bash"],
  ["\u00A0commit", "commit"],
  ["\uFEFFcommit", "commit"],
  ["commit\u00A0timer", "commit"],
  ["commit!", "commit!"],
  ["hostname x\u0003", "U+0003"],
  ["hostname x\u001A", "U+001A"],
  ["hostname x\rcommit", "U+000D"],
  ["description a\u0004", "U+0004"],
  ["description \u0085", "U+0085"],
  ["interface Ethernet1\u2028commit", "U+2028"],
  [`description ${"x".repeat(4_100)}`, "description xxxxxxxx"]
]

const frrRefused: ReadonlyArray<readonly [line: string, word: string]> = [
  ["do show version", "do"],
  ["write", "write"],
  ["write memory", "write"],
  ["wr", "wr"],
  ["configure", "configure"],
  ["configure terminal", "configure"],
  ["conf", "conf"],
  ["show version", "show"],
  ["sh ver", "sh"],
  ["copy /tmp/x running-config", "copy"],
  ["clear bgp *", "clear"],
  ["find bgp", "find"],
  ["list", "list"],
  ["ping 10.0.0.1", "ping"],
  ["traceroute 10.0.0.1", "traceroute"],
  ["terminal length 0", "terminal"],
  ["no terminal length", "terminal"],
  ["start-shell bash", "start-shell"],
  ["ssh 10.0.0.1", "ssh"],
  ["telnet 10.0.0.1", "telnet"],
  ["output file /etc/passwd", "output"],
  ["echo hello", "echo"],
  ["watchfrr ignore bgpd", "watchfrr"],
  ["logmsg emergencies x", "logmsg"],
  ["debug", "debug"],
  ["rpki stop", "rpki"],
  ["add vrf RED prefix 10.0.0.0/8", "add"],
  ["graceful-restart prepare ip ospf", "graceful-restart"],
  ["debug rfapi-dev unregister vn 10.0.0.1", "debug"],
  ["mgmt commit apply", "mgmt"],
  ["generate support-bundle", "generate"],
  ["sharp install routes 10.0.0.0 nexthop 10.0.0.1 100", "sharp"],
  ["commit", "commit"],
  ["rollback configuration", "rollback"],
  ["disable", "disable"],
  ["enable 15", "enable"],
  ["exit-", "exit-"],
  ["no exit", "exit"],
  ["end x", "end"],
  ["who", "who"],
  ["no write", "write"],
  ["xpath /frr", "xpath"],
  ["! a comment\rwrite", "U+000D"],
  [`! ${"x".repeat(4_100)}`, "! xxxxxxxxxxxxxxxxxx"]
]

describe("A line that is not configuration", () => {
  const places: ReadonlyArray<readonly [name: string, before: string, indent: string, after: string]> = [
    ["alone", "", "", ""],
    ["at the top", "hostname a\n", "", "\n!\nvlan 10\n"],
    ["in a section", "interface Ethernet1\n   description a\n", "   ", "\n   shutdown\n"],
    ["deep in a section", "router bgp 1\n   vrf A\n", "      ", "\n      rd 1:1\n!\n"],
    ["behind a tab", "interface Ethernet1\n", "\t", "\n"],
    ["behind a banner", "banner login\ncommit\nEOF\n", "", "\nvlan 10\n"]
  ]

  it.each(eosRefused)("of EOS is refused at any position: %j", (line, word) => {
    for (const [name, before, indent, after] of places) {
      const [first] = refusedLines(eos, `${before}${indent}${line}${after}`)
      assert.deepInclude(first, { word, lineNumber: before.split("\n").length }, name)
    }
  })

  it.each(frrRefused)("of FRR is refused at any position: %j", (line, word) => {
    for (const [name, before, indent, after] of places.filter(([place]) => !place.includes("banner"))) {
      const [first] = refusedLines(frr, `${before}${indent}${line}${after}`)
      assert.deepInclude(first, { word, lineNumber: before.split("\n").length }, name)
    }
  })

  const blanks = ["", " ", "   ", "\t", " \t  ", "\u00A0"]

  it.each([eos, frr])("is refused as any command × abbreviation × place × blanks: $name", (platform) => {
    const random = randomOf(31)
    const pick = <A>(list: ReadonlyArray<A>): A => list[Math.floor(random() * list.length)] ?? assert.fail()
    const { configuration, exec, leave, negations, session, shared } = platform.commands ?? assert.fail()
    const whole = new Set([...configuration, ...negations, ...leave.keys(), ...shared.map(({ word }) => word)])
    for (const command of [...exec, ...session]) {
      for (let length = 1; length <= command.length; length++) {
        const word = command.slice(0, length)
        // a word of the configuration wins in full, and words that are both are asked for what is behind them
        if (whole.has(word)) continue
        const typed = pick([word, word.toUpperCase()])
        const line = `${pick(blanks)}${pick(["", "", "no ", "no   "])}${typed}${pick(["", " x", "   flash:x", "\t1"])}${pick(blanks)}`
        const lines = pick(Object.values(platform === eos ? eosConfigurations : frrConfigurations)).split("\n")
        const tops = lines.flatMap((text, index) =>
          /^(?:interface|vlan|vrf|router|management|log) /.test(text) ? [index] : []
        )
        const at = pick(tops)
        const text = [...lines.slice(0, at), line, ...lines.slice(at)].join("\n")
        assert.include(refused(platform, text), `${at + 1} ${typed}`, JSON.stringify(line))
      }
    }
  })
})

describe("Leaving a mode", () => {
  const eosTexts: ReadonlyArray<readonly [text: string, refusedLines: ReadonlyArray<string>]> = [
    ["interface Ethernet1\n   description a\n   exit\n", []],
    ["interface Ethernet1\n   description a\nexit\n", []],
    ["interface Ethernet1\nexit\ninterface Ethernet2\nexit\n", []],
    ["router bgp 1\n   vrf A\n      rd 1:1\n      exit\n   vrf B\n      rd 1:2\n   exit\nexit\n", []],
    ["router bgp 1\n   vrf A\n      rd 1:1\nexit\nexit\n", []],
    ["router bgp 1\n   vlan 10\n      rd 1:1\n      exit\n   exit\n", []],
    ["router bgp 1\n   interface Ethernet1\n      exit\n   exit\n", ["4 exit"]],
    ["hardware tcam\n   system profile vxlan-routing\n   exit\n", []],
    ["group bgp foo\n   maintenance profile bgp ixp\n   exit\n", []],
    ["router rip\n   interface Ethernet1\n   exit\n", []],
    ["exit\n", ["1 exit"]],
    ["hostname a\nexit\n", ["2 exit"]],
    ["hostname a\n   description b\n   exit\n", ["3 exit"]],
    ["interface Ethernet1\n   exit\n   exit\n", ["2 exit", "3 exit"]],
    ["interface Ethernet1\nexit\nexit\n", ["3 exit"]],
    ["interface Ethernet1\n   exit\n   shutdown\n", ["2 exit"]],
    ["interface Ethernet1\n   hostname a\n   exit\n", ["3 exit"]],
    ["interface Ethernet1\nip routing\nexit\n", ["3 exit"]],
    ["router bgp 1\n   vrf A\n      exit\n      rd 1:1\n", ["3 exit"]],
    ["interface Ethernet1\n   description a\nquit\nquit\n", ["4 quit"]],
    ["hostname a\nend\n", []],
    ["hostname a\nend\n\n!\n! a comment\n", []],
    ["hostname a\nend\nvlan 10\n", ["2 end"]],
    ["end\nend\n", ["1 end"]],
    ["interface Ethernet1\n   end\n   shutdown\n", ["2 end"]],
    ["hostname a\nend\nconfigure\ninterface Ethernet6\n   shutdown\n", ["2 end", "3 configure"]]
  ]

  it.each(eosTexts)("of EOS: %j", (text, expected) => {
    expect(refused(eos, text)).toEqual(expected)
  })

  it.each<readonly [text: string, refusedLines: ReadonlyArray<string>]>([
    ["router bgp 1\n address-family ipv4 unicast\n exit-address-family\nexit\nend\n", []],
    ["router bgp 1\n address-family ipv4 unicast\n exit-address-family\nexit\nexit\n", ["5 exit"]],
    ["vrf RED\n vni 1\nexit-vrf\nexit-vrf\n", ["4 exit-vrf"]],
    ["exit-address-family\n", ["1 exit-address-family"]],
    ["hostname a\nend\nwrite memory\n", ["2 end", "3 write"]],
    ["interface lo\nexit\nend\ninterface lo\n", ["3 end"]]
  ])("of FRR: %j", (text, expected) => {
    expect(refused(frr, text)).toEqual(expected)
  })
})

describe("A text that a command reads", () => {
  it.each<readonly [text: string, refusedLines: ReadonlyArray<string>]>([
    ["banner login\ncommit\nend\nexit\n| > x\nEOF\nvlan 10\n", []],
    ["banner login\nhello\nEOF\ncommit\nEOF\n", ["4 commit"]],
    ["banner login\nhello\n  EOF  \nreload\n", ["4 reload"]],
    ["banner login now\ncommit\nEOF\n", ["2 commit"]],
    ["management api http-commands\n   protocol https certificate\nreload\nEOF\nbash\nEOF\ncommit\n", ["7 commit"]],
    ["management api http-commands\n   protocol https certificate\na\nEOF\nb\nEOF\nzz\nEOF\nreload\n", ["9 reload"]],
    ["protocol https certificate\nreload\nEOF\nbash\nEOF\n", ["2 reload", "4 bash"]],
    ["management api gnmi\n   protocol https certificate\nreload\nEOF\nx\nEOF\n", ["3 reload"]],
    ["event-handler x\n   action bash\nreload\nEOF\n", []],
    ["event-handler x y\n   action bash\nreload\nEOF\n", ["3 reload"]],
    ["event-handler x\n   action bash reload\n", []],
    ["interface Ethernet1\n   action bash\nreload\nEOF\n", ["3 reload"]],
    ["banner login\nevent-handler x\n  EOF\n   action bash\nreload\nEOF\n", ["5 reload"]],
    ["interface Ethernet1\n   comment\nreload on sundays\nEOF\n", []],
    ["comment\nreload\nEOF\n", ["2 reload"]],
    ["interface Ethernet1\n   !! reload on sundays\n   shutdown\n", []],
    ["interface Ethernet1\n   !! EOF\n   !! reload\n", ["2 EOF"]],
    ["interface Ethernet1\n   !!EOF\n", ["2 EOF"]],
    ["interface Ethernet1\n   !!   EOF\n", ["2 EOF"]],
    ["!! reload\n", ["1 reload"]],
    ["! commit\n!commit\n", []]
  ])("of EOS is judged by where it ends: %j", (text, expected) => {
    expect(refused(eos, text)).toEqual(expected)
  })
})

describe("An alias", () => {
  const running = 'hostname a\nalias rl reload\nalias "/xx(yy)?/" reload\nalias Show-It show version\nend\n'

  it.each<readonly [text: string, refusedLines: ReadonlyArray<string>]>([
    ["interface Ethernet1\n   rl\n", ["2 rl"]],
    ["RL\n", ["1 RL"]],
    ["show-it\n", ["1 show-it"]],
    ["xxyy\n", ["1 xxyy"]],
    ["rlx\n", []],
    ["alias rl reload\nalias other reload\n", []],
    ["alias other reload\nother\n", ["2 other"]],
    ["other\nalias other reload\n", ["1 other"]],
    ["no alias rl\n", []]
  ])("of what runs or of the candidate is a command: %j", (text, expected) => {
    expect(refused(eos, text, { running })).toEqual(expected)
  })

  it("with the name of a configuration word disables it", () => {
    expect(refused(eos, "vlan 10\n", { running: "alias vlan reload\n" })).toEqual(["1 vlan"])
  })
})

describe("The lines of a port", () => {
  it.each([
    "shutdown",
    "   no lldp transmit\n   mtu 9000",
    "description vlan 10",
    "evpn ethernet-segment",
    "dhcp server ipv4",
    "queue-monitor length\n   queue-monitor length thresholds 10 5",
    "spanning-tree mst 0 cost 200",
    "spanning-tree vlan-id 10 port-priority 16",
    "!! ask first"
  ])("may be lines of its section: %j", (text) => {
    expect(refused(eos, text, { inPort: true })).toEqual([])
  })

  it.each([
    "exit",
    "end",
    "interface Ethernet6",
    "   interface Ethernet6\n   shutdown",
    "router bgp 1",
    "vlan 10",
    "hostname a",
    "no ip routing",
    "dhcp server vrf GUEST",
    "queue-monitor streaming",
    "spanning-tree mst 0 priority 4096",
    "spanning-tree mst configuration",
    "ip route 0.0.0.0/0 10.0.0.1",
    "username a nopassword",
    "no username admin",
    "default interface Ethernet1",
    "aaa authentication login default local",
    "management ssh",
    "commit"
  ])("may not leave it: %j", (text) => {
    expect(refusedLines(eos, text, { inPort: true })).toHaveLength(1)
  })

  it("of FRR may not leave it either", () => {
    for (const text of ["exit", "router bgp 1", "ip route 0.0.0.0/0 10.0.0.1", "end"]) {
      expect(refusedLines(frr, text, { inPort: true })).toHaveLength(1)
    }
    expect(refused(frr, " ip ospf area 0\n no shutdown", { inPort: true })).toEqual([])
  })
})

describe("A refusal", () => {
  it("gives the line, the word and its effect", () => {
    const [first] = refusedLines(eos, "hostname a\n   wr mem\n")
    assert.isDefined(first)
    expect(refusalText(first, first.line)).toBe(
      'line 2 ("wr mem") is no configuration: "wr" is short for the command "write"'
    )
    expect(refusalText(first)).toBe('line 2 is no configuration: "wr" is short for the command "write"')
  })

  it("names at most 20 lines", () => {
    expect(refusedLines(eos, "commit\n".repeat(100))).toHaveLength(20)
  })
})
