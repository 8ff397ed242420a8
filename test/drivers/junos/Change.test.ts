/** Changes of Junos, on a server that also answers wrongly: nothing counts as done because the device says so. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { DriverSession, LoadRequest } from "../../../src/drivers/Driver.ts"
import { type Answers, limits, NEW, OLD, refusing, rollBack, scriptedJunos } from "./ScriptedJunos.ts"

const request: LoadRequest = { text: NEW, mode: "replace", name: "job7", foreignSessions: 0, readBack: true, runs: OLD }

const onDevice = <A, E>(
  answers: Answers,
  test: (device: Effect.Success<ReturnType<typeof scriptedJunos>>, session: DriverSession) => Effect.Effect<A, E, never>
) =>
  Effect.gen(function* () {
    const device = yield* scriptedJunos(answers)
    return yield* test(device, yield* device.login)
  }).pipe(Effect.scoped, limits)

/** The requests from the first one that changes something. */
const fromLock = (asked: ReadonlyArray<string>): ReadonlyArray<string> => asked.slice(asked.indexOf("lock"))

/** What a device may say to a load, or show of it, so that nothing of it can be promised. */
const unclearLoads: ReadonlyArray<readonly [string, Answers]> = [
  ["an answer to the load that says nothing", { "load-configuration": () => "<load-configuration-results/>" }],
  [
    "a count of errors without one",
    {
      "load-configuration": () =>
        "<load-configuration-results><load-error-count>2</load-error-count><ok/></load-configuration-results>"
    }
  ],
  [
    "a candidate whose secrets are hidden",
    { candidate: () => "<configuration-text>system {\n    /* SECRET-DATA */;\n}\n</configuration-text>" }
  ],
  [
    "a candidate that is cut off",
    { candidate: () => "<configuration-text>system {\n    host-name new;\n</configuration-text>" }
  ]
]

