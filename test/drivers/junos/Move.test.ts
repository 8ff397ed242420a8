/** The commit of Junos that moves a new switch to another address: under its timer, with what the history says of it afterwards. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { DriverSession, LoadRequest } from "../../../src/drivers/Driver.ts"
import { offered } from "../../../src/drivers/Verbs.ts"
import { type Answers, commit, limits, NEW, OLD, refusing, rollBack, scriptedJunos } from "./ScriptedJunos.ts"

const request: LoadRequest = { text: NEW, mode: "replace", name: "job7", foreignSessions: 0, readBack: true, runs: OLD }

/** A device with a loaded candidate, and the verbs of the login that has loaded it. */
const loaded = <A, E>(
  answers: Answers,
  test: (
    device: Effect.Success<ReturnType<typeof scriptedJunos>>,
    session: DriverSession,
    move: NonNullable<DriverSession["move"]>
  ) => Effect.Effect<A, E, never>
) =>
  Effect.gen(function* () {
    const device = yield* scriptedJunos(answers)
    const session = yield* device.login
    yield* session.load(request)
    return yield* test(device, session, yield* offered(session, "move", "sw1"))
  }).pipe(Effect.scoped, limits)

describe("a commit of Junos that moves the device", () => {
  it.live("waits for its minutes, and stays when another login has confirmed it", () =>
    loaded({}, ({ login, state }, _, move) =>
      Effect.gen(function* () {
        expect(yield* move.state("job7")).toBe("absent")
        state.asked.length = 0
        expect(yield* move.commit("job7", 121, 5)).toBe("answered")
        // the lock must not stay with a login that cannot be reached any more
        expect(state.asked.slice(-4)).toEqual([
          "commit-configuration",
          "discard-changes",
          "unlock",
          "get-commit-information"
        ])
        expect(state.bodies.findLast((body) => body.includes("<confirmed/>"))).toContain(
          "<confirm-timeout>3</confirm-timeout><log>job7</log>"
        )
        const other = yield* login
        const seen = yield* offered(other, "move", "sw1")
        expect(yield* seen.state("job7")).toBe("waits")
        yield* other.confirm("job7")
        // a device without the mark may be of a release that shows none
        expect(yield* seen.state("job7")).toBe("waits")
        expect(yield* other.confirm("job7")).toBe("unseen")
        state.now += 3600
        expect(yield* seen.state("job7")).toBe("stays")
        // another change later takes nothing back
        state.history.unshift({ user: "alice", client: "cli", at: 9000, log: "", minutes: null, isPending: false })
        expect(yield* seen.state("job7")).toBe("stays")
      }).pipe(Effect.scoped)
    )
  )

  it.live("was taken back when the device has gone back by itself, also if it is sent a second time", () =>
    loaded({}, ({ state }, session, move) =>
      Effect.gen(function* () {
        yield* move.commit("job7", 120, 5)
        rollBack(state)
        expect(yield* move.state("job7")).toBe("takenBack")
        yield* session.load(request)
        yield* move.commit("job7", 120, 5)
        expect(yield* move.state("job7")).toBe("waits")
      })
    )
  )

  it.live(
    "may wait on a release that shows no mark, until its minutes are over, and while another user's commit waits",
    () =>
      loaded({}, ({ state }, _, move) =>
        Effect.gen(function* () {
          yield* move.commit("job7", 120, 5)
          for (const entry of state.history) entry.isPending = false
          expect(yield* move.state("job7")).toBe("waits")
          state.now += 3600
          expect(yield* move.state("job7")).toBe("stays")
          state.history.unshift({ user: "alice", client: "cli", at: 9000, log: "", minutes: 5, isPending: true })
          expect(yield* move.state("job7")).toBe("waits")
        })
      )
  )

  it.live("is silent when no answer comes, and the login is over", () =>
    loaded({}, ({ answers, login }, session, move) =>
      Effect.gen(function* () {
        answers["commit-configuration"] = (state, body) => commit(state, body) && "<output>unknown</output>"
        expect(yield* move.commit("job7", 120, 5)).toBe("silent")
        expect((yield* Effect.flip(session.facts))._tag).toBe("ConnectionException")
        const other = yield* login
        expect(yield* (yield* offered(other, "move", "sw1")).state("job7")).toBe("waits")
      }).pipe(Effect.scoped)
    )
  )

  it.live("is answered when the device has committed, also if its history cannot be read then", () =>
    loaded({}, ({ answers, login }, _, move) =>
      Effect.gen(function* () {
        answers["get-commit-information"] = () => "<output>unknown</output>"
        expect(yield* move.commit("job7", 120, 5)).toBe("answered")
        delete answers["get-commit-information"]
        const other = yield* login
        expect(yield* (yield* offered(other, "move", "sw1")).state("job7")).toBe("waits")
      }).pipe(Effect.scoped)
    )
  )

  it.live("is refused, with nothing committed, when the device refuses it or does not say how it is to be sent", () =>
    loaded(
      { "commit-configuration": () => refusing("configuration check-out failed") },
      ({ answers, state }, _, move) =>
        Effect.gen(function* () {
          answers["get-route-engine-information"] = () => refusing("permission denied")
          expect(yield* Effect.flip(move.commit("job7", 120, 5))).toMatchObject({
            _tag: "CommitError",
            message: expect.stringContaining("nothing was committed: ")
          })
          delete answers["get-route-engine-information"]
          expect(yield* Effect.flip(move.commit("job7", 120, 5))).toMatchObject({ _tag: "CommitError" })
          expect(state.history.some(({ log }) => log === "job7")).toBe(false)
          expect(yield* Effect.flip(move.commit("job8", 120, 5))).toMatchObject({ _tag: "CommitError" })
        })
    )
  )
})
