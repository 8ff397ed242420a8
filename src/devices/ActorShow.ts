/** The view of a device's actor for people: the states of its statecharts, the waiting calls, and the drawn charts. */
import type { AnyMachineSnapshot } from "xstate"
import { type ChangePhase, type ChangeRow, verdicts } from "../../machines/change/ChangeRow.ts"
import type { ActorView, ChangeView, Statecharts } from "../domain/DeviceActivity.ts"
import type { DeviceStatechart } from "./DeviceStatechart.ts"
import type { DeviceCall } from "../../machines/device/DeviceLifecycle.ts"
import { toDirectedGraph } from "xstate/graph"
import { chartOf, nextEvents, placeOf, regionOf } from "../../machines/Chart.ts"
import { configChange } from "../../machines/change/ConfigChange.ts"
import { deviceMachine } from "../../machines/device/DeviceMachine.ts"
import { Effect, Schema } from "effect"
import type { Device } from "../domain/Device.ts"
import { DeviceEntity, patiently } from "./DeviceCalls.ts"
import type { LiveChange } from "../store/UnfinishedChanges.ts"

const isoTime = (millis: number): string => new Date(millis).toISOString().slice(0, -1)

/** A change without an actor: it waits for the verdict, or for a process that resumes it. */
const storedChange = ({ id, job_id, phase }: LiveChange): ChangeView => ({
  id,
  job_id,
  phase,
  step: null,
  step_since: null,
  next: phase === "proved" ? verdicts : []
})

const runningChange = (
  { stepSince, id }: { readonly id: number; readonly stepSince: number },
  job: number | null,
  snapshot: AnyMachineSnapshot & { readonly context: { readonly row: ChangeRow } }
): ChangeView => {
  const phase: ChangePhase = snapshot.context.row.phase
  return {
    id,
    job_id: job ?? 0,
    phase,
    step: placeOf(snapshot),
    step_since: isoTime(stepSince),
    next: nextEvents(snapshot)
  }
}

/** The view of an actor; `stored` is the newest change of its device, which is shown while the actor runs none. */
export const show = (
  statechart: DeviceStatechart,
  waiting: ReadonlyArray<DeviceCall>,
  stored: LiveChange | null
): ActorView => {
  const snapshot = statechart.snapshot()
  const { call, device } = snapshot.context
  const current = statechart.currentChange()
  const child = snapshot.children.change?.getSnapshot()
  const running = current === null || child === undefined ? null : runningChange(current, call?.job ?? null, child)
  return {
    hostname: device.hostname,
    state: snapshot.value.life,
    activity: snapshot.value.activity,
    call: call?.name ?? null,
    job_id: call?.job ?? null,
    since: call === null ? null : isoTime(call.since),
    next: nextEvents(snapshot, "life").filter((event) => event !== "ROW_READ"),
    change: running ?? (stored !== null && stored.underWay ? storedChange(stored) : null),
    waiting: waiting.map(({ job, name, since }) => ({ call: name, job_id: job, since: isoTime(since) }))
  }
}

/** The drawn statecharts of a device, without the event by which an actor follows its row. */
export const statecharts: Statecharts = {
  life: chartOf(regionOf(deviceMachine, "life"), ["ROW_READ"]),
  activity: chartOf(regionOf(deviceMachine, "activity")),
  change: chartOf(toDirectedGraph(configChange))
}

/** How long the replica that has the actor may take to answer; an actor itself answers at once. */
const PATIENCE = "10 seconds"

/** The actor cannot answer now, for example while it moves to another replica; trying again can help. */
export class ActorSilent extends Schema.TaggedError<ActorSilent>()("ActorSilent", { message: Schema.String }) {}

const silent = ({ hostname }: Device, why: string) =>
  new ActorSilent({ message: `The actor of ${hostname} cannot be asked now: ${why}` })

/** Reads the state of a device's actor, on any replica. Does not wait for the call that the actor serves. */
export const makeActorShow = Effect.map(
  DeviceEntity.client,
  (actorOf) =>
    (device: Device): Effect.Effect<ActorView, ActorSilent> =>
      patiently(actorOf(String(device.id)).ShowActor()).pipe(
        Effect.mapError(({ message }) => silent(device, message)),
        Effect.timeoutOrElse({
          duration: PATIENCE,
          orElse: () => Effect.fail(silent(device, `it did not answer within ${PATIENCE}`))
        }),
        Effect.withSpan("DeviceActors.show")
      )
)
