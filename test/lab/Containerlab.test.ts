/** Containerlab files in the shapes that people publish, written anew. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { describe, expect, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { makeLab } from "../../src/lab/Lab.ts"
import * as Topology from "../../src/lab/Topology.ts"

/** A fabric with kinds, a management network, hosts and bridges. */
const FABRIC = `
name: fabric
prefix: ""
mgmt:
  network: fabric-mgmt
  ipv4-subnet: 172.31.7.0/24
topology:
  kinds:
    arista_ceos:
      image: ceos:4.33.3F
      version: 4.33.3F
      binds: [ "mapping.json:/mnt/flash/EosIntfMapping.json:ro" ]
      exec: [ "Cli -p 15 -c 'show version'" ]
    linux: { image: "alpine:3" }
  nodes:
    spine1: { kind: arista_ceos, mgmt-ipv4: 172.31.7.11, labels: { graph-level: 1 } }
    leaf1: { kind: arista_ceos, mgmt-ipv4: 172.31.7.21, ports: [ "8443:443" ] }
    server1:
      kind: linux
      network-mode: none
      exec: [ "ip link set eth1 up" ]
    br-out: { kind: bridge }
  links:
    - endpoints: ["spine1:eth1_1", "leaf1:eth49_1"]
      mtu: 9000
    - endpoints: ["leaf1:eth1", "server1:eth1"]
    - endpoints: ["leaf1:eth2", "br-out:leaf1-eth2"]
`

/** Every extended form of a link, and the brief forms that lead out of the lab. */
const LINKS = `
name: links
topology:
  defaults: { kind: ceos, image: "ceos:latest", network-mode: none }
  nodes:
    a1:
    a2:
      kind: ceos
    box: { kind: host }
  links:
    - type: veth
      endpoints:
        - { node: a1, interface: eth1, mac: "02:00:00:00:00:01" }
        - { node: a2, interface: Ethernet1 }
      vars: { speed: 10 }
    - { type: host, endpoint: { node: a1, interface: eth2 }, host-interface: veth-a1 }
    - { type: mgmt-net, endpoint: { node: a1, interface: eth3 }, host-interface: mgmt-a1 }
    - { type: macvlan, endpoint: { node: a1, interface: eth4 }, host-interface: enp0s3, mode: bridge }
    - { type: vxlan, endpoint: { node: a1, interface: eth5 }, remote: 192.0.2.1, vni: 100, dst-port: 4789 }
    - { type: vxlan-stitch, endpoint: { node: a1, interface: eth6 }, remote: 192.0.2.1, vni: 101 }
    - { type: dummy, endpoint: { node: a1, interface: eth7 } }
    - { type: dummy, endpoints: [ { node: a2, interface: eth7 } ] }
    - endpoints: ["a1:eth8", "host:veth8"]
    - endpoints: ["mgmt-net:veth9", "a1:eth9"]
    - endpoints: ["a1:eth10", "macvlan:enp0s3"]
    - endpoints: ["a1:eth11", "dummy"]
    - endpoints: ["a1:eth12"]
    - endpoints: ["a1:eth13", "box:eth1"]
    - endpoints: ["a1:eth14", "a2:eth14"]
`

/** Groups, anchors that are merged, stages and the rest of what is about containers. */
const GROUPS = `
name: groups
settings: { certificate-authority: { key-size: 2048 } }
topology:
  defaults: { kind: linux, commitMs: 5, env: { TZ: UTC }, image: "alpine:3" }
  kinds:
    ceos: { version: 4.31.4M, model: DCS-7050SX3-48YC8-F, commitMs: 6 }
  groups:
    distribution: { kind: ceos, version: 4.32.2F }
  nodes:
    d1: &dist
      group: distribution
      startup-delay: 30
      cpu: 2
      memory: 2Gb
      stages: { create: { wait-for: [ { node: tools, stage: healthy } ] } }
      healthcheck: { test: [ CMD, "true" ], interval: 5 }
    d2:
      <<: *dist
      version: 4.33.1F
    tools: { restart-policy: no, cmd: sleep infinity, group: nobody }
  links:
    - endpoints: [d1:et1, d2:et1]
`

/** Configurations by name of the node and at an address. */
const CONFIGURATIONS = `
name: configurations
topology:
  defaults: { kind: arista_ceos, startup-config: configs/__clabNodeName__.cfg, enforce-startup-config: true }
  nodes:
    r1: {}
    r2: { startup-config: "https://example.org/r2.cfg" }
    r3: { startup-config: configs/special.cfg, license: none.lic }
`

