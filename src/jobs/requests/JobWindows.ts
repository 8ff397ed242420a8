/**
 * Jobs and the windows of their devices (docs/windows.md#jobs): refuses a job that is started outside of them, or makes it wait,
 * and skips a device whose window has closed when its turn comes. A change that has begun on a device is completed. A waiting job
 * is due when its windows open; if they or the groups change, the gate (`JobRequests.ts`) checks them again.
 */
import { Clock, Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { ChangeWindows, closedNow, haveWindows, judgeDevices } from "../../access/ChangeWindows.ts"
import { closedSentence, type Verdict } from "../../domain/access/Windows.ts"
import type { Device } from "../../domain/Device.ts"
import { type DeviceResult, deviceResult, finalStatuses, taskFailed, type WindowWait } from "../../domain/Job.ts"
import { type AnyJob, type WindowChoice, windowChoiceOf } from "../../domain/jobs/JobDefinition.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { ActiveSettings, type SettingsError } from "../../settings/ActiveSettings.ts"
import { ChangeStore } from "../../store/ChangeStore.ts"
import { EventStore } from "../../store/EventStore.ts"
import { type JobHead, JobStore } from "../../store/JobStore.ts"
import { JobScheduleStore, type NewTime, type PutOffJob } from "../../store/JobScheduling.ts"
import { OperationStore } from "../../store/OperationStore.ts"
import { SyncDevices } from "../../domain/jobs/ChangeJobs.ts"
import { subjectsOf } from "./JobSubjects.ts"
import { CallerDevices } from "../../access/CallerDevices.ts"

/** Milliseconds between two times that count as one: a job's time is rounded up to seconds. */
const SAME_TIME = 2000

/** Milliseconds after which waiting jobs check again although neither windows nor settings have changed: devices may have. */
const LOOK_ANYWAY = 30_000

/** How often a job that waits for a window checks again: the file and the groups may change. */
const POLL = "5 seconds"

const HINT = "Send wait_for_window: true to wait for it, or emergency with a reason"

/** A window of the job's devices is closed. */
export class OutsideWindow extends Schema.TaggedError<OutsideWindow>()("OutsideWindow", { why: Schema.String }) {
  override get message() {
    return `${this.why}. ${HINT}`
  }
  get httpStatus() {
    return 400 as const
  }
}

/** How an accepted job was admitted by the windows. */
interface Admission {
  /** Seconds until the windows open; undefined if the job does not wait for them. */
  readonly opensInSeconds?: number
  readonly waiting: WindowWait | null
  /** The reason of an emergency, and what it overrides. */
  readonly emergency: { readonly reason: string; readonly overrides: string | null } | null
}

/** The entries of a device whose window has closed before its turn came: nothing was sent. `why` is a sentence without its full stop. */
export const outsideWindow = (why: string, mainTask: string): DeviceResult =>
  deviceResult([taskFailed(mainTask, `Nothing was sent to it.\nOutsideWindow: ${why}\n`)])

type Closed = Extract<Verdict, { isOpen: false }>

const NOTHING: Admission = { waiting: null, emergency: null }

const waitFor = (verdict: Closed): WindowWait => {
  const { next } = verdict
  const why = closedSentence(verdict)
  const until = next === null ? null : DateTime.formatIso(DateTime.makeUnsafe(next)).slice(0, 19)
  return { reason: "window", why, until, message: `Waits for a window: ${why}` }
}

/** Without `resync`, a sync is about unsynchronized devices only. */
const Resync = Schema.Struct({ resync: Schema.Literal(true) })
const isResync = Schema.is(Resync)

const make = Effect.gen(function* () {
  const { JOB_DELAY } = yield* ServerConfig
  const ruleFile = yield* ChangeWindows
  const settings = yield* ActiveSettings
  const services = yield* Effect.context<
    Effect.Services<ReturnType<typeof subjectsOf>> | ChangeWindows | CallerDevices
  >()
  const areThere = Effect.provideContext(haveWindows, services)
  const jobs = yield* JobStore
  const { waits } = yield* JobScheduleStore
  const events = yield* EventStore
  const changes = yield* ChangeStore
  const operations = yield* OperationStore

  const judge = Effect.fnUntraced(function* (name: string, args: unknown, at: number) {
    const isWhole = name !== SyncDevices.name || isResync(args)
    const { devices } = yield* Effect.provideContext(subjectsOf(args, isWhole), services)
    return yield* Effect.provideContext(judgeDevices(devices, at), services)
  })

  const admit = Effect.fn("JobWindows.admit")(function* (
    job: AnyJob,
    args: unknown,
    delaySeconds: number | undefined
  ): Effect.fn.Return<Admission, OutsideWindow | SettingsError | SqlError.SqlError> {
    if (!job.followsWindows(args)) return NOTHING
    const { emergency: reason, wait_for_window } = windowChoiceOf(args)
    const emergency = reason === undefined ? null : { reason, overrides: null }
    if (!(yield* areThere)) return { waiting: null, emergency }
    const now = yield* Clock.currentTimeMillis
    const verdict = yield* judge(job.name, args, now + (delaySeconds ?? JOB_DELAY) * 1000)
    if (verdict.isOpen) return { waiting: null, emergency }
    const why = closedSentence(verdict)
    if (reason !== undefined) return { waiting: null, emergency: { reason, overrides: why } }
    if (wait_for_window !== true || verdict.next === null) return yield* new OutsideWindow({ why })
    return { opensInSeconds: Math.ceil((verdict.next - now) / 1000), waiting: waitFor(verdict), emergency: null }
  })

  const note = Effect.fn("JobWindows.note")(function* (id: number, { emergency, waiting }: Admission) {
    if (emergency !== null) {
      yield* events.append({ kind: "window", action: "emergency", isAudit: true, jobId: id, data: emergency })
    }
    if (waiting !== null) yield* waits.waitFor(id, waiting)
  })

  /** Why the job must wait longer; null if all its devices may be changed, or if the job itself must report an error. */
  const closedFor = Effect.fnUntraced(
    function* (name: string, args: unknown) {
      const verdict = yield* judge(name, args, yield* Clock.currentTimeMillis)
      return verdict.isOpen ? null : waitFor(verdict)
    },
    Effect.catchTag(["NoSettings", "SettingsInvalid"], () => Effect.succeed(null))
  )

  const wait = Effect.fn("JobWindows.wait")(function* (job: AnyJob, { id, start_arguments, status }: JobHead) {
    const { emergency, wait_for_window } = windowChoiceOf(start_arguments)
    const isWaiting = status === "SCHEDULED" && wait_for_window === true && emergency === undefined
    if (!isWaiting || !job.followsWindows(start_arguments)) return
    let shown: string | null = null
    for (;;) {
      const waiting = yield* closedFor(job.name, start_arguments)
      if (waiting === null) return yield* waits.clear(id)
      if (waiting.message !== shown) yield* waits.waitFor(id, waiting)
      shown = waiting.message
      yield* Effect.sleep(POLL)
      if (finalStatuses.includes(yield* Effect.catchTag(jobs.status(id), "JobNotFound", Effect.die))) return
    }
  })

  /** The inputs of a job's windows, except for time and the devices themselves. */
  const causes = Effect.gen(function* () {
    const { rules } = yield* ruleFile.inForce
    const snapshot = yield* Effect.catchTag(settings.snapshot, ["NoSettings", "SettingsInvalid"], () =>
      Effect.succeed(null)
    )
    return { rules, snapshot }
  })
  let seen: (Effect.Success<typeof causes> & { readonly at: number }) | null = null

  const hasChanged = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const found = yield* causes
    const isSame = seen?.rules === found.rules && seen.snapshot === found.snapshot
    if (seen !== null && isSame && Math.abs(now - seen.at) < LOOK_ANYWAY) return false
    seen = { ...found, at: now }
    return true
  })

  const lookAgain = Effect.fn("JobWindows.lookAgain")(
    function* (job: AnyJob, { awaits_approval, due, id, message, wanted }: PutOffJob) {
      const now = yield* Clock.currentTimeMillis
      const { start_arguments } = yield* jobs.head(id)
      const at = Math.max(now, wanted ?? now)
      const verdict = yield* judge(job.name, start_arguments, at)
      const time: NewTime = verdict.isOpen
        ? { at, waiting: null }
        : { at: verdict.next ?? due, waiting: waitFor(verdict) }
      const saysSo = awaits_approval || (time.waiting?.message ?? null) === message
      return saysSo && Math.abs(time.at - due) < SAME_TIME ? null : time
    },
    Effect.catchTag(["JobNotFound", "NoSettings", "SettingsInvalid"], () => Effect.succeed(null))
  )

  const closed = ({ emergency }: WindowChoice, device: Device) =>
    emergency === undefined ? Effect.provideContext(closedNow(device), services) : Effect.succeed(null)

  /** A change that a killed process had begun to send continues. */
  const hasBegun = Effect.fnUntraced(function* (jobId: number, deviceId: number) {
    const progress = yield* changes.progressOfJob(jobId)
    if (progress.some(({ device_id, phase }) => device_id === deviceId && phase !== "planned")) return true
    return Option.isSome(yield* operations.ofJob(jobId, deviceId, "certificate"))
  })

  return JobWindows.of({
    areThere,
    admit,
    note,
    wait,
    hasChanged,
    lookAgain,
    closedAmong: Effect.fn("JobWindows.closedAmong")(function* (devices) {
      const verdict = yield* Effect.provideContext(judgeDevices(devices, yield* Clock.currentTimeMillis), services)
      return verdict.isOpen ? null : closedSentence(verdict)
    }),
    closed,
    closedBefore: Effect.fn("JobWindows.closedBefore")(function* ({ args, id }, device) {
      const why = yield* closed(args, device)
      return why === null || (yield* hasBegun(id, device.id)) ? null : why
    })
  })
})

