/** The driver on the lab's Junos, which was written from other sources: every verb, over real SSH. */
import { assert, describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { junos } from "../../../src/domain/platforms/junos/Platform.ts"
import { renderError } from "../../../src/drivers/DriverErrors.ts"
import { stableText } from "../../../src/drivers/junos/ShownText.ts"
import { another, LOCK, meet, merge, NEW, OLD, replace } from "./OneJunosLab.ts"

const hosts = { "ge-0/0/1": [{ mac: "02:00:00:00:00:aa", ip: "10.9.2.77" }] }
const withPorts = OLD.replace(
  "    irb {\n        unit 600 {",
  `    xe-0/2/0 {
        description light;
    }
    irb {
        unit 10 {
            family inet {
                address 10.9.3.1/24;
            }
        }
        unit 600 {`
).replace("vlan-id 10;", "vlan-id 10;\n        l3-interface irb.10;")

const withProtocols = `${withPorts}
interfaces {
    ge-0/0/5 {
        ether-options {
            802.3ad ae1;
        }
    }
    ae1 {
        aggregated-ether-options {
            lacp {
                active;
            }
        }
    }
}
protocols {
    bgp {
        group CORE {
            peer-as 65010;
            neighbor 10.9.2.9;
        }
    }
    ospf {
        area 0.0.0.0 {
            interface irb.600;
        }
    }
}
routing-options {
    static {
        route 0.0.0.0/0 next-hop 10.9.2.254;
    }
}
`

describe("reading a simulated Junos", () => {
  it.live("gives facts, ports, neighbours, stations and the running configuration", () =>
    Effect.gen(function* () {
      const met = yield* meet({ hosts, "startup-config": withPorts })
      met.device.setNeighbour("ge-0/0/0", { systemName: "dist1", neighbourPort: "Ethernet7" })
      const session = yield* met.login
      const { hardware, version } = met.device
      const facts = yield* session.facts
      expect(facts).toMatchObject({
        hostname: "sw1",
        vendor: "Juniper",
        model: "ex3400-48p",
        os_version: version(),
        serial_number: hardware().serial
      })
      expect(facts.remarks).toBeUndefined()
      expect(facts.uptime).toBeGreaterThanOrEqual(0)
      expect(facts.interface_list).toContain("ge-0/0/47")
      const ports = yield* session.interfaces
      expect(ports["ge-0/0/0"]).toMatchObject({ description: "uplink", is_enabled: true, mtu: 1514 })
      expect(ports["ge-0/0/0"]?.mac_address).toMatch(/^(?:[0-9A-F]{2}:){5}[0-9A-F]{2}$/)
      expect(ports["ge-0/0/1"]).toMatchObject({ errors: { in: 0, out: 0, in_discards: 0, out_discards: 0 } })
      expect(yield* session.optics).toMatchObject({ "xe-0/2/0": { rx_power: -40, tx_power: -2.33, temperature: 31.4 } })
      expect(yield* session.lldp).toEqual({ "ge-0/0/0": [{ hostname: "dist1", port: "Ethernet7" }] })
      expect((yield* session.lldpDetail)["ge-0/0/0"]?.[0]).toMatchObject({ remote_system_name: "dist1" })
      expect((yield* session.macTable).entries).toEqual([{ port: "ge-0/0/1", vlan: 10, mac: "02:00:00:00:00:AA" }])
      expect(yield* session.arpTable).toEqual([{ ip: "10.9.2.77", mac: "02:00:00:00:00:AA", interface: "irb.10" }])
      expect(yield* session.runningConfig).toBe(stableText(met.device.running()))
      expect(session.hostKey).toMatch(/^SHA256:/)
    }).pipe(Effect.scoped)
  )

  it.live("gives the readings of all kinds that the platform has, also where a protocol does not run", () =>
    Effect.gen(function* () {
      for (const config of [withPorts, withProtocols]) {
        const { login } = yield* meet({ hosts, "startup-config": config })
        const { readings } = yield* login
        const found = new Map<string, unknown>()
        for (const reads of junos.capabilities?.reads ?? []) {
          assert(reads !== "log" && reads !== "ping" && readings !== null)
          found.set(reads, (yield* readings.read({ reads })).items)
        }
        const isRunning = config === withProtocols
        const peer = { state: "active", is_established: false, prefixes_received: null, asn: 65010 }
        expect(found.get("bgp")).toEqual(isRunning ? { "default 10.9.2.9": peer } : {})
        expect(found.get("ospf")).toEqual({})
        expect(found.get("port_channels")).toEqual(isRunning ? { ae1: { members: ["ge-0/0/5"], active: [] } } : {})
        expect(found.get("routes")).toMatchObject({
          "default connected": { count: 2 },
          "default static": { count: isRunning ? 1 : 0 }
        })
        expect(found.get("environment")).toMatchObject({ "FPC 0 CPU": { ok: true, state: "ok", value: 31 } })
        expect(found.get("macs")).toEqual({ "10": { count: 1 } })
        expect(found.get("arp")).toEqual({ "irb.10": { count: 1 } })
      }
    }).pipe(Effect.scoped)
  )

  it.live("refuses a configuration without its secrets, and names the permission", () =>
    Effect.gen(function* () {
      const met = yield* meet({ personality: "junosHiddenSecrets" })
      const session = yield* met.login
      const error = yield* Effect.flip(session.runningConfig)
      expect(error).toMatchObject({ _tag: "UnexpectedAnswer" })
      expect(error.message).toContain("permission secret")
      // the same of a candidate, which is given back
      expect((yield* Effect.flip(session.load(replace(NEW)))).message).toContain("permission secret")
      expect(met.device.sessions()).toEqual([])
      expect(met.device.hostname()).toBe("sw1")
    }).pipe(Effect.scoped)
  )
})

describe("loading into a simulated Junos", () => {
  it.live("shows what will run after a whole text, and takes it back", () =>
    Effect.gen(function* () {
      const met = yield* meet()
      const session = yield* met.login
      const running = yield* session.runningConfig
      const loaded = yield* session.load(replace(NEW))
      expect(loaded.diff).toContain("+   v20 {")
      expect(loaded.remarks).toEqual([])
      expect((yield* session.sessions).sessions).toEqual([{ name: "job412", state: "open", user: "admin" }])
      // the exclusive lock is ours
      expect(met.device.sessions()).toMatchObject([{ state: "exclusive", user: "admin" }])
      yield* session.discard("job412")
      yield* session.discard("job412")
      yield* session.discard("job-that-never-was")
      expect(met.device.sessions()).toEqual([])
      expect(yield* session.runningConfig).toBe(running)
      yield* session.load(replace(NEW))
      yield* session.commit("job412")
      yield* session.save
      expect(yield* session.runningConfig).toBe(loaded.willRun)
      expect(met.device.startup()).toContain("v20")
    }).pipe(Effect.scoped)
  )

  it.live("finds no difference in what runs", () =>
    Effect.gen(function* () {
      const met = yield* meet()
      const session = yield* met.login
      const running = yield* session.runningConfig
      const loaded = yield* session.load({ ...replace(running), runs: running })
      expect([loaded.diff, loaded.willRun]).toEqual(["", running])
      yield* session.discard("job412")
    }).pipe(Effect.scoped)
  )

  it.live("adds braces and set lines to what runs", () =>
    Effect.gen(function* () {
      const met = yield* meet()
      const session = yield* met.login
      yield* session.load(merge("vlans {\n    v30 {\n        vlan-id 30;\n    }\n}\n"))
      yield* session.commit("job412")
      yield* session.load(
        merge('set vlans v40 vlan-id 40\nset interfaces ge-0/0/0 description "a & b <c>"\n', "job413")
      )
      yield* session.commit("job413")
      const running = met.device.running()
      for (const part of ["v10", "v30", "v40", "a & b <c>"]) expect(running).toContain(part)
      expect(met.device.commits().map(({ session: name, kind }) => [name, kind])).toEqual([
        ["job412", "commit"],
        ["job413", "commit"]
      ])
    }).pipe(Effect.scoped)
  )

  it.live("never sends set lines as a whole configuration", () =>
    Effect.gen(function* () {
      const met = yield* meet()
      const session = yield* met.login
      const error = yield* Effect.flip(session.load(replace("set system host-name other\n")))
      expect(error).toMatchObject({ _tag: "ReplaceConfigException", unsent: true })
      expect(error.message).toContain("must be in braces")
      expect(met.device.commands().map(({ command }) => command)).not.toContain("load-configuration")
    }).pipe(Effect.scoped)
  )

  it.live("never sends a whole text that takes away a way to log in", () =>
    Effect.gen(function* () {
      const met = yield* meet()
      const session = yield* met.login
      yield* session.runningConfig
      const text = NEW.replace("        netconf {\n            ssh;\n        }\n", "")
      const error = yield* Effect.flip(session.load(replace(text)))
      expect(error).toMatchObject({ _tag: "ReplaceConfigException", unsent: true })
      expect(renderError(error)).toContain('the configuration lacks "system services netconf ssh"')
      expect(met.device.commands().map(({ command }) => command)).not.toContain("load-configuration")
    }).pipe(Effect.scoped)
  )

  it.live("names the line of a syntax error, and leaves nothing in the candidate", () =>
    Effect.gen(function* () {
      const met = yield* meet()
      const session = yield* met.login
      const text = NEW.replace("        vlan-id 20;", "        frobnicate 20;\n        vlan-id 20;")
      const error = yield* Effect.flip(session.load(replace(text)))
      const at = text.split("\n").findIndex((line) => line.includes("frobnicate")) + 1
      expect(error).toMatchObject({
        _tag: "ReplaceConfigException",
        rejected: [{ lineNumber: at, line: "        frobnicate 20;", answer: expect.stringContaining("syntax error") }]
      })
      expect(renderError(error)).toContain("frobnicate 20;")
      expect(met.device.sessions()).toEqual([])
      const other = yield* another(met, LOCK)
      other.close()
    }).pipe(Effect.scoped)
  )

  it.live("names the path of what a check refuses", () =>
    Effect.gen(function* () {
      const met = yield* meet()
      const session = yield* met.login
      const text = NEW.replace("members [ v10 mgmt ];", "members [ v10 mgmt nowhere ];")
      const error = yield* Effect.flip(session.load(replace(text)))
      expect(error._tag).toBe("ReplaceConfigException")
      expect(renderError(error)).toContain("[edit interfaces ge-0/0/0 unit 0 family ethernet-switching vlan]")
      expect(renderError(error)).toContain("vlan-member nowhere is not defined")
      const merged = yield* Effect.flip(
        session.load(merge("set interfaces ge-0/0/1 unit 0 family ethernet-switching vlan members gone"))
      )
      expect(merged._tag).toBe("MergeConfigException")
      expect(met.device.sessions()).toEqual([])
    }).pipe(Effect.scoped)
  )
})
