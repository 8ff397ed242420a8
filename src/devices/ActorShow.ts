/** What a device's actor shows of itself: where its statecharts are, and which calls wait. */
import type { AnyMachineSnapshot } from "xstate"
import { type ChangePhase, type ChangeRow, verdicts } from "../../machines/change/ChangeRow.ts"
import { nextEvents, placeOf } from "../../machines/Chart.ts"
import type { ActorView, ChangeView } from "../domain/DeviceActivity.ts"
import type { DeviceStatechart } from "./DeviceStatechart.ts"
import type { DeviceTurns } from "./DeviceTurns.ts"
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

/** The view of an actor; `stored` is the newest change of its device, which counts while the actor is at none. */
export const show = (statechart: DeviceStatechart, turns: DeviceTurns, stored: LiveChange | null): ActorView => {
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
    waiting: turns.waiting().map(({ job, name, since }) => ({ call: name, job_id: job, since: isoTime(since) }))
  }
}