describe("a change of Junos", () => {
  it.live("is loaded as a whole, read back, checked, committed for whole minutes, and confirmed by another login", () =>
    onDevice({}, ({ login, state }, session) =>
      Effect.gen(function* () {
        expect(yield* session.load(request)).toEqual({ diff: "", willRun: NEW, remarks: [] })
        expect(fromLock(state.asked)).toEqual([
          "lock",
          "get-commit-information",
          "load-configuration",
          "candidate",
          "check"
        ])
        expect(state.bodies.find((body) => body.startsWith("<load-"))).toContain('action="update" format="text"')
        yield* session.commitTimed("job7", 120)
        expect(state.bodies.find((body) => body.startsWith("<commit-configuration><conf"))).toBe(
          "<commit-configuration><confirmed/><confirm-timeout>2</confirm-timeout><log>job7</log></commit-configuration>"
        )
        const other = yield* login
        expect(yield* other.runningConfig).toBe(NEW)
        const seen = yield* other.sessionsWhileTimed("job7", false)
        expect(seen).toMatchObject({ timer: { _tag: "running", name: "job7" } })
        expect(yield* other.confirm("job7", true, seen)).toBe("seen")
        expect(state.asked.slice(-4)).toEqual(["lock", "check", "unlock", "get-commit-information"])
        expect((yield* other.sessionsWhileTimed("job7", true)).timer).toEqual({ _tag: "none", omitted: true })
        expect(state.running).toBe(NEW)
      }).pipe(Effect.scoped)
    )
  )

  it.live("is refused for an error beside ok, with its line, and discarded under the lock", () =>
    onDevice(
      {
        "load-configuration": () =>
          `<load-configuration-results>${refusing("syntax error", "<error-path>[edit system]</error-path><error-info><bad-element>host-name</bad-element></error-info>")}${refusing("error recovery ignores input until this point", "<error-info><bad-element>}</bad-element></error-info>")}<ok/></load-configuration-results>`
      },
      ({ state }, session) =>
        Effect.gen(function* () {
          expect(yield* Effect.flip(session.load(request))).toMatchObject({
            _tag: "ReplaceConfigException",
            rejected: [
              { lineNumber: 2, line: "    host-name new;", path: "[edit system]", answer: "syntax error: host-name" }
            ]
          })
          expect(state.asked.slice(-3)).toEqual(["load-configuration", "discard-changes", "unlock"])
          expect(yield* Effect.flip(session.commitTimed("job7", 120))).toMatchObject({ _tag: "CommitError" })
          expect(state.asked).not.toContain("commit-configuration")
        })
    )
  )

  it.live("is refused by the check of what was loaded, in the older form of errors, too", () =>
    onDevice(
      {
        check: () =>
          '<commit-results><xnm:error xmlns:xnm="http://xml.juniper.net/xnm/1.1/xnm"><edit-path>[edit system]</edit-path><message>Missing mandatory statement: root-authentication</message></xnm:error></commit-results>'
      },
      ({ state }, session) =>
        Effect.gen(function* () {
          expect(yield* Effect.flip(session.load(request))).toMatchObject({
            _tag: "ReplaceConfigException",
            rejected: [
              { lineNumber: null, path: "[edit system]", answer: "Missing mandatory statement: root-authentication" }
            ]
          })
          expect(state.candidate).toBe(OLD)
        })
    )
  )

  it.live("keeps warnings as remarks, such as the demand for a restart", () =>
    onDevice(
      {
        "load-configuration": (state) => {
          state.candidate = NEW
          return `<load-configuration-results>${refusing("reboot is required", "", "warning")}<ok/></load-configuration-results>`
        }
      },
      (_, session) =>
        Effect.gen(function* () {
          expect((yield* session.load(request)).remarks).toEqual([
            { lineNumber: null, line: "", answer: "reboot is required" }
          ])
        })
    )
  )

  it.live("of a device with an ephemeral database is remarked: it may run more than it shows", () =>
    onDevice({}, (_, session) =>
      Effect.gen(function* () {
        const text =
          "system {\n    configuration-database {\n        ephemeral {\n            instance fast;\n        }\n    }\n}\n"
        expect((yield* session.load({ ...request, text })).remarks).toMatchObject([
          { path: "[edit system configuration-database]", answer: expect.stringContaining("ephemeral database") }
        ])
      })
    )
  )

  it.live.each(unclearLoads)("is not promised after %s", ([, answers]) =>
    onDevice(answers, ({ state }, session) =>
      Effect.gen(function* () {
        expect(yield* Effect.flip(session.load(request))).toMatchObject({ _tag: "UnexpectedAnswer" })
        expect(state.asked.slice(-2)).toEqual(["discard-changes", "unlock"])
      })
    )
  )

  it.live("a difference that the answer does not have is no empty one", () =>
    onDevice({ compare: () => "<configuration-information/>" }, (_, session) =>
      Effect.gen(function* () {
        expect(yield* Effect.flip(session.sessions)).toMatchObject({ _tag: "UnexpectedAnswer" })
      })
    )
  )

  it.live("is merged with the rest, and set lines are only ever merged", () =>
    onDevice({}, ({ state }, session) =>
      Effect.gen(function* () {
        yield* session.load({ ...request, mode: "merge" })
        expect(state.bodies.find((body) => body.startsWith("<load-"))).toContain('action="merge" format="text"')
        yield* session.discard("job7")
        const lines = "set system host-name new\n"
        expect(yield* Effect.flip(session.load({ ...request, text: lines }))).toMatchObject({
          _tag: "ReplaceConfigException"
        })
        yield* session.load({ ...request, text: lines, mode: "merge" })
        expect(state.bodies.findLast((body) => body.startsWith("<load-"))).toContain("<configuration-set>set system")
      })
    )
  )
})

