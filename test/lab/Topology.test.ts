import * as NodeServices from "@effect/platform-node/NodeServices"
import { describe, expect, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import * as CampusPlan from "../../src/lab/CampusPlan.ts"
import { makeLab } from "../../src/lab/Lab.ts"
import * as Topology from "../../src/lab/Topology.ts"

const YAML = `
name: small
lab:
  dhcp: { pool: 10.9.4.10-10.9.4.20 }
topology:
  defaults: { version: 4.33.1F, users: { noc: noc } }
  nodes:
    dist1: { kind: ceos, image: "ceos:latest", role: dist, startup-config: dist1.cfg }
    acc1: { kind: eos, blank: true, mac: 94:8e:d3:00:00:07 }
  links:
    - endpoints: ["acc1:eth51", "dist1:eth7"]
`

const issuesOf = (text: string) => Effect.map(Effect.flip(Topology.fromText(text)), (error) => error.issues)

describe("topology file of the lab", () => {
  it.effect("reads nodes, links and defaults in containerlab's shape, and configuration files beside it", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const directory = yield* files.makeTempDirectoryScoped()
      yield* files.writeFileString(`${directory}/small.yml`, YAML)
      yield* files.writeFileString(`${directory}/dist1.cfg`, "hostname dist1\n")
      const topology = yield* Topology.fromFile(`${directory}/small.yml`)
      expect(topology.topology.nodes["dist1"]?.["startup-config"]).toBe("hostname dist1\n")
      const lab = yield* makeLab(topology)
      const [acc1, dist1] = [yield* lab.get("acc1"), yield* lab.get("dist1")]
      expect(dist1.version()).toBe("4.33.1F")
      expect(dist1.hostname()).toBe("dist1")
      expect(acc1.power()).toBe("off")
      expect(acc1.hardware().mac).toBe("94:8e:d3:00:00:07")
      expect(lab.uplinks("acc1")).toEqual([{ port: "Ethernet51", neighbour: "dist1", up: false }])
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("starts the example that comes with the lab", () =>
    Effect.gen(function* () {
      const topology = yield* Topology.fromFile(`${import.meta.dirname}/../../src/lab/example.clab.yml`)
      const lab = yield* makeLab({ ...topology, lab: { ...topology.lab, port: 0 } })
      expect([...lab.switches.values()].filter((device) => device.power() === "on")).toHaveLength(4)
      expect(lab.problems().size).toBe(0)
      expect(lab.reachable("acc1")).toBe(true)
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("gives a node the release of its personality, unless the node has its own", () =>
    Effect.gen(function* () {
      const yaml = YAML.replace("defaults: { version: 4.33.1F, users: { noc: noc } }", "defaults: {}")
        .replace("role: dist, startup-config: dist1.cfg", "personality: timerAtTop")
        .replace("blank: true,", "personality: timerAtTop, version: 4.35.0F,")
      const lab = yield* makeLab(yield* Topology.fromText(yaml))
      expect((yield* lab.get("dist1")).version()).toBe("4.32.2F")
      expect((yield* lab.get("acc1")).version()).toBe("4.35.0F")
    })
  )

  it.effect("names the place of every mistake", () =>
    Effect.gen(function* () {
      const wrongKind = YAML.replace("kind: eos", "kind: toaster")
      expect((yield* issuesOf(wrongKind)).join()).toMatch(/^topology\.nodes\.acc1\.kind: /)
      const nobody = YAML.replace("role: dist,", "personality: nobody,")
      expect((yield* issuesOf(nobody)).join()).toMatch(
        /^topology\.nodes\.dist1\.personality: not a personality; there are plain, /
      )
      const unknownKey = YAML.replace("blank: true", "blanc: true")
      expect((yield* issuesOf(unknownKey)).join()).toMatch(/^topology\.nodes\.acc1\.blanc: /)
      const wrongMac = YAML.replace("94:8e:d3:00:00:07", "nonsense")
      expect((yield* issuesOf(wrongMac)).join()).toMatch(/^topology\.nodes\.acc1\.mac: /)
      expect(yield* issuesOf(YAML.replace("dist1:eth7", "dist9:eth7"))).toEqual([
        'topology.links.0.endpoints.1: there is no node "dist9"'
      ])
      expect((yield* issuesOf("name: [")).join()).not.toBe("")
    })
  )

  it.effect("refuses two links on one port", () =>
    Effect.gen(function* () {
      const twice = `${YAML}    - endpoints: ["acc1:Ethernet51", "dist1:Ethernet8"]\n`
      expect(yield* issuesOf(twice)).toEqual(["topology.links.1.endpoints.0: acc1:Ethernet51 has a link already"])
    })
  )

  it.effect("can be made by rule for any number of switches, each at its own address", () =>
    Effect.gen(function* () {
      const topology = CampusPlan.campus({ access: 90, block: 41 })
      expect(Object.keys(topology.topology.nodes)).toHaveLength(90 + 6 + 2)
      expect(yield* Topology.fromUnknown(JSON.parse(JSON.stringify(topology)))).toEqual(topology)
      const lab = yield* makeLab(topology)
      const addresses = [...lab.switches.values()].flatMap((device) => device.addresses())
      expect(new Set(addresses).size).toBe(98)
      expect(lab.problems().size).toBe(0)
      expect(lab.uplinks("acc90").map((uplink) => `${uplink.port} ${uplink.neighbour} ${uplink.up}`)).toEqual([
        "Ethernet51 dist5 true",
        "Ethernet52 dist6 true"
      ])
      expect(lab.reachable("acc90")).toBe(true)
    })
  )
})
