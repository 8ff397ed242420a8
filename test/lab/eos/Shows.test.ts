import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeLab } from "../../../src/lab/Lab.ts"
import type { Topology } from "../../../src/lab/Topology.ts"
import type { Quirks } from "../../../src/lab/eos/Quirks.ts"
import { baseConfig, login, oneSwitch } from "../../support/lab/Campus.ts"

const PORTS = `vlan 10
   name users
interface Ethernet1
   description desk
   switchport access vlan 10
interface Ethernet2
   shutdown
interface Ethernet3
   switchport mode trunk
interface Loopback0
   ip address 10.9.9.9/32
`

const pair: Topology = {
  name: "pair",
  topology: {
    nodes: {
      core1: { role: "core", "startup-config": baseConfig("core1", "10.9.3.1", "dns domain net.example.org\n") },
      acc1: { role: "access", "startup-config": baseConfig("acc1", "10.9.3.2"), lldpName: "short" }
    },
    links: [
      { endpoints: ["acc1:Ethernet51", "core1:Ethernet7"] },
      { endpoints: ["acc1:Ethernet52", "core1:Ethernet8"] }
    ]
  }
}

describe("show commands of a simulated switch", () => {
  it.effect("describes the box", () =>
    Effect.gen(function* () {
      const { shell } = yield* oneSwitch({ model: "CCS-720XP-48Y6-F", serial: "WTW22190555", mac: "94:8e:d3:11:22:33" })
      const session = yield* shell
      const json = (line: string) =>
        Effect.promise(async (): Promise<unknown> => JSON.parse(await session.ask(`${line} | json`)))
      const box = { modelName: "CCS-720XP-48Y6-F", serialNumber: "WTW22190555", systemMacAddress: "94:8e:d3:11:22:33" }
      expect(yield* json("show version")).toMatchObject({ ...box, mfgName: "Arista", version: "4.31.4M" })
      expect(yield* json("show version")).toHaveProperty(
        "internalVersion",
        expect.stringMatching(/^4\.31\.4M-\d+\.4314M$/)
      )
      expect(yield* json("show hostname")).toEqual({ hostname: "acc1", fqdn: "acc1" })
      expect(yield* json("show inventory")).toMatchObject({ systemInformation: { serialNum: "WTW22190555" } })
      const inventory = yield* Effect.promise(() => session.ask("show inventory"))
      expect(inventory).toMatch(/^ {2}HW Version {4}Serial Number {4}Mfg Date$/m)
      session.close()
    })
  )

  it.effect("lacks keys and spells addresses as configured, at any depth", () =>
    Effect.gen(function* () {
      const nodes = { model: "cEOSLab", mac: "94:8e:d3:11:22:33", ports: 2 } as const
      const seen = Effect.fnUntraced(function* (quirks: Quirks) {
        const { shell } = yield* oneSwitch({ ...nodes, quirks })
        const session = yield* shell
        const json = (line: string) =>
          Effect.promise(async (): Promise<unknown> => JSON.parse(await session.ask(`${line} | json`)))
        const found = {
          version: yield* json("show version"),
          interfaces: yield* json("show interfaces"),
          text: yield* Effect.promise(() => session.ask("show version"))
        }
        session.close()
        return found
      })
      const lacking = yield* seen({ absentKeys: ["systemMacAddress", "bandwidth"] })
      expect(lacking.version).not.toHaveProperty("systemMacAddress")
      expect(lacking.version).toMatchObject({ hwMacAddress: "94:8e:d3:11:22:33" })
      expect(lacking.interfaces).not.toHaveProperty("interfaces.Ethernet1.bandwidth")
      for (const [macSpelling, system, port] of [
        ["dots", "948e.d311.2233", "948e.d311.2234"],
        ["dashes", "94-8e-d3-11-22-33", "94-8e-d3-11-22-34"],
        ["bare", "948ed3112233", "948ed3112234"],
        ["upper", "94:8E:D3:11:22:33", "94:8E:D3:11:22:34"]
      ] as const) {
        const spelled = yield* seen({ macSpelling })
        expect(spelled.version).toMatchObject({ systemMacAddress: system })
        expect(spelled.interfaces).toHaveProperty("interfaces.Ethernet1.physicalAddress", port)
        expect(spelled.text).toContain(`System MAC address: ${system}`)
      }
    })
  )

  it.effect("describes its ports and VLANs", () =>
    Effect.gen(function* () {
      const { shell } = yield* oneSwitch({ ports: 4, "startup-config": baseConfig("acc1", "10.9.1.1", PORTS) })
      const session = yield* shell
      const json = (line: string) =>
        Effect.promise(async (): Promise<unknown> => JSON.parse(await session.ask(`${line} | json`)))
      expect(yield* json("show interfaces")).toMatchObject({
        interfaces: {
          Ethernet1: {
            description: "desk",
            interfaceStatus: "notconnect",
            lineProtocolStatus: "down",
            hardware: "ethernet"
          },
          Ethernet2: { interfaceStatus: "disabled" },
          Ethernet4: { description: "" },
          Loopback0: { interfaceStatus: "connected" }
        }
      })
      expect(yield* json("show interfaces status")).toMatchObject({
        interfaceStatuses: {
          Ethernet1: { vlanInformation: { interfaceMode: "bridged", vlanId: 10 } },
          Ethernet3: { vlanInformation: { vlanExplanation: "trunk" } }
        }
      })
      expect(yield* json("show vlan")).toMatchObject({
        vlans: { 1: { name: "default" }, 10: { name: "users", status: "active" } }
      })
      session.close()
    })
  )

  it.effect("sees its neighbours over links that are up, by FQDN or short name", () =>
    Effect.gen(function* () {
      const lab = yield* makeLab(pair)
      const [acc1, core1] = [yield* lab.get("acc1"), yield* lab.get("core1")]
      const session = yield* login("127.9.3.2", lab.port)
      const seen = Effect.promise(async () => {
        const document: { lldpNeighbors: ReadonlyArray<Record<string, unknown>> } = JSON.parse(
          await session.ask("show lldp neighbors | json")
        )
        return document.lldpNeighbors.map((row) => `${row["port"]} ${row["neighborDevice"]} ${row["neighborPort"]}`)
      })
      expect(yield* seen).toEqual([
        "Ethernet51 core1.net.example.org Ethernet7",
        "Ethernet52 core1.net.example.org Ethernet8"
      ])
      const detail: unknown = JSON.parse(yield* Effect.promise(() => session.ask("show lldp neighbors detail | json")))
      expect(detail).toMatchObject({
        lldpNeighbors: {
          Ethernet1: { lldpNeighborInfo: [] },
          Ethernet51: {
            lldpNeighborInfo: [
              {
                systemName: "core1.net.example.org",
                chassisId: expect.stringMatching(/^[\da-f]{4}\.[\da-f]{4}\.[\da-f]{4}$/),
                neighborInterfaceInfo: { interfaceId: '"Ethernet7"', interfaceIdType: "interfaceName" }
              }
            ]
          }
        }
      })
      core1.configure("interface Ethernet7\n   shutdown\n")
      expect(yield* seen).toEqual(["Ethernet52 core1.net.example.org Ethernet8"])
      expect(lab.uplinks("acc1")).toEqual([
        { port: "Ethernet51", neighbour: "core1", up: false },
        { port: "Ethernet52", neighbour: "core1", up: true }
      ])
      acc1.setNeighbour("Ethernet52", null)
      acc1.setNeighbour("Ethernet3", { systemName: "stranger" })
      expect(yield* seen).toEqual(["Ethernet3 stranger Ethernet1"])
      session.close()
    })
  )

  it.effect("is reachable from the core only while a link is up", () =>
    Effect.gen(function* () {
      const lab = yield* makeLab(pair)
      const [acc1, core1] = [yield* lab.get("acc1"), yield* lab.get("core1")]
      expect(lab.reachable("acc1")).toBe(true)
      acc1.configure("interface Ethernet51\n   shutdown\ninterface Ethernet52\n   shutdown\n")
      expect(lab.reachable("acc1")).toBe(false)
      acc1.configure("interface Ethernet51\n   no shutdown\n")
      expect(lab.reachable("acc1")).toBe(true)
      yield* core1.powerOff
      expect(lab.reachable("acc1")).toBe(false)
    })
  )
})