describe("other users of Junos", () => {
  const waits = { user: "alice", client: "cli", at: 1500, log: "fix the uplink", minutes: 10, isPending: true }

  it.live("whose commit waits are in the way and named, and nothing is locked or checked", () =>
    onDevice({}, ({ state }, session) =>
      Effect.gen(function* () {
        state.history.unshift(waits)
        expect(yield* Effect.flip(session.load(request))).toMatchObject({
          _tag: "SessionLockedException",
          session: "confirmed commit of alice (fix the uplink)"
        })
        expect(state.asked).not.toContain("lock")
        expect(state.asked).not.toContain("check")
      })
    )
  )

  it.live("whose commit came just before our lock are in the way, too", () =>
    onDevice(
      {
        lock: (state) => {
          state.history.unshift({ ...waits })
          return "<ok/>"
        }
      },
      ({ state }, session) =>
        Effect.gen(function* () {
          expect(yield* Effect.flip(session.load(request))).toMatchObject({ _tag: "SessionLockedException" })
          expect(fromLock(state.asked)).toEqual(["lock", "get-commit-information", "discard-changes", "unlock"])
          expect(state.history[0]?.isPending).toBe(true)
        })
    )
  )

  const alice =
    '<database-status-information><database-status><user>alice</user><terminal>pts/0</terminal><pid>4711</pid><start-time seconds="1000">then</start-time></database-status><database-status><user>switch</user><terminal></terminal><pid>4</pid></database-status></database-status-information>'

  it.live.each([
    [
      "that holds the lock",
      "configuration database locked by:\n  alice terminal p0 (pid 4711) on since 2026-03-02 10:00:00 UTC\n      exclusive [edit]",
      "alice terminal p0 (pid 4711)"
    ],
    [
      "with changes",
      "configuration database modified",
      "uncommitted changes in the candidate, edited by alice terminal pts/0 (pid 4711)"
    ]
  ] as const)("one %s is named, and keeps what is in the candidate", ([, message, session]) =>
    onDevice({ lock: () => refusing(message), "get-database-status-information": () => alice }, ({ state }, login) =>
      Effect.gen(function* () {
        expect(yield* Effect.flip(login.load({ ...request, foreignSessions: "ignore" }))).toMatchObject({
          _tag: "SessionLockedException",
          session,
          unopened: true
        })
        yield* login.discard("job7")
        expect(state.asked).not.toContain("discard-changes")
      })
    )
  )

  it.live("and uncommitted changes are listed, without our own login", () =>
    onDevice({ "get-database-status-information": () => alice }, ({ state }, session) =>
      Effect.gen(function* () {
        state.candidate = NEW
        expect((yield* session.sessions).sessions).toEqual([
          { name: "alice terminal pts/0 (pid 4711)", state: "open", user: "alice", since: 1_000_000 },
          { name: "uncommitted changes in the candidate", state: "open", user: "alice" }
        ])
      })
    )
  )
})

