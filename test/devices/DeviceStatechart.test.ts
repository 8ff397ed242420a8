/** The live actor of a device: it does one thing at a time, runs a change as its child, and does nothing without a claim. */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { ChangeEvent, ChangePhase, ChangeRow } from "../../machines/change/ChangeRow.ts"
import { ActorInspection, type ActorTransition } from "../../src/devices/ActorInspection.ts"
import { ChangeTakenOver } from "../../src/devices/ChangeRun.ts"
import * as DeviceStatechart from "../../src/devices/DeviceStatechart.ts"
import { device as lifecycleDevice } from "../machines/device/DeviceFixtures.ts"
import { actor, makeScene } from "./ChangeScene.ts"

const activity = (device: DeviceStatechart.DeviceStatechart) => device.snapshot().value.activity

const noTimer = { mode: 0, timerSeconds: null } as const

describe("A change of a live device", () => {
  it.effect("claims each phase before its step, and ends confirmed with its last claim", () =>
    Effect.gen(function* () {
      const scene = makeScene()
      const device = yield* actor
      const end = yield* scene.run(device)
      assert.deepStrictEqual(scene.trail, [
        "open",
        "verify",
        "[loading/1]",
        "load",
        "[committing/1]",
        "commit",
        "[committed/1]",
        "observe",
        "[confirming/1]",
        "confirm",
        "observe",
        "[confirmed/1]"
      ])
      assert.deepInclude(end, { waits: false, failure: null })
      assert.deepStrictEqual([end.row, scene.device.running(), activity(device)], [scene.row(), "new", "idle"])
    }).pipe(Effect.scoped)
  )

  it.effect("waits for the others in mode 2, and is confirmed by a later call", () =>
    Effect.gen(function* () {
      const scene = makeScene({ mode: 2, confirmAllowed: false })
      const device = yield* actor
      const end = yield* scene.run(device)
      assert.deepInclude(end, { waits: true, row: scene.row() })
      assert.deepStrictEqual([scene.row().phase, activity(device)], ["proved", "idle"])
      scene.trail.length = 0
      const settled = yield* scene.run(device, {}, "ALL_DEVICES_OK")
      assert.deepStrictEqual(scene.trail, ["[confirming/1]", "confirm", "observe", "[confirmed/1]"])
      assert.strictEqual(settled.row.phase, "confirmed")
    }).pipe(Effect.scoped)
  )

  const resumed: ReadonlyArray<readonly [ChangePhase, Partial<ChangeRow>, ReadonlyArray<string>]> = [
    ["planned", { epoch: 2 }, ["[planned/3]", "open"]],
    ["loading", {}, ["[discarding/2]", "discard"]],
    ["discarding", {}, ["[discarding/2]", "discard"]],
    ["committing", {}, ["[looking/2]", "observe"]],
    ["committed", {}, ["[looking/2]", "observe"]],
    ["proved", {}, ["[looking/2]", "observe"]],
    ["confirming", {}, ["[looking/2]", "observe"]],
    ["saving", noTimer, ["[looking/2]", "observe"]],
    ["looking", {}, ["[looking/2]", "observe"]],
    ["withdrawing", { goal: "old", reason: "commitRefused" }, ["[withdrawing/2]", "discard"]],
    ["expiring", { goal: "old", reason: "unreachable" }, ["[looking/2]", "observe"]]
  ]
  it.effect.each(resumed)(
    "that remained in %s is claimed with a higher epoch before anything else",
    ([phase, row, first]) =>
      Effect.gen(function* () {
        const scene = makeScene({ oldHash: "old", candidateHash: "new", phase, ...row })
        const device = yield* actor
        const end = yield* scene.run(device)
        assert.deepStrictEqual(scene.trail.slice(0, 2), first)
        assert.strictEqual(end.row, scene.row())
        assert.strictEqual(scene.device.running(), end.row.phase === "confirmed" ? "new" : "old")
        assert.strictEqual(activity(device), "idle")
      }).pipe(Effect.scoped)
  )

  it.effect("sends nothing more after another process has taken it over", () =>
    Effect.gen(function* () {
      const steps = ["open", "verify", "load", "commit", "observe", "confirm"]
      for (const step of steps) {
        const scene = makeScene()
        const device = yield* actor
        const stolen: Effect.Effect<ChangeEvent> = Effect.sync(() => {
          scene.takeOver()
          return { type: "LOST" }
        })
        const exit = yield* Effect.exit(
          scene.run(device, {
            [step]: stolen,
            observe:
              step === "observe"
                ? Effect.as(stolen, { type: "OBSERVED", running: "candidate", ourTimer: "runs", ourSession: false })
                : undefined
          })
        )
        assert.deepStrictEqual(exit, Exit.fail(new ChangeTakenOver({ id: 88 })), step)
        assert.match(scene.trail.at(-1) ?? "", /^lost /, step)
        assert.strictEqual(activity(device), "idle")
      }
    }).pipe(Effect.scoped)
  )

  it.effect("ends with a defect when a step reports an unexpected result; the device continues", () =>
    Effect.gen(function* () {
      const scene = makeScene()
      const device = yield* actor
      const odd: Effect.Effect<ChangeEvent> = Effect.succeed({ type: "SAVED" })
      const exit = yield* Effect.exit(scene.run(device, { load: odd }))
      assert.match(Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "", /"loading":"sending".* takes no SAVED/)
      assert.deepStrictEqual([activity(device), device.isActive()], ["idle", true])
      assert.strictEqual((yield* scene.run(device)).row.phase, "confirmed")
    }).pipe(Effect.scoped)
  )

  it.effect("of a paused process loses to the process that has taken it over", () =>
    Effect.gen(function* () {
      const scene = makeScene()
      const [paused, other] = [yield* actor, yield* actor]
      const woken = yield* Deferred.make<void>()
      const late = Effect.map(Deferred.await(woken), (): ChangeEvent => {
        scene.device.commit("job412", true)
        return { type: "COMMITTED", at: 0, candidateHash: null }
      })
      const first = yield* Effect.forkChild(Effect.exit(scene.run(paused, { commit: late })))
      yield* TestClock.adjust("1 second")
      assert.strictEqual(scene.trail.at(-1), "commit")
      const end = yield* scene.run(other)
      yield* Deferred.succeed(woken, undefined)
      assert.deepStrictEqual(yield* Fiber.join(first), Exit.fail(new ChangeTakenOver({ id: 88 })))
      assert.strictEqual(scene.trail.at(-1), "lost [committed]")
      assert.strictEqual(end.row.phase, "confirmed")
      assert.deepStrictEqual([scene.device.running(), scene.device.timerRuns()], ["new", false])
    }).pipe(Effect.scoped)
  )

  it.effect("whose caller gives up stays where it is, after its step has cleaned up", () =>
    Effect.gen(function* () {
      const scene = makeScene()
      const device = yield* actor
      const cleanup = Effect.andThen(
        Effect.sleep("5 seconds"),
        Effect.sync(() => scene.trail.push("cleaned up"))
      )
      const hanging = Effect.onInterrupt(Effect.never, () => cleanup)
      const call = yield* Effect.forkChild(scene.run(device, { load: hanging }))
      yield* TestClock.adjust("1 second")
      assert.strictEqual(activity(device), "changing")
      const giving = yield* Effect.forkChild(Fiber.interrupt(call))
      yield* TestClock.adjust("4 seconds")
      assert.deepStrictEqual([activity(device), giving.pollUnsafe()], ["idle", undefined])
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(giving)
      assert.deepStrictEqual([scene.trail.at(-1), scene.row().phase], ["cleaned up", "loading"])
      assert.strictEqual((yield* scene.run(device)).row.phase, "confirmed")
    }).pipe(Effect.scoped)
  )

  it.effect("waits by the delays of the statechart, without polling the device", () =>
    Effect.gen(function* () {
      const scene = makeScene()
      const device = yield* actor
      const away: Effect.Effect<ChangeEvent> = Effect.succeed({
        type: "UNREACHABLE",
        failure: "ConnectionException: away\n"
      })
      const lost: Effect.Effect<ChangeEvent> = Effect.succeed({ type: "LOST" })
      const call = yield* Effect.forkChild(scene.run(device, { observe: away, discard: lost, askTimer: away }))
      yield* TestClock.adjust("20 seconds")
      assert.deepStrictEqual(device.snapshot().children.change?.getSnapshot().value, {
        expiring: { waiting: "resting" }
      })
      const before = scene.trail.filter((word) => word === "askTimer").length
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual(scene.trail.filter((word) => word === "askTimer").length - before, 10)
      yield* TestClock.adjust("6 minutes")
      const end = yield* Fiber.join(call)
      assert.deepInclude(end.row, { phase: "unknown", reason: "unreachable" })
      assert.strictEqual(end.failure, "ConnectionException: away\n")
    }).pipe(Effect.scoped)
  )
})

