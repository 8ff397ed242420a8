import { describe, expect, it } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import type { DriverSession } from "../../../src/drivers/Driver.ts"
import { renderError } from "../../../src/drivers/DriverErrors.ts"
import { baseConfig, candidate, makeOneSwitch, name } from "./OneSwitchLab.ts"
import { timer } from "../../support/Patience.ts"

const pendingOf = ({ sessions }: DriverSession) => Effect.map(sessions, ({ pending }) => pending)

/** Waits until the condition holds; a test that never gets there fails by its own time limit. */
const until = (holds: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() => (holds() ? Effect.void : Effect.andThen(Effect.sleep("10 millis"), until(holds))))

const change = candidate("interface Ethernet2", "   description desk 2")

const mayAbort = { _tag: "allBut", jobs: [3] } as const

describe("reading", () => {
  it.live("gives facts, interfaces, neighbours and the running configuration", () =>
    Effect.gen(function* () {
      const { driver, target, device } = yield* makeOneSwitch()
      device.setNeighbour("Ethernet51", { systemName: "dist-b2-1", neighbourPort: "Ethernet7" })
      const session = yield* driver.open(target)
      const facts = yield* session.facts
      expect(facts).toMatchObject({ hostname: "acc-b2-01", fqdn: "acc-b2-01.net.example.org", vendor: "Arista" })
      expect(facts.interface_list?.slice(0, 3)).toEqual(["Ethernet1", "Ethernet2", "Ethernet3"])
      expect((yield* session.interfaces)["Ethernet1"]?.description).toBe("desk 1")
      expect(yield* session.lldp).toEqual({ Ethernet51: [{ hostname: "dist-b2-1", port: "Ethernet7" }] })
      expect(yield* session.runningConfig).toBe(device.running())
      expect(Option.isNone(yield* pendingOf(session))).toBe(true)
      expect(session.hostKey).toMatch(/^SHA256:/)
    }).pipe(Effect.scoped)
  )

  it.live("refuses a running configuration without its end", () =>
    Effect.gen(function* () {
      const { driver, target, device } = yield* makeOneSwitch()
      const session = yield* driver.open(target)
      device.setFault({ kind: "truncate", step: "showRunning", lines: 8, times: 1 })
      expect((yield* Effect.flip(session.runningConfig))._tag).toBe("UnexpectedAnswer")
    }).pipe(Effect.scoped)
  )

  it.live("handles escape codes, odd chunks, wrapped echo, an enable prompt and password authentication", () =>
    Effect.gen(function* () {
      const behaviour = { authentication: "password", supervisor: "s1", version: "4.32.2F" } as const
      const startup = baseConfig.replace("aaa authorization exec default local\n", "")
      const { driver, target, device } = yield* makeOneSwitch(behaviour, startup)
      for (const kind of ["ansi", "chunks", "wrappedEcho"] as const) device.setFault({ kind })
      const session = yield* driver.open(target)
      expect(yield* session.runningConfig).toBe(device.running())
      const { diff } = yield* session.load({ text: change, mode: "replace", name: "job412" })
      expect(diff).toContain("+   description desk 2")
    }).pipe(Effect.scoped)
  )
})

