import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Lease } from "../../src/lab/Power.ts"
import { makeLab } from "../../src/lab/Lab.ts"
import type { Topology } from "../../src/lab/Topology.ts"
import { baseConfig, oneSwitch } from "../support/lab/Campus.ts"
import { connect, openShell } from "../support/lab/Client.ts"

const HOOK = join(import.meta.dirname, "..", "support", "lab", "hook.mjs")

const campus = (dhcp: NonNullable<Topology["lab"]>["dhcp"]): Topology => ({
  name: "campus",
  lab: { dhcp: { pool: "10.9.7.10-10.9.7.20", ...dhcp } },
  topology: {
    nodes: {
      dist1: { role: "dist", "startup-config": baseConfig("dist1", "10.9.8.1", "dns domain net.example.org\n") },
      acc1: { blank: true, mac: "94:8E:D3:11:22:33", serial: "WTW22190555", version: "4.33.1F", bootMs: 10 }
    },
    links: [{ endpoints: ["acc1:eth51", "dist1:Ethernet7"] }]
  }
})

describe("power of a simulated switch", () => {
  it.effect("returns from a reload with the startup configuration and the version of the boot image", () =>
    Effect.gen(function* () {
      const { host, port, device } = yield* oneSwitch({ bootMs: 300 })
      device.putFile("EOS-4.32.2F.swi", Buffer.from("image"))
      yield* Effect.promise(async () => {
        const shell = await openShell({ host, port })
        for (const line of ["configure", "hostname unsaved", "boot system flash:EOS-4.32.2F.swi", "end"])
          await shell.ask(line)
        expect(await shell.ask('show boot-config | grep -o "EOS-4.32.2F.swi"')).toBe("EOS-4.32.2F.swi\n")
        shell.type("reload force\n")
        await shell.closed
        await expect(connect({ host, port })).rejects.toThrow("ECONNREFUSED")
      })
      expect(device.power()).toBe("booting")
      yield* device.whenOn
      const again = yield* Effect.promise(() => openShell({ host, port }))
      expect(again.text()).toMatch(/acc1#$/)
      expect(yield* Effect.promise(() => again.ask("show version"))).toContain("Software image version: 4.32.2F")
      again.close()
    })
  )

  it.effect("refuses to boot an image that is not in flash", () =>
    Effect.gen(function* () {
      const { shell } = yield* oneSwitch()
      const session = yield* shell
      yield* Effect.promise(() => session.ask("configure"))
      expect(yield* Effect.promise(() => session.ask("boot system flash:EOS-9.9.9F.swi"))).toMatch(/^% Error/)
      session.close()
    })
  )

  it.effect("forgets sessions and a running commit timer when it reloads", () =>
    Effect.gen(function* () {
      const { device } = yield* oneSwitch({ bootMs: 10 })
      device.foreignSession("theirs", 60)
      yield* device.reload
      expect(device.sessions()).toEqual([])
      expect(device.timer()).toBeUndefined()
    })
  )

  // the hook is another program: only the real clock passes while it runs
  it.live("provisions a blank switch: leases, hook calls, initial configuration, SSH at the leased address, LLDP", () =>
    Effect.gen(function* () {
      const directory = mkdtempSync(join(tmpdir(), "lab-"))
      yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(directory, { recursive: true })))
      const calls = join(directory, "calls")
      const hook = [process.execPath, HOOK, calls]
      const lab = yield* makeLab(campus({ hook, environment: { HOOK_TOKEN: "token" } }), { provisioningMs: 10 })
      const [acc1, dist1] = [yield* lab.get("acc1"), yield* lab.get("dist1")]
      expect(acc1.power()).toBe("off")
      expect(acc1.addresses()).toEqual([])
      yield* acc1.boot
      expect(acc1.addresses()).toEqual(["127.9.7.10"])
      expect(acc1.startup()).toContain("interface Vlan1\n   ip address dhcp\n")
      yield* Effect.promise(async () => {
        const shell = await openShell({ host: "127.9.7.10", port: lab.port })
        expect(shell.text()).toMatch(/localhost#$/)
        const neighbours: unknown = JSON.parse(await shell.ask("show lldp neighbors | json"))
        const expected = {
          port: "Ethernet51",
          neighborDevice: "dist1.net.example.org",
          neighborPort: "Ethernet7",
          ttl: 120
        }
        expect(neighbours).toMatchObject({ lldpNeighbors: [expected] })
        const upstream = await openShell({ host: "127.9.8.1", port: lab.port })
        expect(await upstream.ask("show lldp neighbors")).toMatch(/^Et7 +localhost +Ethernet51 +120$/m)
        shell.close()
        upstream.close()
      })
      yield* acc1.renewLease
      const line = "commit 94:8e:d3:11:22:33 10.9.7.10 eos token"
      // a lease of the first boot may still be on its way to the hook
      while (readFileSync(calls, "utf8").split("\n").length < 4) yield* Effect.sleep("10 millis")
      expect(readFileSync(calls, "utf8")).toBe(`${line}\n${line}\n${line}\n`)
      expect(dist1.power()).toBe("on")
    })
  )

  it.effect("renews leases in its interval until the switch has a fixed address", () =>
    Effect.gen(function* () {
      const leases: Array<Lease> = []
      const onLease = (lease: Lease) => Effect.sync(() => void leases.push(lease))
      const lab = yield* makeLab(campus({ renewSeconds: 0.05 }), { provisioningMs: 10, onLease })
      const acc1 = yield* lab.get("acc1")
      yield* acc1.boot
      yield* Effect.promise(() => until(() => leases.length >= 5))
      acc1.configure(baseConfig("acc1", "10.9.8.7"), { replace: true })
      yield* lab.settled
      expect(acc1.addresses()).toEqual(["127.9.8.7"])
      yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 100)))
      const count = leases.length
      yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 200)))
      expect(leases).toHaveLength(count)
      expect(new Set(leases.map((lease) => lease.ip))).toEqual(new Set(["10.9.7.10"]))
    })
  )

  it.effect("fails with the hook's own output when the hook fails", () =>
    Effect.gen(function* () {
      const lab = yield* makeLab(
        campus({ hook: [process.execPath, "-e", "console.error('no server'); process.exit(31)"] })
      )
      const acc1 = yield* lab.get("acc1")
      yield* acc1.boot
      const error = yield* Effect.flip(acc1.renewLease)
      expect(error).toMatchObject({
        _tag: "DhcpHookFailed",
        mac: "94:8e:d3:11:22:33",
        reason: "exit 31",
        output: "no server"
      })
    })
  )

  it.effect("starts a replaced box with other numbers, another host key and no configuration", () =>
    Effect.gen(function* () {
      const { device, host, port, shell } = yield* oneSwitch({ bootMs: 10 })
      const keys = new Set<string>()
      const remember = (key: Buffer) => keys.add(key.toString("hex"))
      ;(yield* Effect.promise(() => connect({ host, port, onHostKey: remember }))).destroy()
      ;(yield* shell).close()
      const before = device.hardware()
      yield* device.swapHardware({ serial: "NEW1" })
      expect(device.power()).toBe("off")
      yield* device.boot
      expect(device.hardware()).toMatchObject({ serial: "NEW1", model: before.model })
      expect(device.hardware().mac).not.toBe(before.mac)
      const [lease = ""] = device.addresses()
      ;(yield* Effect.promise(() => connect({ host: lease, port, onHostKey: remember }))).destroy()
      expect(keys.size).toBe(2)
    })
  )
})

const until = async (condition: () => boolean) => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10))
}
