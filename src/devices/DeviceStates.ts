/**
 * Applies events to devices: under the row's lock, with the machine's own transition function, and with the effects that the
 * machine asks for in the same transaction (docs/decisions/0008-one-actor-per-device.md). Plugin calls become rows of
 * `device_action` that `PluginActions` makes once; follow-up jobs are started in the transaction.
 */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { applyDeviceEvent } from "../../machines/device/DeviceMachine.ts"
import type { DeviceActions, DeviceEvent, DevicePatch } from "../../machines/device/DeviceEvents.ts"
import {
  type Device,
  type DeviceFields,
  type DeviceNotFound,
  DeviceType,
  type HostnameTaken
} from "../domain/Device.ts"
import type { DeviceBusy, IdentityTaken } from "../domain/DeviceIdentity.ts"
import type { SentArgs } from "../domain/jobs/JobDefinition.ts"
import { DiscoverDevice, InitStep2 } from "../domain/jobs/InitJobs.ts"
import { ServerConfig } from "../ServerConfig.ts"
import { DeviceStore, SyncEventStore } from "../store/DeviceStore.ts"
import { UniqueFieldStore } from "../store/DeviceIdentifiers.ts"
import { JobStore } from "../store/JobStore.ts"
import { InterfaceStore } from "../store/InterfaceStore.ts"
import { PluginCallStore } from "../store/PluginCallStore.ts"
import { NetworkStore } from "../store/NetworkStore.ts"

/** The machine forbids the event in the device's present state; `rule` names the guard, the message is for people. */
class DeviceStateError extends Schema.TaggedError<DeviceStateError>()("DeviceStateError", {
  rule: Schema.String,
  message: Schema.String
}) {
  get httpStatus() {
    return 400 as const
  }
  get refusal() {
    return [this.message]
  }
}

/** The user in whose name a job is started, and its delay in seconds. */
interface JobStart {
  readonly user: string
  readonly delaySeconds: number
}

/**
 * Starts the jobs that the machine of a device asks for, in the transaction of the event; yields their ids. `jobs` provides it,
 * because this room may not import jobs.
 */
export class DeviceJobs extends Context.Service<
  DeviceJobs,
  {
    readonly discover: (
      args: SentArgs<typeof DiscoverDevice>,
      start: JobStart
    ) => Effect.Effect<number, SqlError.SqlError>
    readonly finishInit: (args: SentArgs<typeof InitStep2>, start: JobStart) => Effect.Effect<number, SqlError.SqlError>
  }
>()("switchyard/devices/DeviceJobs") {}

/** The cause of an event: a user, and a job. */
interface Cause {
  readonly by: string
  readonly jobId: number | null
}

/** The device after the event, and the jobs that the event started, in order; the first is the causing job's next_job_id. */
interface AppliedEvent {
  readonly device: Device
  readonly startedJobs: ReadonlyArray<number>
}

type Failure = SqlError.SqlError | DeviceNotFound | HostnameTaken | IdentityTaken | DeviceBusy
type Perform<K extends keyof DeviceActions> = (
  device: Device,
  params: DeviceActions[K],
  cause: Cause
) => Effect.Effect<ReadonlyArray<number>, Failure>

const isDeviceType = Schema.is(DeviceType)

/** The machine treats a device type as plain text; the sender of the event has checked it. */
const toFields = ({ device_type, ...fields }: DevicePatch): Partial<DeviceFields> =>
  isDeviceType(device_type) ? { ...fields, device_type } : fields

const asList = <E>(job: Effect.Effect<number, E>) => Effect.map(job, (id): ReadonlyArray<number> => [id])
const noJobs = Effect.as([] as ReadonlyArray<number>)

