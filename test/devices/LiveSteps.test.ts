/** Steps of live actors are published while a client listens, and not inspected otherwise. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { createActor, createMachine } from "xstate"
import { ActorInspection, stepFeedLayer } from "../../src/devices/ActorInspection.ts"
import { LiveFeed, type LiveItem } from "../../src/runtime/LiveFeed.ts"

const layer = stepFeedLayer.pipe(Layer.provideMerge(Layer.merge(ActorInspection.layer, LiveFeed.layer)))

const machine = createMachine({
  id: "device",
  initial: "idle",
  states: { idle: { on: { GO: "busy" } }, busy: { on: { STOP: "idle" } } }
})

it.live("steps are reported while a client listens, and not otherwise", () =>
  Effect.gen(function* () {
    const told = yield* LiveFeed
    const actor = createActor(machine).start()
    yield* (yield* ActorInspection).watch(actor, () => ({ device: "acc1", job: 3 }))
    actor.send({ type: "GO" })
    const heard: Array<LiveItem> = []
    yield* Effect.scoped(
      Effect.gen(function* () {
        yield* told.listen((thing) => heard.push(thing))
        yield* Effect.sleep("1 millis").pipe(
          Effect.andThen(Effect.sync(() => actor.send({ type: actor.getSnapshot().value === "busy" ? "STOP" : "GO" }))),
          Effect.repeat({ until: () => heard.length > 0 })
        )
      })
    )
    const [step] = heard
    assert.deepInclude(step, { kind: "step", hostname: "acc1", job: 3, machine: "device" })
    const before = heard.length
    actor.send({ type: "GO" })
    actor.send({ type: "STOP" })
    assert.strictEqual(heard.length, before)
  }).pipe(Effect.scoped, Effect.provide(layer))
)
