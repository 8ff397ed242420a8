/** Devices: change, rename and delete (docs/api.md#changing-a-device and docs/api.md#deleting-a-device). */
import { BROKEN_SETTINGS, absent, type Case } from "../Case.ts"

const refused = (...message: ReadonlyArray<string>): Case["reply"] => ({
  status: 400,
  body: { status: "error", message, data: absent }
})
const changed = (
  name: string,
  extra: Readonly<Record<string, unknown>>,
  shows: Readonly<Record<string, string | number | boolean | null>>
): Case => ({
  name,
  request: { method: "PUT", path: "/device/4", json: extra },
  reply: { status: 200, body: { status: "success", data: { updated_device: shows } } }
})
const changing: ReadonlyArray<Case> = [
  changed(
    "the device after the change, with its group",
    { description: "room 1" },
    { id: 4, description: "room 1", primary_group: "EAST_WING" }
  ),
  changed("an empty body changes nothing", {}, { id: 4, description: null, synchronized: true }),
  changed("any platform, on a change", { platform: "other" }, { platform: "other" }),
  changed(
    "a device from the web client's request",
    { state: "MANAGED", synchronized: false },
    { state: "MANAGED", synchronized: false }
  ),
  changed("any state from any state", { state: "dhcp_boot" }, { state: "DHCP_BOOT" }),
  {
    ...changed(
      "UNMANAGED makes the device unsynchronized",
      { state: "UNMANAGED", synchronized: true },
      { state: "UNMANAGED", synchronized: false }
    ),
    afterwards: [
      {
        path: "/device_synchistory?hostname=east-a1",
        body: { data: { hostnames: { "east-a1": [{ cause: "was_unmanaged", by: "admin", job_id: null }] } } }
      }
    ]
  },
  {
    name: "synchronized true forgets why the device was not",
    request: { method: "PUT", path: "/device/8", json: { synchronized: true } },
    reply: { status: 200, body: { data: { updated_device: { synchronized: true } } } },
    afterwards: [{ path: "/device_synchistory", body: { data: { hostnames: { "special-a8": absent } } } }]
  },
  {
    name: "a rename makes the device and its neighbours unsynchronized",
    request: { method: "PUT", path: "/device/2", json: { hostname: "dist9" } },
    reply: { status: 200, body: { data: { updated_device: { hostname: "dist9", synchronized: false } } } },
    afterwards: [
      { path: "/device/1", body: { data: { devices: [{ synchronized: false }] } } },
      { path: "/device/4", body: { data: { devices: [{ synchronized: false }] } } },
      { path: "/device/3", body: { data: { devices: [{ synchronized: true }] } } },
      {
        path: "/device_synchistory",
        body: {
          data: {
            hostnames: {
              dist9: [{ cause: "device_name_change" }],
              core1: [{ cause: "linknet_neighbor_name_change" }],
              "east-a1": [{ cause: "linknet_neighbor_name_change" }],
              dist1: absent
            }
          }
        }
      },
      {
        path: "/device/east-a1/interfaces",
        body: { data: { interfaces: [{}, {}, {}, { data: { neighbor: "dist9" } }] } }
      }
    ]
  },
  {
    name: "a neighbour that is only named in an interface is renamed there, too",
    given: [`delete from linknet where id = 2`],
    request: { method: "PUT", path: "/device/2", json: { hostname: "dist9" } },
    reply: { status: 200 },
    afterwards: [
      {
        path: "/device_synchistory?hostname=east-a1",
        body: { data: { hostnames: { "east-a1": [{ cause: "neighbor_name_change" }] } } }
      }
    ]
  },
  {
    name: "that a managed device keeps its name when its settings would change",
    request: { method: "PUT", path: "/device/8", json: { hostname: "plain-a8" } },
    reply: refused(
      "Configuration after name change for special-a8 would not be the same. Please check device specific configuration for special-a8 and plain-a8"
    )
  },
  {
    name: "a rename of a device that is not managed, whatever its settings",
    given: [`update device set state = 'UNMANAGED' where id = 8`],
    request: { method: "PUT", path: "/device/8", json: { hostname: "plain-a8" } },
    reply: { status: 200, body: { data: { updated_device: { hostname: "plain-a8" } } } }
  },
  {
    name: "that the settings repository is broken",
    given: BROKEN_SETTINGS,
    request: { method: "PUT", path: "/device/4", json: { hostname: "east-x" } },
    reply: { status: 500, body: { status: "error", message: /^Error in settings repo configuration: / } }
  },
  {
    name: "that the name is taken",
    request: { method: "PUT", path: "/device/4", json: { hostname: "east-a2" } },
    reply: refused("Device already exists")
  },
  {
    name: "every error of a body",
    request: { method: "PUT", path: "/device/4", json: { hostname: null, port: "x", colour: 1 } },
    reply: refused(
      "Invalid hostname received",
      "Invalid port received, must be an integer.",
      "Unknown attribute 'colour' for device"
    )
  },
  ...[4711, 99999999999].map((id): Case => ({
    name: "no device of that id",
    request: { method: "PUT", path: `/device/${id}`, json: {} },
    reply: { status: 404, body: { message: `No device with id ${id}` } }
  })),
  {
    name: "that a device cannot be changed by its name",
    request: { method: "PUT", path: "/device/core1", json: {} },
    reply: {
      status: 405,
      body: { status: "error", message: "Method Not Allowed" },
      headers: { allow: "HEAD, GET, OPTIONS" }
    }
  }
]

