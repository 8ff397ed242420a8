/** Whole changes of the driver on the lab's Junos: the timer, what confirms and takes back, and what other users do meanwhile. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { stableText } from "../../../src/drivers/junos/ShownText.ts"
import { personalities } from "../../../src/lab/junos/Quirks.ts"
import {
  another,
  CHECK,
  COMMIT,
  LOCK,
  meet,
  type Met,
  merge,
  NEW,
  OLD,
  pendingOf,
  replace,
  setting,
  until,
  within
} from "./OneJunosLab.ts"

/** Loads and commits with a timer, over a login that ends then. */
const push = (met: Met, text = NEW, name = "job412") =>
  within(met, (session) =>
    Effect.gen(function* () {
      const { willRun } = yield* session.load(replace(text, name))
      yield* session.commitTimed(name, 120)
      return willRun
    })
  )

describe("a commit with a timer on a simulated Junos", () => {
  it.live("is proved and confirmed over a new login", () =>
    Effect.gen(function* () {
      const met = yield* meet()
      const willRun = yield* push(met)
      expect(met.device.timer()?.session).toBe("job412")
      yield* within(met, (session) =>
        Effect.gen(function* () {
          expect(yield* pendingOf(session)).toBe("job412")
          const seen = yield* session.sessionsWhileTimed("job412", false)
          expect(seen.timer).toEqual({ _tag: "running", name: "job412" })
          expect(seen.sessions).toContainEqual({ name: "job412", state: "timed", user: "admin" })
          expect(yield* session.runningConfig).toBe(willRun)
          // the proof loads the same text again while the timer runs, and does not change the timer
          const again = yield* session.load({ ...replace(NEW, "job412-check"), despiteTimer: "job412" })
          expect([again.diff, again.willRun]).toEqual(["", willRun])
          yield* session.discard("job412-check")
          expect(met.device.timer()?.session).toBe("job412")
          expect(yield* session.confirm("job412", true)).toBe("seen")
          expect(yield* pendingOf(session)).toBeNull()
          expect((yield* session.sessionsWhileTimed("job412", true)).timer).toEqual({ _tag: "none", omitted: true })
        })
      )
      expect(met.device.timer()).toBeUndefined()
      expect(stableText(met.device.running())).toBe(willRun)
      expect(met.device.startup()).toContain("v20")
      expect(met.device.sessions()).toEqual([])
      expect(met.device.commits("job412").map(({ kind }) => kind)).toEqual(["commitTimer", "confirm"])
    }).pipe(Effect.scoped)
  )

  it.live("goes back by itself, and is not confirmed any more", () =>
    Effect.gen(function* () {
      const met = yield* meet({ minuteMs: 200 })
      yield* push(met)
      yield* until(() => met.device.timer() === undefined)
      yield* within(met, (session) =>
        Effect.gen(function* () {
          expect((yield* session.sessionsWhileTimed("job412", true)).timer).toEqual({ _tag: "none" })
          expect(yield* Effect.flip(session.confirm("job412", true))).toMatchObject({
            _tag: "CommitError",
            message: expect.stringContaining("waits no more")
          })
          expect(yield* session.runningConfig).toBe(stableText(OLD))
        })
      )
      expect(met.device.commits("job412").map(({ kind }) => kind)).toEqual(["commitTimer", "expired"])
    }).pipe(Effect.scoped)
  )

  it.live("is left to its timer when it is discarded", () =>
    Effect.gen(function* () {
      const met = yield* meet()
      yield* push(met)
      yield* within(met, ({ discard }) => discard("job412"))
      expect(met.device.timer()?.session).toBe("job412")
      expect(met.device.commits("job412").map(({ kind }) => kind)).toEqual(["commitTimer"])
    }).pipe(Effect.scoped)
  )

  it.live("is confirmed beside another user's uncommitted change, which stays uncommitted", () =>
    Effect.gen(function* () {
      const met = yield* meet()
      yield* push(met)
      const other = yield* another(met, setting("set system domain-name other.example.org"))
      yield* within(met, ({ confirm }) => confirm("job412", true))
      expect(met.device.timer()).toBeUndefined()
      expect(met.device.running()).not.toContain("other.example.org")
      expect(yield* Effect.promise(() => other.rpc(COMMIT))).toContain("commit-success")
      expect(met.device.running()).toContain("other.example.org")
      other.close()
    }).pipe(Effect.scoped)
  )

  it.live("is not confirmed while another user's change does not pass the check, and says so", () =>
    Effect.gen(function* () {
      const met = yield* meet()
      yield* push(met)
      const member = "set interfaces ge-0/0/1 unit 0 family ethernet-switching vlan members gone"
      const other = yield* another(met, setting(member))
      expect(yield* Effect.flip(within(met, ({ confirm }) => confirm("job412", true)))).toMatchObject({
        _tag: "CommitError",
        message: expect.stringContaining("does not confirm")
      })
      expect(met.device.timer()?.session).toBe("job412")
      other.close()
    }).pipe(Effect.scoped)
  )

  it.live("that another user's check has confirmed is said to wait no more", () =>
    Effect.gen(function* () {
      const met = yield* meet()
      yield* push(met)
      const other = yield* another(met, CHECK)
      other.close()
      yield* within(met, (session) =>
        Effect.gen(function* () {
          expect((yield* session.sessionsWhileTimed("job412", true)).timer).toEqual({ _tag: "none", omitted: true })
          expect((yield* Effect.flip(session.confirm("job412", true))).message).toContain("confirmed already")
        })
      )
    }).pipe(Effect.scoped)
  )

  it.live("does not outlive its device's restart, as far as is known", () =>
    Effect.gen(function* () {
      const met = yield* meet()
      yield* push(met)
      yield* met.device.reload
      yield* within(met, (session) =>
        Effect.gen(function* () {
          expect((yield* session.sessionsWhileTimed("job412", true)).timer).toEqual({ _tag: "none" })
          expect(yield* session.runningConfig).toBe(stableText(OLD))
          expect((yield* Effect.flip(session.confirm("job412", true)))._tag).toBe("CommitError")
        })
      )
    }).pipe(Effect.scoped)
  )
})

