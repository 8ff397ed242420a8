/** The order of a rollout and what stops it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { canariesOf, makeGuard, stagesOf, unknownCanaries } from "../../../src/jobs/sync/SyncPlan.ts"

const devices = ["a", "b", "c", "d", "e"]

describe("The order of a rollout", () => {
  it("is everything at once without options", () => {
    assert.deepStrictEqual(stagesOf(devices, {}), [{ isCanary: false, hostnames: devices }])
    assert.deepStrictEqual(stagesOf([], { canary: 2, batch_size: 2 }), [])
  })

  it("puts canaries first, by name or number, and the rest in batches", () => {
    assert.deepStrictEqual(stagesOf(devices, { canary: ["d", "b"], batch_size: 2 }), [
      { isCanary: true, hostnames: ["b", "d"] },
      { isCanary: false, hostnames: ["a", "c"] },
      { isCanary: false, hostnames: ["e"] }
    ])
    assert.deepStrictEqual(stagesOf(devices, { canary: 1 }), [
      { isCanary: true, hostnames: ["a"] },
      { isCanary: false, hostnames: ["b", "c", "d", "e"] }
    ])
    assert.deepStrictEqual(stagesOf(devices, { canary: 9 }), [{ isCanary: true, hostnames: devices }])
  })

  const Names = Schema.UniqueArray(Schema.NonEmptyString).pipe(Schema.check(Schema.isMaxLength(60)))
  const Size = Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 1, maximum: 70 })))
  it.prop("has every device exactly once and no stage larger than the batch", [Names, Size, Size], (values) => {
    const [all, batch_size, canary] = values
    const stages = stagesOf(all, { batch_size, canary })
    assert.deepStrictEqual(stages.flatMap(({ hostnames }) => hostnames).toSorted(), all.toSorted())
    for (const { hostnames, isCanary } of stages) {
      assert.isAtLeast(hostnames.length, 1)
      assert.isAtMost(hostnames.length, isCanary ? canary : batch_size)
    }
  })

  const device = (hostname: string, device_type: "ACCESS" | "DIST" | "CORE" | "UNKNOWN", synchronized = false) => ({
    hostname,
    device_type,
    synchronized
  })
  const campus = [device("core1", "CORE", true), device("dist1", "DIST"), device("b", "ACCESS"), device("a", "ACCESS")]

  it("chooses access switches as canaries, never the core, however many are asked for", () => {
    assert.deepStrictEqual(canariesOf(campus, 1, new Set()), ["a"])
    assert.deepStrictEqual(canariesOf(campus.toReversed(), 1, new Set()), ["a"])
    assert.deepStrictEqual(canariesOf(campus, 4, new Set()), ["a", "b"])
    assert.deepStrictEqual(canariesOf(campus.slice(0, 2), 2, new Set()), ["dist1"])
    assert.deepStrictEqual(canariesOf(campus.slice(0, 1), 1, new Set()), ["core1"])
    assert.deepStrictEqual(canariesOf([], 1, new Set()), [])
  })

  it("chooses canaries that answer and are in sync before others", () => {
    assert.deepStrictEqual(canariesOf(campus, 1, new Set(["a"])), ["b"])
    assert.deepStrictEqual(canariesOf([...campus, device("c", "ACCESS", true)], 2, new Set(["a"])), ["c", "b"])
    assert.deepStrictEqual(canariesOf([...campus, device("c", "ACCESS", true)], 3, new Set(["c"])), ["a", "b", "c"])
  })

  it("names canaries that are not selected", () => {
    assert.deepStrictEqual(unknownCanaries(devices, ["a", "x"]), ["x"])
    assert.deepStrictEqual(unknownCanaries(devices, 3), [])
  })
})

describe("A rollout is stopped", () => {
  const limits = { maxFailures: 2, allOrNothing: false }

  it.effect("when the limit of failed devices is reached, each counted once", () =>
    Effect.gen(function* () {
      const guard = yield* makeGuard(limits, null, [])
      yield* guard.failed("a", false)
      yield* guard.failed("a", false)
      assert.isNull(guard.stop())
      yield* guard.failed("b", false)
      assert.deepStrictEqual(guard.stop(), {
        aborted: false,
        message: "Devices a, b failed, and max_failures is 2"
      })
      yield* guard.aborted
      assert.strictEqual((yield* guard.stopped).aborted, false, "the first reason counts")
    })
  )

  it.effect("by a failed canary, whatever the limit", () =>
    Effect.gen(function* () {
      const guard = yield* makeGuard(limits, null, [])
      yield* guard.failed("a", true)
      assert.strictEqual(guard.stop()?.message, "The canary a failed")
    })
  )

  it.effect("by the first failure in mode 2, and never by failures without a limit", () =>
    Effect.gen(function* () {
      const all = yield* makeGuard({ maxFailures: null, allOrNothing: true }, null, [])
      yield* all.failed("a", false)
      assert.match(all.stop()?.message ?? "", /confirm mode 2 changes all devices or none/)
      const none = yield* makeGuard({ maxFailures: null, allOrNothing: false }, null, [])
      for (const name of devices) yield* none.failed(name, false)
      assert.isNull(none.stop())
    })
  )

  it.effect("after a restart for the earlier reason", () =>
    Effect.gen(function* () {
      const again = yield* makeGuard(limits, { aborted: true, message: "The job was aborted" }, [])
      assert.isTrue((yield* again.stopped).aborted)
      const counted = yield* makeGuard(limits, null, ["a", "b"])
      assert.match(counted.stop()?.message ?? "", /max_failures is 2/)
    })
  )
})