const deletion: ReadonlyArray<Case> = [
  {
    name: "the deleted device; its neighbours become unsynchronized, its links are deleted",
    request: { method: "DELETE", path: "/device/4" },
    reply: {
      status: 200,
      body: { status: "success", data: { deleted_device: { id: 4, hostname: "east-a1", primary_group: absent } } }
    },
    afterwards: [
      { path: "/device/2", body: { data: { devices: [{ synchronized: false }] } } },
      { path: "/linknets", body: { data: { linknets: [{ id: 1 }] } } },
      {
        path: "/device_synchistory?hostname=dist1",
        body: { data: { hostnames: { dist1: [{ cause: "neighbor_deleted" }] } } }
      }
    ]
  },
  {
    name: "the same for factory_default false",
    request: { method: "DELETE", path: "/device/6", json: { factory_default: false } },
    reply: { status: 200, body: { data: { deleted_device: { id: 6 } } } }
  },
  {
    name: "a job that erases the switch; the device stays until then",
    request: { method: "DELETE", path: "/device/4", json: { factory_default: true } },
    reply: { status: 200, body: { status: "success", data: "Scheduled job 4 to factory default device", job_id: 4 } },
    afterwards: [
      {
        path: "/job/4",
        body: {
          data: { jobs: [{ function_name: "device_erase", start_arguments: { device_id: 4 }, scheduled_by: "admin" }] }
        }
      },
      { path: "/device/4", body: { data: { devices: [{ id: 4 }] } } }
    ]
  },
  ...[null, "true", 1].map((factory_default): Case => ({
    name: "that factory_default is a boolean",
    request: { method: "DELETE", path: "/device/4", json: { factory_default } },
    reply: { status: 400, body: { message: "Argument factory_default must be boolean" } }
  })),
  {
    name: "that a broken body deletes nothing",
    request: { method: "DELETE", path: "/device/4", raw: "{" },
    reply: { status: 400, body: { message: "Bad Request" } }
  },
  {
    name: "that a device of a management domain stays, and its neighbours as they are",
    request: { method: "DELETE", path: "/device/2" },
    reply: {
      status: 409,
      body: { status: "error", message: "Could not remove device because existing references: management domain 1" }
    }
  },
  ...[{}, { factory_default: true }].map((json): Case => ({
    name: "no device of that id",
    request: { method: "DELETE", path: "/device/4711", json },
    reply: { status: 404, body: { message: "Device not found" } }
  }))
]

export const deviceChangeCases: ReadonlyArray<Case> = [
  ...changing,
  ...deletion,
  {
    name: "that another record has the address",
    request: { method: "PUT", path: "/device/8", json: { infra_ip: "10.100.3.0" } },
    reply: {
      status: 409,
      body: { status: "error", message: ["infra_ip 10.100.3.0 is used already: management_ip of core1"] }
    }
  }
]
