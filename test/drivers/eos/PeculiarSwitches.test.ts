/** The driver's answers about sessions, commit timers and saving on unusual switches. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { DriverSession } from "../../../src/drivers/Driver.ts"
import { renderError } from "../../../src/drivers/DriverErrors.ts"
import * as LoadChecks from "../../../src/drivers/LoadChecks.ts"
import type { Fault } from "../../../src/lab/Faults.ts"
import type { Quirks } from "../../../src/lab/eos/Quirks.ts"
import { seconds } from "../../support/Patience.ts"
import { candidate, makeOneSwitch } from "./OneSwitchLab.ts"

const change = candidate("interface Ethernet2", "   description desk 2")
const request = { text: change, mode: "replace", name: "job412" } as const

const withQuirks = Effect.fnUntraced(function* (quirks: Quirks, ...faults: ReadonlyArray<Fault>) {
  const { driver, target, device } = yield* makeOneSwitch({ quirks })
  for (const fault of faults) device.setFault(fault)
  return { device, login: driver.open(target), driver }
})

const denied: Fault = { kind: "error", step: "showSessions", message: "% Authorization denied for command 'show …'" }

const commitTimed = (session: DriverSession) =>
  Effect.andThen(session.load(request), session.commitTimed("job412", 300))

describe("a commit timer", () => {
  const none = { _tag: "none" } as const
  const omitted = { _tag: "none", omitted: true } as const

  it.live.each([
    ["at its session", { timerShown: "session" }, none],
    ["at its session, which is not kept", { timerShown: "session", maxSaved: 0 }, omitted],
    ["above the sessions", { timerShown: "top" }, omitted],
    ["in the text form only", { timerShown: "text" }, omitted],
    ["in the text form, because there is no JSON", { sessionsWithoutJson: true }, omitted]
  ] as const)("that is shown %s is seen to run, and to end after its confirmation", ([, quirks, ended]) =>
    Effect.gen(function* () {
      const { device, login } = yield* withQuirks(quirks)
      const session = yield* login
      yield* commitTimed(session)
      const timed = yield* session.sessionsWhileTimed("job412", false)
      assert.deepStrictEqual(timed.timer, { _tag: "running", name: "job412" })
      assert.strictEqual(timed.sessions.find(({ name }) => name === "job412")?.state, "timed")
      assert.strictEqual(yield* session.confirm("job412"), "seen")
      assert.isUndefined(device.timer())
      assert.deepStrictEqual((yield* session.sessionsWhileTimed("job412", false)).timer, ended)
      // a new login has not seen it on its own
      const later = yield* login
      assert.deepStrictEqual((yield* later.sessionsWhileTimed("job412", false)).timer, { _tag: "unknown" })
      assert.deepStrictEqual((yield* later.sessionsWhileTimed("job412", true)).timer, omitted)
    }).pipe(Effect.scoped)
  )

  it.live.each([
    ["at its session", { timerShown: "session" }],
    ["above the sessions", { timerShown: "top" }],
    ["in the text form only", { timerShown: "text" }],
    ["in the text form, because there is no JSON", { sessionsWithoutJson: true }]
  ] as const)("that was shown %s and is gone is unknown while its session is not shown as committed", ([, quirks]) =>
    Effect.gen(function* () {
      const { device, login } = yield* withQuirks(quirks, { kind: "confirmIgnored" })
      const session = yield* login
      yield* commitTimed(session)
      assert.strictEqual(yield* session.confirm("job412"), "seen")
      assert.isDefined(device.timer())
      assert.deepStrictEqual((yield* session.sessionsWhileTimed("job412", true)).timer, { _tag: "unknown" })
    }).pipe(Effect.scoped)
  )

  it.live.each([
    ["shown nowhere", { timerShown: "never" }, []],
    ["not to be asked for", {}, [denied]],
    ["not there although it was ordered", {}, [{ kind: "noTimer" }]]
  ] as const)("that is %s is unknown, and confirmed in spite of that", ([, quirks, faults]) =>
    Effect.gen(function* () {
      const { device, login } = yield* withQuirks(quirks, ...faults)
      const session = yield* login
      yield* commitTimed(session)
      assert.deepStrictEqual((yield* session.sessionsWhileTimed("job412", false)).timer, { _tag: "unknown" })
      assert.strictEqual(yield* session.confirm("job412"), "unseen")
      assert.isUndefined(device.timer())
      assert.include(device.running(), "desk 2")
    }).pipe(Effect.scoped)
  )

  it.live("is not read from a list that we may not see, and neither is an open session", () =>
    Effect.gen(function* () {
      const { device, login } = yield* withQuirks({}, denied)
      device.foreignSession("operator", 300)
      const session = yield* login
      const found = yield* session.sessions
      assert.deepInclude(found, { isListed: false, sessions: [], timer: { _tag: "unknown" } })
      const refused = yield* Effect.flip(Effect.andThen(session.load(request), session.commitTimed("job412", 300)))
      assert.strictEqual(refused._tag, "CommitError")
      assert.strictEqual(device.timer()?.session, "operator")
    }).pipe(Effect.scoped)
  )

  it.live("is requested in the other form when one form is refused once", () =>
    Effect.gen(function* () {
      const { device, login } = yield* withQuirks({})
      const session = yield* login
      yield* commitTimed(session)
      device.setFault({ kind: "error", step: "showSessions", message: "% Internal error", times: 1 })
      assert.deepStrictEqual((yield* session.sessions).timer, { _tag: "running", name: "job412" })
    }).pipe(Effect.scoped)
  )
})

describe("a switch that is busy", () => {
  const busy = (step: "commitTimer" | "confirm", times: number, message: string): Fault => ({
    kind: "error",
    step,
    message,
    times
  })

  it.live.each([
    ["commitTimer", "% ConfigAgent is busy, please try again"],
    ["commitTimer", "% Another commit is in progress"],
    ["confirm", "% Configuration session commit in progress, try again later"]
  ] as const)("is given its %s again after %s", ([step, message]) =>
    Effect.gen(function* () {
      const { device, login } = yield* withQuirks({}, busy(step, 1, message))
      const session = yield* login
      yield* commitTimed(session)
      assert.strictEqual(yield* session.confirm("job412"), "seen")
      assert.isUndefined(device.timer())
      assert.include(device.running(), "desk 2")
    }).pipe(Effect.scoped)
  )

  it.live("has refused the commit when it is still busy afterwards", () =>
    Effect.gen(function* () {
      const { device, login } = yield* withQuirks({}, busy("commitTimer", 9, "% ConfigAgent is busy"))
      const error = yield* Effect.flip(commitTimed(yield* login))
      assert.strictEqual(error._tag, "CommitError")
      assert.notInclude(device.running(), "desk 2")
      assert.strictEqual(device.commands().filter(({ command }) => command.includes("commit timer")).length, 3)
    }).pipe(Effect.scoped)
  )
})

describe("the settings of sessions", () => {
  it.live.each([
    ["JSON", {}],
    ["text", { sessionsWithoutJson: true }]
  ] as const)("are read from %s", ([, form]) =>
    Effect.gen(function* () {
      const quirks = { ...form, savesAtCommit: true, mergesAtCommit: true, maxPending: 1, maxSaved: 20 }
      const { driver, login } = yield* withQuirks(quirks)
      const sessions = yield* (yield* login).sessions
      assert.deepStrictEqual(sessions.limits, { maxOpen: 1, maxSaved: 20, mergesAtCommit: true, savesAtCommit: true })
      const habits = { savesAtCommit: true, mergesAtCommit: true }
      assert.deepStrictEqual(driver.commitHabits(sessions, []), habits)
    }).pipe(Effect.scoped)
  )

  it.live("are read from configurations if the list does not contain them", () =>
    Effect.gen(function* () {
      const { driver, login } = yield* withQuirks({}, denied)
      const sessions = yield* (yield* login).sessions
      const none = { savesAtCommit: false, mergesAtCommit: false }
      assert.deepStrictEqual(driver.commitHabits(sessions, [change]), none)
      const merge = "!\nservice configuration session commit merge\n"
      const save = "!\nservice configuration session commit save startup-config\n!\n"
      const all = { savesAtCommit: true, mergesAtCommit: true }
      assert.deepStrictEqual(driver.commitHabits(sessions, [merge, save]), all)
    }).pipe(Effect.scoped)
  )
})

describe("a switch that allows configuration in sessions only", () => {
  it.live("gives the reason why a boot image cannot be set", () =>
    Effect.gen(function* () {
      const { login } = yield* withQuirks({ terminalDisabled: true })
      const { firmware } = yield* login
      assert.isNotNull(firmware)
      const error = yield* Effect.flip(firmware?.activate("EOS-4.31.4M.swi") ?? Effect.void)
      assert.match(error?.message ?? "", /^Firmware not activated: acc-b2-01 does not allow "configure terminal"/)
    }).pipe(Effect.scoped)
  )
})

describe("saving", () => {
  const unknown: Quirks = { withoutRunningDiffs: true }

  it.live("is proved by the startup configuration if the switch cannot show a diff", () =>
    Effect.gen(function* () {
      const { device, login } = yield* withQuirks(unknown)
      device.configure("vlan 77\n")
      yield* (yield* login).save
      assert.include(device.startup(), "vlan 77")
      assert.include(
        device.commands().map(({ command }) => command),
        "show startup-config"
      )
    }).pipe(Effect.scoped)
  )

  it.live.each([
    ["the switch only says so", { saveLies: true }, "its startup configuration is not the running one"],
    ["it only says so and cannot show what differs", { ...unknown, saveLies: true }, "is not the running one"]
  ] as const)("is not believed when %s", ([, quirks, message]) =>
    Effect.gen(function* () {
      const { device, login } = yield* withQuirks(quirks)
      device.configure("vlan 77\n")
      assert.include((yield* Effect.flip((yield* login).save)).message, message)
    }).pipe(Effect.scoped)
  )

  it.live("is not proved if neither the diff nor the startup configuration is shown", () =>
    Effect.gen(function* () {
      const { login } = yield* withQuirks({}, { kind: "error", step: "show", message: "% Authorization denied" })
      assert.include((yield* Effect.flip((yield* login).save)).message, "it cannot be seen what the switch starts with")
    }).pipe(Effect.scoped)
  )
})

describe("other people's open sessions", () => {
  const old: Quirks = { foreignSessions: [{ name: "cfg-4711-1", age: 86_400 }] }
  const load = { ...request, foreignSessions: 0 } as const

  it.live.each([
    ["in JSON", {}],
    ["as text", { sessionsWithoutJson: true }]
  ] as const)("that are old are passed by, and named, when they are listed %s", ([, form]) =>
    Effect.gen(function* () {
      const { login } = yield* withQuirks({ ...old, ...form })
      assert.deepInclude(yield* (yield* login).load(load), { otherSessions: ["cfg-4711-1"] })
    }).pipe(Effect.scoped)
  )

  it.live("are named, and not ours, when the switch opens no further session beside them", () =>
    Effect.gen(function* () {
      const { login } = yield* withQuirks({ ...old, maxPending: 1 })
      const error = yield* Effect.flip((yield* login).load(load))
      assert.deepInclude(error, { _tag: "SessionLockedException", session: "cfg-4711-1" })
      assert.match(renderError(error), /configuration session cfg-4711-1; .*\nSessionLockedException: % Maximum number/)
    }).pipe(Effect.scoped)
  )

  it.live("are not made up when the switch opens no session and lists none", () =>
    Effect.gen(function* () {
      const { login } = yield* withQuirks({ maxPending: 0 })
      const error = yield* Effect.flip((yield* login).load(load))
      assert.strictEqual(error._tag, "SessionLockedException")
      assert.notInclude(renderError(error), "job412")
    }).pipe(Effect.scoped)
  )

  it.live("block a load while they may be in use, also in a later login", () =>
    Effect.gen(function* () {
      const { device, login } = yield* withQuirks({})
      device.foreignSession("operator")
      const refused = Effect.flatMap(login, (session) => Effect.flip(session.load(load))).pipe(Effect.scoped)
      assert.strictEqual((yield* refused)._tag, "SessionLockedException")
      assert.strictEqual((yield* refused)._tag, "SessionLockedException")
    }).pipe(Effect.scoped)
  )

  it.live("all block a load if the site wants that", () =>
    Effect.gen(function* () {
      const { login } = yield* Effect.provide(withQuirks(old), LoadChecks.foreignSessionsLayer("wait"))
      const error = yield* Effect.flip((yield* login).load(load))
      assert.deepInclude(error, { _tag: "SessionLockedException", session: "cfg-4711-1" })
    }).pipe(Effect.scoped)
  )

  const now = 1_000_000_000
  const open = { name: "operator", state: "open", user: "", attended: true } as const
  const ways = (rule: LoadChecks.ForeignSessionRule, ...later: ReadonlyArray<number>) => {
    const { inTheWay } = LoadChecks.makeForeignSessions(rule)
    return later.map((millis) => inTheWay("acc1", [open], now + millis).length)
  }

  it("are old two minutes after they were first seen", () => {
    assert.deepStrictEqual(ways("ignore-old", 0, 119_999, 120_000), [1, 1, 0])
    assert.deepStrictEqual(ways("wait", 0, 120_000), [1, 1])
  })

  it("are old at once when the switch says so, or when no user is in them", () => {
    const { inTheWay } = LoadChecks.makeForeignSessions("ignore-old")
    const since = (millis: number) => inTheWay("acc1", [{ ...open, since: now - millis }], now).length
    assert.deepStrictEqual([since(119_000), since(121_000), since(-3_600_000)], [1, 0, 1])
    assert.deepStrictEqual(inTheWay("acc1", [{ ...open, attended: false }], now), [])
  })

  it("are new again after they have ended, on each device separately, and those of jobs are never old", () => {
    const { inTheWay } = LoadChecks.makeForeignSessions("ignore-old")
    inTheWay("acc1", [open], now)
    assert.strictEqual(inTheWay("acc2", [open], now + seconds(300)).length, 1)
    inTheWay("acc1", [], now + 1)
    assert.strictEqual(inTheWay("acc1", [open], now + 130_000).length, 1)
    assert.strictEqual(inTheWay("acc1", [{ ...open, name: "job7", attended: false }], now).length, 1)
  })
})
