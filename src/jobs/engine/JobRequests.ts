/**
 * Starts jobs in the name of the caller of a request: asks first whether they may work on the devices that the arguments name
 * (docs/roles.md#callers-of-some-devices).
 */
import { Context, Effect, Layer, Option, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { AskedDevices } from "../../access/AskedDevices.ts"
import { type HeldPermission, type NotPermitted, Permit, permitted, wantsApproval } from "../../access/Permit.ts"
import { DeviceType } from "../../domain/Device.ts"
import type { AnyJob, SentArgs } from "../../domain/jobs/JobDefinition.ts"
import { SyncDevices } from "../../domain/jobs/SyncDevices.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { SettingsUnavailable } from "../../settings/SettingsView.ts"
import { ChangeStore } from "../../store/ChangeStore.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { DeviceSelection } from "../sync/DeviceSelection.ts"
import { DryRunRisk } from "../sync/DryRunRisk.ts"
import { JobApproval } from "./JobApproval.ts"
import { JobEngine } from "./JobEngine.ts"
import type { StartOptions } from "./JobLaunch.ts"

/** The keys by which arguments name devices. */
const Named = Schema.Struct({
  hostname: Schema.optionalKey(Schema.String),
  hostnames: Schema.optionalKey(Schema.Array(Schema.String)),
  device_id: Schema.optionalKey(Schema.Int),
  device_type: Schema.optionalKey(DeviceType),
  group: Schema.optionalKey(Schema.String),
  job_id: Schema.optionalKey(Schema.Int)
})
type Named = typeof Named.Type

/** A synchronization has to be pinned to what the approver is shown. */
export class DryRunWanted extends Schema.TaggedError<DryRunWanted>()("DryRunWanted", {}) {
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
const readNamed = Schema.decodeUnknownOption(Named)

const make = Effect.gen(function* () {
  const engine = yield* JobEngine
  const asked = yield* AskedDevices
  const devices = yield* DeviceStore
  const selection = yield* DeviceSelection
  const changes = yield* ChangeStore
  const approvals = yield* JobApproval
  const risks = yield* DryRunRisk
  const { APPROVAL_SCORE } = yield* ServerConfig

  const named = Effect.fnUntraced(function* (names: Named) {
    const { device_id, hostname, hostnames, job_id } = names
    if (device_id !== undefined) return yield* devices.byIds([device_id])
    if (hostnames !== undefined) return yield* devices.byHostnames(hostnames)
    if (hostname !== undefined) return yield* devices.byHostnames([hostname])
    if (job_id === undefined) return yield* selection.select({ ...names, resync: true })
    return yield* devices.byHostnames((yield* changes.undoable(job_id, 0)).map((change) => change.hostname))
  })

  /** The devices of a job; none for one that is about no devices. */
  const devicesOf = Effect.fnUntraced(function* ({ kind }: AnyJob, args: unknown) {
    const names = readNamed(args)
    return kind === "devices" && Option.isSome(names) ? Option.some(yield* named(names.value)) : Option.none()
  })

  /** The call as permissions judge it. */
  const askedFor = Effect.fnUntraced(
    function* (job: AnyJob, args: unknown) {
      const found = yield* devicesOf(job, args)
      const about = Option.isNone(found) ? { beyond: true as const } : { devices: yield* asked.of(found.value) }
      const permit = yield* Permit
      const call = permit === null ? { method: "POST", path: "/device_syncto" } : permit
      return { method: call.method, path: call.path, ...about, job: { name: job.name, live: job.isLive(args) } }
    },
    Effect.catchTag(["NoSettings", "SettingsInvalid"], ({ message }) =>
      Effect.fail(new SettingsUnavailable({ message }))
    )
  )

  /** Why the job has to be approved; null when it has not. */
  const reasonOf = Effect.fnUntraced(function* (job: AnyJob, args: unknown, allowed: HeldPermission | null) {
    if (job.kind !== "devices" || !job.isLive(args)) return null
    const isSync = job.name === SyncDevices.name
    const dryRun = isSync ? dryRunOf(args) : null
    const byRole = allowed !== null && wantsApproval(allowed)
    if (!byRole && !(isSync && APPROVAL_SCORE > 0)) return null
    if (isSync && dryRun === null) return yield* new DryRunWanted()
    const risk = dryRun === null || APPROVAL_SCORE === 0 ? null : yield* risks.of(dryRun, APPROVAL_SCORE)
    const reason = byRole ? `role ${allowed.role} may start live jobs with an approval only` : risk
    return reason === null ? null : { reason, dryRunJob: dryRun }
  })

  return JobRequests.of({
    start: Effect.fn("JobRequests.start")(function* (job, args, options) {
      const mayBeRisky = APPROVAL_SCORE > 0 && job.name === SyncDevices.name && job.isLive(args)
      if ((yield* Permit) === null && !mayBeRisky) return yield* engine.start(job, args, options)
      const call = yield* askedFor(job, args)
      const allowed = yield* permitted(call)
      const wanted = yield* reasonOf(job, args, allowed)
      return wanted === null
        ? yield* engine.start(job, args, options)
        : yield* approvals.start(job, args, options, { ...wanted, asked: call })
    })
  })
})

/** Starts jobs for callers. */
export class JobRequests extends Context.Service<
  JobRequests,
  {
    /** As `JobEngine.start`; fails with NotPermitted when the caller may not. A job that needs an approval waits for it. */
    readonly start: <J extends AnyJob>(
      job: J,
      args: SentArgs<J>,
      options: StartOptions<J>
    ) => Effect.Effect<number, NotPermitted | DryRunWanted | SettingsUnavailable | SqlError.SqlError>
  }
>()("switchyard/jobs/JobRequests") {
  static readonly layer = Layer.effect(JobRequests, make)
}
