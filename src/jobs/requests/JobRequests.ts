/**
 * Starts jobs in the name of the caller of a request, after checking that they may work on the devices that the arguments name
 * (docs/roles.md#callers-of-some-devices).
 */
import { Context, Effect, Layer, Option, Predicate, Schema } from "effect"
import type { SqlError } from "effect/sql"
import {
  type HeldPermission,
  judge,
  NotPermitted,
  Permit,
  permitted,
  Speaking,
  wantsApproval
} from "../../access/Permit.ts"
import type { Asked } from "../../domain/access/PermissionRule.ts"
import { type AnyJob, type SentArgs, windowChoiceOf } from "../../domain/jobs/JobDefinition.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { requiringSettings, SettingsUnavailable } from "../../settings/SettingsView.ts"
import { riskOf, type RiskServices } from "./DryRun.ts"
import { JobApproval } from "./JobApproval.ts"
import { Sharding } from "effect/cluster"
import { functionOf } from "../../domain/Job.ts"
import { JobScheduleStore, type PutOffJob } from "../../store/JobScheduling.ts"
import { JobFunctions, JobGate } from "../engine/JobHandler.ts"
import { JobEngine, type StartOptions } from "../engine/JobEngine.ts"
import { subjectsOf } from "./JobSubjects.ts"
import { JobWindows, type OutsideWindow } from "./JobWindows.ts"
import { SyncDevices } from "../../domain/jobs/ChangeJobs.ts"
import { CallerDevices } from "../../access/CallerDevices.ts"

/** A synchronization must be pinned to the dry run that the approver is shown. */
class DryRunWanted extends Schema.TaggedError<DryRunWanted>()("DryRunWanted", {}) {
  override get message() {
    return "This needs an approval, so it has to name the dry run that is to be approved: dry_run_job, with dry_run false and without auto_push"
  }
  get httpStatus() {
    return 400 as const
  }
}

const readDryRun = Schema.decodeUnknownOption(SyncDevices.Args)
const dryRunOf = (args: unknown): number | null =>
  Option.match(readDryRun(args), {
    onNone: () => null,
    onSome: ({ auto_push, dry_run, dry_run_job }) => (dry_run || auto_push ? null : (dry_run_job ?? null))
  })

/** Jobs that apply the stored configuration of ports, or only read. Callers with permission for some ports only may not start any other. */
const ON_PORTS: ReadonlySet<string> = new Set(["sync_devices", "device_drift", "update_facts"])

const isEmergency = (job: AnyJob, args: unknown): boolean =>
  job.followsWindows(args) && windowChoiceOf(args).emergency !== undefined

/** Whether a live job leaves out the checks of its devices. */
const skipsChecks = (job: AnyJob, args: unknown): boolean =>
  job.isLive(args) && Predicate.hasProperty(args, "skip_checks") && args.skip_checks !== undefined

