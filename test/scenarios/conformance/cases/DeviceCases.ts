/** Devices: read and create (docs/api.md#device-record). */
import { platformNames } from "../../../../src/domain/platforms/Platforms.ts"
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
              manageable: true,
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
    "a device from the DHCP hook's request",
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
    "a device from the answer of GET",
    { id: 99, oob_ip: "10.9.9.9", confhash: "x", last_seen: "2020-01-01 00:00:00", manageable: false },
    { id: 10, oob_ip: null, confhash: null, manageable: true }
  ),
  created("a platform without a driver, as inventory", { platform: "ios" }, { platform: "ios", manageable: false }),
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
  ...["ios-xe", "EOS", null, 5, true, {}, ["eos"], "x".repeat(65)].map((platform) =>
    create(
      "the known platforms",
      { ...base, platform },
      `Device platform not specified or not known (must be any of: ${platformNames.join(", ")})`
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
    create("that this is no site", { ...base, site_id }, "Invalid site_id received, must be an integer.")
  ),
  create("that the site does not exist", { ...base, site_id: 4711 }, "Invalid site_id received, must be an integer."),
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
  ...["vendor", "model", "os_version"].flatMap((field) =>
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
    create("that this is no port", { ...base, port }, "Invalid port received, must be an integer.")
  )
]

const TAKEN: Case = {
  name: "that another record has the address",
  request: { method: "POST", path: "/device", json: { ...base, management_ip: "::ffff:10.0.6.6" } },
  reply: {
    status: 409,
    body: {
      status: "error",
      message: ["management_ip 10.0.6.6 is used already: management_ip of east-a1"],
      data: absent
    }
  }
}

export const deviceCases: ReadonlyArray<Case> = [...reading, ...creation, TAKEN]
