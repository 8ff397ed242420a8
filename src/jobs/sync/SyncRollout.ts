/**
 * The devices of a sync job, stage by stage: renders, runs each change, and holds back in the modes that confirm together.
 * When the rollout is stopped nothing new is begun, devices in flight are brought to a known end, and those that wait are
 * taken back at once instead of waiting for their timers (contract engine.md §7.6, DESIGN §2).
 */
import { Effect, Fiber, Option, Result, Schedule, Semaphore } from "effect"
import type { Device } from "../../domain/Device.ts"
import type { DeviceResult } from "../../domain/Job.ts"
import { isManageable } from "../../domain/platforms/Platforms.ts"
import { UnmanageableDevice } from "../../domain/platforms/Unmanageable.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { type ChangeProgress, ChangeStore, type ChangeToRun } from "../../store/ChangeStore.ts"
import { JobStore } from "../../store/JobStore.ts"
import type { Render } from "./CandidateConfigs.ts"
import * as ChangeCalls from "./ChangeCalls.ts"
import type { RunningJob } from "../engine/JobHandler.ts"
import * as OtherChanges from "./OtherChanges.ts"
import { doneElsewhere } from "./OtherChanges.ts"
import type { Guard, Stop } from "./Rollout.ts"
import type { SyncArguments } from "./SyncArguments.ts"
import { SyncOutcome } from "./SyncOutcome.ts"
import type { SyncRun } from "./SyncStatus.ts"
import { becauseOf, notStarted, renderFailed, unmanageable } from "./SyncTasks.ts"
import type { TimerWaits } from "./TimerWaits.ts"

/** A device whose change is proved and waits for a verdict. */
export interface Held {
  readonly device: Device
  readonly changeId: number
}

/** Which devices are confirmed together: each alone, those of a stage, or all of the job. */
export type Holding = "none" | "stage" | "job"

/** What a verdict needs to know of a job. */
export interface Judged {
  readonly run: SyncRun
  readonly guard: Guard
  readonly timers: TimerWaits
}

/** A sync job at work. */
export interface Work extends Judged {
  readonly job: RunningJob
  readonly args: SyncArguments
  readonly render: Render
  readonly mode: ChangeCalls.ConfirmMode
  readonly holding: Holding
  /** What waits is taken back when devices fail; after an abort it always is. */
  readonly takesBack: boolean
  /** Newest change of all when the job started. */
  readonly changesSeen: number
  /** Changes of this job that an earlier run has begun, by device id. */
  readonly begun: ReadonlyMap<number, ChangeProgress>
  /** Devices that wait, by id. Grows and shrinks while the job runs. */
  readonly held: Map<number, Held>
}

/**
 * Devices that are rendered and stored at once. The switch of the first is dialled while the next are rendered; without this
 * bound all that a job works on at once would be rendered before the first.
 */
const BEGIN_AT_ONCE = 32

/** How often the changes are looked at for one that has failed but still waits for its switch. */
const WATCH_EVERY = "1 second"

const takesBackNow = ({ takesBack }: Work, stop: Stop | null): stop is Stop =>
  stop !== null && (takesBack || stop.aborted)