/** Windows for jobs. */
export class JobWindows extends Context.Service<
  JobWindows,
  {
    /** Whether the site has windows at all. */
    readonly areThere: Effect.Effect<boolean>
    /** Admits a job with these arguments that is due in so many seconds, by default JOB_DELAY, or refuses it. */
    readonly admit: (
      job: AnyJob,
      args: unknown,
      delaySeconds: number | undefined
    ) => Effect.Effect<Admission, OutsideWindow | SettingsError | SqlError.SqlError>
    /** Writes into the record and the audit of a job how it was admitted. */
    readonly note: (id: number, admission: Admission) => Effect.Effect<void, SqlError.SqlError>
    /** Waits until the devices of a waiting job may be changed, or the job has ended. */
    readonly wait: (job: AnyJob, head: JobHead) => Effect.Effect<void, SqlError.SqlError>
    /** Whether windows or settings have changed since the last call, or it is time to check for changes of devices. */
    readonly hasChanged: Effect.Effect<boolean, SqlError.SqlError>
    /** The new start of a postponed job, and its wait; null if neither has changed. */
    readonly lookAgain: (job: AnyJob, putOff: PutOffJob) => Effect.Effect<NewTime | null, SqlError.SqlError>
    /** Why these devices must not all be changed now, as a sentence; null when they may be. */
    readonly closedAmong: (
      devices: ReadonlyArray<Device>
    ) => Effect.Effect<string | null, SettingsError | SqlError.SqlError>
    /** Why a job with these wishes must not begin on a device now, as a sentence; null when it may. */
    readonly closed: (wishes: WindowChoice, device: Device) => Effect.Effect<string | null, SqlError.SqlError>
    /** The same for a job that may have begun to change the device before a restart: then it continues. */
    readonly closedBefore: (
      job: { readonly id: number; readonly args: WindowChoice },
      device: Device
    ) => Effect.Effect<string | null, SqlError.SqlError>
  }
>()("switchyard/jobs/JobWindows") {
  /** Includes the windows service for others, so the file is read once. */
  static readonly layer = Layer.effect(JobWindows, make).pipe(
    Layer.provide(CallerDevices.layer),
    Layer.provideMerge(ChangeWindows.layer)
  )
}
