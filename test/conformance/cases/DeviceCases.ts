/** Devices: create, read, change, rename, delete (contract api-devices.md §2 and §3). */
import { absent, type Case } from "../Case.ts"

const base = { hostname: "new1", state: "PRE_CONFIGURED", platform: "eos", device_type: "ACCESS" }
const refused = (...message: ReadonlyArray<string>): Case["reply"] => ({
  status: 400,
  body: { status: "error", message, data: absent }
})
const create = (name: string, json: Readonly<Record<string, unknown>>, ...message: ReadonlyArray<string>): Case => ({
  name,
  request: { method: "POST", path: "/device", json },
  reply: refused(...message)
})
const created = (
  name: string,
  extra: Readonly<Record<string, unknown>>,
  shows: Readonly<Record<string, string | number | boolean | null>>
): Case => ({
  name,
  request: { method: "POST", path: "/device", json: { ...base, ...extra } },
  reply: { status: 200, body: { status: "success", data: { added_device: shows } } }
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
const label63 = "a".repeat(63)

const reading: ReadonlyArray<Case> = [
  {
    name: "a device by its id, with all fields",
    request: { method: "GET", path: "/device/4" },
    reply: {
      status: 200,
      body: {
        status: "success",
        data: {
          devices: [
            {
              id: 4,
              hostname: "east-a1",
              site_id: null,
              description: null,
              management_ip: "10.0.6.6",
              secondary_management_ip: null,
              dhcp_ip: null,
              infra_ip: null,
              oob_ip: null,
              serial: null,
              ztp_mac: "08002708A8BE",
              platform: "eos",
              vendor: null,
              model: null,
              os_version: "4.31.5M",
              synchronized: true,
              state: "MANAGED",
              device_type: "ACCESS",
              confhash: null,
              last_seen: "2026-02-27 10:30:23",
              port: null,
              primary_group: "EAST_WING"
            }
          ]
        }
      }
    }
  },
  {
    name: "a device by its hostname, and microseconds in last_seen",
    request: { method: "GET", path: "/device/core1" },
    reply: { status: 200, body: { data: { devices: [{ id: 1, last_seen: "2026-02-27 10:30:23.338681" }] } } }
  },
  ...["/device/4711", "/device/99999999999", "/device/-1", "/device/CORE1", "/device/core1%20"].map((path): Case => ({
    name: "no device of that id or name (names are case-sensitive)",
    request: { method: "GET", path },
    reply: { status: 404, body: { status: "error", message: "Device not found", data: absent } }
  }))
]

const creation: ReadonlyArray<Case> = [
  {
    name: "a new device with an id and defaults, and status 200, not 201",
    request: { method: "POST", path: "/device", json: base },
    reply: {
      status: 200,
      body: {
        status: "success",
        data: {
          added_device: {
            id: 10,
            hostname: "new1",
            state: "PRE_CONFIGURED",
            synchronized: false,
            serial: null,
            last_seen: /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{6})?$/,
            primary_group: absent
          }
        }
      }
    },
    afterwards: [{ path: "/device/new1", body: { data: { devices: [{ id: 10, platform: "eos" }] } } }]
  },
  created(
    "what the DHCP hook sends",
    {
      hostname: "mac-0800275C091F",
      ztp_mac: "0800275C091F",
      dhcp_ip: "10.0.0.30",
      state: "DHCP_BOOT",
      device_type: "UNKNOWN"
    },
    { hostname: "mac-0800275C091F", ztp_mac: "0800275C091F", dhcp_ip: "10.0.0.30" }
  ),
  created(
    "lower case state and type",
    { state: "managed", device_type: "access" },
    { state: "MANAGED", device_type: "ACCESS" }
  ),
  created("a MAC address without its separators", { ztp_mac: "08:00:27:5c:09:1f" }, { ztp_mac: "0800275C091F" }),
  created("a serial in upper case, digits as text", { serial: "ssj17" }, { serial: "SSJ17" }),
  created("a number as serial", { serial: 17 }, { serial: "17" }),
  created(
    "null where a field may be empty",
    { site_id: null, serial: null, ztp_mac: null, description: null, port: null },
    { site_id: null, serial: null, port: null }
  ),
  created(
    "an empty address as null",
    { management_ip: "", infra_ip: 0, dhcp_ip: false },
    { management_ip: null, infra_ip: null, dhcp_ip: null }
  ),
  created("an IPv6 address", { secondary_management_ip: "2001:db8::1" }, { secondary_management_ip: "2001:db8::1" }),
  created("a port as text", { port: "22" }, { port: 22 }),
  created("a fraction of a port cut off", { port: 1.5 }, { port: 1 }),
  created("port 0 as none", { port: 0 }, { port: null }),
  created("a site by id", { site_id: "1" }, { site_id: 1 }),
  created("a site by its description", { site: "Lecture hall" }, { site_id: 1 }),
  created("no site when two have the description", { site: "Twin" }, { site_id: null }),
  created(
    "what GET shows, sent back",
    { id: 99, oob_ip: "10.9.9.9", confhash: "x", last_seen: "2020-01-01 00:00:00" },
    { id: 10, oob_ip: null, confhash: null }
  ),
  created(
    "a hostname of 64 characters",
    { hostname: `${label63.slice(0, 31)}.${"b".repeat(32)}` },
    { hostname: `${label63.slice(0, 31)}.${"b".repeat(32)}` }
  ),
  created("a hostname with a trailing dot", { hostname: "new1.example.org." }, { hostname: "new1.example.org." }),
  created("a description of 255 characters", { description: "ä".repeat(255) }, { description: "ä".repeat(255) }),
  created(
    "a CORE device with the next free addresses",
    { device_type: "CORE" },
    { management_ip: "10.100.3.3", infra_ip: "10.199.0.3" }
  ),
  created(
    "a DIST device with its own management address and an automatic infra address",
    { device_type: "DIST", management_ip: "10.9.9.9" },
    { management_ip: "10.9.9.9", infra_ip: "10.199.0.3" }
  ),
  {
    ...created("an automatic address that is not reserved", { device_type: "DIST" }, { management_ip: "10.100.3.4" }),
    given: [`insert into reserved_ip (device_id, ip_version, ip) values (6, 4, '10.100.3.3')`]
  },
  {
    ...created(
      "no automatic address when the network is full",
      { device_type: "DIST" },
      { management_ip: null, infra_ip: "10.199.0.3" }
    ),
    given: [
      `insert into device (hostname, state, device_type, management_ip) select 'full' || n, 'MANAGED', 'DIST', '10.100.3.' || n from generate_series(3, 7) n`
    ]
  },
  create(
    "every error of a body at once, in the order of the fields",
    { dhcp_ip: "10.0.0.300", hostname: "new1", device_type: "ACCESS", colour: "red" },
    "Invalid dhcp_ip received. Must be a valid IP address.",
    "Required field state not found",
    "Unknown attribute 'colour' for device"
  ),
  create(
    "the mandatory fields that are missing",
    {},
    "Required field hostname not found",
    "Required field state not found",
    "Required field device_type not found"
  ),
  create("a name that exists", { ...base, hostname: "core1" }, "Device already exists"),
  ...[{ platform: "ios-xe" }, { platform: "EOS" }, { platform: null }].map((extra) =>
    create(
      "the known platforms",
      { ...base, ...extra },
      "Device platform not specified or not known (must be any of: eos, junos, ios, iosxr, nxos, nxos_ssh)"
    )
  ),
  create("that a group cannot be set", { ...base, primary_group: "X" }, "Unknown attribute 'primary_group' for device"),
  ...["a b", "-a", "a-", "", "a..b", "ä", "a_b", label63 + "a", `${label63}.aa`, ".", null, 5, ["a"]].map((hostname) =>
    create(
      `that ${JSON.stringify(hostname)?.slice(0, 20)} is no hostname`,
      { ...base, hostname },
      "Invalid hostname received"
    )
  ),
  ...["x", [], {}, 1e12, -1e12, ""].map((site_id) =>
    create("that this is no site", { ...base, site_id }, "Invalid site_id recevied, must be an integer.")
  ),
  create("that the site does not exist", { ...base, site_id: 4711 }, "Invalid site_id recevied, must be an integer."),
  ...["management_ip", "secondary_management_ip", "infra_ip", "dhcp_ip"].flatMap((field) =>
    ["10.0.0.1/24", "x", 5, true, "fe80::1%eth0", "010.0.0.1", ["10.0.0.1"]].map((value) =>
      create(
        `that ${JSON.stringify(value)} is no address`,
        { ...base, [field]: value },
        `Invalid ${field} received. Must be a valid IP address.`
      )
    )
  ),
  ...["0800275C091", "0800275C091FF", "0800275C09ZZ", 5, ""].map((ztp_mac) =>
    create("that this is no MAC address", { ...base, ztp_mac }, "Invalid device ztp_mac received.")
  ),
  ...[true, {}, "x".repeat(65), "ß".repeat(33)].map((serial) =>
    create("that this is no serial", { ...base, serial }, "Invalid device serial received.")
  ),
  ...["platform", "vendor", "model", "os_version"].flatMap((field) =>
    [5, {}, "x".repeat(65)].map((value) =>
      create(`that this is no ${field}`, { ...base, [field]: value }, `Invalid ${field} received.`)
    )
  ),
  create(
    "that the description is too long",
    { ...base, description: "x".repeat(256) },
    "Invalid description received."
  ),
  ...["true", 1, null].map((synchronized) =>
    create("that synchronized is a boolean", { ...base, synchronized }, "Invalid synchronization state received")
  ),
  ...["MANAGED ", "FINE", null, 5].map((state) =>
    create("that this is no state", { ...base, state }, "Invalid device state received.")
  ),
  ...["FIREWALL", "ACCESS ", null].map((device_type) =>
    create("that this is no device type", { ...base, device_type }, "Invalid device type")
  ),
  ...["x", "22x", {}, 1e12].map((port) =>
    create("that this is no port", { ...base, port }, "Invalid port recevied, must be an integer.")
  )
]

const changing: ReadonlyArray<Case> = [
  changed(
    "the device after the change, with its group",
    { description: "room 1" },
    { id: 4, description: "room 1", primary_group: "EAST_WING" }
  ),
  changed("an empty body changes nothing", {}, { id: 4, description: null, synchronized: true }),
  changed("any platform, on a change", { platform: "other" }, { platform: "other" }),
  changed(
    "what the web client sends",
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
    name: "a neighbour that is only named in an interface hears of a rename, too",
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
    request: { method: "PUT", path: "/device/4", json: { hostname: "broken-x" } },
    reply: { status: 500, body: { status: "error", message: /^Error in settings repo configuration: / } }
  },
  {
    name: "that the name is taken",
    request: { method: "PUT", path: "/device/4", json: { hostname: "core1" } },
    reply: refused("Device already exists")
  },
  {
    name: "every error of a body",
    request: { method: "PUT", path: "/device/4", json: { hostname: null, port: "x", colour: 1 } },
    reply: refused(
      "Invalid hostname received",
      "Invalid port recevied, must be an integer.",
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
    name: "the deleted device; its neighbours become unsynchronized, its links are gone",
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

export const deviceCases: ReadonlyArray<Case> = [...reading, ...creation, ...changing, ...deletion]