/** Runs stages. */
export const make = Effect.gen(function* () {
  const config = yield* ServerConfig
  const jobs = yield* JobStore
  const changes = yield* ChangeStore
  const outcomes = yield* SyncOutcome
  const calls = yield* ChangeCalls.make

  const others = yield* OtherChanges.make
  const beginning = yield* Semaphore.make(BEGIN_AT_ONCE)

  const concurrently = { concurrency: config.SYNC_CONCURRENCY, discard: true } as const

  const settle = Effect.fnUntraced(function* (
    { guard, run, timers }: Judged,
    { changeId, device }: Held,
    stop: Stop | null
  ) {
    const verdict = stop === null ? "ALL_DEVICES_OK" : "OTHERS_FAILED"
    const report = yield* timers.orLeave(changeId, calls.settle(device.id, changeId, verdict))
    const change = yield* changes.get(changeId)
    const candidate = Option.match(change, { onNone: () => "", onSome: (stored) => stored.candidate })
    yield* outcomes.recordVerdict(device, run, candidate, stop === null ? report : becauseOf(stop, report))
    if (!report.ok && stop === null) yield* guard.failed(device.hostname, false)
  })

  /** Takes the waiting devices out of the list; whoever takes one settles it. */
  const takeHeld = ({ held }: Work): ReadonlyArray<Held> => {
    const waiting = [...held.values()]
    held.clear()
    return waiting
  }

  const takeBack = (work: Judged, waiting: ReadonlyArray<Held>, stop: Stop) =>
    Effect.forEach(waiting, (held) => settle(work, held, stop), concurrently)

  const confirmHeld = (work: Work) =>
    Effect.suspend(() =>
      Effect.forEach(
        takeHeld(work),
        (held) => {
          const stop = work.guard.stop()
          return settle(work, held, takesBackNow(work, stop) ? stop : null)
        },
        concurrently
      )
    )

  const leaveAlone = ({ job: { id } }: Work, { hostname }: Device, stop: Stop) =>
    jobs.addDevice(id, { hostname, result: notStarted(stop), reachedEnd: false, changed: false, score: null })

  /** Ends the device's part of the job before anything was sent. */
  const refuse = Effect.fnUntraced(function* ({ guard, job }: Work, { hostname }: Device, result: DeviceResult) {
    yield* jobs.addDevice(job.id, { hostname, result, reachedEnd: false, changed: false, score: null })
    yield* guard.failed(hostname, false)
    return null
  })

  /** The device's change, stored now or before; nothing when there is none, with a row that says why. */
  const changeOn = Effect.fnUntraced(function* (work: Work, device: Device) {
    const begun = work.begun.get(device.id)
    if (begun !== undefined) return Option.getOrNull(yield* changes.get(begun.id))
    const { args, job, mode, render } = work
    if (!isManageable(device)) return yield* refuse(work, device, unmanageable(new UnmanageableDevice(device)))
    const rendered = yield* render(device)
    if (Result.isFailure(rendered)) {
      return yield* refuse(work, device, renderFailed(`${rendered.failure.type}: ${rendered.failure.message}\n`))
    }
    const candidate = rendered.success.text
    const { dry_run: dryRun, force } = args
    const wanted = { jobId: job.id, candidate, mode, dryRun, force, expectedHash: device.confhash }
    return yield* Effect.catchTag(calls.store(device, wanted), "UnmanageableDevice", (error) =>
      refuse(work, device, unmanageable(error))
    )
  })

  const hold = Effect.fnUntraced(function* (work: Work, held: Held) {
    // from here to the end nothing else runs in between: either the device is in the list when it is emptied, or not
    const stop = work.guard.stop()
    if (takesBackNow(work, stop)) yield* settle(work, held, stop)
    else work.held.set(held.device.id, held)
  })

  const runChange = Effect.fnUntraced(function* (work: Work, device: Device, change: ChangeToRun, isCanary: boolean) {
    const report = yield* work.timers.orLeave(change.id, calls.run(device.id, change.id))
    if (!report.waiting) {
      if (!report.ok) yield* work.guard.failed(device.hostname, isCanary)
      const record = work.holding === "none" ? outcomes.record : outcomes.recordVerdict
      return yield* record(device, work.run, change.candidate, report)
    }
    yield* outcomes.recordWaiting(device, work.run, change.candidate, report)
    yield* hold(work, { device, changeId: change.id })
  })

  /** The change to run on the device; nothing when there is none, which is recorded. */
  const begin = Effect.fnUntraced(function* (work: Work, device: Device) {
    const begun = work.begun.get(device.id)
    if (begun === undefined || begun.phase === "planned") {
      if (yield* work.job.aborting) yield* work.guard.aborted
      const stop = work.guard.stop()
      if (stop !== null && (begun === undefined || (yield* calls.cancel(begun.id)))) {
        yield* leaveAlone(work, device, stop)
        return null
      }
    }
    return yield* changeOn(work, device)
  }, beginning.withPermit)

  /** True when another job has done the device's part of this one meanwhile, which is recorded. */
  const isDoneElsewhere = Effect.fnUntraced(function* ({ args, begun, changesSeen, guard, job }: Work, device: Device) {
    if (args.dry_run || begun.has(device.id)) return false
    const asking = { jobId: job.id, changesSeen, isStopped: () => guard.stop() !== null }
    const other = yield* others.meanwhile(device, asking)
    if (Option.isNone(other)) return false
    const { hostname } = device
    const result = doneElsewhere(other.value)
    yield* jobs.addDevice(job.id, { hostname, result, reachedEnd: true, changed: false, score: null })
    return true
  })

  const syncDevice = Effect.fn("SyncRollout.device")(function* (work: Work, device: Device, isCanary: boolean) {
    if (yield* isDoneElsewhere(work, device)) return
    const change = yield* begin(work, device)
    if (change !== null) yield* runChange(work, device, change, isCanary)
  })

  /** A device that died after its commit reports late; its row tells at once that it will not be confirmed. */
  const watch = (work: Work, devices: ReadonlyMap<number, Device>, isCanary: boolean) =>
    Effect.gen(function* () {
      if (yield* work.job.aborting) yield* work.guard.aborted
      for (const id of yield* changes.lostOfJob(work.job.id)) {
        const device = devices.get(id)
        if (device !== undefined) yield* work.guard.failed(device.hostname, isCanary)
      }
    }).pipe(
      Effect.tapCause((cause) => Effect.logWarning("The progress of the changes could not be read", cause)),
      Effect.ignore,
      Effect.repeat(Schedule.spaced(WATCH_EVERY))
    )

  const runStage = Effect.fn("SyncRollout.stage")(function* (
    work: Work,
    devices: ReadonlyArray<Device>,
    isCanary: boolean
  ) {
    const { args, guard, holding } = work
    const byId = new Map(devices.map((device) => [device.id, device]))
    const watching = yield* Effect.forkChild(args.dry_run ? Effect.never : watch(work, byId, isCanary))
    const takingBack = yield* Effect.forkChild(
      Effect.flatMap(guard.stopped, (stop) =>
        takesBackNow(work, stop) ? takeBack(work, takeHeld(work), stop) : Effect.void
      )
    )
    yield* Effect.forEach(devices, (device) => syncDevice(work, device, isCanary), concurrently)
    yield* Fiber.interrupt(watching)
    if (holding === "stage") yield* confirmHeld(work)
    yield* guard.stop() === null ? Fiber.interrupt(takingBack) : Fiber.join(takingBack)
  })

  return {
    /** Works on the devices of one stage until each has ended or waits for a verdict. */
    runStage,
    /** Settles devices that nobody confirmed, such as after the confirming job was aborted. */
    takeBack
  }
})
