/**
 * Jobs and the windows of their devices (docs/windows.md#jobs): refuses a job outside of them when it is started, has it wait for them, and
 * keeps it from a device whose window has closed when its turn comes. What has begun on a device is brought to its end.
 */
import { Clock, Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { AskedDevices } from "../../access/AskedDevices.ts"
import { ChangeWindows } from "../../access/ChangeWindows.ts"
import { DeviceWindows } from "../../access/DeviceWindows.ts"
import { closedSentence, type Verdict } from "../../domain/access/Windows.ts"
import type { Device } from "../../domain/Device.ts"
import { finalStatuses } from "../../domain/Job.ts"
import type { AnyJob } from "../../domain/jobs/JobDefinition.ts"
import { SyncDevices } from "../../domain/jobs/SyncDevices.ts"
import { type WindowWishes, wishesOf } from "../../domain/jobs/WindowWishes.ts"
import type { WindowWait } from "../../domain/JobWaiting.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import type { SettingsError } from "../../settings/ActiveSettings.ts"
import { ChangeStore } from "../../store/ChangeStore.ts"
import { EventStore } from "../../store/EventStore.ts"
import { type JobHead, JobStore } from "../../store/JobStore.ts"
import { JobWaitStore } from "../../store/JobWaitStore.ts"
import { OperationStore } from "../../store/OperationStore.ts"
import { DeviceSelection } from "../sync/DeviceSelection.ts"
import { JobSubjects } from "./JobSubjects.ts"

/** How often a job that waits for a window looks again: the file and the groups may change. */
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

/** How a job that was accepted goes by the windows. */
export interface Admission {
  /** Seconds until the windows open; undefined when the job does not wait for them. */
  readonly delaySeconds?: number
  readonly waiting: WindowWait | null
  /** The reason of an emergency, and what it overrides. */
  readonly emergency: { readonly reason: string; readonly overrides: string | null } | null
}

type Closed = Extract<Verdict, { isOpen: false }>

const NOTHING: Admission = { waiting: null, emergency: null }

const waitFor = (verdict: Closed): WindowWait => {
  const { next } = verdict
  const why = closedSentence(verdict)
  const until = next === null ? null : DateTime.formatIso(DateTime.makeUnsafe(next)).slice(0, 19)
  return { reason: "window", why, until, message: `Waits for a window: ${why}` }
}

/** A sync that was not told otherwise is about devices that are not synchronized. */
const Resync = Schema.Struct({ resync: Schema.Literal(true) })
const isResync = Schema.is(Resync)

const make = Effect.gen(function* () {
  const { JOB_DELAY } = yield* ServerConfig
  const windows = yield* DeviceWindows
  const subjects = yield* JobSubjects
  const jobs = yield* JobStore
  const waits = yield* JobWaitStore
  const events = yield* EventStore
  const changes = yield* ChangeStore
  const operations = yield* OperationStore

  const judge = Effect.fnUntraced(function* (name: string, args: unknown, at: number) {
    const { devices } = yield* subjects.of(args, name !== SyncDevices.name || isResync(args))
    return yield* windows.judge(devices, at)
  })

  const admit = Effect.fn("JobWindows.admit")(function* (
    job: AnyJob,
    args: unknown,
    delaySeconds: number | undefined
  ): Effect.fn.Return<Admission, OutsideWindow | SettingsError | SqlError.SqlError> {
    if (!job.followsWindows(args)) return NOTHING
    const { emergency: reason, wait_for_window } = wishesOf(args)
    const emergency = reason === undefined ? null : { reason, overrides: null }
    if (!(yield* windows.areThere)) return { waiting: null, emergency }
    const now = yield* Clock.currentTimeMillis
    const verdict = yield* judge(job.name, args, now + (delaySeconds ?? JOB_DELAY) * 1000)
    if (verdict.isOpen) return { waiting: null, emergency }
    const why = closedSentence(verdict)
    if (reason !== undefined) return { waiting: null, emergency: { reason, overrides: why } }
    if (wait_for_window !== true || verdict.next === null) return yield* new OutsideWindow({ why })
    return { delaySeconds: Math.ceil((verdict.next - now) / 1000), waiting: waitFor(verdict), emergency: null }
  })

  const note = Effect.fn("JobWindows.note")(function* (id: number, { emergency, waiting }: Admission) {
    if (emergency !== null) {
      yield* events.append({ kind: "window", action: "emergency", isAudit: true, jobId: id, data: emergency })
    }
    if (waiting !== null) yield* waits.waitFor(id, waiting)
  })

  /** Why the job has to wait longer; null when all its devices may be changed, or it has to say itself what is wrong. */
  const closedFor = Effect.fnUntraced(
    function* (name: string, args: unknown) {
      const verdict = yield* judge(name, args, yield* Clock.currentTimeMillis)
      return verdict.isOpen ? null : waitFor(verdict)
    },
    Effect.catchTag(["NoSettings", "SettingsInvalid"], () => Effect.succeed(null))
  )

  const wait = Effect.fn("JobWindows.wait")(function* (job: AnyJob, { id, start_arguments, status }: JobHead) {
    const { emergency, wait_for_window } = wishesOf(start_arguments)
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

  const closed = ({ emergency }: WindowWishes, device: Device) =>
    emergency === undefined ? windows.closed(device) : Effect.succeed(null)

  /** What a killed process had begun to send goes on. */
  const hasBegun = Effect.fnUntraced(function* (jobId: number, deviceId: number) {
    const progress = yield* changes.progressOfJob(jobId)
    if (progress.some(({ device_id, phase }) => device_id === deviceId && phase !== "planned")) return true
    return Option.isSome(yield* operations.ofJob(jobId, deviceId, "certificate"))
  })

  return JobWindows.of({
    areThere: windows.areThere,
    admit,
    note,
    wait,
    closed,
    closedBefore: Effect.fn("JobWindows.closedBefore")(function* ({ args, id }, device) {
      const why = yield* closed(args, device)
      return why === null || (yield* hasBegun(id, device.id)) ? null : why
    })
  })
})

/** Windows, as jobs ask them. */
export class JobWindows extends Context.Service<
  JobWindows,
  {
    /** Whether the site has windows at all. */
    readonly areThere: Effect.Effect<boolean>
    /** How a job with these arguments goes by the windows when it is due in so many seconds, JOB_DELAY when undefined. */
    readonly admit: (
      job: AnyJob,
      args: unknown,
      delaySeconds: number | undefined
    ) => Effect.Effect<Admission, OutsideWindow | SettingsError | SqlError.SqlError>
    /** Writes into the record and the audit of a job how it was admitted. */
    readonly note: (id: number, admission: Admission) => Effect.Effect<void, SqlError.SqlError>
    /** Waits until the devices of a job that is to wait for their windows may be changed, or the job has ended. */
    readonly wait: (job: AnyJob, head: JobHead) => Effect.Effect<void, SqlError.SqlError>
    /** Why a job with these wishes must not begin on a device now, as a sentence; null when it may. */
    readonly closed: (wishes: WindowWishes, device: Device) => Effect.Effect<string | null, SqlError.SqlError>
    /** The same for a job that may have begun to change the device before a restart: then it goes on. */
    readonly closedBefore: (
      job: { readonly id: number; readonly args: WindowWishes },
      device: Device
    ) => Effect.Effect<string | null, SqlError.SqlError>
  }
>()("switchyard/jobs/JobWindows") {
  /** With what others ask of windows, so that the file is read once. */
  static readonly layer = Layer.effect(JobWindows, make).pipe(
    Layer.provideMerge(Layer.merge(DeviceWindows.layer, JobSubjects.layer)),
    Layer.provide([AskedDevices.layer, DeviceSelection.layer]),
    Layer.provideMerge(ChangeWindows.layer)
  )
}
