/** Handlers of devices: records, stack members, sync history, and the actor of a device. */
import { Clock, Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { isManageable } from "../../domain/platforms/Platforms.ts"
import { type Device, DeviceNotFound } from "../../domain/Device.ts"
import type {
  DeviceChange,
  DeviceDeletion as DeletionRequest,
  NewDevice,
  NewSyncEvent,
  SentStack
} from "../../domain/DeviceFields.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { DeviceStore, makeStackMembers, SyncEventStore } from "../../store/DeviceStore.ts"
import { type TakenOver, UniqueFieldStore } from "../../store/DeviceIdentifiers.ts"
import { makeDeviceCounts } from "../../store/FleetViews.ts"
import { makeListPage } from "../listing/ListPage.ts"
import * as Lists from "../listing/Lists.ts"
import { SettingsView } from "../../settings/SettingsView.ts"
import { answered, asCaller, transaction } from "../core/HandlerErrors.ts"
import { deviceId, makeDeviceLookup, makeVisible } from "../core/Permits.ts"
import { makeDeviceChange, makeDeviceCreation } from "./DeviceRecords.ts"
import { DEFAULT_GROUP } from "../../settings/SettingsGroups.ts"
import { type ListFilter, namedDevices } from "../../store/Listing.ts"
import { windowArguments } from "../../domain/requests/RequestFields.ts"
import { PluginActions } from "../../plugins/PluginActions.ts"
import { BadRequest, enveloped, jobStarted, NotFound, ServiceUnavailable } from "../../api/Answers.ts"
import { DeviceErase } from "../../domain/jobs/UpkeepJobs.ts"
import { JobRequests } from "../../jobs/requests/JobRequests.ts"
import { deleteDevice } from "../../jobs/upkeep/DeviceDeletion.ts"
import { makeActorShow, statecharts } from "../../devices/ActorShow.ts"

// DELETE /device/<id> (docs/api.md#deleting-a-device).

/** Deletes devices, or lets a job erase them first. Both fail with DeviceNotFound. */
const makeDeviceRemoval = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const requests = yield* JobRequests
  const services = yield* Effect.context<Effect.Services<ReturnType<typeof deleteDevice>>>()
  const plugins = yield* PluginActions
  const identities = yield* UniqueFieldStore
  const inTransaction = yield* transaction

  return {
    /** Deletes the row with everything that belongs to it; its neighbours become unsynchronized. Fails with DeviceInUse as well. */
    remove: Effect.fn("DeviceRemoval.remove")((id: number, by: string) =>
      Effect.tap(
        inTransaction(Effect.provideContext(deleteDevice(id, { by, jobId: null }), services)),
        () => plugins.begin
      )
    ),
    /** Starts the job that erases the switch and then deletes the row. Yields its id. */
    erase: Effect.fn("DeviceRemoval.erase")(function* (id: number, request: DeletionRequest, user: string) {
      yield* identities.requireIdle(yield* devices.get(id))
      return yield* requests.start(DeviceErase, { device_id: id, ...windowArguments(request) }, { user })
    })
  }
})

// Sync history (docs/api.md#sync-history).

/** Adds an event to a device and yields it; `synchronized` does not change. Fails with 400 for an unknown device. */
const makeAddSyncEvent = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const events = yield* SyncEventStore
  return Effect.fn("SyncHistory.add")(function* ({ by, cause, hostname, timestamp }: typeof NewSyncEvent.schema.Type) {
    yield* Effect.catchTag(devices.getByHostname(hostname), "DeviceNotFound", ({ refusal }) =>
      Effect.fail(new BadRequest({ message: refusal }))
    )
    const happened = timestamp ?? (yield* Clock.currentTimeMillis) / 1000
    yield* events.append([hostname], { cause, by, job_id: null }, happened)
    // null means now, and is answered as it was sent
    return { hostname, cause, timestamp: timestamp === undefined ? happened : timestamp, by }
  })
})

// Groups in the list of devices: `filter[group]` takes a group's name, and a search also finds the devices of groups whose name contains
// the word. The members of groups are in the settings, not in the database.

const asksForGroup = ({ field, value }: ListFilter): boolean =>
  field === "group" || (field === "search" && value !== "")

const fits = (name: string, { contains, value }: ListFilter): boolean =>
  contains ? name.toLowerCase().includes(value.toLowerCase()) : name === value

/** Finds no group without settings in force. */
const makeGroupSearch = Effect.gen(function* () {
  const settings = yield* SettingsView
  const widen = Effect.fnUntraced(function* (filter: ListFilter) {
    if (!asksForGroup(filter)) return filter
    // every device is in DEFAULT, so a word in this name would find them all
    const isMeant = (name: string) => fits(name, filter) && (filter.field === "group" || name !== DEFAULT_GROUP)
    const hostnames = yield* Effect.catchTag(settings.hostnamesIn(isMeant), "SettingsUnavailable", () =>
      Effect.succeed([])
    )
    return { ...filter, orThese: namedDevices(hostnames) }
  })
  return (filters: ReadonlyArray<ListFilter>) => Effect.forEach(filters, widen)
})

