import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Result } from "effect"
import { claimedWire } from "../../../src/drivers/ssh/Transport.ts"
import { TAKEN_OVER } from "../../../src/drivers/Driver.ts"
import { candidate, makeOneSwitch, name } from "../eos/OneSwitchLab.ts"

/** A wire with a claim that is as fresh as the test says, and that is answered when the test says. */
const makeScene = Effect.gen(function* () {
  const services = yield* Effect.context()
  const written: Array<string> = []
  const ends: Array<string> = []
  const answer = Deferred.makeUnsafe<string | null>()
  const state = { isFresh: true, asked: 0 }
  const wire = claimedWire(
    {
      write: (text) => void written.push(text),
      listen: () => undefined,
      destroy: () => void ends.push("destroyed")
    },
    {
      isFresh: () => state.isFresh,
      ask: Effect.suspend(() => {
        state.asked += 1
        return Deferred.await(answer)
      })
    },
    Effect.runForkWith(services)
  )
  wire.listen(
    () => undefined,
    (reason) => void ends.push(reason)
  )
  return { answer, ends, state, wire, written }
})

it.live("writes its input while the claim is valid", () =>
  Effect.gen(function* () {
    const { state, wire, written } = yield* makeScene
    wire.write("a\n")
    wire.write("b\n")
    assert.deepStrictEqual(written, ["a\n", "b\n"])
    assert.strictEqual(state.asked, 0)
  })
)

it.live("holds everything back until an old claim is confirmed, in the same order", () =>
  Effect.gen(function* () {
    const { answer, state, wire, written } = yield* makeScene
    state.isFresh = false
    wire.write("a\n")
    state.isFresh = true
    wire.write("b\n")
    yield* Effect.yieldNow
    assert.deepStrictEqual(written, [])
    yield* Deferred.succeed(answer, null)
    yield* Effect.yieldNow
    assert.deepStrictEqual(written, ["a\n", "b\n"])
    assert.strictEqual(state.asked, 1)
  })
)

it.live("writes nothing and ends when another process has the work", () =>
  Effect.gen(function* () {
    const { answer, ends, state, wire, written } = yield* makeScene
    state.isFresh = false
    wire.write("configure session job5\n")
    yield* Deferred.succeed(answer, TAKEN_OVER)
    yield* Effect.yieldNow
    assert.deepStrictEqual(written, [])
    assert.deepStrictEqual(ends, ["another process has taken this work over", "destroyed"])
  })
)

it.live("opens no session on a switch for a change that was taken over meanwhile", () =>
  Effect.gen(function* () {
    const { device, driver, target } = yield* makeOneSwitch()
    const state = { isFresh: true }
    const claim = { isFresh: () => state.isFresh, ask: Effect.succeed(TAKEN_OVER) }
    const session = yield* driver.open({ ...target, claim })
    const seen = yield* session.sessions
    state.isFresh = false
    const text = candidate("vlan 20")
    const loaded = yield* Effect.result(session.load({ text, mode: "replace", name: "job5", seen }))
    assert.deepInclude(Result.getOrThrow(Result.flip(loaded)), {
      _tag: "ConnectionException",
      hostname: name,
      message: "another process has taken this work over"
    })
    assert.deepStrictEqual(device.sessions(), [])
  }).pipe(Effect.scoped)
)

it.live("sends no more of a candidate once the change is taken over", () =>
  Effect.gen(function* () {
    const { device, driver, target } = yield* makeOneSwitch()
    const claim = { isFresh: () => device.sessions().length === 0, ask: Effect.succeed(TAKEN_OVER) }
    const session = yield* driver.open({ ...target, claim, windowBytes: 1 })
    const vlans = Array.from({ length: 50 }, (_, index) => `vlan ${index + 20}`)
    const loaded = yield* Effect.result(session.load({ text: candidate(...vlans), mode: "replace", name: "job5" }))
    assert.isTrue(Result.isFailure(loaded))
    assert.isFalse(device.commands().some(({ command }) => command.startsWith("show session-config")))
  }).pipe(Effect.scoped)
)