/** Causes are published before the changes of the row (docs/events.md#order). */
const isOfSyncEvents = ({ type }: { readonly type: keyof DeviceActions }): boolean =>
  type === "recordSyncEvent" || type === "dropSyncEvents"

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const devices = yield* DeviceStore
  const identities = yield* UniqueFieldStore
  const interfaces = yield* InterfaceStore
  const { links, reservations } = yield* NetworkStore
  const events = yield* SyncEventStore
  const started = yield* DeviceJobs
  const jobs = yield* JobStore
  const calls = yield* PluginCallStore

  const undoInitLinks = Effect.fnUntraced(function* (device: Device) {
    for (const link of yield* links.ofDevice(device.id)) yield* links.remove(link.id)
    for (const port of yield* interfaces.ofDevice(device.id)) {
      if (port.configtype === "ACCESS_UPLINK") yield* interfaces.put(device.id, port.name, "ACCESS_AUTO", {})
    }
  })

  const reserveAddresses = Effect.fnUntraced(function* (device: Device) {
    for (const ip of [device.management_ip, device.secondary_management_ip]) {
      if (ip === null) continue
      const reservation = { device_id: device.id, ip_version: ip.includes(":") ? 6 : 4, ip } as const
      // an address that another device has reserved meanwhile stays with that device
      yield* reservations.reserve(reservation).pipe(Effect.catchTag("AddressTaken", () => Effect.void))
    }
  })

  const performers: { readonly [K in keyof DeviceActions]: Perform<K> } = {
    setFields: ({ id, state }, patch) =>
      noJobs(
        Effect.andThen(identities.takeOver({ id, state, fields: toFields(patch) }), devices.update(id, toFields(patch)))
      ),
    touchLastSeen: ({ id }) => noJobs(sql`update device set last_seen = now() where id = ${id}`),
    recordSyncEvent: ({ hostname }, params, { by, jobId }) =>
      noJobs(events.append([hostname], { cause: params.cause, by, job_id: jobId })),
    dropSyncEvents: ({ hostname }) => noJobs(events.clear([hostname])),
    runPlugins: (device, call, { jobId }) => noJobs(calls.record(call, { deviceId: device.id, jobId })),
    scheduleDiscovery: ({ ztp_mac }, { attempt, dhcp_ip }, cause) =>
      asList(
        started.discover(
          // only a device with a MAC address is discovered
          { ztp_mac: ztp_mac ?? "", dhcp_ip, iteration: attempt },
          { user: cause.by, delaySeconds: discoveryDelay(attempt) }
        )
      ),
    scheduleInitStep2: ({ id }, { attempt, delaySeconds }, cause) =>
      asList(started.finishInit({ device_id: id, iteration: attempt }, { user: cause.by, delaySeconds })),
    undoInitLinks: (device) => noJobs(undoInitLinks(device)),
    releaseReservations: ({ id }) => noJobs(reservations.release(id)),
    reserveManagementAddresses: (device) => noJobs(reserveAddresses(device))
  }
  const { DISCOVERY_DELAYS } = yield* ServerConfig
  const discoveryDelay = (attempt: number) => DISCOVERY_DELAYS[attempt - 1] ?? 0

  const perform = <K extends keyof DeviceActions>(device: Device, type: K, params: DeviceActions[K], cause: Cause) =>
    performers[type](device, params, cause)

  const apply = Effect.fn("DeviceStates.apply")(function* (id: number, event: DeviceEvent, cause: Cause) {
    const device = yield* devices.lock(id)
    const outcome = applyDeviceEvent(device, event)
    if (outcome._tag === "Refused") return yield* new DeviceStateError({ rule: outcome.rule, message: outcome.message })
    const startedJobs: Array<number> = []
    const performAll = Effect.fnUntraced(function* (actions: typeof outcome.actions) {
      for (const { params, type } of actions) startedJobs.push(...(yield* perform(device, type, params, cause)))
    })
    yield* performAll(outcome.actions.filter(isOfSyncEvents))
    if (outcome.state !== device.state) {
      yield* devices.update(id, { state: outcome.state })
      const { hostname } = device
      yield* Effect.logInfo("State of a device", { id, hostname, from: device.state, to: outcome.state })
    }
    yield* performAll(outcome.actions.filter((action) => !isOfSyncEvents(action)))
    const [next] = startedJobs
    if (next !== undefined && cause.jobId !== null) yield* jobs.update(cause.jobId, { next_job_id: next })
    return { device: yield* devices.get(id), startedJobs }
  }, sql.withTransaction)

  return DeviceStates.of({ apply })
})

/** The only way to change a device's state. */
export class DeviceStates extends Context.Service<
  DeviceStates,
  {
    /**
     * Applies the event in one transaction (the caller's, when there is one). Fails with DeviceStateError, and changes
     * nothing, when a guard of the machine forbids it.
     */
    readonly apply: (
      id: number,
      event: DeviceEvent,
      cause: Cause
    ) => Effect.Effect<AppliedEvent, Failure | DeviceStateError>
  }
>()("switchyard/devices/DeviceStates") {
  static readonly layer = Layer.effect(DeviceStates, make)
}
