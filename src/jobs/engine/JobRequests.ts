/**
 * Starts jobs in the name of the caller of a request: asks first whether they may work on the devices that the arguments name
 * (docs/roles.md#callers-of-some-devices).
 */
import { Context, Effect, Layer, Option, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { AskedDevices } from "../../access/AskedDevices.ts"
import { type NotPermitted, Permit, permitted } from "../../access/Permit.ts"
import { DeviceType } from "../../domain/Device.ts"
import type { AnyJob, SentArgs } from "../../domain/jobs/JobDefinition.ts"
import { SettingsUnavailable } from "../../settings/SettingsView.ts"
import { ChangeStore } from "../../store/ChangeStore.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { DeviceSelection } from "../sync/DeviceSelection.ts"
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
const readNamed = Schema.decodeUnknownOption(Named)

const make = Effect.gen(function* () {
  const engine = yield* JobEngine
  const asked = yield* AskedDevices
  const devices = yield* DeviceStore
  const selection = yield* DeviceSelection
  const changes = yield* ChangeStore

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

  const ask = Effect.fnUntraced(
    function* (job: AnyJob, args: unknown) {
      const found = yield* devicesOf(job, args)
      const about = Option.isNone(found) ? { beyond: true as const } : { devices: yield* asked.of(found.value) }
      yield* permitted({ ...about, job: { name: job.name, live: job.isLive(args) } })
    },
    Effect.catchTag(["NoSettings", "SettingsInvalid"], ({ message }) =>
      Effect.fail(new SettingsUnavailable({ message }))
    )
  )

  return JobRequests.of({
    start: Effect.fn("JobRequests.start")(function* (job, args, options) {
      if ((yield* Permit) !== null) yield* ask(job, args)
      return yield* engine.start(job, args, options)
    })
  })
})

/** Starts jobs for callers. */
export class JobRequests extends Context.Service<
  JobRequests,
  {
    /** As `JobEngine.start`; fails with NotPermitted when the caller may not. */
    readonly start: <J extends AnyJob>(
      job: J,
      args: SentArgs<J>,
      options: StartOptions<J>
    ) => Effect.Effect<number, NotPermitted | SettingsUnavailable | SqlError.SqlError>
  }
>()("switchyard/jobs/JobRequests") {
  static readonly layer = Layer.effect(JobRequests, make)
}
