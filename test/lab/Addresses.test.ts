import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeLab } from "../../src/lab/Lab.ts"
import { baseConfig, oneSwitch } from "../support/lab/Campus.ts"
import { connect, openShell } from "../support/lab/Client.ts"

const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

describe("management address of a simulated switch", () => {
  it.effect("moves with a commit: the old connection becomes silent without a reset, the new address answers", () =>
    Effect.gen(function* () {
      const { host, port, device } = yield* oneSwitch()
      yield* Effect.promise(async () => {
        const shell = await openShell({ host, port })
        let ended = false
        shell.channel.on("close", () => (ended = true))
        await shell.ask("configure session move")
        await shell.ask("interface Vlan600")
        await shell.ask("ip address 10.9.1.2/24")
        await shell.ask("end")
        const before = shell.text().length
        shell.type("configure session move commit\nwrite memory\n")
        const moved = await connectEventually("127.9.1.2", port)
        shell.type("show hostname\n")
        await wait(100)
        expect(shell.text().slice(before).replaceAll("\r", "")).not.toContain("successfully")
        expect(ended).toBe(false)
        await expect(connect({ host, port })).rejects.toThrow("ECONNREFUSED")
        moved.destroy()
        shell.close()
      })
      expect(device.addresses()).toEqual(["127.9.1.2"])
      expect(device.running()).toContain("ip address 10.9.1.2/24")
    })
  )

  it.effect("moves back when the commit timer expires", () =>
    Effect.gen(function* () {
      const { host, port, device } = yield* oneSwitch()
      // where it listens after each: a client may be too slow to see the second between
      const listened: Array<readonly [string, ...ReadonlyArray<string>]> = []
      device.onCommit(({ kind }) => listened.push([kind, ...device.addresses()]))
      yield* Effect.promise(async () => {
        const shell = await openShell({ host, port })
        await shell.ask("configure session move")
        await shell.ask("interface Vlan600")
        await shell.ask("ip address 10.9.1.3/24")
        await shell.ask("end")
        shell.type("configure session move commit timer 00:00:01\n")
        while (listened.length < 2) await wait(20)
        const back = await connectEventually(host, port)
        back.destroy()
        shell.close()
      })
      expect(listened).toEqual([
        ["commitTimer", "127.9.1.3"],
        ["expired", host]
      ])
      expect(device.addresses()).toEqual([host])
    })
  )

  it.effect("listens on every address that is not shut and not anycast", () =>
    Effect.gen(function* () {
      const config = `hostname dist1
interface Loopback1
   ip address 10.9.5.1/32
interface Management1
   ip address 10.9.5.2/24
interface Vlan10
   ip address virtual 10.9.5.3/24
interface Vlan20
   shutdown
   ip address 10.9.5.4/24
interface Ethernet1
   no switchport
   ip address 10.9.5.5/31
`
      const { device } = yield* oneSwitch({ "startup-config": config })
      expect([...device.addresses()].toSorted()).toEqual(["127.9.5.1", "127.9.5.2"])
    })
  )

  it.effect("names an address that it could not bind", () =>
    Effect.gen(function* () {
      const lab = yield* makeLab({
        name: "clash",
        topology: {
          nodes: {
            a: { "startup-config": baseConfig("a", "10.9.6.1") },
            b: { "startup-config": baseConfig("b", "10.9.6.2") }
          }
        }
      })
      const b = yield* lab.get("b")
      b.configure("interface Vlan600\n   ip address 10.9.6.1/24\n")
      yield* Effect.promise(() => wait(100))
      expect([...lab.problems().keys()]).toEqual(["127.9.6.1"])
    })
  )

  it.effect("may be of IPv6, in a network that is mapped to loopback addresses", () =>
    Effect.gen(function* () {
      const config = baseConfig("acc1", "10.9.1.1").replace("ip address 10.9.1.1/24", "ipv6 address 2001:db8:17::a/64")
      const map = [
        ["10", "127"],
        ["2001:db8:17::/112", "::ffff:127.97.0.0/112"]
      ] as const
      const { device, port } = yield* oneSwitch({ "startup-config": config }, { addressMap: map })
      expect(device.addresses()).toEqual(["::ffff:127.97.0.10"])
      yield* Effect.promise(async () => {
        const client = await connect({ host: "::ffff:127.97.0.10", port })
        client.destroy()
      })
    })
  )
})

const connectEventually = async (host: string, port: number) => {
  for (;;) {
    try {
      return await connect({ host, port })
    } catch {
      await wait(50)
    }
  }
}
