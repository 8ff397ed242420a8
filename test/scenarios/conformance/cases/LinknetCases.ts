/** Links between devices: create, read, delete (docs/api.md#linknets). */
import { absent, type Case } from "../Case.ts"

const fabric = { device_a: "dist2", device_a_port: "Ethernet49", device_b: "core1", device_b_port: "Ethernet2" }
const access = { device_a: "east-a2", device_a_port: "Ethernet48", device_b: "dist2", device_b_port: "Ethernet1" }
const bad = (name: string, json: unknown, ...message: ReadonlyArray<string>): Case => ({
  name,
  request: { method: "POST", path: "/linknets", json },
  reply: { status: 400, body: { status: "error", message, data: absent } }
})
const both = (cause: string, a: string, b: string) => [
  {
    path: "/device_synchistory",
    body: { data: { hostnames: { [a]: [{ cause, by: "admin", job_id: null }], [b]: [{ cause, by: "admin" }] } } }
  },
  { path: `/device/${a}`, body: { data: { devices: [{ synchronized: false }] } } },
  { path: `/device/${b}`, body: { data: { devices: [{ synchronized: false }] } } }
]

const creation: ReadonlyArray<Case> = [
  {
    name: "a link with the next free /31, with status 201; both devices become unsynchronized",
    request: { method: "POST", path: "/linknets", json: fabric },
    reply: {
      status: 201,
      body: {
        status: "success",
        data: {
          id: 3,
          ipv4_network: "10.198.0.2/31",
          device_a_id: 3,
          device_a_ip: "10.198.0.2",
          device_a_port: "Ethernet49",
          device_b_id: 1,
          device_b_ip: "10.198.0.3",
          device_b_port: "Ethernet2",
          site_id: null,
          description: null
        }
      }
    },
    afterwards: both("linknet_created", "dist2", "core1")
  },
  {
    name: "the network that is given",
    request: {
      method: "POST",
      path: "/linknets",
      json: { ...fabric, ipv4_network: "10.9.9.0/31", description: "ignored" }
    },
    reply: {
      status: 201,
      body: {
        data: { ipv4_network: "10.9.9.0/31", device_a_ip: "10.9.9.0", device_b_ip: "10.9.9.1", description: null }
      }
    }
  },
  {
    name: "a layer-2 link for an access switch",
    request: { method: "POST", path: "/linknets", json: { ...access, ipv4_network: null } },
    reply: { status: 201, body: { data: { ipv4_network: null, device_a_ip: null, device_b_ip: null } } }
  },
  {
    name: "a port given as a number, as text",
    request: { method: "POST", path: "/linknets", json: { ...access, device_a_port: 7 } },
    reply: { status: 201, body: { data: { device_a_port: "7" } } }
  },
  bad(
    "every key that is missing",
    {},
    "Required field device_a not found",
    "Required field device_b not found",
    "Required field device_a_port not found",
    "Required field device_b_port not found"
  ),
  bad(
    "the mistakes in the names",
    { ...fabric, device_a: "a_1", device_b: "nobody" },
    "Bad parameter device_a: Invalid hostname: a_1",
    "Bad parameter device_b: Hostname nobody not found in database"
  ),
  bad(
    "that null is no name, nor a number or a truth",
    { ...fabric, device_a: null, device_b: 5 },
    "Bad parameter device_a: Invalid hostname: None",
    "Bad parameter device_b: Invalid hostname: 5"
  ),
  bad(
    "that a list is no name, nor a truth",
    { ...fabric, device_a: ["core1"], device_b: true },
    'Bad parameter device_a: Invalid hostname: ["core1"]',
    "Bad parameter device_b: Invalid hostname: True"
  ),
  bad(
    "that a port has a name",
    { ...fabric, device_a_port: null, device_b_port: "x".repeat(65) },
    "Bad parameter device_a_port: None",
    `Bad parameter device_b_port: ${"x".repeat(65)}`
  ),
  bad("that this is no network", { ...fabric, ipv4_network: "x/31" }, "Invalid ipv4_network: Expected 4 octets in 'x'"),
  bad(
    "that IPv6 is no network here",
    { ...fabric, ipv4_network: "2001:db8::/127" },
    "Invalid ipv4_network: Expected 4 octets in '2001:db8::'"
  ),
  bad(
    "that the network has host bits",
    { ...fabric, ipv4_network: "10.0.0.1/31" },
    "Invalid ipv4_network: 10.0.0.1/31 has host bits set"
  ),
  bad(
    "that this is no mask",
    { ...fabric, ipv4_network: "10.0.0.0/33" },
    "Invalid ipv4_network: '33' is not a valid netmask"
  ),
  ...["10.0.0.0/30", "10.0.0.0/32", "10.0.0.0"].map((ipv4_network): Case => ({
    name: "that only a /31 will do",
    request: { method: "POST", path: "/linknets", json: { ...fabric, ipv4_network } },
    reply: { status: 400, body: { message: ["Linknet must be an IPv4Network with prefix length of 31"] } }
  })),
  bad(
    "that access switches have no addressed links",
    { ...access, ipv4_network: "10.9.9.0/31" },
    "Linknets can only be added between two core/dist devices (hostname_a is DeviceType.ACCESS)"
  ),
  bad(
    "that a port has a link already, at either end",
    { ...fabric, device_a: "core1", device_a_port: "Ethernet1", device_b: "dist1", device_b_port: "Ethernet1" },
    "Port Ethernet1 on device core1 is already used by another linknet",
    "Port Ethernet1 on device dist1 is already used by another linknet"
  ),
  bad(
    "that a port cannot be linked to itself",
    { ...access, device_a: "dist2", device_a_port: "Ethernet1" },
    "Port Ethernet1 on device dist2 cannot be both ends of a linknet"
  ),
  bad(
    "that the network is used",
    { ...fabric, ipv4_network: "10.198.0.0/31" },
    "Network 10.198.0.0/31 is already used by another linknet"
  ),
  {
    ...bad("that no network is free", fabric, "Device types requires IP linknets, but no prefix could be found"),
    given: [
      `insert into linknet (ipv4_network, device_a_id, device_a_port, device_b_id, device_b_port)
        select '10.198.0.' || n * 2 || '/31', 8, 'x' || n, 9, 'x' || n from generate_series(1, 127) n`
    ]
  }
]