describe("a commit of Junos", () => {
  const loaded = (answers: Answers, test: Parameters<typeof onDevice>[1]) =>
    onDevice(answers, (device, session) => Effect.andThen(session.load(request), test(device, session)))

  it.live("that is answered with ok and is in no history is none", () =>
    loaded({ "commit-configuration": () => "<ok/>" }, ({ state }, session) =>
      Effect.gen(function* () {
        expect(yield* Effect.flip(session.commitTimed("job7", 120))).toMatchObject({
          _tag: "CommitError",
          message: "the device answers that it has committed, but its history has no new commit"
        })
        expect(state.candidate).toBe(OLD)
      })
    )
  )

  it.live.each([
    ["by one routing engine of two", (answer: string) => `${answer}${refusing("re1: commit failed")}`, false],
    ["but is in the history", () => refusing("timeout of a daemon"), true],
    ["without a word", () => "<data/>", true],
    ["in broken XML", () => "<commit-results><output>", false]
  ] as const)("that is refused %s is unclear: the login ends", ([, altered, isKept]) =>
    Effect.gen(function* () {
      const device = yield* scriptedJunos()
      const session = yield* device.login
      yield* session.load(request)
      device.answers["commit-configuration"] = (state) => {
        const at = (state.now += 1)
        if (isKept)
          state.history.unshift({ user: "switch", client: "netconf", at, log: "job7", minutes: 2, isPending: true })
        return altered(
          "<commit-results><routing-engine><name>re0</name><commit-success/></routing-engine></commit-results>"
        )
      }
      expect(yield* Effect.flip(session.commitTimed("job7", 120))).toMatchObject({ _tag: "ConnectionException" })
      expect((yield* Effect.flip(session.runningConfig))._tag).toMatch(/ConnectionException|UnexpectedAnswer/)
    }).pipe(Effect.scoped, limits)
  )

  it.live("that was answered counts, whatever becomes of its login afterwards", () =>
    loaded(
      {
        "commit-configuration": (state) => {
          const at = (state.now += 1)
          state.history.unshift({ user: "switch", client: "netconf", at, log: "job7", minutes: 2, isPending: true })
          return "<commit-results><routing-engine><name>re0</name><commit-success/></routing-engine></commit-results>"
        }
      },
      ({ answers }, session) =>
        Effect.gen(function* () {
          answers["get-commit-information"] = () => "<commit-information>"
          yield* session.commitTimed("job7", 120)
          expect((yield* Effect.flip(session.runningConfig))._tag).toMatch(/ConnectionException|UnexpectedAnswer/)
        })
    )
  )

  it.live("that was taken back before it could be looked for was one all the same", () =>
    Effect.gen(function* () {
      const device = yield* scriptedJunos()
      const session = yield* device.login
      yield* session.load(request)
      device.answers["get-route-engine-information"] = () => refusing("syntax error")
      device.answers["commit-configuration"] = (state) => {
        const at = (state.now += 1)
        state.history.unshift({ user: "switch", client: "netconf", at, log: "job7", minutes: 2, isPending: true })
        rollBack(state)
        return "<commit-results><routing-engine><name>re0</name><commit-success/></routing-engine></commit-results>"
      }
      yield* session.commitTimed("job7", 120)
      expect(device.state.asked.at(-1)).toBe("unlock")
      expect((yield* session.sessionsWhileTimed("job7", false)).timer).toEqual({ _tag: "none" })
    }).pipe(Effect.scoped, limits)
  )

  it.live("that is refused leaves nothing behind", () =>
    loaded({ "commit-configuration": () => refusing("configuration check-out failed") }, ({ state }, session) =>
      Effect.gen(function* () {
        expect(yield* Effect.flip(session.commit("job7"))).toMatchObject({
          _tag: "CommitError",
          message: "configuration check-out failed"
        })
        expect(state.candidate).toBe(OLD)
        expect(state.asked.slice(-2)).toEqual(["discard-changes", "unlock"])
      })
    )
  )

  it.live("is one of both routing engines, unless the configuration says so itself", () =>
    Effect.gen(function* () {
      const two = "<route-engine><slot>0</slot></route-engine><route-engine><slot>1</slot></route-engine>"
      const device = yield* scriptedJunos({
        "get-route-engine-information": () => `<route-engine-information>${two}</route-engine-information>`
      })
      const session = yield* device.login
      yield* session.load(request)
      yield* session.commit("job7")
      expect(device.state.bodies.findLast((body) => body.startsWith("<commit-"))).toBe(
        "<commit-configuration><synchronize/><log>job7</log></commit-configuration>"
      )
      yield* session.load({ ...request, text: "system {\n    commit synchronize;\n}\n" })
      yield* session.commit("job7")
      expect(device.state.bodies.findLast((body) => body.startsWith("<commit-"))).toBe(
        "<commit-configuration><log>job7</log></commit-configuration>"
      )
    }).pipe(Effect.scoped, limits)
  )

  it.live("that waits is left to its timer by a discard", () =>
    loaded({}, ({ login, state }, session) =>
      Effect.gen(function* () {
        yield* session.commitTimed("job7", 120)
        const before = state.asked.length
        yield* (yield* login).discard("job7")
        expect(state.asked.length).toBe(before)
      }).pipe(Effect.scoped)
    )
  )

  it.live("that waits is not confirmed by a second load, which is compared and discarded", () =>
    loaded({}, ({ login, state }, session) =>
      Effect.gen(function* () {
        yield* session.commitTimed("job7", 120)
        const other = yield* login
        state.asked.length = 0
        const again = yield* other.load({
          text: NEW,
          mode: "replace",
          name: "job7-check",
          despiteTimer: "job7",
          foreignSessions: "ignore"
        })
        expect(again).toMatchObject({ diff: "", willRun: NEW })
        yield* other.discard("job7-check")
        expect(state.asked).not.toContain("check")
        expect(state.history[0]?.isPending).toBe(true)
      }).pipe(Effect.scoped)
    )
  )
})

