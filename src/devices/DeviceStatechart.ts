/**
 * The live actor of one device: its statechart in memory, from the row. It does one thing at a time: calls take turns in their
 * order of arrival, and each enters its state and exits it at its end. A change runs as a child actor. The effect of another
 * process's events is read from the row, which is authoritative.
 */
import { Cause, Clock, Context, Deferred, Effect, Exit, Scope } from "effect"
import { createActor } from "xstate"
import type { ChangeInput } from "../../machines/change/ChangeSetup.ts"
import type { LifecycleDevice } from "../../machines/device/DeviceEvents.ts"
import { deviceMachine, liveSnapshot } from "../../machines/device/DeviceMachine.ts"
import { ActorInspection } from "./ActorInspection.ts"
import { type ChangeRun, CurrentRun, liveChange, type RunError, steps } from "./ChangeRun.ts"
import type { StepTask } from "../../machines/change/ChangeRow.ts"
import * as LiveActor from "./LiveActor.ts"
import type { ActivityEvent, DeviceCall } from "../../machines/device/DeviceLifecycle.ts"
import { refusedRule } from "../../machines/StepLogic.ts"

/** The statechart of a device with its children. Made once. */
const liveDevice = deviceMachine.provide({ actors: { change: liveChange } })

/** The end of a run; `waits` if the change needs the verdict over the job's devices. */
export interface RunEnd extends StepTask {
  readonly waits: boolean
}

/** A call by its name, and the job that it works for. */
export type NamedCall = Pick<DeviceCall, "name" | "job">

/** A change to be run: its position, and its run for a caller that is notified when it waits. */
export interface ChangeToRun {
  readonly id: number
  readonly input: ChangeInput
  readonly run: (waits: ChangeRun["waits"]) => ChangeRun
}

/** The current change of an actor: `step` is the state of its statechart, `stepSince` when that step began. */
export interface CurrentChange {
  readonly id: number
  readonly run: ChangeRun
  stepSince: number
}

type Begin = Extract<ActivityEvent, { readonly call: DeviceCall }>

/**
 * Starts the actor of a device from its row; it ends with the scope. Its steps begin with the services that are named here and no
 * others: each run brings the context of its own call, and the context of the first call would otherwise stay in memory with the
 * actor.
 */
export const start = Effect.fnUntraced(function* (row: LifecycleDevice) {
  const clock = yield* Clock.Clock
  const inspection = yield* ActorInspection
  let current: CurrentChange | null = null
  let serving: NamedCall | null = null
  const beginStep = () => {
    if (current === null) throw new Error("A step began although no change is under way")
    current.stepSince = clock.currentTimeMillisUnsafe()
    return current.run
  }

  const services = Context.make(CurrentRun, { begin: beginStep }).pipe(
    Context.add(Clock.Clock, clock),
    Context.add(Scope.Scope, yield* Effect.scope)
  )
  const live = yield* LiveActor.start(steps, (options) =>
    createActor(liveDevice, { ...options, input: row, snapshot: liveSnapshot(row) })
  ).pipe(Effect.setContext(services))
  const { actor } = live
  // not from the call in the snapshot, which lags behind during a transition
  yield* inspection.watch(actor, () => ({
    device: actor.getSnapshot().context.device.hostname,
    job: serving?.job ?? null
  }))

  /** A call on a busy device is our own defect: it must have waited for its turn. */
  const expectIdle = (event: Begin): Begin => {
    const rule = refusedRule(actor.getSnapshot(), event)
    if (rule !== null) throw new Error(`The device takes no ${event.type} for ${event.call.name}: ${rule}`)
    return event
  }

  const isActive = () => actor.getSnapshot().status === "active"

  /** The scope may have stopped the actor before the call has ended. */
  const endCall = () => {
    if (isActive()) actor.send({ type: "CALL_ENDED" })
    serving = null
  }

  const follow = (read: LifecycleDevice) => {
    const { device } = actor.getSnapshot().context
    const keys = ["state", "hostname", "device_type", "ztp_mac", "dhcp_ip", "management_ip"] as const
    if (isActive() && keys.some((key) => device[key] !== read[key])) actor.send({ type: "ROW_READ", device: read })
  }

  const busy = <A, E, R>(type: "READ" | "OPERATE" | "UPGRADE", call: NamedCall, work: Effect.Effect<A, E, R>) =>
    Effect.suspend(() => {
      const event = expectIdle({ type, call: { ...call, since: clock.currentTimeMillisUnsafe() } })
      serving = call
      actor.send(event)
      return Effect.ensuring(work, Effect.sync(endCall))
    })

  /** Subscribes to the end of the child; the returned function unsubscribes. */
  const listen = (end: (exit: Exit.Exit<RunEnd, RunError>) => unknown) => {
    const subscriptions = [
      actor.on("CHANGE_ENDED", ({ failure, row }) => end(Exit.succeed({ row, failure, waits: false }))),
      actor.on("CHANGE_FAILED", ({ error }) => end(Exit.failCause(live.causeOf(error)))),
      actor.subscribe({ error: (error) => end(Exit.failCause(Cause.die(error))) })
    ]
    return () => {
      for (const subscription of subscriptions) subscription.unsubscribe()
    }
  }

  const change = (call: NamedCall, wanted: ChangeToRun): Effect.Effect<RunEnd, RunError> =>
    Effect.suspend(() => {
      const since = clock.currentTimeMillisUnsafe()
      const event = expectIdle({ type: "CHANGE", call: { ...call, since }, change: wanted.input })
      const ended = Deferred.makeUnsafe<RunEnd, RunError>()
      const end = (exit: Exit.Exit<RunEnd, RunError>) => Deferred.doneUnsafe(ended, exit)
      const stopListening = listen(end)
      const waits = (task: StepTask) => Effect.sync(() => void end(Exit.succeed({ ...task, waits: true })))
      serving = call
      current = { id: wanted.id, run: wanted.run(waits), stepSince: since }
      const leave = Effect.suspend(() => {
        stopListening()
        // the child ends with its state; no other call may begin before the interrupted step has cleaned up
        endCall()
        current = null
        return live.quiet
      })
      actor.send(event)
      return Effect.ensuring(Deferred.await(ended), leave)
    })

  return {
    /** The current snapshot. */
    snapshot: () => actor.getSnapshot(),
    /** False once a defect has ended the actor. */
    isActive,
    /** The current change of the device. */
    currentChange: () => current,
    /** Moves to the state of the row. */
    follow,
    /** Does work that reads the device, operates it or upgrades it. */
    busy,
    /** Runs a change until it ends or waits. Fails if another process has taken it over, or with an error of the database. */
    change
  }
})

export type DeviceStatechart = Effect.Success<ReturnType<typeof start>>
