import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { baseConfig, oneSwitch, type OneSwitch } from "../../support/lab/Campus.ts"
import { openShell, type Shell } from "../../support/lab/Client.ts"
import { timer } from "../../support/Patience.ts"

const withShell = (body: (shell: Shell, one: OneSwitch) => Promise<void>, node = {}) =>
  Effect.gen(function* () {
    const one = yield* oneSwitch(node)
    const shell = yield* one.shell
    yield* Effect.promise(() => body(shell, one))
    shell.close()
  })

/** A timer that runs out soon, but not before it has been looked at. */
const SOON = `00:00:${timer(1).padStart(2, "0")}`

const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Waits until the condition holds; a test that never gets there fails by its own time limit. */
const eventually = async (condition: () => boolean) => {
  while (!condition()) await wait(20)
}

const loadFromTerminal = async (shell: Shell, text: string) => {
  shell.type("copy terminal: session-config\n")
  await shell.until(/session-config\n$/)
  shell.type(`${text}\u0004`)
  return shell.until(/Copy completed successfully\.\n.*#$/)
}

const sessionsOf = async (shell: Shell): Promise<unknown> =>
  JSON.parse(await shell.ask("show configuration sessions detail | json"))

describe("configuration sessions of a simulated switch", () => {
  it.effect("replaces the whole configuration by a text copied from the terminal, and shows the difference first", () =>
    withShell(async (shell, { device }) => {
      await shell.ask("configure session job1")
      await shell.ask("rollback clean-config")
      const answer = await loadFromTerminal(shell, baseConfig("acc1", "10.9.1.1", "vlan 10\n   name ö\n"))
      expect(answer).not.toMatch(/^% /m)
      const diff = await shell.ask("show session-config diffs")
      expect(diff).toMatch(/^--- system:\/running-config\n\+\+\+ session:\/job1-session-config\n@@ /)
      expect(diff.split("\n").filter((line) => /^[+-](?![+-])/.test(line))).toEqual(["+vlan 10", "+   name ö", "+!"])
      await shell.ask("end")
      expect(device.running()).not.toContain("vlan 10")
      expect(await shell.ask("configure session job1 commit")).toBe("")
      expect(device.running()).toContain("vlan 10\n   name ö\n")
      expect(device.startup()).not.toContain("vlan 10")
      expect(await shell.ask("write memory")).toBe("Copy completed successfully.\n")
      expect(device.startup()).toContain("vlan 10")
    })
  )

  it.effect("takes 20,000 lines from the terminal in one go", () =>
    withShell(async (shell, { device }) => {
      const text = Array.from({ length: 10_000 }, (_, i) => `vrf instance V${i}\n   description number ${i}\n`).join("")
      await shell.ask("configure session big")
      expect(await loadFromTerminal(shell, text)).not.toMatch(/^% /m)
      await shell.ask("commit")
      expect(device.running().match(/^vrf instance/gm)).toHaveLength(10_000)
    })
  )

  it.effect("names the line that it rejects and still reports the copy as completed", () =>
    withShell(async (shell) => {
      await shell.ask("configure session job1")
      const answer = await loadFromTerminal(shell, "vlan 10\n   name a\ninterface Ethernet99\nend\n")
      expect(answer).toContain("% Invalid input at line 3\n")
      expect(answer).toMatch(/config-s-job1\)#$/)
    })
  )

  it.effect("loads a merge without clean-config, and nothing differs when its own print is loaded", () =>
    withShell(async (shell, { device }) => {
      await shell.ask("configure session merge")
      await shell.ask("hostname other")
      await shell.ask("commit")
      expect(device.hostname()).toBe("other")
      await shell.ask("configure session again")
      await shell.ask("rollback clean-config")
      await loadFromTerminal(shell, device.running())
      expect(await shell.ask("show session-config diffs")).toBe("\n")
    })
  )

  it.effect("survives a lost connection with the candidate, and counts at most five open sessions", () =>
    withShell(async (shell, { device, host, port }) => {
      await shell.ask("configure session job1")
      await shell.ask("vlan 77")
      shell.close()
      await shell.closed
      const second = await openShell({ host, port })
      expect(await second.ask("show session-config named job1 diffs")).toContain("+vlan 77")
      for (const name of ["a", "b", "c", "d"]) {
        await second.ask(`configure session ${name}`)
        await second.ask("end")
      }
      expect(await second.ask("configure session e")).toContain("Maximum number of pending sessions has been reached")
      expect(await second.ask("configure session job1 abort")).toBe("")
      expect(await second.ask("configure session e")).toBe("")
      expect(device.sessions().map((session) => session.name)).toEqual(["a", "b", "c", "d", "e"])
      second.close()
    })
  )

  it.effect("restores the old configuration automatically when the commit timer expires", () =>
    withShell(async (shell, { device }) => {
      await shell.ask("configure session job1")
      await shell.ask("hostname tried")
      await shell.ask("end")
      expect(await shell.ask(`configure session job1 commit timer ${SOON}`)).toBe("")
      expect(device.hostname()).toBe("tried")
      expect(device.timer()?.session).toBe("job1")
      await eventually(() => device.hostname() === "acc1")
      expect(device.commits("job1").map((record) => record.kind)).toEqual(["commitTimer", "expired"])
      expect(device.timer()).toBeUndefined()
      expect(await shell.ask("show hostname")).toContain("acc1")
    })
  )

  it.effect("keeps the new configuration when the commit is confirmed from another connection", () =>
    withShell(async (shell, { device, host, port }) => {
      await shell.ask("configure session job1")
      await shell.ask("hostname kept")
      await shell.ask("commit timer 00:05:00")
      shell.close()
      const second = await openShell({ host, port })
      expect(await second.ask("configure session job1 commit")).toBe("")
      expect(device.timer()).toBeUndefined()
      expect(device.hostname()).toBe("kept")
      expect(device.commits("job1").map((record) => record.kind)).toEqual(["commitTimer", "confirm"])
      second.close()
    })
  )

  it.effect("rolls back at once when the session of a running timer is aborted", () =>
    withShell(async (shell, { device }) => {
      await shell.ask("configure session job1")
      await shell.ask("hostname tried")
      await shell.ask("end")
      await shell.ask("configure session job1 commit timer 00:05:00")
      expect(await shell.ask("configure session job1 abort")).toBe("")
      expect(device.hostname()).toBe("acc1")
      expect(device.commits("job1").map((record) => record.kind)).toEqual(["commitTimer", "abort"])
    })
  )

  it.effect("refuses another commit while a timer runs", () =>
    withShell(async (shell, { device }) => {
      expect(device.foreignSession("theirs", 300)).toBeUndefined()
      await shell.ask("configure session ours")
      await shell.ask("hostname ours")
      expect(await shell.ask("commit")).toMatch(/^% Cannot commit/)
      expect(device.hostname()).toBe("acc1")
    })
  )

  it.effect("reports a running timer in the form of EOS up to 4.31", () =>
    withShell(async (shell) => {
      await shell.ask("configure session job1")
      await shell.ask("commit timer 00:05:00")
      const document = await sessionsOf(shell)
      expect(document).toMatchObject({ maxOpenSessions: 5, sessions: { job1: { state: "pendingCommitTimer" } } })
      expect(document).not.toHaveProperty("commitTimerSessionName")
      expect(document).toHaveProperty("sessions.job1.commitBy")
    })
  )

  it.effect("reports a running timer in the form of EOS from 4.32 on, on the uptime scale", () =>
    withShell(
      async (shell) => {
        expect(await sessionsOf(shell)).not.toHaveProperty("commitTimerSessionName")
        await shell.ask("configure session job1")
        await shell.ask("commit timer 00:05:00")
        const document = await sessionsOf(shell)
        expect(document).toMatchObject({ commitTimerSessionName: "job1", sessions: { job1: { state: "committed" } } })
        expect(document).toHaveProperty("commitTimerExpireTime", expect.closeTo(300, -2))
        const text = await shell.ask("show configuration sessions detail")
        expect(text).toMatch(/Time left until commit timer expiry: in 0:0[45]:\d\d/)
      },
      { version: "4.33.1F" }
    )
  )
})
