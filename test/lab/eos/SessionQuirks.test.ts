/** Quirks of simulated switches around configuration sessions, commit timers and saving. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Quirks } from "../../../src/lab/eos/Quirks.ts"
import { oneSwitch, type OneSwitch } from "../../support/lab/Campus.ts"
import type { Shell } from "../../support/lab/Client.ts"

const withQuirks = (quirks: Quirks, body: (shell: Shell, one: OneSwitch) => Promise<void>) =>
  Effect.gen(function* () {
    const one = yield* oneSwitch({ quirks })
    const shell = yield* one.shell
    yield* Effect.promise(() => body(shell, one))
    shell.close()
  })

const TEXT = "show configuration sessions detail"
const json = async (shell: Shell): Promise<unknown> => JSON.parse(await shell.ask(`${TEXT} | json`))

const commitTimed = async (shell: Shell) => {
  await shell.ask("configure session job1")
  await shell.ask("hostname tried")
  await shell.ask("end")
  expect(await shell.ask("configure session job1 commit timer 00:05:00")).toBe("")
}

describe("a switch that shows a running commit timer", () => {
  const atSession = { sessions: { job1: { state: "pendingCommitTimer" } } }
  const atTop = { sessions: { job1: { state: "committed" } }, commitTimerSessionName: "job1" }
  const nowhere = { sessions: { job1: { state: "committed" } } }

  it.effect.each([
    ["session", atSession, true],
    ["top", atTop, true],
    ["text", nowhere, true],
    ["never", nowhere, false]
  ] as const)("%s", ([timerShown, document, inText]) =>
    withQuirks({ timerShown }, async (shell, { device }) => {
      await commitTimed(shell)
      expect(await json(shell)).toMatchObject(document)
      if (timerShown !== "top") expect(await json(shell)).not.toHaveProperty("commitTimerSessionName")
      expect((await shell.ask(TEXT)).includes("Session with pending commit timer: job1")).toBe(inText)
      expect(device.timer()?.session).toBe("job1")
    })
  )

  it.effect("in text only, because it has no JSON for its sessions", () =>
    withQuirks({ sessionsWithoutJson: true }, async (shell) => {
      await commitTimed(shell)
      expect(await json(shell)).toEqual({ errors: ["This is an unconverted command"] })
      expect(await shell.ask(TEXT)).toContain("Session with pending commit timer: job1")
    })
  )
})

describe("a switch with other session settings", () => {
  it.effect("saves at each commit, also at one with a timer, and says so", () =>
    withQuirks({ savesAtCommit: true }, async (shell, { device }) => {
      expect(await json(shell)).toMatchObject({ saveToStartupConfigOnCommit: true })
      expect(await shell.ask(TEXT)).toContain("Autosave to startup-config on commit is enabled\n")
      await commitTimed(shell)
      expect(device.startup()).toContain("hostname tried")
      await shell.ask("configure session job1 abort")
      expect(device.hostname()).toBe("acc1")
      expect(device.startup()).toContain("hostname tried")
    })
  )

  it.effect("merges the commits of others, and says so", () =>
    withQuirks({ mergesAtCommit: true }, async (shell, { device }) => {
      expect(await json(shell)).toMatchObject({ mergeOnCommit: true })
      expect(await shell.ask(TEXT)).toContain("Merge on commit is enabled\n")
      await shell.ask("configure session job1")
      await shell.ask("hostname tried")
      await shell.ask("end")
      device.configure("vlan 99\n   name theirs\n")
      await shell.ask("configure session job1 commit")
      expect(device.running()).toContain("vlan 99")
      expect(device.hostname()).toBe("tried")
    })
  )

  it.effect("overwrites the commits of others unless it merges", () =>
    withQuirks({}, async (shell, { device }) => {
      await shell.ask("configure session job1")
      await shell.ask("hostname tried")
      await shell.ask("end")
      device.configure("vlan 99\n   name theirs\n")
      await shell.ask("configure session job1 commit")
      expect(device.running()).not.toContain("vlan 99")
    })
  )

  it.effect("has room for one session, of which one with a running timer takes the place", () =>
    withQuirks({ maxPending: 1, maxSaved: 0 }, async (shell, { device }) => {
      expect(await json(shell)).toMatchObject({ maxOpenSessions: 1, maxSavedSessions: 0 })
      await commitTimed(shell)
      expect(await shell.ask("configure session job1-check")).toContain("Maximum number of pending sessions")
      await shell.ask("configure session job1 commit")
      expect(device.sessions()).toEqual([])
    })
  )

  it.effect("allows configuration in sessions only", () =>
    withQuirks({ terminalDisabled: true }, async (shell) => {
      expect(await shell.ask("configure terminal")).toMatch(/^% /)
      expect(await shell.ask("configure session job1")).toBe("")
    })
  )

  it.effect("has other people's sessions from the start, and shows since when", () =>
    withQuirks({ foreignSessions: [{ name: "cfg-4711-1", age: 86_400 }] }, async (shell) => {
      const before = Date.now() / 1000 - 80_000
      const document = await json(shell)
      expect(document).toMatchObject({ sessions: { "cfg-4711-1": { state: "pending", commitUser: "" } } })
      expect(document).toHaveProperty(
        "sessions.cfg-4711-1.completedTime",
        expect.toSatisfy((at) => at < before)
      )
      expect(await shell.ask(TEXT)).toMatch(/cfg-4711-1 +pending +root +vty5 +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\n/)
    })
  )
})

describe("a switch that saves in another way", () => {
  it.effect("cannot show unsaved changes", () =>
    withQuirks({ withoutRunningDiffs: true }, async (shell) => {
      expect(await shell.ask("show running-config diffs")).toMatch(/^% Invalid input/)
    })
  )

  it.effect("claims to have saved and has not", () =>
    withQuirks({ saveLies: true }, async (shell, { device }) => {
      device.configure("hostname tried\n")
      expect(await shell.ask("write memory")).toBe("Copy completed successfully.\n")
      expect(device.startup()).toContain("hostname acc1")
      expect(await shell.ask("show running-config diffs")).toContain("+hostname tried")
    })
  )
})

describe("a switch that shows what a commit will run", () => {
  it.effect("prints differences without hunks, also as the difference by name", () =>
    withQuirks({ diffs: "sections" }, async (shell, { device }) => {
      device.configure("interface Ethernet1\n   description old\n")
      await shell.ask("configure session job1")
      await shell.ask("interface Ethernet1")
      await shell.ask("description room 12")
      const said = await shell.ask("show session-config diffs")
      expect(said).toMatch(/^--- system:\/running-config\n\+\+\+ session:\/job1-session-config\n interface Ethernet1\n/)
      expect(said).toContain("\n-   description old\n+   description room 12\n")
      expect(said).not.toContain("@@")
      await shell.ask("end")
      expect(await shell.ask("show session-config named job1 diffs")).toBe(said)
    })
  )

  it.effect("does not know the statement by name, but the difference by name", () =>
    withQuirks({ withoutNamedConfig: true }, async (shell) => {
      await shell.ask("configure session job1")
      await shell.ask("vlan 77")
      await shell.ask("end")
      expect(await shell.ask("show session-config named job1")).toBe("% Invalid input (at token 2: 'named')\n")
      expect(await shell.ask("show session-config named job1 diffs")).toContain("+vlan 77\n")
    })
  )
})