const makeReading = Effect.gen(function* () {
  const { TOTAL_COUNT } = yield* ServerConfig
  const devices = yield* DeviceStore
  const settings = yield* SettingsView
  const lookup = yield* makeDeviceLookup
  const widened = yield* makeGroupSearch
  const page = yield* makeListPage<Device>(
    Lists.devices(devices.columns),
    { perPage: 50, totalCount: TOTAL_COUNT, limitCounts: false },
    widened
  )
  const withGroups = Effect.fnUntraced(function* (found: ReadonlyArray<Device>) {
    const groups = yield* settings.primaryGroups(found)
    return found.map((device, index) => ({
      ...device,
      manageable: isManageable(device),
      primary_group: groups[index] ?? "DEFAULT"
    }))
  })
  return {
    withGroups,
    list: Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
      const { headers, rows } = yield* page(request)
      // rows of the database are plain JSON already; encoding each field by its schema would cost a quarter of the answer
      return HttpServerResponse.jsonUnsafe(enveloped({ devices: yield* withGroups(rows) }), { headers })
    }),
    get: Effect.fnUntraced(function* (idOrHostname: string) {
      return enveloped({ devices: yield* withGroups([yield* lookup.byIdOrHostname(idOrHostname)]) })
    })
  }
})

const makeOverview = Effect.gen(function* () {
  const { count } = yield* makeDeviceCounts
  const visible = yield* makeVisible
  return Effect.gen(function* () {
    const { within } = yield* visible
    return enveloped(yield* count(within))
  })
})

/** Only if an address was taken over: older clients do not know this key. */
const takenOver = (taken: ReadonlyArray<TakenOver>) => (taken.length === 0 ? {} : { taken_over: taken })

const makeWriting = Effect.gen(function* () {
  const { withGroups } = yield* makeReading
  const create = yield* makeDeviceCreation
  const change = yield* makeDeviceChange
  const removal = yield* makeDeviceRemoval
  return {
    create: (sent: typeof NewDevice.checked.Type) =>
      Effect.map(create(sent), ({ device, taken }) =>
        enveloped({ added_device: { ...device, manageable: isManageable(device) }, ...takenOver(taken) })
      ),
    update: Effect.fnUntraced(function* (digits: string, sent: typeof DeviceChange.checked.Type, user: string) {
      const changed = Effect.flatMap(deviceId(digits), (id) => change(id, sent, user))
      const { device, taken } = yield* Effect.catchTag(changed, "DeviceNotFound", () =>
        Effect.fail(new NotFound({ message: `No device with id ${digits}` }))
      )
      const [updated_device] = yield* withGroups([device])
      return updated_device === undefined
        ? yield* new DeviceNotFound({ device: digits })
        : enveloped({ updated_device, ...takenOver(taken) })
    }),
    remove: Effect.fnUntraced(function* (digits: string, request: DeletionRequest, user: string) {
      const id = yield* deviceId(digits)
      if (!request.factory_default) return enveloped({ deleted_device: yield* removal.remove(id, user) })
      const job = yield* removal.erase(id, request, user)
      return jobStarted(`Scheduled job ${job} to factory default device`, job)
    })
  }
})

const makeBelongings = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const members = yield* makeStackMembers
  const events = yield* SyncEventStore
  const addSyncEvent = yield* makeAddSyncEvent
  const inTransaction = yield* transaction
  const { byHostname } = yield* makeDeviceLookup
  const stack = (device: Device) =>
    Effect.map(members.ofDevice(device.id), (stackmembers) => enveloped({ stackmembers }))
  return {
    stackMembers: (hostname: string) => Effect.flatMap(byHostname(hostname), stack),
    replaceStackMembers: Effect.fnUntraced(function* (
      hostname: string,
      { stackmembers }: typeof SentStack.schema.Type
    ) {
      const { id } = yield* byHostname(hostname)
      const replaced = Effect.tap(devices.lock(id), () => members.replace(id, stackmembers))
      return yield* stack(yield* inTransaction(replaced))
    }),
    syncHistory: Effect.fnUntraced(function* (hostname: string | undefined) {
      return enveloped({ hostnames: Object.fromEntries(yield* events.byHostname(hostname)) })
    }),
    addSyncEvent: (sent: typeof NewSyncEvent.schema.Type) => Effect.map(addSyncEvent(sent), enveloped)
  }
})

/** Handlers of `DevicesGroup`. */
export const DevicesLive = HttpApiBuilder.group(Api, "devices", (handlers) =>
  Effect.gen(function* () {
    const reading = yield* makeReading
    const overview = yield* makeOverview
    const writing = yield* makeWriting
    const belongings = yield* makeBelongings
    return handlers
      .handle("list", ({ request }) => answered(reading.list(request)))
      .handle("overview", () => answered(overview))
      .handle("get", ({ params }) => answered(reading.get(params.id)))
      .handle("create", ({ payload }) => answered(writing.create(payload)))
      .handle("update", ({ params, payload }) => asCaller((user) => writing.update(params.id, payload, user)))
      .handle("remove", ({ params, payload }) => asCaller((user) => writing.remove(params.id, payload, user)))
      .handle("stackMembers", ({ params }) => answered(belongings.stackMembers(params.hostname)))
      .handle("replaceStackMembers", ({ params, payload }) =>
        answered(belongings.replaceStackMembers(params.hostname, payload))
      )
      .handle("syncHistory", ({ query }) => answered(belongings.syncHistory(query.hostname)))
      .handle("addSyncEvent", ({ payload }) => answered(belongings.addSyncEvent(payload)))
  })
)

// Handlers of the actor of a device. They do not wait for the call that the actor runs.

/** Handlers of `ActorGroup`. */
export const ActorLive = HttpApiBuilder.group(Api, "actor", (handlers) =>
  Effect.gen(function* () {
    const showActor = yield* makeActorShow
    const { byHostname } = yield* makeDeviceLookup

    const show = Effect.fn("ActorHandlers.show")(function* (hostname: string) {
      const device = yield* byHostname(hostname)
      const view = yield* Effect.mapError(showActor(device), ({ message }) => new ServiceUnavailable({ message }))
      return enveloped(view)
    })

    return handlers
      .handle("show", ({ params }) => answered(show(params.hostname)))
      .handle("statecharts", () => Effect.succeed(enveloped(statecharts)))
  })
)