describe("loading", () => {
  it.live("names exactly the rejected lines and discards the candidate", () =>
    Effect.gen(function* () {
      const { driver, target, device } = yield* makeOneSwitch()
      const session = yield* driver.open(target)
      const text = candidate("interface Ethernet99", "frobnicate", "interface Ethernet2")
      const error = yield* Effect.flip(session.load({ text, mode: "replace", name: "job412" }))
      expect(error._tag).toBe("ReplaceConfigException")
      const lines = text.split("\n")
      const at = lines.indexOf("interface Ethernet99") + 1
      expect(error).toMatchObject({
        rejected: [{ lineNumber: at, line: "interface Ethernet99" }, { lineNumber: at + 1 }]
      })
      expect(renderError(error)).toMatch(
        /^rejected by acc-b2-01 while loading:\ninterface Ethernet99\n% Invalid input.* at line \d+\n/
      )
      expect(renderError(error)).toMatch(/\nReplaceConfigException: % Invalid input.*\n$/)
      expect(device.sessions().filter(({ state }) => state === "pending")).toEqual([])
      expect(yield* session.runningConfig).toBe(device.running())
    }).pipe(Effect.scoped)
  )

  it.live("gives an empty diff for the running configuration", () =>
    Effect.gen(function* () {
      const { driver, target } = yield* makeOneSwitch()
      const session = yield* driver.open(target)
      const running = yield* session.runningConfig
      expect(yield* session.load({ text: running, mode: "replace", name: "job412" })).toEqual({
        diff: "",
        willRun: null,
        remarks: []
      })
      yield* session.discard("job412")
      yield* session.discard("job412")
      yield* session.discard("job-that-never-was")
    }).pipe(Effect.scoped)
  )

  it.live("accepts banners with any contents, long lines and other alphabets", () =>
    Effect.gen(function* () {
      const { driver, target, device } = yield* makeOneSwitch()
      const session = yield* driver.open(target)
      const banner = ["banner login", "! no comment", "end", "% no error", "acc-b2-01#", "EOF"]
      const text = candidate("interface Ethernet2", "   description Gerät für Zürich, wirklich?").replace(
        "vlan 10",
        [...banner, "vlan 10"].join("\n")
      )
      const long = text.replace(
        "   name users",
        `   name users\ninterface Loopback7\n   description ${"x".repeat(2000)}`
      )
      const { diff } = yield* session.load({ text: long, mode: "replace", name: "job412" })
      expect(diff).toContain("+% no error")
      expect(diff).toContain("+   description Gerät für Zürich, wirklich?")
      yield* session.commit("job412")
      expect(device.running()).toContain("x".repeat(2000))
      yield* session
        .load({ text: long, mode: "replace", name: "job413" })
        .pipe(Effect.tap((loaded) => Effect.sync(() => expect(loaded.diff).toBe(""))))
    }).pipe(Effect.scoped)
  )

  it.live("adds to the running configuration when merging", () =>
    Effect.gen(function* () {
      const { driver, target, device } = yield* makeOneSwitch()
      const session = yield* driver.open(target)
      yield* session.load({ text: "interface Ethernet7\n   shutdown\n", mode: "merge", name: "job412" })
      yield* session.commit("job412")
      yield* session.save
      expect(device.running()).toContain("desk 1")
      expect(device.startup()).toMatch(/interface Ethernet7\r?\n {3}shutdown/)
      const error = yield* Effect.flip(session.load({ text: "frobnicate", mode: "merge", name: "job414" }))
      expect(error._tag).toBe("MergeConfigException")
    }).pipe(Effect.scoped)
  )

  it.live("loads every line although the switch drops input that exceeds its buffer", () =>
    Effect.gen(function* () {
      const { driver, target, device } = yield* makeOneSwitch({ inputBuffer: 4096 })
      const vlans = Array.from({ length: 1500 }, (_, index) => [`vlan ${100 + index}`, `   name users-${index}`]).flat()
      for (const [windowBytes, session] of [
        [2048, "job1"],
        [1, "job2"],
        [64_000, "job3"]
      ] as const) {
        yield* Effect.scoped(
          Effect.gen(function* () {
            const open = yield* driver.open({ ...target, windowBytes })
            const few = windowBytes === 64_000 ? vlans.slice(0, 500) : vlans
            const { diff } = yield* open.load({ text: candidate(...few), mode: "replace", name: session })
            expect(diff.split("\n").filter((line) => line.startsWith("+   name users-"))).toHaveLength(few.length / 2)
            yield* open.discard(session)
          })
        )
      }
      expect(device.sessions().filter(({ state }) => state === "pending")).toEqual([])
    }).pipe(Effect.scoped)
  )

  it.live("loads line by line when the switch echoes twice, and still names the rejected line", () =>
    Effect.gen(function* () {
      const { driver, target, device } = yield* makeOneSwitch()
      const session = yield* driver.open(target)
      device.setFault({ kind: "doubledEcho" })
      const { diff } = yield* session.load({ text: change, mode: "replace", name: "job412" })
      expect(diff).toContain("+   description desk 2")
      yield* session.discard("job412")
      const text = candidate("!", "interface Ethernet99")
      const error = yield* Effect.flip(session.load({ text, mode: "replace", name: "job413" }))
      expect(error).toMatchObject({
        _tag: "ReplaceConfigException",
        rejected: [{ lineNumber: text.split("\n").indexOf("interface Ethernet99") + 1, line: "interface Ethernet99" }]
      })
    }).pipe(Effect.scoped)
  )
})