describe("another user of a simulated Junos", () => {
  it.live("whose commit waits is in the way, and named", () =>
    Effect.gen(function* () {
      const met = yield* meet()
      expect(met.device.foreignSession("uplink", 300)).toBeUndefined()
      yield* within(met, (session) =>
        Effect.gen(function* () {
          const name = "confirmed commit of operator (uplink)"
          expect(yield* pendingOf(session)).toBe(name)
          expect((yield* session.sessionsWhileTimed("job412", true)).timer).toEqual({ _tag: "running", name })
          expect(yield* Effect.flip(session.load(replace(NEW)))).toMatchObject({
            _tag: "SessionLockedException",
            session: name
          })
          expect((yield* Effect.flip(session.confirm("job412"))).message).toContain(name)
        })
      )
      expect(met.device.timer()?.session).toBe("uplink")
      expect(met.device.sessions()).toEqual([])
    }).pipe(Effect.scoped)
  )

  it.live("who holds the lock is in the way, and named", () =>
    Effect.gen(function* () {
      const met = yield* meet()
      expect(met.device.foreignSession("alice")).toBeUndefined()
      const error = yield* Effect.flip(within(met, ({ load }) => load({ ...replace(NEW), foreignSessions: "ignore" })))
      expect(error).toMatchObject({ _tag: "SessionLockedException", unopened: true })
      expect(error).toMatchObject({ session: expect.stringMatching(/^alice terminal pts\/9 \(pid \d+\)$/) })
      const polite = yield* Effect.flip(within(met, ({ load }) => load(replace(NEW))))
      expect(polite).toMatchObject({ _tag: "SessionLockedException", session: expect.stringContaining("alice") })
      expect(met.device.sessions()).toHaveLength(1)
    }).pipe(Effect.scoped)
  )

  it.live("who has changed the candidate is in the way, and keeps the change", () =>
    Effect.gen(function* () {
      const met = yield* meet({ personality: "junosUncommitted" })
      const session = yield* met.login
      expect((yield* session.sessions).sessions).toEqual([
        { name: "uncommitted changes in the candidate", state: "open", user: "" }
      ])
      const error = yield* Effect.flip(session.load({ ...replace(NEW), foreignSessions: "ignore" }))
      expect(error).toMatchObject({ _tag: "SessionLockedException", unopened: true })
      const other = yield* another(met)
      const compare = '<get-configuration compare="rollback" rollback="0" format="text"/>'
      expect(yield* Effect.promise(() => other.rpc(compare))).toContain("location somewhere")
      other.close()
    }).pipe(Effect.scoped)
  )

  it.live("with a private copy is listed, and may be in the way", () =>
    Effect.gen(function* () {
      const met = yield* meet()
      const other = yield* another(met, "<open-configuration><private/></open-configuration>")
      const session = yield* met.login
      expect((yield* session.sessions).sessions).toMatchObject([{ state: "open", user: "admin" }])
      expect((yield* Effect.flip(session.load(replace(NEW))))._tag).toBe("SessionLockedException")
      other.close()
      yield* until(() => met.device.sessions().length === 0)
      yield* session.load(replace(NEW))
    }).pipe(Effect.scoped)
  )

  it.live("cannot touch the candidate between our load and our commit", () =>
    Effect.gen(function* () {
      const met = yield* meet()
      const session = yield* met.login
      yield* session.load(replace(NEW))
      const other = yield* another(met)
      for (const body of [LOCK, setting("set system domain-name other.example.org"), CHECK, COMMIT]) {
        expect(yield* Effect.promise(() => other.rpc(body))).toContain("configuration database locked by")
      }
      other.close()
      yield* session.commitTimed("job412", 120)
      yield* session.confirm("job412")
      expect(met.device.running()).not.toContain("other.example.org")
    }).pipe(Effect.scoped)
  )
})