const rest: ReadonlyArray<Case> = [
  {
    name: "a link in a list of one",
    request: { method: "GET", path: "/linknet/1" },
    reply: { status: 200, body: { data: { linknets: [{ id: 1 }] } } }
  },
  ...["4711", "99999999999"].map((id): Case => ({
    name: "no link of that id",
    request: { method: "GET", path: `/linknet/${id}` },
    reply: { status: 404, body: { message: "Linknet not found" } }
  })),
  ...["abc", "-1"].map((id): Case => ({
    name: "that this is no path",
    request: { method: "GET", path: `/linknet/${id}` },
    reply: { status: 404, body: { message: "Not Found" } }
  })),
  {
    name: "the link as it was, whatever the body; both devices become unsynchronized",
    request: { method: "DELETE", path: "/linknet/1", raw: "{" },
    reply: { status: 200, body: { data: { deleted_linknet: { id: 1 } } } },
    afterwards: both("linknet_deleted", "core1", "dist1")
  },
  {
    name: "no link of that id",
    request: { method: "DELETE", path: "/linknet/4711" },
    reply: { status: 404, body: { message: "No such linknet found in database" } }
  },
  {
    name: "the same in the old form",
    request: { method: "DELETE", path: "/linknets", json: { id: 2 } },
    reply: { status: 200, body: { data: { deleted_linknet: { id: 2 } } } }
  },
  {
    name: "no link of that id",
    request: { method: "DELETE", path: "/linknets", json: { id: 99999999999 } },
    reply: { status: 404, body: { message: "No such linknet found in database" } }
  },
  {
    name: "that the id is missing",
    request: { method: "DELETE", path: "/linknets" },
    reply: { status: 400, body: { message: ["Required field id not found"] } }
  },
  ...["2", true, 1.5, null].map((id): Case => ({
    name: "that the id is an integer",
    request: { method: "DELETE", path: "/linknets", json: { id } },
    reply: { status: 400, body: { message: ["Field id must be an integer"] } }
  }))
]

export const linknetCases: ReadonlyArray<Case> = [
  ...creation,
  ...rest,
  {
    name: "a network in a management domain",
    request: {
      method: "POST",
      path: "/linknets",
      json: {
        device_a: "core1",
        device_b: "dist2",
        device_a_port: "Ethernet7",
        device_b_port: "Ethernet7",
        ipv4_network: "10.0.6.32/31"
      }
    },
    reply: {
      status: 409,
      body: { status: "error", message: ["network 10.0.6.32/31 overlaps network 10.0.6.0/24 of management domain 1"] }
    }
  }
]