/** Several vendors in one lab, with a border that only one of them has. */
const VENDORS = `
name: vendors
debug: true
topology:
  nodes:
    srl: { kind: nokia_srlinux, type: ixr-d3l, image: "ghcr.io/nokia/srlinux" }
    xr: { kind: cisco_xrd, env: { XR: 1 } }
    veos: { kind: vr-arista_veos, image: "vrnetlab/veos", credentials: { username: admin, password: admin } }
    ceos: { kind: ceos }
  links:
    - endpoints: ["srl:e1-1", "ceos:eth1"]
    - endpoints: ["srl:e1-2", "xr:Gi0-0-0-0"]
    - endpoints: ["veos:Ethernet2", "ceos:Ethernet2"]
`

const issuesOf = (text: string) => Effect.map(Effect.flip(Topology.readText(text)), (error) => error.issues)

const namesOf = (topology: Topology.Topology) => Object.keys(topology.topology.nodes)

const pairsOf = (topology: Topology.Topology) =>
  (topology.topology.links ?? []).map(({ endpoints }) => endpoints.join(" – "))

describe("containerlab files in the lab", () => {
  it.effect("a fabric of switches runs without its hosts and bridges, and everything left out is reported", () =>
    Effect.gen(function* () {
      const { notes, topology } = yield* Topology.readText(FABRIC)
      expect(namesOf(topology)).toEqual(["spine1", "leaf1"])
      expect(pairsOf(topology)).toEqual(["spine1:eth1/1 – leaf1:eth49/1"])
      const of = (key: string) => notes.find((note) => note.startsWith(`${key} is ignored`))
      expect(of("mgmt")).toContain("(the file)")
      expect(of("prefix")).toBeDefined()
      expect(of("image")).toBe("image is ignored (spine1, leaf1): the lab starts no containers")
      expect(of("exec")).toMatch(/\(spine1, leaf1\): the lab runs nothing in a node/)
      expect(of("binds")).toBeDefined()
      expect(of("mgmt-ipv4")).toMatch(/answers at the addresses of its configuration$/)
      expect(of("ports")).toContain("(leaf1)")
      expect(of("labels")).toContain("(spine1)")
      expect(of("mtu")).toContain("(spine1:eth1/1 – leaf1:eth49/1)")
      expect(of("kind: linux")).toContain("(server1)")
      expect(of("kind: bridge")).toContain("(br-out)")
      expect(of("a link to a node of kind linux")).toContain("(leaf1:eth1)")
      expect(of("a link to a node of kind bridge")).toContain("(leaf1:eth2)")
      const lab = yield* makeLab(topology)
      expect((yield* lab.get("leaf1")).version()).toBe("4.33.3F")
    })
  )

  it.effect("links in every form are read, and those that lead out of the lab or nowhere are reported", () =>
    Effect.gen(function* () {
      const { notes, topology } = yield* Topology.readText(LINKS)
      expect(pairsOf(topology)).toEqual(["a1:eth1 – a2:Ethernet1", "a1:eth14 – a2:eth14"])
      const told = notes.flatMap(
        (note) => /^a link (.*) is ignored \((.*)\): /.exec(note)?.slice(1, 3).join(" at ") ?? []
      )
      expect(told).toEqual([
        "of type host at a1:eth2",
        "of type mgmt-net at a1:eth3",
        "of type macvlan at a1:eth4",
        "of type vxlan at a1:eth5",
        "of type vxlan-stitch at a1:eth6",
        "of type dummy at a1:eth7, a2:eth7",
        "to host at a1:eth8",
        "to mgmt-net at a1:eth9",
        "to macvlan at a1:eth10",
        "to dummy at a1:eth11",
        "with one end at a1:eth12",
        "to a node of kind host at a1:eth13"
      ])
      expect(notes.join("\n")).toContain("mac of an end of a link is ignored (a1:eth1)")
      expect(notes.join("\n")).toContain("vars is ignored (a1:eth1 – a2:Ethernet1)")
      expect(notes.join("\n")).toContain("network-mode is ignored (defaults)")
      expect((yield* makeLab(topology)).switches.size).toBe(2)
    })
  )

  it.effect("a node has the values of its group, else of its kind, else the defaults, and anchors may be merged", () =>
    Effect.gen(function* () {
      const { notes, topology } = yield* Topology.readText(GROUPS)
      expect(namesOf(topology)).toEqual(["d1", "d2"])
      expect(topology.topology.defaults).toEqual({ commitMs: 5 })
      const kind = { kind: "ceos", model: "DCS-7050SX3-48YC8-F", commitMs: 6 }
      expect(topology.topology.nodes["d1"]).toEqual({ ...kind, version: "4.32.2F" })
      expect(topology.topology.nodes["d2"]).toEqual({ ...kind, version: "4.33.1F" })
      for (const key of ["settings", "env", "startup-delay", "cpu", "memory", "stages", "healthcheck"]) {
        expect(notes.filter((note) => note.startsWith(`${key} is ignored`))).toHaveLength(1)
      }
    })
  )

  it.effect("configurations are found by the name of the node, and none is fetched from an address", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const directory = yield* files.makeTempDirectoryScoped()
      yield* files.makeDirectory(`${directory}/configs`)
      yield* files.writeFileString(`${directory}/lab.clab.yml`, CONFIGURATIONS)
      yield* files.writeFileString(`${directory}/configs/r1.cfg`, "hostname first\n")
      yield* files.writeFileString(`${directory}/configs/special.cfg`, "hostname third\n")
      const { notes, topology } = yield* Topology.readFile(`${directory}/lab.clab.yml`)
      const lab = yield* makeLab(topology)
      expect([...lab.switches.values()].map((device) => device.hostname())).toEqual(["first", "r2", "third"])
      expect(notes.join("\n")).toContain("startup-config at an address is ignored (r2): ")
      yield* files.remove(`${directory}/configs/r1.cfg`)
      const missing = yield* Effect.flip(Topology.readFile(`${directory}/lab.clab.yml`))
      expect(missing.issues.join()).toContain("configs/r1.cfg")
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("of several vendors the switches that can be simulated run, with the links between them", () =>
    Effect.gen(function* () {
      const { notes, topology } = yield* Topology.readText(VENDORS)
      expect(namesOf(topology)).toEqual(["veos", "ceos"])
      expect(pairsOf(topology)).toEqual(["veos:Ethernet2 – ceos:Ethernet2"])
      expect(notes.filter((note) => note.startsWith("kind: "))).toHaveLength(2)
      expect(notes.join("\n")).toContain("credentials is ignored (veos)")
    })
  )

  it.effect("a note of many places names the first of them and counts the rest", () =>
    Effect.gen(function* () {
      const nodes = Array.from({ length: 40 }, (_, at) => `    n${at}: { kind: ceos, exec: [ "true" ] }`)
      const { notes } = yield* Topology.readText(`name: many\ntopology:\n  nodes:\n${nodes.join("\n")}\n`)
      expect(notes).toHaveLength(1)
      expect(notes[0]).toContain("exec is ignored (n0, n1, n2, n3 and 36 more): ")
    })
  )

  it.effect("an unknown key is a mistake at its place in the file", () =>
    Effect.gen(function* () {
      const one = "name: one\ntopology:\n  nodes:\n    a: { kind: ceos }\n"
      expect((yield* issuesOf(one.replace("ceos", "ceoss"))).join()).toMatch(/^topology\.nodes\.a\.kind: /)
      expect((yield* issuesOf(one.replace("ceos }", "ceos, exce: [] }"))).join()).toMatch(/^topology\.nodes\.a\.exce: /)
      expect(yield* issuesOf(one.replace("ceos", "linux"))).toEqual([
        expect.stringMatching(/^topology\.nodes: there is no switch; its kind would be eos, /)
      ])
      const linked = `${one}  links:\n    - { type: dummy, endpoint: { node: a, interface: eth1 } }\n`
      const ofLink = (link: string) => issuesOf(`${linked}    - ${link}\n`)
      expect((yield* ofLink('{ type: radio, endpoints: ["a:eth2", "a:eth3"] }')).join()).toMatch(
        /^topology\.links\.1\.type: not a type of link; there are veth, host, /
      )
      expect((yield* ofLink('{ endpoints: ["a:eth2", "b:eth3"] }')).join()).toBe(
        'topology.links.1.endpoints.1: there is no node "b"'
      )
      expect((yield* ofLink("{ endpoints: [{ node: a }, 7] }")).join()).toMatch(/^topology\.links\.1\.endpoints/)
      expect((yield* ofLink("nonsense")).join()).toMatch(/^topology\.links\.1: /)
    })
  )

  it.effect("a document of any shape is refused and never breaks the reader", () =>
    Effect.gen(function* () {
      const odd = ["null", "[]", "7", '"x"', "{ a: 1 }"]
      const holes = odd.flatMap((value) => [
        value,
        `{ name: x, topology: ${value} }`,
        `{ name: x, topology: { nodes: ${value} } }`,
        `{ name: x, topology: { nodes: { a: ${value === "null" ? "7" : value} } } }`,
        `{ name: x, topology: { nodes: { a: { kind: ${value} } } } }`,
        ...(value === "null" || value === "{ a: 1 }"
          ? []
          : ["defaults", "kinds", "groups"].map(
              (key) => `{ name: x, topology: { ${key}: ${value}, nodes: { a: {} } } }`
            )),
        `{ name: x, topology: { links: [${value}], nodes: { a: {} } } }`,
        `{ name: x, topology: { links: [{ endpoints: ${value} }], nodes: { a: {} } } }`,
        `{ name: x, topology: { links: [{ endpoint: ${value} }], nodes: { a: {} } } }`
      ])
      for (const text of holes) expect((yield* issuesOf(text)).length, text).toBeGreaterThan(0)
    })
  )
})
