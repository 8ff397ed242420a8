/** Devices: their records, lists, stack members and sync history (docs/api.md). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Device, Overview } from "../domain/Device.ts"
import {
  DeviceChange,
  DeviceDeletion,
  NewDevice,
  NewSyncEvent,
  SentStack,
  StackMember,
  SyncEvent
} from "../domain/DeviceFields.ts"
import * as Parameter from "../domain/fields/Parameter.ts"
import { deviceFields } from "../domain/ListFields.ts"
import * as Documented from "./Documented.ts"
import { documented, listQuery, shown } from "./Documented.ts"
import { Authorization, hostname, RequestBody, RequestParameters } from "./Requests.ts"
import {
  BadRequest,
  Conflict,
  Enveloped,
  InternalError,
  JobStarted,
  NotFound,
  Page,
  TooManyRequests
} from "./Answers.ts"
import { ActorView, Statecharts } from "../domain/DeviceActivity.ts"

/** A new device: with whether any driver can log in to it. Without one it is inventory only. */
const DeviceAdded = Schema.Struct({
  ...Device.fields,
  manageable: Schema.Boolean.annotate({
    description: "false if the platform has no driver: jobs that would have to log in refuse the device"
  })
}).annotate({ identifier: "AddedDevice" })

/** A device at its end: what only a present one has is absent. */
const DeletedDevice = Device.annotate({ identifier: "DeletedDevice" })

/** A device in the answers of GET and PUT. */
const DeviceRecord = Schema.Struct({ ...DeviceAdded.fields, primary_group: Schema.String }).annotate({
  identifier: "Device"
})

const taken_over = Schema.optionalKey(
  Schema.Array(
    Schema.Struct({ hostname: Schema.String, field: Schema.String, address: Schema.String }).annotate({
      identifier: "MovedAddress"
    })
  )
).annotate({
  description: "addresses that other records had until now: an earlier lease, or a record in state UNMANAGED"
})

const AddedSyncEvent = Schema.Struct({
  hostname: Schema.String,
  cause: Schema.String,
  timestamp: Schema.NullOr(Schema.Finite),
  by: Schema.String
}).annotate({ identifier: "AddedSyncEvent" })

const added = { ...Documented.device, manageable: true }
const record = { ...added, primary_group: "DEFAULT" }
const deviceHostname = { hostname: Schema.String }
/** Digits are an id, anything else is a hostname. */
const idOrHostname = { id: Schema.String }
const members = [{ member_no: 0, hardware_id: "AB1234", priority: null }]
const StackMembers = Enveloped(Schema.Struct({ stackmembers: Schema.Array(StackMember) }))

const overviewExample = {
  devices: {
    total: 612,
    by_state: { MANAGED: 610, DISCOVERED: 2 },
    unsynchronized: 3,
    unsynchronized_by: { drift: 1, refresh_settings: 2 },
    drifted: 1,
    unreachable: 0,
    in_change: 0
  },
  jobs: { running: 1, waiting: 0, failed_today: 0 },
  new_devices: { waiting: 1, ignored: 1 }
}