describe("a login that is lost", () => {
  it.live("takes its candidate with it, so that the next one begins anew", () =>
    Effect.gen(function* () {
      const met = yield* meet()
      yield* within(met, (session) => Effect.andThen(session.load(replace(NEW)), session.abandon))
      yield* until(() => met.device.sessions().length === 0)
      yield* within(met, (session) =>
        Effect.gen(function* () {
          expect((yield* session.sessions).sessions).toEqual([])
          expect((yield* Effect.flip(session.commit("job412"))).message).toContain("has ended with the login")
          yield* session.load(replace(NEW))
          yield* session.commit("job412")
        })
      )
      expect(met.device.running()).toContain("v20")
    }).pipe(Effect.scoped)
  )

  it.live("behind the commit leaves its timer, whose name the next login reads", () =>
    Effect.gen(function* () {
      const met = yield* meet()
      met.device.setFault({ kind: "cut", step: "commitTimer", when: "after", times: 1 })
      expect((yield* Effect.flip(push(met)))._tag).toBe("ConnectionException")
      yield* within(met, (session) =>
        Effect.gen(function* () {
          expect((yield* session.sessionsWhileTimed("job412", false)).timer).toEqual({
            _tag: "running",
            name: "job412"
          })
          yield* session.confirm("job412")
        })
      )
      expect(met.device.running()).toContain("v20")
    }).pipe(Effect.scoped)
  )
})

describe("a simulated Junos that answers wrongly", () => {
  it.live("ok to a commit that is not done is not believed", () =>
    Effect.gen(function* () {
      const met = yield* meet()
      met.device.setFault({ kind: "lie", step: "commitTimer", times: 1 })
      expect((yield* Effect.flip(push(met))).message).toContain("no new commit")
      expect(met.device.hostname()).toBe("sw1")
      expect(met.device.sessions()).toEqual([])
    }).pipe(Effect.scoped)
  )

  it.live("ok to a confirmation that is not done is not believed", () =>
    Effect.gen(function* () {
      const met = yield* meet()
      yield* push(met)
      met.device.setFault({ kind: "lie", step: "confirm", times: 1 })
      expect((yield* Effect.flip(within(met, ({ confirm }) => confirm("job412", true)))).message).toContain(
        "still waits"
      )
      expect(met.device.timer()?.session).toBe("job412")
    }).pipe(Effect.scoped)
  )

  it.live("one routing engine that refuses ends the login, and what runs decides", () =>
    Effect.gen(function* () {
      const met = yield* meet({ personality: "junosDualEngine" })
      met.device.setFault({ kind: "error", step: "commitTimer", message: "remote lock-configuration failed", times: 1 })
      const error = yield* Effect.flip(push(met))
      expect(error.message).toContain("remote lock-configuration failed")
      expect(stableText(met.device.running())).toBe(stableText(OLD))
      yield* until(() => met.device.sessions().length === 0)
      yield* push(met)
      yield* within(met, ({ confirm }) => confirm("job412", true))
      expect(met.device.running()).toContain("v20")
    }).pipe(Effect.scoped)
  )
})

describe("a whole change", () => {
  const cannot = new Set(["junosHiddenSecrets", "junosUncommitted"])
  for (const personality of Object.keys(personalities).filter((name) => !cannot.has(name))) {
    it.live(`is done on ${personality}`, () =>
      Effect.gen(function* () {
        const met = yield* meet({ personality })
        const session = yield* met.login
        const facts = yield* session.facts
        expect([facts.hostname, facts.os_version, facts.remarks]).toEqual(["sw1", met.device.version(), undefined])
        expect(facts.serial_number).toBe(met.device.hardware().serial)
        expect(yield* session.macTable).toBeDefined()
        const { remarks } = yield* session.load(replace(NEW))
        expect(remarks.length > 0).toBe(personality === "junosWarnings")
        yield* session.commitTimed("job412", 120)
        expect(met.device.timer()?.session).toBe("job412")
        yield* within(met, (next) =>
          Effect.gen(function* () {
            expect(yield* next.runningConfig).toBe(stableText(met.device.running()))
            const { timer } = yield* next.sessionsWhileTimed("job412", false)
            expect(timer._tag).toBe(personality === "junosOld" ? "unknown" : "running")
            expect(yield* next.confirm("job412", timer._tag === "running")).toBe(
              personality === "junosOld" ? "unseen" : "seen"
            )
          })
        )
        expect(met.device.timer()).toBeUndefined()
        expect(met.device.running()).toContain("v20")
        const refused = yield* Effect.flip(session.load(merge("set nothing here", "job413")))
        expect(refused._tag).toBe("MergeConfigException")
        expect(met.device.sessions()).toEqual([])
      }).pipe(Effect.scoped)
    )
  }
})
