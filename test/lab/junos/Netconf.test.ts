import { describe, expect, it, vi } from "@effect/vitest"
import { Effect } from "effect"
import type { ClientChannel } from "ssh2"
import { makeLab } from "../../../src/lab/Lab.ts"
import * as Xml from "../../../src/lab/junos/Xml.ts"
import * as Topology from "../../../src/lab/Topology.ts"
import { baseConfig } from "../../support/lab/Campus.ts"
import { connect } from "../../support/lab/Client.ts"
import {
  junosConfig,
  type Netconf,
  netconfOver,
  oneJunos,
  type OneJunos,
  openNetconf
} from "../../support/lab/JunosCampus.ts"

const scene = (node: Partial<Topology.Node>, body: (session: Netconf, one: OneJunos) => Promise<void>) =>
  Effect.gen(function* () {
    const one = yield* oneJunos(node)
    const session = yield* one.netconf
    yield* Effect.promise(() => body(session, one))
    session.close()
  })

const COMMIT = "<commit-configuration/>"
const CHECK = "<commit-configuration><check/></commit-configuration>"
const set = (lines: string) =>
  `<load-configuration action="set" format="text"><configuration-set>${lines}</configuration-set></load-configuration>`

describe("NETCONF of a simulated Junos", () => {
  it.effect("greets with base 1.0, its own capability, and old forms in line breaks", () =>
    scene({}, async ({ hello }) => {
      expect(hello).toContain("http://xml.juniper.net/netconf/junos/1.0")
      expect(hello).toContain("<capability>\nurn:ietf:params:xml:ns:netconf:capability:candidate:1.0\n</capability>")
      expect(hello).not.toContain("base:1.1")
      expect(hello).toMatch(/<session-id>\d+<\/session-id>/)
    })
  )

  it.effect("answers one request after the other, with their numbers", () =>
    scene({}, async (session) => {
      session.send("<get-system-information/>")
      expect(await session.rpc("<get-software-information/>")).toContain('message-id="1"')
      expect(await session.rpc("<nothing/>")).toContain('message-id="2"')
    })
  )

  it.effect("refuses requests that it does not know, by their name", () =>
    scene({}, async (session) => {
      expect(await session.rpc("<get-nothing/>")).toMatch(/<bad-element>\nget-nothing\n/)
    })
  )

  it.effect("closes the channel when it gets no XML", () =>
    scene({}, async ({ channel, closed, client }) => {
      channel.on("close", () => client.end())
      channel.write("<rpc><unclosed></rpc>]]>]]>")
      await closed
    })
  )

  it.effect("breaks off amid an answer", () =>
    scene({}, async (session, { device }) => {
      device.setFault({ kind: "cut", step: "showRunning", when: "amid", times: 1 })
      let received = ""
      session.channel.on("data", (bytes: Buffer) => void (received += bytes.toString()))
      session.client.on("error", () => undefined)
      session.send('<get-configuration database="committed" format="text"/>')
      await session.closed
      expect(received).toContain("<configuration-text")
      expect(received).not.toContain("]]>]]>")
    })
  )

  it.effect("begins nothing that was asked by a login that has ended meanwhile", () =>
    scene({}, async (session, { device, host, port }) => {
      const other = await openNetconf(host, port)
      for (const step of ["load", "showSessions"] as const)
        device.setFault({ kind: "slow", step, milliseconds: 2000, times: 1 })
      session.send(set("set system host-name late"))
      await vi.waitFor(() => expect(device.commands().at(-1)?.command).toBe("load-configuration"))
      session.close()
      // as slow and begun later, so it is answered later
      await other.rpc("<get-commit-information/>")
      expect(await other.rpc('<get-configuration database="candidate" format="text"/>')).not.toContain("late")
      other.close()
    })
  )

  it.effect("has no subsystem without its statement", () =>
    scene({}, async (session, { host, port }) => {
      await session.rpc(set("delete system services netconf"))
      await session.rpc(COMMIT)
      await expect(openNetconf(host, port)).rejects.toThrow("subsystem")
    })
  )

  it.effect("speaks in XML mode where the subsystem is refused", () =>
    Effect.gen(function* () {
      const { host, port } = yield* oneJunos({ personality: "junosNoSubsystem" })
      yield* Effect.promise(async () => {
        await expect(openNetconf(host, port)).rejects.toThrow("subsystem")
        const client = await connect({ host, port })
        const channel = await new Promise<ClientChannel>((resolve, reject) =>
          client.exec("xml-mode netconf need-trailer", (error, stream) =>
            error === undefined ? resolve(stream) : reject(error)
          )
        )
        const session = await netconfOver(client, channel)
        expect(await session.rpc("<get-system-information/>")).toContain("<host-name>sw1</host-name>")
        session.close()
      })
    })
  )

  it.effect("speaks in chunks where both sides offer base 1.1", () =>
    Effect.gen(function* () {
      const { host, port } = yield* oneJunos({ personality: "junosChunked" })
      yield* Effect.promise(async () => {
        const client = await connect({ host, port })
        const channel = await new Promise<ClientChannel>((resolve, reject) =>
          client.subsys("netconf", (error, stream) => (error === undefined ? resolve(stream) : reject(error)))
        )
        let text = ""
        channel.on("data", (data: Buffer) => {
          text += data.toString()
        })
        const base = (version: string) => `<capability>urn:ietf:params:netconf:base:${version}</capability>`
        channel.write(`<hello><capabilities>${base("1.0")}${base("1.1")}</capabilities></hello>]]>]]>`)
        const [one, two] = ['<rpc message-id="7"><get-system-', "information/></rpc>"]
        channel.write(`\n#${one.length}\n${one}\n#${two.length}\n${two}\n##\n`)
        await expect.poll(() => text, { timeout: 20_000 }).toMatch(/\n#\d+\n<rpc-reply[^]*<host-name>sw1[^]*\n##\n$/)
        client.destroy()
      })
    })
  )
})

const REQUESTS = [
  "lock-configuration",
  "get-configuration",
  "get-commit-information",
  "get-commit-revision-information",
  "get-database-status-information",
  "get-rescue-information",
  "get-system-information",
  "get-software-information",
  "get-chassis-inventory",
  "get-system-uptime-information",
  "get-virtual-chassis-information",
  "get-route-engine-information",
  "get-system-users-information",
  "get-alarm-information",
  "get-interface-information",
  "get-lldp-neighbors-information",
  "get-lldp-interface-neighbors",
  "get-ethernet-switching-table-information",
  "get-arp-table-information",
  "get-ipv6-nd-information",
  "get-interface-optics-diagnostics-information",
  "commit-configuration",
  "unlock-configuration",
  "nothing"
]

describe("answers of a simulated Junos", () => {
  it.effect("are well-formed, with their prefixes bound", () =>
    Effect.gen(function* () {
      for (const personality of ["junosVirtualChassis", "junosCompliant", "junosCommented", "junosHiddenSecrets"])
        yield* Effect.scoped(
          scene({ personality }, async (session) => {
            expect(Xml.read(session.hello)).toBeDefined()
            const annotated = "annotate vlans v10 &quot;of &lt;mine&gt; &amp; yours&quot;"
            await session.rpc(set(`set interfaces ge-0/0/5 description &quot;a &lt;b&gt; &amp; c&quot;\n${annotated}`))
            for (const name of REQUESTS)
              expect([name, Xml.read(await session.rpc(`<${name}/>`))?.name]).toEqual([name, "rpc-reply"])
          })
        )
    })
  )
})

describe("personalities of a simulated Junos", () => {
  it.effect("a virtual chassis answers for each member, also for a commit", () =>
    scene({ personality: "junosVirtualChassis" }, async (session, { device }) => {
      const software = await session.rpc("<get-software-information/>")
      expect(software.match(/<re-name>fpc\d/g)).toEqual(["<re-name>fpc0", "<re-name>fpc1"])
      const members = await session.rpc("<get-virtual-chassis-information/>")
      expect(members.match(/<member-serial-number>/g)).toHaveLength(2)
      expect(await session.rpc("<get-chassis-inventory/>")).toContain("<description>Virtual Chassis</description>")
      expect(device.hardware().ports).toContain("ge-1/0/47")
      expect((await session.rpc(COMMIT)).match(/<commit-success\/>/g)).toHaveLength(2)
    })
  )

  it.effect("a switch alone has no virtual chassis", () =>
    scene({}, async (session) => {
      expect(await session.rpc("<get-virtual-chassis-information/>")).toContain("rpc-error")
    })
  )

  it.effect("two engines: a commit that one of them refuses has a success beside the error, and is not done", () =>
    scene({ personality: "junosDualEngine" }, async (session, { device }) => {
      device.setFault({ kind: "error", step: "commit", message: "remote lock", times: 1 })
      await session.rpc(set("set system host-name new"))
      const both = "<commit-configuration><synchronize/></commit-configuration>"
      const answer = await session.rpc(both)
      expect(answer).toContain("<commit-check-success/>")
      expect(answer).toMatch(/<name>re1<\/name>\n<rpc-error>/)
      expect(device.hostname()).toBe("sw1")
      expect((await session.rpc(both)).match(/<commit-success\/>/g)).toHaveLength(2)
      expect((await session.rpc(COMMIT)).match(/<commit-success\/>/g)).toHaveLength(1)
      await session.rpc(set("set system commit synchronize"))
      await session.rpc(COMMIT)
      expect((await session.rpc(COMMIT)).match(/<commit-success\/>/g)).toHaveLength(2)
    })
  )

  it.effect("users without the permission see a mark in the place of secrets", () =>
    scene({ personality: "junosHiddenSecrets" }, async (session) => {
      for (const format of ["text", "set", "xml"]) {
        const text = await session.rpc(`<get-configuration database="committed" format="${format}"/>`)
        expect(text).toContain("/* SECRET-DATA */")
        expect(text).not.toContain("$6$")
      }
    })
  )

  it.effect("warnings stand beside success, in loads and commits", () =>
    scene({ personality: "junosWarnings" }, async (session, { device }) => {
      const loaded = await session.rpc(set("set system host-name new"))
      expect(loaded).toContain("<error-severity>warning</error-severity>")
      expect(loaded).toContain("<ok/>")
      expect(loaded).not.toContain("<error-tag>")
      expect(await session.rpc(COMMIT)).toMatch(/license[^]*<commit-success\/>/)
      expect(device.hostname()).toBe("new")
    })
  )

  it.effect("ok stands beside errors, which have no tag and no number", () =>
    scene({ personality: "junosOkBesideErrors" }, async (session) => {
      const answer = await session.rpc(set("set nothing here\nset also nothing\nset system host-name x"))
      expect(answer.match(/<rpc-error>/g)).toHaveLength(2)
      expect(answer).toContain("<load-error-count>2</load-error-count>\n<ok/>")
      expect(answer).not.toContain("<error-tag>")
      expect(answer).not.toContain("message-id")
    })
  )

  it.effect("an old switch: broken XML, old errors, other tables, no mark in the history", () =>
    scene({ personality: "junosOld" }, async (session, { device }) => {
      expect(await session.rpc(set("set nothing here"))).toContain("<xnm:error ")
      expect(await session.rpc(set("set vlans v12 vlan-id 12"))).toContain("<load-success/>")
      const minute = "<commit-configuration><confirmed/><confirm-timeout>5000</confirm-timeout></commit-configuration>"
      expect(await session.rpc(minute)).toContain("<name>re0</name>\n<ok/>\n</commit-results>")
      expect(await session.rpc("<get-commit-information/>")).not.toContain("rollback pending")
      expect(device.timer()).toBeDefined()
      expect(await session.rpc("<get-software-information/>")).toContain("JUNOS Base OS boot [12.3R12.4]")
      expect(await session.rpc("<get-commit-revision-information/>")).toContain("rpc-reply")
    })
  )

  it.effect("comments stand before the hello and between answers, and ok beside a check", () =>
    scene({ personality: "junosCommented" }, async (session) => {
      expect(session.hello).toMatch(/^<!-- No zombies were killed/)
      expect(await session.rpc(CHECK)).toMatch(/<\/commit-results>\n<ok\/>\n<\/rpc-reply>\n<!-- /)
    })
  )

  it.effect("somebody has left a change, or holds the lock, when it starts", () =>
    Effect.gen(function* () {
      yield* scene({ personality: "junosUncommitted" }, async (session) => {
        expect(await session.rpc("<lock-configuration/>")).toContain("configuration database modified")
      }).pipe(Effect.scoped)
      yield* scene({ junos: { lockedBy: "night-shift" } }, async (session) => {
        expect(await session.rpc("<lock-configuration/>")).toContain("locked by:\n  night-shift terminal")
      }).pipe(Effect.scoped)
    })
  )

  it.effect("tags of the protocol have a prefix", () =>
    scene({ personality: "junosCompliant" }, async (session) => {
      expect(session.hello).toContain("<nc:hello xmlns:nc=")
      const answer = await session.rpc("<nothing/>")
      expect(answer).toContain("<nc:rpc-reply")
      expect(answer).toContain("<nc:error-severity>error</nc:error-severity>")
      expect(await session.rpc(COMMIT)).toMatch(/<nc:rpc-reply[^>]*>\n<nc:ok\/>\n<\/nc:rpc-reply>/)
    })
  )
})

const PAIR = `
name: pair
topology:
  nodes:
    sw1:
      kind: juniper_vjunosswitch
      users: { admin: admin }
      hosts:
        ge-0/0/1: [{ mac: "02:00:00:00:00:aa", ip: 10.9.2.77 }]
    acc1:
      kind: arista_ceos
  links:
    - endpoints: ["sw1:eth1", "acc1:eth1"]
`

describe("readings of a simulated Junos", () => {
  it.effect("tell of links with switches of another platform, and of machines that were learnt", () =>
    Effect.gen(function* () {
      const topology = yield* Topology.fromText(PAIR)
      const nodes = topology.topology.nodes
      const config = junosConfig("sw1", "10.9.2.1").replace(
        "    irb {",
        "    xe-0/2/0 {\n        description light;\n    }\n    irb {\n        unit 10 {\n            family inet {\n                address 10.9.3.1/24;\n            }\n        }"
      )
      const lab = yield* makeLab({
        ...topology,
        topology: {
          ...topology.topology,
          nodes: {
            sw1: {
              ...nodes["sw1"],
              "startup-config": config.replace("vlan-id 10;", "vlan-id 10;\n        l3-interface irb.10;")
            },
            acc1: { ...nodes["acc1"], "startup-config": baseConfig("acc1", "10.9.1.1") }
          }
        }
      })
      const session = yield* Effect.promise(() => openNetconf("127.9.2.1", lab.port))
      const ask = (body: string) => Effect.promise(() => session.rpc(body))
      const lldp = yield* ask("<get-lldp-neighbors-information/>")
      expect(lldp).toContain("<lldp-local-port-id>ge-0/0/0</lldp-local-port-id>")
      expect(lldp).toContain("<lldp-remote-port-id>Ethernet1</lldp-remote-port-id>")
      expect(lldp).toContain("<lldp-remote-system-name>acc1</lldp-remote-system-name>")
      const macs = yield* ask("<get-ethernet-switching-table-information/>")
      expect(macs).toContain("<l2ng-l2-mac-address>02:00:00:00:00:aa</l2ng-l2-mac-address>")
      expect(macs).toContain("<l2ng-l2-mac-logical-interface>ge-0/0/1.0</l2ng-l2-mac-logical-interface>")
      expect(macs).toContain("<l2ng-l2-mac-vlan-name>v10</l2ng-l2-mac-vlan-name>")
      expect(yield* ask("<get-arp-table-information><no-resolve/></get-arp-table-information>")).toMatch(
        /<ip-address>\n10\.9\.2\.77\n<\/ip-address>\n<interface-name>\nirb\.10 \[ge-0\/0\/1\.0\]/
      )
      const ports = yield* ask("<get-interface-information><terse/></get-interface-information>")
      expect(ports).toMatch(/ge-0\/0\/0\n<\/name>\n<admin-status>\nup\n<\/admin-status>\n<oper-status>\nup/)
      expect(ports).toContain("<ifa-local>\n10.9.2.1/24\n</ifa-local>")
      expect(yield* ask("<get-interface-optics-diagnostics-information/>")).toMatch(/xe-0\/2\/0[^]*- Inf/)
      const acc1 = yield* lab.get("acc1")
      expect(acc1.running()).toContain("hostname acc1")
      session.close()
    })
  )

  it.effect("answer commands as text and as XML", () =>
    scene({}, async (session) => {
      expect(await session.rpc('<command format="text">show version</command>')).toContain("Model: ex3400-48p")
      expect(await session.rpc("<command>show version</command>")).toContain(
        "<junos-version>21.4R3-S5.4</junos-version>"
      )
    })
  )

  it.effect("name the revision that runs, which stays when another number is before it", () =>
    scene({}, async (session) => {
      const revision = async () =>
        /<revision>(.*)<\/revision>/.exec(
          await session.rpc("<get-commit-revision-information><level>detail</level></get-commit-revision-information>")
        )?.[1]
      const before = await revision()
      await session.rpc(set("set system host-name new"))
      expect(await revision()).toBe(before)
      await session.rpc(COMMIT)
      expect(await revision()).not.toBe(before)
    })
  )
})
