/** Handlers of the device routes: read, list, create, change, delete, stack members and sync history. */
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { Caller } from "../../api/Authorization.ts"
import { enveloped, jobStarted } from "../../api/Envelope.ts"
import { BadRequest, NotFound } from "../../api/Failures.ts"
import type { Device } from "../../domain/Device.ts"
import { isManageable } from "../../domain/platforms/Platforms.ts"
import type { SentStack } from "../../domain/StackMember.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { StackMemberStore } from "../../store/StackMemberStore.ts"
import { SyncEventStore } from "../../store/SyncEventStore.ts"
import { readBody } from "../core/JsonBody.ts"
import { answered, transaction } from "../core/Unavailable.ts"
import { has, own, toId } from "../../domain/fields/Values.ts"
import { makeListPage } from "../listing/ListPage.ts"
import * as Lists from "../listing/Lists.ts"
import { SettingsView } from "../../settings/SettingsView.ts"
import { deviceNotFound, makeDeviceLookup } from "./DeviceLookup.ts"
import { makeDeviceChange } from "./DeviceChange.ts"
import { makeDeviceCreation } from "./DeviceCreation.ts"
import { makeDeviceRemoval } from "./DeviceRemoval.ts"
import { makeAddSyncEvent } from "./SyncHistory.ts"

/** The id in a path, or the given failure when no row can have it. */
const idOr = <E>(digits: string, failure: () => E) => Effect.mapError(Effect.fromOption(toId(digits)), failure)

const makeReading = Effect.gen(function* () {
  const { TOTAL_COUNT } = yield* ServerConfig
  const devices = yield* DeviceStore
  const settings = yield* SettingsView
  const lookup = yield* makeDeviceLookup
  const page = yield* makeListPage<Device>(Lists.devices(devices.columns), {
    perPage: 50,
    totalCount: TOTAL_COUNT,
    limitCounts: false
  })
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
      // what the database gives is plain already: checking each field on the way out would cost a quarter of the answer
      return HttpServerResponse.jsonUnsafe(enveloped({ devices: yield* withGroups(rows) }), { headers })
    }),
    get: Effect.fnUntraced(function* (idOrHostname: string) {
      return enveloped({ devices: yield* withGroups([yield* lookup.byIdOrHostname(idOrHostname)]) })
    })
  }
})

const makeWriting = Effect.gen(function* () {
  const { withGroups } = yield* makeReading
  const create = yield* makeDeviceCreation
  const change = yield* makeDeviceChange
  const removal = yield* makeDeviceRemoval
  return {
    create: Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
      const device = yield* create(yield* readBody(request))
      return enveloped({ added_device: { ...device, manageable: isManageable(device) } })
    }),
    update: Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, digits: string) {
      const { name } = yield* Caller
      const body = yield* readBody(request)
      const id = yield* idOr(digits, () => new NotFound({ message: `No device with id ${digits}` }))
      const [updated_device] = yield* withGroups([yield* change(id, body, name)])
      return updated_device === undefined ? yield* deviceNotFound() : enveloped({ updated_device })
    }),
    remove: Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, digits: string) {
      const { name } = yield* Caller
      const body = yield* readBody(request)
      const erase = own(body, "factory_default")
      if (has(body, "factory_default") && typeof erase !== "boolean") {
        return yield* new BadRequest({ message: "Argument factory_default must be boolean" })
      }
      const id = yield* idOr(digits, () => new NotFound({ message: "Device not found" }))
      if (erase !== true) return enveloped({ deleted_device: yield* removal.remove(id, name) })
      const job = yield* removal.erase(id, name)
      return jobStarted(`Scheduled job ${job} to factory default device`, job)
    })
  }
})

const makeBelongings = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const members = yield* StackMemberStore
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
      return yield* stack(yield* Effect.catchTag(inTransaction(replaced), "DeviceNotFound", deviceNotFound))
    }),
    syncHistory: Effect.fnUntraced(function* (hostname: string | undefined) {
      return enveloped({ hostnames: Object.fromEntries(yield* events.byHostname(hostname)) })
    }),
    addSyncEvent: (request: HttpServerRequest.HttpServerRequest) =>
      Effect.map(Effect.flatMap(readBody(request), addSyncEvent), enveloped)
  }
})

/** Handlers of `DevicesGroup`. */
export const DevicesLive = HttpApiBuilder.group(Api, "devices", (handlers) =>
  Effect.gen(function* () {
    const reading = yield* makeReading
    const writing = yield* makeWriting
    const belongings = yield* makeBelongings
    return handlers
      .handle("list", ({ request }) => answered(reading.list(request)))
      .handle("get", ({ params }) => answered(reading.get(params.id)))
      .handleRaw("create", ({ request }) => answered(writing.create(request)))
      .handleRaw("update", ({ params, request }) => answered(writing.update(request, params.id)))
      .handleRaw("remove", ({ params, request }) => answered(writing.remove(request, params.id)))
      .handle("stackMembers", ({ params }) => answered(belongings.stackMembers(params.hostname)))
      .handle("replaceStackMembers", ({ params, payload }) =>
        answered(belongings.replaceStackMembers(params.hostname, payload))
      )
      .handle("syncHistory", ({ query }) => answered(belongings.syncHistory(query.hostname)))
      .handleRaw("addSyncEvent", ({ request }) => answered(belongings.addSyncEvent(request)))
  })
)
