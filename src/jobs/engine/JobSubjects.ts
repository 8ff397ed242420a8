/** The devices that a job is about, by the keys of its arguments that name devices. */
import { Context, Effect, Layer, Option, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { type Device, DeviceType } from "../../domain/Device.ts"
import type { SettingsError } from "../../settings/ActiveSettings.ts"
import { ChangeStore } from "../../store/ChangeStore.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { DeviceSelection } from "../sync/DeviceSelection.ts"

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

const readNamed = Schema.decodeUnknownOption(Named)

/** What arguments name. */
export interface JobSubject {
  readonly devices: ReadonlyArray<Device>
  /** Whether each of the names stands for one of the devices. */
  readonly isWhole: boolean
  /** The group whose devices are looked for when the job begins. */
  readonly group: string | null
}

const present = <A>(...values: ReadonlyArray<A | null | undefined>): ReadonlyArray<A> =>
  values.filter((value) => value !== null && value !== undefined)

const every = (keys: ReadonlyArray<string | number>, devices: ReadonlyArray<Device>) => ({
  devices,
  isWhole: devices.length >= new Set(keys).size
})

const make = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const selection = yield* DeviceSelection
  const changes = yield* ChangeStore

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
    return { devices: [...rows, ...later, ...named], isWhole: rows.length >= ids.length }
  })

  const named = Effect.fnUntraced(function* (names: Named, resync: boolean) {
    const { device_id, hostname, hostnames, job_id, mlag_peer_hostname } = names
    if (device_id !== undefined) return yield* initialised(names)
    if (job_id !== undefined) {
      return yield* byName((yield* changes.undoable(job_id, 0)).map((change) => change.hostname))
    }
    if (hostnames !== undefined) return yield* byName(hostnames)
    if (hostname !== undefined) return yield* byName(present(hostname, mlag_peer_hostname))
    return { devices: yield* selection.select({ ...names, resync }), isWhole: true }
  })

  return JobSubjects.of({
    of: Effect.fn("JobSubjects.of")(function* (args: unknown, resync: boolean) {
      const names = readNamed(args)
      if (Option.isNone(names)) return { devices: [], isWhole: false, group: null }
      const { group, hostname, hostnames } = names.value
      const byGroup = hostname === undefined && hostnames === undefined && group !== undefined
      return { ...(yield* named(names.value, resync)), group: byGroup ? group : null }
    })
  })
})

/** The devices of jobs. */
export class JobSubjects extends Context.Service<
  JobSubjects,
  {
    /** With `resync`, also devices that are synchronized, of a selection that does not name them. */
    readonly of: (args: unknown, resync: boolean) => Effect.Effect<JobSubject, SettingsError | SqlError.SqlError>
  }
>()("switchyard/jobs/JobSubjects") {
  static readonly layer = Layer.effect(JobSubjects, make)
}