describe("another user on the switch", () => {
  it.live("stops a load: a commit timer at once, an open session after a while", () =>
    Effect.gen(function* () {
      const { driver, target, device } = yield* makeOneSwitch()
      const session = yield* driver.open(target)
      const load = { text: change, mode: "replace", name: "job412", foreignSessions: 1 } as const
      device.foreignSession("operator")
      expect(yield* Effect.flip(session.load(load))).toMatchObject({
        _tag: "SessionLockedException",
        session: "operator",
        message: "Session is already in use"
      })
      yield* session.load({ ...load, foreignSessions: "ignore" })
      yield* session.discard("job412")
      device.foreignSession("other", 300)
      expect(yield* Effect.flip(session.load({ ...load, foreignSessions: "ignore" }))).toMatchObject({
        _tag: "SessionLockedException",
        session: "other"
      })
      expect((yield* Effect.flip(session.confirm("job412")))._tag).toBe("CommitError")
      expect(device.timer()?.session).toBe("other")
    }).pipe(Effect.scoped)
  )

  it.live("keeps their sessions when our remaining ones are removed", () =>
    Effect.gen(function* () {
      const { driver, target, device } = yield* makeOneSwitch()
      device.foreignSession("operator")
      for (const orphan of ["job1", "job2", "job3"]) device.foreignSession(orphan)
      const session = yield* driver.open(target)
      yield* session.load({ text: change, mode: "replace", name: "job412", mayAbort, foreignSessions: "ignore" })
      const open = device.sessions().filter(({ state }) => state === "pending")
      expect(open.map(({ name }) => name).toSorted()).toEqual(["job3", "job412", "operator"])
    }).pipe(Effect.scoped)
  )
})

describe("committing", () => {
  for (const version of ["4.31.4M", "4.32.2F"]) {
    it.live(`with a timer is confirmed from a new connection on EOS ${version}`, () =>
      Effect.gen(function* () {
        const { driver, target, device } = yield* makeOneSwitch({ version })
        yield* Effect.scoped(
          Effect.gen(function* () {
            const session = yield* driver.open(target)
            yield* session.load({ text: change, mode: "replace", name: "job412" })
            yield* session.commitTimed("job412", 300)
          })
        )
        expect(device.timer()?.session).toBe("job412")
        const session = yield* driver.open(target)
        const pending = Option.getOrThrow(yield* pendingOf(session))
        expect(pending.name).toBe("job412")
        expect((yield* session.sessions).sessions.find(({ name }) => name === "job412")?.state).toBe("timed")
        yield* session.confirm("job412")
        expect(Option.isNone(yield* pendingOf(session))).toBe(true)
        yield* session.save
        expect(device.timer()).toBeUndefined()
        expect(device.startup()).toContain("desk 2")
      }).pipe(Effect.scoped)
    )
  }

  it.live("with a timer that expires leaves the old configuration, and a late confirmation is refused", () =>
    Effect.gen(function* () {
      const { driver, target, device } = yield* makeOneSwitch()
      const session = yield* driver.open(target)
      const before = driver.configHash(yield* session.runningConfig)
      yield* session.load({ text: change, mode: "replace", name: "job412" })
      yield* session.commitTimed("job412", Number(timer(1)))
      expect(device.running()).toContain("desk 2")
      // only a timer that was seen can be reported as ended
      expect((yield* session.sessions).timer._tag).toBe("running")
      yield* until(() => device.timer() === undefined)
      expect((yield* Effect.flip(session.confirm("job412")))._tag).toBe("CommitError")
      expect(driver.configHash(yield* session.runningConfig)).toBe(before)
    }).pipe(Effect.scoped)
  )

  it.live("is refused with the switch's words, and the candidate is removed", () =>
    Effect.gen(function* () {
      const { driver, target, device } = yield* makeOneSwitch()
      const session = yield* driver.open(target)
      yield* session.load({ text: change, mode: "replace", name: "job412" })
      device.setFault({ kind: "error", step: "commit", message: "% Cannot commit: not today", times: 1 })
      const error = yield* Effect.flip(session.commit("job412"))
      expect(renderError(error)).toContain("CommitError: % Cannot commit: not today\n")
      expect(device.sessions().filter(({ state }) => state === "pending")).toEqual([])
    }).pipe(Effect.scoped)
  )

  it.live("may change the host name, and the session continues", () =>
    Effect.gen(function* () {
      const { driver, target } = yield* makeOneSwitch()
      const session = yield* driver.open(target)
      yield* session.load({ text: "hostname renamed\n", mode: "merge", name: "job412" })
      yield* session.commit("job412")
      yield* session.save
      expect(yield* session.runningConfig).toContain("hostname renamed")
    }).pipe(Effect.scoped)
  )

  it.live("may move the address: silence is no error, and the switch answers at the new one", () =>
    Effect.gen(function* () {
      const { driver, target, device, lab } = yield* makeOneSwitch()
      const text = change.replace("10.66.0.1/16", "10.66.0.2/16").replace(`hostname ${name}`, "hostname moved")
      yield* Effect.scoped(
        Effect.gen(function* () {
          const session = yield* driver.open(target)
          yield* session.load({ text, mode: "replace", name: "job412" })
          expect(yield* session.commitAndSave("job412", 0.5)).toBe("silent")
          expect((yield* Effect.flip(session.runningConfig))._tag).toBe("ConnectionException")
        })
      )
      yield* lab.settled
      const session = yield* driver.open({ ...target, address: "10.66.0.2" })
      expect(yield* session.runningConfig).toContain("hostname moved")
      yield* session.save
      expect(device.startup()).toContain("hostname moved")
      yield* session.load({ text: "hostname same-address\n", mode: "merge", name: "job413" })
      expect(yield* session.commitAndSave("job413", 0.5)).toBe("answered")
      expect(device.startup()).toContain("hostname same-address")
    }).pipe(Effect.scoped)
  )
})