describe("a confirmation of Junos", () => {
  const committed = (test: Parameters<typeof onDevice>[1]) =>
    onDevice({}, (device, session) =>
      session
        .load(request)
        .pipe(
          Effect.andThen(session.commitTimed("job7", 120)),
          Effect.andThen(Effect.sync(() => (device.state.asked.length = 0))),
          Effect.andThen(test(device, session))
        )
    )

  it.live("is not sent for a commit that was taken back", () =>
    committed(({ state }, session) =>
      Effect.gen(function* () {
        rollBack(state)
        expect(yield* Effect.flip(session.confirm("job7", true))).toMatchObject({ _tag: "CommitError" })
        expect(state.asked).toEqual(["get-commit-information"])
        expect((yield* session.sessionsWhileTimed("job7", true)).timer).toEqual({ _tag: "none" })
      })
    )
  )

  it.live("is not sent while another user's commit waits", () =>
    committed(({ state }, session) =>
      Effect.gen(function* () {
        state.history.unshift({ user: "alice", client: "cli", at: 9000, log: "", minutes: 5, isPending: true })
        expect(yield* Effect.flip(session.confirm("job7", true))).toMatchObject({
          _tag: "CommitError",
          message: "another commit waits: confirmed commit of alice"
        })
        expect(state.asked).not.toContain("check")
        // alice's rollback may take ours back, too
        expect(yield* session.sessionsWhileTimed("job7", true)).toMatchObject({ timer: { _tag: "unknown" } })
      })
    )
  )

  it.live("that came too late is none, although the device answers the check", () =>
    committed(({ answers, state }, session) =>
      Effect.gen(function* () {
        const seen = yield* session.sessionsWhileTimed("job7", true)
        answers["check"] = () => {
          rollBack(state)
          return "<ok/>"
        }
        expect(yield* Effect.flip(session.confirm("job7", true, seen))).toMatchObject({
          _tag: "CommitError",
          message: "it was taken back before it could be confirmed"
        })
      })
    )
  )

  it.live("is none while the commit still waits, and none where the candidate of another user is refused", () =>
    committed(({ answers, state }, session) =>
      Effect.gen(function* () {
        answers["check"] = () => "<ok/>"
        expect(yield* Effect.flip(session.confirm("job7", true))).toMatchObject({
          _tag: "CommitError",
          message: "the device answers the check, but the commit still waits"
        })
        answers["lock"] = () => refusing("configuration database modified")
        answers["check"] = () => refusing("configuration check-out failed")
        expect(yield* Effect.flip(session.confirm("job7", true))).toMatchObject({
          _tag: "CommitError",
          message: expect.stringContaining("configuration check-out failed")
        })
        expect(state.asked.filter((word) => word === "commit-configuration")).toEqual([])
        expect(state.history[0]?.isPending).toBe(true)
      })
    )
  )

  it.live("is unseen on a release that does not show whether the commit waits", () =>
    committed(({ state }, session) =>
      Effect.gen(function* () {
        for (const entry of state.history) entry.isPending = false
        expect((yield* session.sessionsWhileTimed("job7", false)).timer).toEqual({ _tag: "unknown" })
        expect(yield* session.confirm("job7", false)).toBe("unseen")
        expect(state.asked).toContain("check")
        // the commit is still the newest long after it should have been taken back
        state.now += 3600
        expect((yield* session.sessionsWhileTimed("job7", false)).timer).toEqual({ _tag: "none" })
      })
    )
  )
})