const make = Effect.gen(function* () {
  const engine = yield* JobEngine
  const asked = yield* CallerDevices
  const services = yield* Effect.context<RiskServices | Effect.Services<ReturnType<typeof subjectsOf>>>()
  const windows = yield* JobWindows
  const approvals = yield* JobApproval
  const { APPROVAL_SCORE } = yield* ServerConfig

  /** The devices and the group of a job. */
  const about = Effect.fnUntraced(function* (kind: AnyJob["kind"], args: unknown) {
    if (kind !== "devices") return { beyond: true as const }
    const { devices, group, isWhole } = yield* Effect.provideContext(subjectsOf(args, true), services)
    // an unknown device has no groups to judge by
    if (!isWhole) return { beyond: true as const }
    return { devices: yield* asked.of(devices), ...(group === null ? {} : { group }) }
  })

  /** The call for the check of permissions. */
  const askedFor = Effect.fnUntraced(function* (job: AnyJob, args: unknown) {
    const subject = yield* about(job.kind, args)
    const whole = ON_PORTS.has(job.name) ? {} : { whole: true as const }
    const permit = (yield* Permit) ?? (yield* Speaking)
    const call = permit === null ? { method: "POST", path: "/device_syncto" } : permit
    return {
      method: call.method,
      path: call.path,
      ...subject,
      ...whole,
      ...(isEmergency(job, args) ? { emergency: true as const } : {}),
      ...(skipsChecks(job, args) ? { skipChecks: true as const } : {}),
      job: { name: job.name, live: job.isLive(args) }
    }
  }, requiringSettings)

  /** Why the job needs an approval; null if it needs none. */
  const reasonOf = Effect.fnUntraced(function* (job: AnyJob, args: unknown, allowed: HeldPermission | null) {
    if (job.kind !== "devices" || !job.isLive(args)) return null
    const isSync = job.name === SyncDevices.name
    const dryRun = isSync ? dryRunOf(args) : null
    const byRole = allowed !== null && wantsApproval(allowed)
    if (!byRole && !(isSync && APPROVAL_SCORE > 0)) return null
    if (isSync && dryRun === null) return yield* new DryRunWanted()
    const risk =
      dryRun === null || APPROVAL_SCORE === 0
        ? null
        : yield* Effect.provideContext(riskOf(dryRun, APPROVAL_SCORE), services)
    const reason = byRole ? `role ${allowed.role} may start live jobs with an approval only` : risk
    return reason === null ? null : { reason, cause: { role: byRole ? allowed.role : null, dryRunJob: dryRun } }
  })

  /** Checks whether the caller may override windows or skip checks, also when nothing else is checked. */
  const mayOverride = Effect.fnUntraced(function* (call: Asked) {
    const speaking = yield* Speaking
    if (speaking === null || (call.emergency !== true && call.skipChecks !== true)) return
    const found = judge(speaking.held, call)
    if (found.allowed === null) return yield* new NotPermitted({ rule: found.rule, roles: speaking.allowedBy(call) })
  })

  /** The permission that allows the job, and the approval that it needs; null without one. */
  const judged = Effect.fnUntraced(function* (job: AnyJob, args: unknown) {
    const mayBeRisky = APPROVAL_SCORE > 0 && job.name === SyncDevices.name && job.isLive(args)
    const isSpecial = isEmergency(job, args) || skipsChecks(job, args)
    if ((yield* Permit) === null && !mayBeRisky && !isSpecial) return null
    const call = yield* askedFor(job, args)
    const allowed = yield* permitted(call)
    yield* mayOverride(call)
    const wanted = yield* reasonOf(job, args, allowed)
    return wanted === null ? null : { ...wanted, asked: call }
  })

  const admit = (job: AnyJob, args: unknown, delaySeconds: number | undefined) =>
    requiringSettings(windows.admit(job, args, delaySeconds))

  return JobRequests.of({
    start: Effect.fn("JobRequests.start")(function* (job, args, options) {
      const wanted = yield* judged(job, args)
      const admission = yield* admit(job, args, options.delaySeconds)
      const { opensInSeconds, waiting } = admission
      const due =
        opensInSeconds === undefined ? options : { ...options, opensInSeconds, serviceClass: "schedule" as const }
      const id = yield* wanted === null ? engine.start(job, args, due) : approvals.start(job, args, due, wanted)
      // the job waits for its approval first, and its record says so
      yield* windows.note(id, { ...admission, waiting: wanted === null ? waiting : null })
      return id
    })
  })
})

/** Starts jobs for callers. */
export class JobRequests extends Context.Service<
  JobRequests,
  {
    /** As `JobEngine.start`; fails with NotPermitted when the caller may not. A job that needs an approval waits for it. One outside of its windows is refused, or waits for them. */
    readonly start: <J extends AnyJob>(
      job: J,
      args: SentArgs<J>,
      options: StartOptions<J>
    ) => Effect.Effect<number, NotPermitted | DryRunWanted | OutsideWindow | SettingsUnavailable | SqlError.SqlError>
  }
>()("switchyard/jobs/JobRequests") {
  static readonly layer = Layer.effect(JobRequests, make)
}

const makeGate = Effect.gen(function* () {
  const engine = yield* JobEngine
  const sharding = yield* Sharding.Sharding
  const functions = yield* JobFunctions
  const { waits } = yield* JobScheduleStore
  const windows = yield* JobWindows
  const approvals = yield* JobApproval

  /** Null for a function that this server does not have: a newer one may. */
  const timeOf = (job: PutOffJob) => {
    const definition = functions.get(functionOf(job.function_name))?.definition
    return definition === undefined ? Effect.succeed(null) : windows.lookAgain(definition, job)
  }

  const sweepWindows = Effect.gen(function* () {
    const putOff = yield* waits.putOff
    if (putOff.length === 0) return
    // the record of an approved job must now say that it waits for its windows
    const saysNothing = putOff.some(({ awaits_approval, message }) => message === null && !awaits_approval)
    if (!(yield* windows.hasChanged) && !saysNothing) return
    for (const job of putOff) {
      const time = yield* timeOf(job)
      if (time === null || !(yield* engine.startAt(job, time))) continue
      yield* Effect.logInfo("The windows of a job that waits for them have changed", {
        job: job.id,
        now: time.waiting?.message ?? "It may begin"
      })
    }
    yield* sharding.pollStorage
  })

  return JobGate.of({
    wait: Effect.fn("JobGate.wait")(function* (definition, job) {
      if (job.awaits_approval) yield* approvals.wait(job.id)
      if (definition !== undefined) yield* windows.wait(definition, job)
    }),
    lookAgain: Effect.andThen(approvals.lookAgain, sweepWindows)
  })
})

/** Makes jobs wait before they begin: first for their approval, then for their windows. */
export const gate = Layer.effect(JobGate, makeGate)
