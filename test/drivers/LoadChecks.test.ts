import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import * as LoadChecks from "../../src/drivers/LoadChecks.ts"
import { clearForLoad } from "../../src/drivers/LoadChecks.ts"
import type { ConfigSession, LoadRequest } from "../../src/drivers/Driver.ts"
import { listSessions } from "../../src/drivers/DriverDefinition.ts"

const open = (name: string): ConfigSession => ({ name, state: "open", user: "" })
const request: LoadRequest = { text: "", mode: "replace", name: "job7", foreignSessions: 0 }

/** A switch with these candidates, whose list says nothing of their age, as that of a platform without sessions. */
const makeWay = (...found: ReadonlyArray<ConfigSession>) => {
  let list = found
  const removed: Array<string> = []
  return {
    told: removed,
    removed: (name: string) => Effect.sync(() => void removed.push(name)),
    hostname: "core1",
    foreign: LoadChecks.makeForeignSessions("ignore-old"),
    sessions: Effect.sync(() => listSessions(list)),
    discard: (name: string) =>
      Effect.sync(() => {
        list = list.filter((session) => session.name !== name)
      })
  }
}

const names = (way: ReturnType<typeof makeWay>) =>
  Effect.map(way.sessions, ({ sessions }) => sessions.map(({ name }) => name))

describe("the checks before a load", () => {
  it.effect("remove our own remaining candidates, and nothing else", () =>
    Effect.gen(function* () {
      const way = makeWay(open("job7"), open("job3-check"), open("theirs"))
      const mayAbort = { _tag: "only", jobs: [3] } as const
      assert.deepStrictEqual(yield* clearForLoad(way, { ...request, mayAbort, foreignSessions: "ignore" }), {
        otherSessions: ["theirs"]
      })
      assert.deepStrictEqual(yield* names(way), ["theirs"])
      assert.deepStrictEqual(way.told, ["job7", "job3-check"])
    })
  )

  it.effect("stop at another user's candidate until it is old, which is then named", () =>
    Effect.gen(function* () {
      const way = makeWay(open("theirs"))
      const error = yield* Effect.flip(clearForLoad(way, request))
      assert.strictEqual(error._tag, "SessionLockedException")
      yield* TestClock.adjust("121 seconds")
      assert.deepStrictEqual(yield* clearForLoad(way, request), { otherSessions: ["theirs"] })
    })
  )

  it.effect("stop at the candidate of an unfinished job, however old it is", () =>
    Effect.gen(function* () {
      const way = makeWay(open("job3"))
      yield* Effect.flip(clearForLoad(way, request))
      yield* TestClock.adjust("1 hour")
      assert.strictEqual((yield* Effect.flip(clearForLoad(way, request)))._tag, "SessionLockedException")
    })
  )

  it.effect("stop at every timer except that of our own commit", () =>
    Effect.gen(function* () {
      const way = makeWay({ ...open("job3"), state: "timed" })
      assert.strictEqual((yield* Effect.flip(clearForLoad(way, request)))._tag, "SessionLockedException")
      assert.deepStrictEqual(yield* clearForLoad(way, { ...request, despiteTimer: "job3" }), {})
    })
  )

  it.effect("wait with a list that is read anew, not with the given one", () =>
    Effect.gen(function* () {
      const way = makeWay()
      const before = yield* Clock.currentTimeMillis
      const waiting = yield* Effect.forkChild(
        clearForLoad(way, { ...request, foreignSessions: 10, seen: listSessions([open("theirs")]) })
      )
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(waiting.pollUnsafe()?._tag, "Success")
      assert.strictEqual((yield* Clock.currentTimeMillis) - before, 1000)
    })
  )
})
