/**
 * Starts jobs in the name of the caller of a request: asks first whether they may work on the devices that the arguments name
 * (docs/roles.md#callers-of-some-devices).
 */
import { Context, Effect, Layer, Option, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { AskedDevices } from "../../access/AskedDevices.ts"
import { type HeldPermission, type NotPermitted, Permit, permitted, wantsApproval } from "../../access/Permit.ts"
import { type Device, DeviceType } from "../../domain/Device.ts"
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
  job_id: Schema.optionalKey(Schema.Int),
  /** The name that an initialisation gives. */
  new_hostname: Schema.optionalKey(Schema.String),
  mlag_peer_hostname: Schema.optionalKey(Schema.NullOr(Schema.String)),
  mlag_peer_id: Schema.optionalKey(Schema.Int),
  mlag_peer_new_hostname: Schema.optionalKey(Schema.String)
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

/** Jobs that give ports what is stored for them, or only look. All others are closed to who may work on some ports only. */
const ON_PORTS: ReadonlySet<string> = new Set(["sync_devices", "device_drift", "update_facts"])

const present = <A>(...values: ReadonlyArray<A | null | undefined>): ReadonlyArray<A> =>
  values.filter((value) => value !== null && value !== undefined)

const make = Effect.gen(function* () {
  const engine = yield* JobEngine
  const asked = yield* AskedDevices
  const devices = yield* DeviceStore
  const selection = yield* DeviceSelection
  const changes = yield* ChangeStore
  const approvals = yield* JobApproval
  const risks = yield* DryRunRisk
  const { APPROVAL_SCORE } = yield* ServerConfig

  /** The devices of these names or ids; none when one of them is not there, since nothing is known of it. */
  const every = (keys: ReadonlyArray<string | number>, rows: ReadonlyArray<Device>) =>
    rows.length < new Set(keys).size ? Option.none() : Option.some(rows)

  const byName = (hostnames: ReadonlyArray<string>) =>
    Effect.map(devices.byHostnames(hostnames), (rows) => every(hostnames, rows))

  /** The switches of an initialisation, as they are and as they will be, and whoever has such a name now. */
  const initialised = Effect.fnUntraced(function* (names: Named) {
    const { device_id, device_type = "ACCESS", mlag_peer_id, mlag_peer_new_hostname, new_hostname } = names
    const ids = present(device_id, mlag_peer_id)
    const rows = yield* devices.byIds(ids)
    const named = yield* devices.byHostnames(present(new_hostname, mlag_peer_new_hostname))
    const later = rows.flatMap((device) =>
      present(device.id === device_id ? new_hostname : mlag_peer_new_hostname).map((hostname): Device => ({
        ...device,
        hostname,
        device_type
      }))
    )
    return every(ids, [...rows, ...later, ...named])
  })

  const named = Effect.fnUntraced(function* (names: Named) {
    const { device_id, hostname, hostnames, job_id, mlag_peer_hostname } = names
    if (device_id !== undefined) return yield* initialised(names)
    if (job_id !== undefined) {
      return yield* byName((yield* changes.undoable(job_id, 0)).map((change) => change.hostname))
    }
    if (hostnames !== undefined) return yield* byName(hostnames)
    if (hostname !== undefined) return yield* byName(present(hostname, mlag_peer_hostname))
    return Option.some(yield* selection.select({ ...names, resync: true }))
  })

  /** What a job is about. */
  const about = Effect.fnUntraced(function* (kind: AnyJob["kind"], args: unknown) {
    const names = readNamed(args)
    if (kind !== "devices" || Option.isNone(names)) return { beyond: true as const }
    const found = yield* named(names.value)
    if (Option.isNone(found)) return { beyond: true as const }
    const { group, hostname, hostnames } = names.value
    const byGroup = hostname === undefined && hostnames === undefined && group !== undefined
    return { devices: yield* asked.of(found.value), ...(byGroup ? { group } : {}) }
  })

  /** The call as permissions judge it. */
  const askedFor = Effect.fnUntraced(
    function* (job: AnyJob, args: unknown) {
      const subject = yield* about(job.kind, args)
      const whole = ON_PORTS.has(job.name) ? {} : { whole: true as const }
      const permit = yield* Permit
      const call = permit === null ? { method: "POST", path: "/device_syncto" } : permit
      return {
        method: call.method,
        path: call.path,
        ...subject,
        ...whole,
        job: { name: job.name, live: job.isLive(args) }
      }
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