describe("A live device", () => {
  it.effect("shows its work with the start time, and does one thing at a time", () =>
    Effect.gen(function* () {
      const device = yield* actor
      yield* TestClock.adjust("10 seconds")
      const reading = yield* Effect.forkChild(
        device.busy("READ", { name: "ReadFacts", job: null }, Effect.sleep("5 seconds"))
      )
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(device.snapshot().context.call, { name: "ReadFacts", job: null, since: 10_000 })
      assert.deepStrictEqual(device.snapshot().value, { life: "MANAGED", activity: "reading" })
      const second = yield* Effect.exit(device.busy("UPGRADE", { name: "FirmwareReboot", job: 7 }, Effect.void))
      assert.isTrue(Exit.hasDies(second))
      assert.strictEqual(activity(device), "reading", "a refused call is a defect and changes nothing")
      yield* TestClock.adjust("5 seconds")
      yield* Fiber.join(reading)
      assert.deepStrictEqual([activity(device), device.snapshot().context.call], ["idle", null])
    }).pipe(Effect.scoped)
  )

  it.effect("follows the state in its row", () =>
    Effect.gen(function* () {
      const device = yield* actor
      device.follow({ ...lifecycleDevice("UNMANAGED"), hostname: "renamed" })
      assert.strictEqual(device.snapshot().value.life, "UNMANAGED")
      assert.strictEqual(device.snapshot().context.device.hostname, "renamed")
    }).pipe(Effect.scoped)
  )

  it.effect("reports its transitions to observers, with device and job", () =>
    Effect.gen(function* () {
      const inspection = yield* ActorInspection
      const early = yield* DeviceStatechart.start(lifecycleDevice("MANAGED"))
      const heard: Array<ActorTransition> = []
      yield* inspection.subscribe((transition) => heard.push(transition))
      yield* inspection.subscribe(() => {
        throw new Error("a listener that fails harms nobody")
      })
      const scene = makeScene({ dryRun: true })
      yield* scene.run(early)
      const owner = { device: "acc-b2-07", job: 412 }
      assert.deepInclude(heard, {
        ...owner,
        machine: "device",
        event: "CHANGE",
        state: "life.MANAGED activity.changing"
      })
      assert.deepStrictEqual(
        heard.flatMap(({ device, event, job, machine, state }) =>
          machine === "change" && device === owner.device && job === 412 ? [`${event} ${state}`] : []
        ),
        ["OPENED opened", "RUNNING_READ loading.sending", "LOADED discarding", "DISCARDED discarded", "CLAIMED over"]
      )
    }).pipe(Effect.scoped, Effect.provide(ActorInspection.layer))
  )
})
