/** Sections of a simulated switch that take effect as a whole when they are left: access lists, route maps, class maps and more. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { baseConfig, oneSwitch, type OneSwitch } from "../../support/lab/Campus.ts"
import { openShell, type Shell } from "../../support/lab/Client.ts"

const withShell = (body: (shell: Shell, one: OneSwitch) => Promise<void>) =>
  Effect.gen(function* () {
    const one = yield* oneSwitch({})
    const shell = yield* one.shell
    yield* Effect.promise(() => body(shell, one))
    shell.close()
  })

const typed = async (shell: Shell, text: string) => {
  for (const line of text.trim().split("\n")) expect(await shell.ask(line)).toBe("")
}

/** The lines that a difference adds or removes. */
const changes = (diff: string) => diff.split("\n").filter((line) => /^[+-](?![+-])/.test(line))

const LIST = `
ip access-list MGMT-IN
   10 permit ip 10.0.0.0/24 any
   20 deny ip any any log`

const ADDED = ["+ip access-list MGMT-IN", "+   10 permit ip 10.0.0.0/24 any", "+   20 deny ip any any log", "+!"]

const SECTIONS = [
  ["an access list", "ip access-list A\n   10 permit ip any any"],
  ["a standard access list", "ip access-list standard A\n   10 permit 10.0.0.0/8"],
  ["an IPv6 access list", "ipv6 access-list A\n   10 permit ipv6 any any"],
  ["a MAC access list", "mac access-list A\n   10 permit any any"],
  ["a prefix list", "ip prefix-list P\n   seq 10 permit 10.0.0.0/8"],
  ["a route map", "route-map R permit 10\n   match ip address prefix-list P"],
  ["a class map", "class-map type qos match-any C\n   match ip access-group A"],
  ["a policy map", "policy-map type quality-of-service P\n   class C\n      set dscp 10"],
  ["a spanning tree of several instances", "spanning-tree mst configuration\n   name N"]
] as const

describe("a section that takes effect when it is left", () => {
  it.effect("is not in the difference before, and is in it when asked for by name from outside", () =>
    withShell(async (shell, { device }) => {
      await typed(shell, `configure session job1\ninterface Ethernet1\n   description a${LIST}`)
      expect(changes(await shell.ask("show session-config diffs"))).not.toContain("+ip access-list MGMT-IN")
      expect(await shell.ask("show session-config")).not.toContain("MGMT-IN")
      await shell.ask("end")
      expect(changes(await shell.ask("show session-config named job1 diffs"))).toEqual(expect.arrayContaining(ADDED))
      expect(await shell.ask("show session-config named job1")).toContain(`${LIST}\n`)
      await shell.ask("configure session job1 commit")
      expect(device.running()).toContain(`${LIST}\n`)
    })
  )

  it.effect.each(SECTIONS)("%s, by exit and by the next section", ([, text]) =>
    withShell(async (shell) => {
      const [heading = "", ...lines] = text.split("\n")
      await typed(shell, `configure session job1\n${text}`)
      expect(await shell.ask("show session-config diffs")).toBe("\n")
      await typed(shell, "vlan 77")
      const diff = changes(await shell.ask("show session-config diffs"))
      for (const line of [heading, ...lines]) expect(diff).toContain(`+${line}`)
      await typed(shell, `exit\nno ${heading}\n${text}\nexit`)
      if (heading.startsWith("policy-map")) await typed(shell, "exit")
      expect(changes(await shell.ask("show session-config diffs"))).toEqual(diff)
    })
  )

  it.effect("seems to be removed while it is typed again behind clean-config", () =>
    withShell(async (shell, { device }) => {
      device.configure(LIST)
      await typed(
        shell,
        `configure session job1\nrollback clean-config\n${baseConfig("acc1", "10.9.1.1").trim()}${LIST}`
      )
      const removed = ADDED.slice(0, 3).map((line) => line.replace("+", "-"))
      expect(changes(await shell.ask("show session-config diffs"))).toEqual(expect.arrayContaining(removed))
      await shell.ask("exit")
      expect(await shell.ask("show session-config diffs")).toBe("\n")
    })
  )

  it.effect("is left by abort without its lines, and the session goes on", () =>
    withShell(async (shell, { device }) => {
      device.configure(LIST)
      await typed(shell, "configure session job1\nvlan 77\nip access-list MGMT-IN\n   30 permit icmp any any\nabort")
      expect(device.sessions()).toMatchObject([{ name: "job1", state: "pending" }])
      expect(changes(await shell.ask("show session-config diffs"))).toEqual(["+vlan 77", "+!"])
      await typed(shell, "abort")
      expect(device.sessions()).toEqual([])
    })
  )

  it.effect("is left by abort inside a class of a policy map for the policy map", () =>
    withShell(async (shell) => {
      await typed(
        shell,
        "configure session job1\npolicy-map type quality-of-service P\n   class C\n      set dscp 10\nabort"
      )
      shell.type("\n")
      expect(await shell.until(/#$/)).toContain("-pmap-")
      await typed(shell, "exit")
      expect(changes(await shell.ask("show session-config diffs"))).toEqual([
        "+policy-map type quality-of-service P",
        "+!"
      ])
    })
  )

  it.effect("is taken by a commit inside of it", () =>
    withShell(async (shell, { device }) => {
      await typed(shell, `configure session job1${LIST}\ncommit`)
      expect(device.running()).toContain(`${LIST}\n`)
    })
  )

  it.effect("is lost with the connection", () =>
    withShell(async (shell, { host, port }) => {
      await typed(shell, `configure session job1\nvlan 77${LIST}`)
      shell.close()
      await shell.closed
      const second = await openShell({ host, port })
      const config = await second.ask("show session-config named job1")
      expect(config).toContain("vlan 77")
      expect(config).not.toContain("MGMT-IN")
      second.close()
    })
  )

  it.effect("takes effect in the running configuration when it is left, or never", () =>
    withShell(async (shell, { device }) => {
      await typed(shell, `configure terminal${LIST}`)
      expect(device.running()).not.toContain("MGMT-IN")
      await shell.ask("abort")
      expect(device.running()).not.toContain("MGMT-IN")
      await typed(shell, `${LIST}\nend`)
      expect(device.running()).toContain(`${LIST}\n`)
    })
  )

  it.effect("is complete when a whole text is copied from the terminal", () =>
    withShell(async (shell) => {
      await shell.ask("configure session job1")
      shell.type("copy terminal: session-config\n")
      await shell.until(/session-config\n$/)
      shell.type(`${LIST}\n\u0004`)
      await shell.until(/Copy completed successfully\.\n.*#$/)
      expect(changes(await shell.ask("show session-config diffs"))).toEqual(expect.arrayContaining(ADDED))
    })
  )
})
