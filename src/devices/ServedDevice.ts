/**
 * One device in its entity: its row, its live actor and the turns of its calls. The actor is started by the first call that finds
 * the row, anew after a defect has ended it, and ends with the entity.
 */
import { Clock, Effect, Option, Scope, Semaphore } from "effect"
import type { Device } from "../domain/Device.ts"
import { DeviceStore } from "../store/DeviceStore.ts"
import { ActorInspection } from "./ActorInspection.ts"
import { show } from "./ActorShow.ts"
import { DeviceFailure } from "./DeviceCalls.ts"
import { annotate } from "../runtime/Spans.ts"
import * as DeviceStatechart from "./DeviceStatechart.ts"
import type { DeviceCall } from "../../machines/device/DeviceLifecycle.ts"
import { type ChangeOnDevice, ChangeStore } from "../store/ChangeStore.ts"

// Calls to one device take turns, in their order of arrival; waiting calls can be listed.

/** The turns of one device. */
export interface DeviceTurns {
  /** Does the work in its turn. */
  readonly take: <A, E, R>(
    call: Pick<DeviceCall, "name" | "job">,
    work: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E, R>
  /** The waiting calls with their times, in order. */
  readonly waiting: () => ReadonlyArray<DeviceCall>
}

/** The turns of a device before its first call. */
export const makeTurns = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const turn = Semaphore.makeUnsafe(1)
  const waiting = new Set<DeviceCall>()

  const take: DeviceTurns["take"] = (call, work) =>
    Effect.suspend(() => {
      const entry = { ...call, since: clock.currentTimeMillisUnsafe() }
      waiting.add(entry)
      const served = Effect.suspend(() => {
        waiting.delete(entry)
        return work
      })
      return Effect.onInterrupt(turn.withPermit(served), () => Effect.sync(() => waiting.delete(entry)))
    })

  return { take, waiting: () => [...waiting] } satisfies DeviceTurns
})

const failure = ({ _tag, message }: { readonly _tag: string; readonly message: string }) =>
  new DeviceFailure({ type: _tag, message, text: `${_tag}: ${message}\n` })

const internal = (defect: unknown): DeviceFailure => {
  const message = defect instanceof Error ? defect.message : "an internal error"
  return new DeviceFailure({ type: "InternalError", message, text: `InternalError: ${message}\n` })
}

/** A defect must not end the actor together with the waiting calls. */
const contained = <A, E, R>(call: Effect.Effect<A, E, R>) =>
  Effect.catchDefect(call, (defect) =>
    Effect.andThen(Effect.logError("A device actor met a defect", defect), Effect.fail(internal(defect)))
  )

/** A change and its device, and when they were read, in epoch milliseconds. */
export interface ReadChange extends ChangeOnDevice {
  readonly at: number
}

/** The device with this id; its actor lives as long as the scope. */
export const make = Effect.fnUntraced(function* (id: number) {
  const devices = yield* DeviceStore
  const changes = yield* ChangeStore
  const scope = yield* Effect.scope
  const turns = yield* makeTurns
  const inspection = yield* ActorInspection
  const starting = Semaphore.makeUnsafe(1)
  let statechart: DeviceStatechart.DeviceStatechart | null = null

  /** The actor follows the row that was read. */
  const follow = (device: Device) => {
    statechart?.follow(device)
    return Effect.as(annotate("device.hostname", device.hostname), device)
  }

  /** The current row. */
  const row: Effect.Effect<Device, DeviceFailure> = Effect.flatMap(Effect.mapError(devices.get(id), failure), follow)

  const startFrom = (found: Effect.Effect<Device, DeviceFailure>) =>
    starting.withPermit(
      Effect.gen(function* () {
        if (statechart?.isActive()) return statechart
        const device = yield* found
        statechart = yield* DeviceStatechart.start(device).pipe(
          Scope.provide(scope),
          Effect.provideService(ActorInspection, inspection)
        )
        return statechart
      })
    )
  const liveFrom = (found: Effect.Effect<Device, DeviceFailure>) =>
    Effect.suspend(() => (statechart?.isActive() ? Effect.succeed(statechart) : startFrom(found)))
  const live = liveFrom(row)

  /** Does the work in its turn, while the device is in the state for it. */
  const serve = <A, E, R>(
    type: "READ" | "OPERATE" | "UPGRADE",
    name: string,
    job: number | null,
    work: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | DeviceFailure, R> =>
    contained(
      turns.take(
        { name, job },
        Effect.flatMap(live, ({ busy }) => busy(type, { name, job }, work))
      )
    )

  /** The change with the current row. */
  const readChange = Effect.fnUntraced(function* (changeId: number) {
    const found = yield* Effect.mapError(changes.onDevice(changeId), failure)
    if (Option.isSome(found)) return yield* Effect.as(follow(found.value.device), found.value)
    yield* row
    return yield* Effect.die(new Error(`There is no change ${changeId}`))
  })

  /** Runs a change in its turn; `before` is an operation that must precede it. */
  const serveChange = <A, E>(
    name: string,
    before: Effect.Effect<void>,
    changeId: number,
    work: (actor: DeviceStatechart.DeviceStatechart, read: ReadChange) => Effect.Effect<A, E>
  ): Effect.Effect<A, E | DeviceFailure> => {
    const call = { name, job: null }
    const inTurn = Effect.gen(function* () {
      const at = Date.now()
      const read = yield* readChange(changeId)
      const actor = yield* liveFrom(Effect.succeed(read.device))
      yield* actor.busy("OPERATE", call, before)
      return yield* work(actor, { ...read, at })
    })
    return contained(turns.take(call, inTurn))
  }

  /** The view of the actor. The row is read for the device's current state. */
  const view = Effect.gen(function* () {
    const actor = yield* live
    yield* row
    const isChanging = actor.currentChange() !== null
    const stored = isChanging ? Option.none() : yield* Effect.mapError(changes.live.newest(id), failure)
    return show(actor, turns.waiting(), Option.getOrNull(stored))
  }).pipe(contained)

  return { row, serve, serveChange, view }
})
