/** The devices of a job, by the arguments that name devices. */
import { Effect, Option, Schema } from "effect"
import { type Device, DeviceType } from "../../domain/Device.ts"
import { ActiveSettings } from "../../settings/ActiveSettings.ts"
import { ChangeStore } from "../../store/ChangeStore.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import type { SkippedDevices } from "../../domain/jobs/ChangeJobs.ts"
import { isManageable, UnmanageableDevice } from "../../domain/platforms/Platforms.ts"
import { selectionGroups } from "../../settings/SettingsGroups.ts"

// Selects the managed devices of a job (docs/changes.md#which-devices): hostnames, else a type, else a group, else all.

/** The selector of a job; the first key that is present counts. */
interface Selector {
  readonly hostnames?: ReadonlyArray<string>
  readonly device_type?: DeviceType
  readonly group?: string
  /** Also devices that are synchronized. Named devices are always taken. */
  readonly resync: boolean
}

/** The devices that a driver can log in to, and the others. Named devices are all kept: each needs a result. */
export const manageableOf = ({ hostnames }: Pick<Selector, "hostnames">, selected: ReadonlyArray<Device>) => {
  const devices = hostnames === undefined ? selected.filter(isManageable) : selected
  const others = hostnames === undefined ? selected.filter((device) => !isManageable(device)) : []
  const skipped: SkippedDevices = Object.fromEntries(
    others.map((device) => [device.hostname, new UnmanageableDevice(device).message])
  )
  return { devices, skipped }
}

/** The part of a job's result that names skipped devices; nothing when there are none. */
export const skippedPart = (skipped: SkippedDevices | undefined): { readonly skipped_devices?: SkippedDevices } =>
  skipped === undefined || Object.keys(skipped).length === 0 ? {} : { skipped_devices: skipped }

const inGroup = Effect.fnUntraced(function* (group: string, candidates: ReadonlyArray<Device>) {
  const settings = yield* ActiveSettings

  const snapshot = yield* settings.snapshot
  return candidates.filter((device) => selectionGroups(snapshot.layering.membership(device), device).includes(group))
})

/** The selected devices by hostname; none is no error. */
export const selectDevices = Effect.fn("DeviceSelection.select")(function* (selector: Selector) {
  const devices = yield* DeviceStore

  const { device_type, group, hostnames, resync } = selector
  if (hostnames !== undefined) return yield* devices.selectManaged({ hostnames })
  const narrowed = device_type === undefined ? {} : { device_type }
  const candidates = yield* devices.selectManaged({ ...narrowed, unsynchronizedOnly: !resync })
  return device_type === undefined && group !== undefined ? yield* inGroup(group, candidates) : candidates
})

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

/** The devices that arguments name. */
interface JobSubject {
  readonly devices: ReadonlyArray<Device>
  /** Whether each name is one of the devices. */
  readonly isWhole: boolean
  /** The group whose devices are selected when the job begins. */
  readonly group: string | null
}

const present = <A>(...values: ReadonlyArray<A | null | undefined>): ReadonlyArray<A> =>
  values.filter((value) => value !== null && value !== undefined)

const every = (keys: ReadonlyArray<string | number>, devices: ReadonlyArray<Device>) => ({
  devices,
  isWhole: devices.length >= new Set(keys).size
})

const byName = Effect.fnUntraced(function* (hostnames: ReadonlyArray<string>) {
  const devices = yield* DeviceStore
  return yield* Effect.map(devices.byHostnames(hostnames), (rows) => every(hostnames, rows))
})

/** The switches of an initialisation, before and after it, and devices that have the new names now. */
const initialised = Effect.fnUntraced(function* (names: Named) {
  const devices = yield* DeviceStore

  const { device_id, device_type = "ACCESS", mlag_peer_id, mlag_peer_new_hostname, new_hostname } = names
  const ids = present(device_id, mlag_peer_id)
  const rows = yield* devices.byIds(ids)
  const bearers = yield* devices.byHostnames(present(new_hostname, mlag_peer_new_hostname))
  const later = rows.flatMap((device) =>
    present(device.id === device_id ? new_hostname : mlag_peer_new_hostname).map((hostname): Device => ({
      ...device,
      hostname,
      device_type
    }))
  )
  return { devices: [...rows, ...later, ...bearers], isWhole: rows.length >= ids.length }
})

const namedDevices = Effect.fnUntraced(function* (names: Named, resync: boolean) {
  const changes = yield* ChangeStore

  const { device_id, hostname, hostnames, job_id, mlag_peer_hostname } = names
  if (device_id !== undefined) return yield* initialised(names)
  if (job_id !== undefined) {
    return yield* byName((yield* changes.undoable(job_id, 0)).map((change) => change.hostname))
  }
  if (hostnames !== undefined) return yield* byName(hostnames)
  if (hostname !== undefined) return yield* byName(present(hostname, mlag_peer_hostname))
  return { devices: yield* selectDevices({ ...names, resync }), isWhole: true }
})

/** With `resync`, also devices that are synchronized, of a selection that does not name them. */
export const subjectsOf = Effect.fn("JobSubjects.of")(function* (args: unknown, resync: boolean) {
  const names = readNamed(args)
  if (Option.isNone(names)) return { devices: [], isWhole: false, group: null } satisfies JobSubject
  const { group, hostname, hostnames } = names.value
  const byGroup = hostname === undefined && hostnames === undefined && group !== undefined
  return { ...(yield* namedDevices(names.value, resync)), group: byGroup ? group : null } satisfies JobSubject
})