const records = HttpApiGroup.make("devices").add(
  HttpApiEndpoint.get("list", "/devices", {
    success: Page(Schema.Struct({ devices: Schema.Array(DeviceRecord) })),
    error: BadRequest
  }).annotateMerge(
    documented({
      name: "listDevices",
      summary: "List devices",
      description:
        "One page of the devices that match the filters. `X-Total-Count` is the number of all devices, `X-Matching-Count` of those that match, `Link` leads to the next and the last page. In addition to the fields of the record, the filters are `search` (a word in the name, an address, serial, MAC, model, description or one of its groups), `group` (the name of a group; to filter only), `unsynchronized_by`, `drifted`, `unreachable` and `in_change` to filter and sort by.",
      list: deviceFields,
      query: listQuery(["filter[hostname][contains]", "lhv"]),
      example: { response: { status: "success", data: { devices: [record] } } }
    })
  ),
  HttpApiEndpoint.get("get", "/device/:id", {
    params: idOrHostname,
    success: Enveloped(Schema.Struct({ devices: Schema.Array(DeviceRecord) })),
    error: NotFound
  }).annotateMerge(
    documented({
      name: "getDevice",
      summary: "Read one device",
      description: "Digits are an id, anything else is a hostname. The list has one record.",
      example: { response: { status: "success", data: { devices: [record] } } }
    })
  ),
  HttpApiEndpoint.post("create", "/device", {
    payload: NewDevice.checked,
    success: Enveloped(Schema.Struct({ added_device: DeviceAdded, taken_over })),
    error: [Conflict, TooManyRequests]
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        name: "createDevice",
        summary: "Create a device",
        description:
          "`hostname`, `state`, `platform` and `device_type` are mandatory; a device whose platform has no driver is inventory only (`manageable: false`). CORE and DIST devices get the next free management_ip and infra_ip of the settings' `underlay` when these are left out. The number of devices in state DHCP_BOOT with device_type UNKNOWN is limited per hour and in total; beyond that the answer is 429. A value that another record already has (an address in any role, ztp_mac, serial) is refused with 409.",
        example: {
          request: { hostname: "lhv-a9", state: "PRE_CONFIGURED", platform: added.platform, device_type: "ACCESS" },
          response: { status: "success", data: { added_device: added } }
        }
      })
    ),
  HttpApiEndpoint.put("update", "/device/:id(^\\d+$)", {
    params: { id: Parameter.id },
    payload: DeviceChange.checked,
    success: Enveloped(Schema.Struct({ updated_device: DeviceRecord, taken_over })),
    error: [NotFound, Conflict, InternalError]
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        name: "updateDevice",
        summary: "Change a device",
        description:
          "Any subset of the fields. A managed device can only be renamed if its settings stay the same; its neighbours become unsynchronized. State UNMANAGED makes it unsynchronized. A value that another record already has is refused with 409, and so is a change of hostname, type, state, platform, port or management address while a change of the device is open.",
        example: {
          request: { state: "UNMANAGED" },
          response: { status: "success", data: { updated_device: { ...record, state: "UNMANAGED" } } }
        }
      })
    ),
  HttpApiEndpoint.delete("remove", "/device/:id(^\\d+$)", {
    params: { id: Parameter.id },
    payload: DeviceDeletion.schema,
    success: [Enveloped(Schema.Struct({ deleted_device: DeletedDevice })), JobStarted],
    error: [NotFound, Conflict]
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        name: "deleteDevice",
        summary: "Delete a device",
        description:
          "Deletes the device with its interfaces, links and stack members. With `factory_default: true` a job erases the switch first and the device stays until that succeeds. Refused while the device belongs to a management domain.",
        example: {
          request: { factory_default: false },
          response: { status: "success", data: { deleted_device: Documented.device } }
        }
      })
    )
)

const belongings = records.add(
  HttpApiEndpoint.get("overview", "/overview", { success: Enveloped(Overview) }).annotateMerge(
    documented({
      name: "getOverview",
      summary: "Count devices and jobs by state",
      description:
        "Devices by state, unsynchronized ones by their newest cause, drifted, unreachable and in change; jobs that run, wait, and have failed within the last day. Each number is the length of a list: `GET /devices?filter[unsynchronized_by]=drift`, `filter[drifted]=true`, `filter[unreachable]=true`, `filter[in_change]=true`.",
      example: { response: { status: "success", data: overviewExample } }
    })
  ),
  HttpApiEndpoint.get("stackMembers", "/device/:hostname/stackmember", {
    params: deviceHostname,
    success: StackMembers,
    error: NotFound
  }).annotateMerge(
    documented({
      name: "listStackMembers",
      summary: "Read stack members",
      description: "Members of the device's stack, by number.",
      example: { response: { status: "success", data: { stackmembers: members } } }
    })
  ),
  HttpApiEndpoint.put("replaceStackMembers", "/device/:hostname/stackmember", {
    params: deviceHostname,
    payload: SentStack.schema,
    success: StackMembers,
    error: NotFound
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        name: "replaceStackMembers",
        summary: "Replace stack members",
        description:
          "Replaces all members; an empty list removes them. Numbers and hardware ids are unique in a stack.",
        example: {
          request: { stackmembers: members },
          response: { status: "success", data: { stackmembers: members } }
        }
      })
    ),
  HttpApiEndpoint.get("syncHistory", "/device_synchistory", {
    query: {
      hostname: Schema.optionalKey(
        Parameter.hostname("Invalid hostname specified", shown("only this device", "lhv-a1"))
      )
    },
    success: Enveloped(Schema.Struct({ hostnames: Schema.Record(Schema.String, Schema.Array(SyncEvent)) }))
  })
    .middleware(RequestParameters)
    .annotateMerge(
      documented({
        name: "getSyncHistory",
        summary: "Read why devices are unsynchronized",
        description:
          "Events by hostname, oldest first. They are dropped when a device is synchronized again. `found_by` noticed the change and `made_by` made it (null when unknown); `by` is the same as `found_by`.",
        example: {
          response: {
            status: "success",
            data: {
              hostnames: {
                "lhv-a1": [
                  {
                    cause: "refresh_settings",
                    timestamp: 1688458956.684,
                    by: "indy",
                    found_by: "indy",
                    made_by: "indy",
                    job_id: 123
                  }
                ]
              }
            }
          }
        }
      })
    ),
  HttpApiEndpoint.post("addSyncEvent", "/device_synchistory", {
    payload: NewSyncEvent.schema,
    success: Enveloped(AddedSyncEvent)
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        name: "addSyncEvent",
        summary: "Add a reason why a device is unsynchronized",
        description: "`synchronized` itself stays unchanged. `timestamp` is epoch seconds, now when absent.",
        example: {
          request: { hostname: "lhv-a1", cause: "oob", by: "indy" },
          response: {
            status: "success",
            data: { hostname: "lhv-a1", cause: "oob", timestamp: 1688458956.68, by: "indy" }
          }
        }
      })
    )
)

