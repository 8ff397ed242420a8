import { describe, expect, it, vi } from "@effect/vitest"
import { Effect } from "effect"
import type { Fault } from "../../src/lab/Faults.ts"
import { manyPorts, oneSwitch, type OneSwitch } from "../support/lab/Campus.ts"
import { connect, openShell, type Shell } from "../support/lab/Client.ts"

const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** A shell on a switch that has these faults from after the login on. */
const withFaults = (faults: ReadonlyArray<Fault>, body: (shell: Shell, one: OneSwitch) => Promise<void>) =>
  Effect.gen(function* () {
    const one = yield* oneSwitch()
    const shell = yield* one.shell
    for (const fault of faults) one.device.setFault(fault)
    yield* Effect.promise(() => body(shell, one))
    shell.close()
  })

/** A session that removes a VLAN and gives a port another description and a speed. */
const change = async (shell: Shell, { device }: OneSwitch) => {
  device.configure("vlan 10\nvlan 11\n   name b\ninterface Ethernet1\n   description old\n")
  for (const line of ["configure session job1", "no vlan 10", "interface Ethernet1", "description new", "speed 100g"])
    expect(await shell.ask(line)).toBe("")
  await shell.ask("end")
}

const SPEED = "   speed 100g\n"
const CONFIG = "show session-config named job1"
const changedPort = `interface Ethernet1\n   description new\n${SPEED}`

const ESCAPE = "\u001B"

const open = async (shell: Shell) => {
  await shell.ask("configure session job1")
  await shell.ask("hostname tried")
  await shell.ask("end")
}