describe("connecting", () => {
  it.live("distinguishes a wrong password from everything else, with one attempt", () =>
    Effect.gen(function* () {
      const { driver, target, device } = yield* makeOneSwitch()
      const wrong = { ...target, password: Redacted.make("wrong") }
      const error = yield* Effect.flip(Effect.scoped(driver.open(wrong)))
      expect(error._tag).toBe("ConnectAuthError")
      expect(device.logins().filter(({ accepted }) => !accepted)).toHaveLength(1)
    }).pipe(Effect.scoped)
  )

  it.live("refuses a switch whose host key is not the pinned one", () =>
    Effect.gen(function* () {
      const { driver, target, device } = yield* makeOneSwitch()
      const fingerprint = yield* Effect.scoped(
        Effect.map(driver.open({ ...target, hostKey: { _tag: "learn" } }), ({ hostKey }) => hostKey)
      )
      const pinned = { ...target, hostKey: { _tag: "pin", fingerprint } } as const
      yield* Effect.scoped(driver.open(pinned))
      device.newHostKey()
      const error = yield* Effect.flip(Effect.scoped(driver.open(pinned)))
      expect(error).toMatchObject({ _tag: "HostKeyChanged", expected: fingerprint })
      yield* Effect.scoped(driver.open(target))
    }).pipe(Effect.scoped)
  )

  it.live("reports a dead address, and a connection that breaks during a load", () =>
    Effect.gen(function* () {
      const { driver, target, device } = yield* makeOneSwitch()
      const dead = yield* Effect.flip(Effect.scoped(driver.open({ ...target, port: 1 })))
      expect(dead).toMatchObject({ _tag: "ConnectionException", whileDoing: "connect" })
      const session = yield* driver.open(target)
      device.setFault({ kind: "cut", step: "load", lines: 3, times: 1 })
      const error = yield* Effect.flip(session.load({ text: change, mode: "replace", name: "job412" }))
      expect(error._tag).toBe("ConnectionException")
      expect((yield* Effect.flip(session.facts))._tag).toBe("ConnectionException")
    }).pipe(Effect.scoped)
  )

  it.live("gives up on a silent switch and does not use the session again", () =>
    Effect.gen(function* () {
      const { driver, target, device } = yield* makeOneSwitch()
      const session = yield* driver.open({ ...target, timeouts: { runningConfig: 0.3 } })
      device.setFault({ kind: "silent", step: "showRunning", times: 1 })
      const error = yield* Effect.flip(session.runningConfig)
      expect(error).toMatchObject({ _tag: "CommandTimeout", command: "show running-config" })
      expect((yield* Effect.flip(session.facts))._tag).toBe("ConnectionException")
    }).pipe(Effect.scoped)
  )

  it.live("waits when the limit of open sessions is reached", () =>
    Effect.gen(function* () {
      const { makeDriver, target, device } = yield* makeOneSwitch()
      const driver = yield* makeDriver({ maxSessions: 2, maxHandshakes: 1 })
      let most = 0
      const look = Effect.sync(() => {
        most = Math.max(most, device.connections())
      })
      const visit = Effect.scoped(Effect.andThen(driver.open({ ...target, algorithms: "legacy" }), look))
      yield* Effect.all([visit, visit, visit, visit, visit], { concurrency: "unbounded" })
      expect(most).toBeGreaterThan(0)
      expect(most).toBeLessThanOrEqual(2)
    }).pipe(Effect.scoped)
  )

  it.live("closes the connection of a failed login although the caller's scope continues", () =>
    Effect.gen(function* () {
      const { driver, target, device } = yield* makeOneSwitch()
      device.setFault({ kind: "silent", step: "other" })
      device.setFault({ kind: "silent", step: "login" })
      yield* Effect.flip(driver.open({ ...target, timeouts: { connect: 1, firstPrompt: 0.2, show: 0.2 } }))
      yield* until(() => device.connections() === 0)
    }).pipe(Effect.scoped)
  )

  it.live("leaves no connection open", () =>
    Effect.gen(function* () {
      const { driver, target, device } = yield* makeOneSwitch()
      yield* Effect.forEach([1, 2, 3], () => Effect.scoped(driver.open(target)), { concurrency: 3 })
      yield* until(() => device.connections() === 0)
    }).pipe(Effect.scoped)
  )
})
