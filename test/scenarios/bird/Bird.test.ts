import { expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import type { DriverTarget } from "../../../src/drivers/Driver.ts"
import * as Bird from "../../support/Bird.ts"
import * as BirdDriver from "./BirdDriver.ts"
import { birdc, type Outcome, old, play, untilUndone, wanted } from "./BirdScene.ts"

const done: Partial<Outcome> = { runs: "new", startsWith: "new", says: "done", left: [] }
const untouched: Partial<Outcome> = { runs: "old", startsWith: "old", says: "old", left: [] }

Bird.describeBird("a change of a BIRD", () => {
  it.live("is proved, confirmed and saved", () =>
    Effect.gen(function* () {
      expect(yield* play()).toMatchObject(done)
    })
  )

  it.live("leaves nothing behind when it was a dry run", () =>
    Effect.gen(function* () {
      expect(yield* play(undefined, wanted, true)).toMatchObject({ ...untouched, says: "done" })
    })
  )

  it.live("is refused with the line that is wrong", () =>
    Effect.gen(function* () {
      const outcome = yield* play(undefined, wanted.replace("route ", "rout "))
      expect(outcome).toMatchObject(untouched)
      expect(outcome.failure).toMatch(/rout 10\.2\.0\.0\/16 blackhole;[^]*ReplaceConfigException: .* at line 5\n$/)
    })
  )

  it.live("that nobody could confirm is taken back by BIRD itself, and the job says so", () =>
    Effect.gen(function* () {
      const outcome = yield* play({
        after: "commitTimed",
        happens: (bird) => Effect.andThen(bird.cut, Effect.andThen(untilUndone(bird, "control.away"), bird.mend))
      })
      expect(outcome).toMatchObject(untouched)
      expect(outcome.failure).toContain("CommitError: ")
    })
  )

  it.live("that somebody else undoes before it is confirmed is reported as undone", () =>
    Effect.gen(function* () {
      const outcome = yield* play({ after: "commitTimed", happens: (bird) => birdc(bird, "configure undo") })
      expect(outcome).toMatchObject(untouched)
      expect(outcome.failure).toContain("CommitError: ")
    })
  )

  it.live("goes on after a restart of BIRD that came before the commit", () =>
    Effect.gen(function* () {
      expect(yield* play({ after: "load", happens: (bird) => Effect.andThen(bird.kill, bird.start) })).toMatchObject(
        done
      )
    })
  )

  for (const after of ["commitTimed", "confirm"] as const) {
    it.live(`ends old when BIRD is killed after ${after} and starts with what it had saved`, () =>
      Effect.gen(function* () {
        const outcome = yield* play({ after, happens: (bird) => Effect.andThen(bird.kill, bird.start) })
        expect(outcome).toMatchObject(untouched)
        expect(outcome.failure).toContain("CommitError: ")
      })
    )
  }

  it.live("is no success when BIRD runs something that does not say what it is", () =>
    Effect.gen(function* () {
      const outcome = yield* play({
        after: "commitTimed",
        happens: (bird) => birdc(bird, `configure "${bird.folder}/stranger.conf"`)
      })
      expect(outcome).toMatchObject({ runs: "neither", startsWith: "old", says: "unclear" })
    })
  )
})

Bird.describeBird("a timed commit of a BIRD", () => {
  it.live("is undone at once when it is discarded, and a second one beside it is refused", () =>
    Effect.gen(function* () {
      const start = BirdDriver.marked("start", old)
      const bird = yield* Bird.make({ "bird.conf": start.text, [`${start.mark}.conf`]: start.text })
      const driver = yield* BirdDriver.make(bird.folder)
      const password = Redacted.make("none")
      const target: DriverTarget = {
        hostname: "bird1",
        address: "127.0.0.1",
        username: "none",
        password,
        hostKey: { _tag: "accept" }
      }
      const session = yield* driver.open(target)
      const request = { text: wanted, mode: "replace", name: "job1" } as const
      expect((yield* session.load(request)).diff).toContain("+  route 10.2.0.0/16 blackhole;")
      yield* session.commitTimed("job1", 300)
      expect(yield* session.runningConfig).toBe(`${wanted}\n`)
      expect((yield* session.sessions).timer).toEqual({ _tag: "running", name: "job1" })
      expect((yield* Effect.flip(session.load({ ...request, name: "job2" })))._tag).toBe("SessionLockedException")
      expect((yield* Effect.flip(session.commit("job1")))._tag).toBe("CommitError")
      yield* session.discard("job1")
      expect(yield* session.runningConfig).toBe(`${old}\n`)
      expect((yield* session.sessions).timer).toEqual({ _tag: "none" })
      expect((yield* Effect.flip(session.confirm("job1")))._tag).toBe("CommitError")
      // what a small driver leaves out
      expect((yield* Effect.flip(session.lldp))._tag).toBe("CommandRejected")
      expect((yield* Effect.flip(session.commitAndSave("job1", 1)))._tag).toBe("CommitError")
    }).pipe(Effect.scoped)
  )
})