describe("faults of a simulated switch", () => {
  it.effect("refuses the right password as often as configured", () =>
    withFaults([{ kind: "wrongPassword", times: 1 }], async (_shell, { host, port, device }) => {
      await expect(connect({ host, port })).rejects.toThrow("authentication methods failed")
      expect(device.faults()).toEqual([])
      const client = await connect({ host, port })
      client.destroy()
    })
  )

  it.effect("cuts the connection before a commit, which then has not happened", () =>
    withFaults([{ kind: "cut", step: "commit", when: "before" }], async (shell, { device }) => {
      await open(shell)
      shell.type("configure session job1 commit\n")
      await shell.closed
      expect(device.hostname()).toBe("acc1")
      expect(device.sessions()).toMatchObject([{ name: "job1", state: "pending" }])
    })
  )

  it.effect("cuts the connection after a timed commit, which then runs", () =>
    withFaults([{ kind: "cut", step: "commitTimer", when: "after" }], async (shell, { device }) => {
      await open(shell)
      shell.type("configure session job1 commit timer 00:05:00\n")
      await shell.closed
      expect(device.hostname()).toBe("tried")
      expect(device.timer()?.session).toBe("job1")
    })
  )

  it.effect("cuts the connection in the middle of a load", () =>
    withFaults([{ kind: "cut", step: "load", lines: 20 }], async (shell, { device, host, port }) => {
      await shell.ask("configure session job1")
      shell.type("copy terminal: session-config\n")
      await shell.until(/session-config\n$/)
      shell.type(`${manyPorts(20)}\u0004`)
      await shell.closed
      const second = await openShell({ host, port })
      const diff = await second.ask("show session-config named job1 diffs")
      expect(diff.match(/^\+interface/gm)).toHaveLength(3)
      expect(device.sessions()).toHaveLength(1)
      second.close()
    })
  )

  it.effect("becomes silent at a step and keeps the connection open", () =>
    withFaults([{ kind: "silent", step: "showRunning" }], async (shell) => {
      const before = shell.text().length
      shell.type("show running-config\nshow version\n")
      await wait(100)
      expect(shell.text().length).toBe(before)
      expect(shell.channel.writable).toBe(true)
    })
  )

  it.effect("is slow", () =>
    withFaults([{ kind: "slow", step: "commit", milliseconds: 200, times: 1 }], async (shell, { device }) => {
      await open(shell)
      const since = performance.now()
      shell.type("configure session job1 commit\n")
      await shell.until(/tried#$/)
      expect(performance.now() - since).toBeGreaterThanOrEqual(199)
      expect(device.hostname()).toBe("tried")
    })
  )

  it.effect("rolls back automatically before the timer expires", () =>
    withFaults([{ kind: "timerCancelled" }], async (shell, { device }) => {
      await open(shell)
      await shell.ask("configure session job1 commit timer 00:05:00")
      await wait(50)
      expect(device.hostname()).toBe("acc1")
      expect(device.commits("job1").map((record) => record.kind)).toEqual(["commitTimer", "expired"])
    })
  )

  it.effect("never rolls back although the timer has expired", () =>
    withFaults([{ kind: "timerIgnored" }], async (shell, { device }) => {
      await open(shell)
      await shell.ask("configure session job1 commit timer 00:00:01")
      await wait(1200)
      expect(device.hostname()).toBe("tried")
    })
  )

  it.effect("answers a confirmation, shows no timer any more, and takes the commit back all the same", () =>
    withFaults([{ kind: "confirmIgnored" }], async (shell, { device }) => {
      await open(shell)
      await shell.ask("configure session job1 commit timer 00:00:01")
      expect(await shell.ask("configure session job1 commit")).toBe("")
      const list = await shell.ask("show configuration sessions detail")
      expect(list).not.toMatch(/pending commit timer|job1/)
      expect(await shell.ask("show configuration sessions detail | json")).not.toMatch(/imer|job1/)
      await vi.waitFor(() => expect(device.hostname()).toBe("acc1"), { timeout: 5_000 })
    })
  )

  it.effect("commits permanently although a timer was given", () =>
    withFaults([{ kind: "noTimer" }], async (shell, { device }) => {
      await open(shell)
      expect(await shell.ask("configure session job1 commit timer 00:05:00")).toBe("")
      expect(device.timer()).toBeUndefined()
      expect(device.hostname()).toBe("tried")
      expect(await shell.ask("configure session job1 commit")).toMatch(/^% Cannot commit/)
    })
  )

  it.effect("rejects a line by pattern", () =>
    withFaults([{ kind: "reject", pattern: "^vlan 66", message: "% VLAN 66 is reserved" }], async (shell) => {
      await shell.ask("configure session job1")
      expect(await shell.ask("vlan 65")).toBe("")
      expect(await shell.ask("vlan 66")).toBe("% VLAN 66 is reserved\n")
    })
  )

  it.effect("claims to have committed and saved, and did neither", () =>
    withFaults(
      [
        { kind: "lie", step: "commit" },
        { kind: "lie", step: "write" }
      ],
      async (shell, { device }) => {
        await open(shell)
        expect(await shell.ask("configure session job1 commit")).toBe("")
        expect(await shell.ask("write memory")).toBe("Copy completed successfully.\n")
        expect(device.hostname()).toBe("acc1")
        expect(device.startup()).toContain("hostname acc1\n")
      }
    )
  )

  it.effect("answers a step with a chosen error", () =>
    withFaults([{ kind: "error", step: "commit", message: "% Error: no", times: 1 }], async (shell, { device }) => {
      await open(shell)
      expect(await shell.ask("configure session job1 commit")).toBe("% Error: no\n")
      expect(device.hostname()).toBe("acc1")
    })
  )

  it.effect("truncates its output and its input", () =>
    withFaults(
      [
        { kind: "truncate", step: "showRunning", lines: 4, times: 1 },
        { kind: "truncate", step: "load", lines: 2 }
      ],
      async (shell, { device }) => {
        expect((await shell.ask("show running-config")).split("\n")).toHaveLength(5)
        await shell.ask("configure session job1")
        for (const line of ["vlan 10", "vlan 11", "vlan 12", "commit"]) await shell.ask(line)
        expect(device.running().match(/^vlan .*/gm)).toEqual(["vlan 10", "vlan 11"])
      }
    )
  )

  it.effect("states the candidate cut off, once not at all, then rightly", () =>
    withFaults([{ kind: "truncate", step: "showCandidate", lines: 6, times: 1 }], async (shell, one) => {
      await change(shell, one)
      expect((await shell.ask(CONFIG)).split("\n")).toHaveLength(7)
      one.device.setFault({ kind: "lie", step: "showCandidate", times: 1 })
      expect(await shell.ask(CONFIG)).toBe("")
      expect(await shell.ask(CONFIG)).toContain(changedPort)
    })
  )

  it.effect("states the old configuration, or lacks a line, and commits the candidate", () =>
    withFaults(
      [
        { kind: "misstates", how: "old", times: 1 },
        { kind: "misstates", how: "lacksLine", times: 1 }
      ],
      async (shell, one) => {
        await change(shell, one)
        expect(await shell.ask(CONFIG)).toContain("interface Ethernet1\n   description old\n!")
        expect(await shell.ask(CONFIG)).toContain("interface Ethernet1\n   description new\n!")
        expect(await shell.ask(CONFIG)).toContain(changedPort)
        await shell.ask("configure session job1 commit")
        expect(one.device.running()).toContain(changedPort)
      }
    )
  )

  it.effect("states a line that the candidate loses", () =>
    withFaults([{ kind: "misstates", how: "showsDropped" }], async (shell, one) => {
      await change(shell, one)
      for (const _ of ["once", "twice"]) expect(await shell.ask(CONFIG)).toContain(changedPort)
      expect(await shell.ask(`${CONFIG} diffs`)).not.toContain("speed")
      await shell.ask("configure session job1 commit")
      expect(one.device.running()).toContain("interface Ethernet1\n   description new\n!")
      expect(await shell.ask(CONFIG)).toContain(changedPort)
    })
  )

  it.effect.each([
    ["without its last new line", "lacksLastLine", "interface Ethernet1\n   description new\n!", /^vlan 10$/m],
    ["with a line that was to go", "keepsRemovedLine", "vlan 10\n!", /^ {3}description old/m]
  ] as const)("states the candidate rightly and runs it %s", ([, how, runs, lacks]) =>
    withFaults([{ kind: "runsOther", how }], async (shell, one) => {
      await change(shell, one)
      expect(await shell.ask(CONFIG)).toContain(changedPort)
      await shell.ask("configure session job1 commit timer 00:05:00")
      expect(one.device.running()).toContain(runs)
      expect(one.device.running()).not.toMatch(lacks)
      await shell.ask("configure session job1 abort")
      expect(one.device.running()).toContain("vlan 10\n")
    })
  )

  it.effect("answers a clean-config and keeps the candidate", () =>
    withFaults([{ kind: "lie", step: "clean" }], async (shell) => {
      await shell.ask("configure session job1")
      expect(await shell.ask("rollback clean-config")).toBe("")
      expect(await shell.ask("show session-config diffs")).toBe("\n")
    })
  )

  it.effect("has no room in flash", () =>
    withFaults([{ kind: "fullFlash", times: 2 }], async (shell) => {
      expect(await shell.ask("copy running-config flash:x")).toMatch(/^% Error .*No space left/)
      expect(await shell.ask("write")).toMatch(/^% Error .*No space left/)
      expect(await shell.ask("write")).toBe("Copy completed successfully.\n")
    })
  )

  it.effect("shows another operator's session and commit timer", () =>
    withFaults([], async (shell, { device }) => {
      expect(device.foreignSession("theirs")).toBeUndefined()
      expect(device.foreignSession("timed", 120)).toBeUndefined()
      const document: unknown = JSON.parse(await shell.ask("show configuration sessions detail | json"))
      expect(document).toMatchObject({
        sessions: { theirs: { state: "pending" }, timed: { state: "pendingCommitTimer" } }
      })
    })
  )

  it.effect("presents another host key", () =>
    withFaults([], async (_shell, { device, host, port }) => {
      const keys: Array<string> = []
      const onHostKey = (key: Buffer) => keys.push(key.toString("hex"))
      const first = await connect({ host, port, onHostKey })
      device.newHostKey()
      const second = await connect({ host, port, onHostKey })
      expect(keys[0]).not.toBe(keys[1])
      first.destroy()
      second.destroy()
    })
  )

  it.effect("echoes twice, wraps its echo, colours its prompt and splits its output", () =>
    withFaults([], async (shell, { device }) => {
      device.setFault({ kind: "doubledEcho", times: 1 })
      shell.type("show hostname\n")
      expect(await shell.until(/FQDN.*\n.*#$/)).toMatch(/^show hostname\nacc1#show hostname\nHostname: acc1\n/)
      device.setFault({ kind: "wrappedEcho" })
      await shell.ask("configure session job1")
      const line = `vlan ${"1".repeat(90)}`
      shell.type(`${line}\n`)
      await shell.until(/#$/)
      expect(shell.text()).toContain(" \r")
      device.clearFaults()
      await shell.ask("end")
      device.setFault({ kind: "ansi" })
      shell.type("show hostname\n")
      await shell.until(new RegExp(`${ESCAPE}\\[1macc1#${ESCAPE}\\[0m$`))
      device.clearFaults()
      device.setFault({ kind: "chunks" })
      expect(await shell.ask("show version")).toContain("Software image version: 4.31.4M")
    })
  )
})