/** Endpoints of devices, all with a token. */
export class DevicesGroup extends belongings.middleware(Authorization) {}

// The routes that show the state of a device's actor, and its statecharts. They go beyond the reference.

const endpoints = HttpApiGroup.make("actor").add(
  HttpApiEndpoint.get("show", "/device/:hostname/actor", {
    params: hostname,
    success: Enveloped(ActorView),
    error: NotFound
  })
    .middleware(RequestParameters)
    .annotateMerge(
      documented({
        name: "getDeviceActor",
        summary: "Show what a device is doing",
        description:
          "The state of the device's actor: the state of the device, the current call, the step of a change with the phase from which another process would resume it, and the waiting calls. `next` names the events that the state accepts, for the device and for the change. Answers immediately, also while the device is busy; times are ISO 8601, UTC.",
        example: {
          response: {
            status: "success",
            data: {
              hostname: "eosaccess1",
              state: "MANAGED",
              activity: "changing",
              call: "RunChange",
              job_id: 412,
              since: "2026-03-02T09:12:07.031",
              next: ["OPERATOR_SET", "RESTORED_OLD_CONFIG", "LIVE_APPLY_CONFIG"],
              change: {
                id: 88,
                job_id: 412,
                phase: "committed",
                step: "committed.observing",
                step_since: "2026-03-02T09:12:09.377",
                next: ["UNREACHABLE", "OBSERVED"]
              },
              waiting: [{ call: "ReadInterfaces", job_id: null, since: "2026-03-02T09:12:08.200" }]
            }
          }
        }
      })
    ),
  HttpApiEndpoint.get("statecharts", "/statecharts", { success: Enveloped(Statecharts) }).annotateMerge(
    documented({
      name: "getStatecharts",
      summary: "Show the statecharts of a device",
      description:
        "States and transitions of the machines that run: the `life` of a device, its `activity`, and a `change` on it. An arrow without `from` starts at every state; one without an event is taken immediately; `rule` must hold as well. `GET /device/<hostname>/actor` shows the current state of a device.",
      example: {
        response: {
          status: "success",
          data: {
            life: {
              initial: "DHCP_BOOT",
              states: ["DHCP_BOOT", "DISCOVERED"],
              arrows: [{ from: "DHCP_BOOT", to: "DISCOVERED", event: "DISCOVERY_SUCCEEDED", rule: null }]
            },
            activity: {
              initial: "idle",
              states: ["idle", "reading"],
              arrows: [{ from: "idle", to: "reading", event: "READ", rule: null }]
            },
            change: {
              initial: "arriving",
              states: ["arriving", "planned"],
              arrows: [{ from: "arriving", to: "planned", event: "", rule: "wasPlanned" }]
            }
          }
        }
      }
    })
  )
)

/** The endpoints, with a token. */
export class ActorGroup extends endpoints.middleware(Authorization) {}
