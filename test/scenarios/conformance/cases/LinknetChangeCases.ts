/** Changing links (docs/api.md#linknets). */
import type { Case } from "../Case.ts"

const both = (cause: string, a: string, b: string) => [
  {
    path: "/device_synchistory",
    body: { data: { hostnames: { [a]: [{ cause, by: "admin", job_id: null }], [b]: [{ cause, by: "admin" }] } } }
  },
  { path: `/device/${a}`, body: { data: { devices: [{ synchronized: false }] } } },
  { path: `/device/${b}`, body: { data: { devices: [{ synchronized: false }] } } }
]

const put = (json: unknown) => ({ method: "PUT", path: "/linknet/1", json }) as const
const wrong = (name: string, json: unknown, field: string, value: string, rule: string): Case => ({
  name,
  request: put(json),
  reply: {
    status: 400,
    body: {
      status: "error",
      message: [`Validation error for setting ${field}, bad value: ${value}`, `Message: Value error, ${rule}`]
    }
  }
})
const NETWORK = "Invalid ipv4_network received. Must be IPv4 network address with mask"

export const linknetChangeCases: ReadonlyArray<Case> = [
  {
    name: "the link after the change; both devices become unsynchronized",
    request: put({ device_b_port: "Ethernet50", description: "ring" }),
    reply: {
      status: 200,
      body: {
        data: {
          updated_linknet: { id: 1, device_b_port: "Ethernet50", description: "ring", ipv4_network: "10.198.0.0/31" }
        }
      }
    },
    afterwards: both("linknet_updated", "core1", "dist1")
  },
  ...[
    ["10.9.0.0/30", "10.9.0.1", "10.9.0.2"],
    ["10.9.0.0/29", "10.9.0.1", "10.9.0.6"],
    ["10.9.0.0/31", "10.9.0.1", "10.9.0.0"]
  ].map(([ipv4_network, device_a_ip, device_b_ip]): Case => ({
    name: "a network from /29 to /31 with its addresses",
    request: put({ ipv4_network, device_a_ip, device_b_ip }),
    reply: {
      status: 200,
      body: { data: { updated_linknet: { ipv4_network: ipv4_network ?? "", device_a_ip: device_a_ip ?? "" } } }
    }
  })),
  {
    name: "a link without addresses",
    request: put({ ipv4_network: null, device_a_ip: "", device_b_ip: null }),
    reply: { status: 200, body: { data: { updated_linknet: { ipv4_network: null, device_a_ip: null } } } }
  },
  {
    name: "a site",
    request: put({ site_id: 1 }),
    reply: { status: 200, body: { data: { updated_linknet: { site_id: 1 } } } }
  },
  {
    name: "no change; no device becomes unsynchronized",
    request: put({ device_a_ip: "10.198.0.0", device_a: "core1", id: 9 }),
    reply: { status: 200, body: { data: { unchanged_linknet: { id: 1 } }, warnings: ["id: it has no effect here"] } },
    afterwards: [{ path: "/device/core1", body: { data: { devices: [{ synchronized: true }] } } }]
  },
  wrong("that this is no network", { ipv4_network: "x" }, "ipv4_network", "x", NETWORK),
  wrong("that a number is no network", { ipv4_network: 5 }, "ipv4_network", "5", NETWORK),
  wrong(
    "that the network has host bits, and nothing else",
    { ipv4_network: "10.0.0.1/30", device_a_ip: "x" },
    "ipv4_network",
    "10.0.0.1/30",
    NETWORK
  ),
  wrong(
    "that a /28 is too large",
    { ipv4_network: "10.0.0.0/28" },
    "ipv4_network",
    "10.0.0.0/28",
    "Bad prefix length 28 for linknet network"
  ),
  wrong(
    "that a /32 is too small",
    { ipv4_network: "10.0.0.0/32" },
    "ipv4_network",
    "10.0.0.0/32",
    "Bad prefix length 32 for linknet network"
  ),
  wrong(
    "that an address needs a network",
    { ipv4_network: null, device_b_ip: null },
    "device_a_ip",
    "10.198.0.0",
    "ipv4_network must be set"
  ),
  wrong("that this is no address", { device_a_ip: "x" }, "device_a_ip", "x", "Invalid device IP or ipv4_network"),
  wrong(
    "that an address lies elsewhere",
    { device_b_ip: "10.198.0.2" },
    "device_b_ip",
    "10.198.0.2",
    "device IP must be part of ipv4_network"
  ),
  wrong(
    "that the network address of a /30 is no host",
    { ipv4_network: "10.198.0.0/30", device_b_ip: "10.198.0.2" },
    "device_a_ip",
    "10.198.0.0",
    "device IP must be part of ipv4_network"
  ),
  wrong(
    "that the broadcast address of a /30 is no host",
    { ipv4_network: "10.198.0.0/30", device_a_ip: "10.198.0.1", device_b_ip: "10.198.0.3" },
    "device_b_ip",
    "10.198.0.3",
    "device IP must be part of ipv4_network"
  ),
  wrong(
    "that both ends have the same address",
    { device_b_ip: "10.198.0.0" },
    "device_b_ip",
    "10.198.0.0",
    "device_a_ip and device_b_ip can not be the same"
  ),
  {
    name: "that a port is used by another link",
    request: put({ device_b_port: "Ethernet1" }),
    reply: { status: 400, body: { message: ["Port Ethernet1 on device dist1 is already used by another linknet"] } }
  },
  {
    name: "that texts are too long or of the wrong kind",
    request: put({ device_a_port: "", description: "x".repeat(256), site_id: "x" }),
    reply: {
      status: 400,
      body: {
        message: [
          "Validation error for setting device_a_port, bad value: ",
          "Message: String should have 1 to 64 characters",
          /^Validation error for setting description/,
          "Message: String should have at most 255 characters",
          "Validation error for setting site_id, bad value: x",
          "Message: Input should be a valid integer"
        ]
      }
    }
  },
  {
    name: "that the site does not exist",
    request: put({ site_id: 4711 }),
    reply: {
      status: 400,
      body: {
        message: ["Validation error for setting site_id, bad value: 4711", "Message: No such site found in database"]
      }
    }
  },
  {
    name: "that null and numbers are no names",
    request: put({ device_a: null, device_b: 5 }),
    reply: {
      status: 400,
      body: {
        message: ["Bad parameter device_a: Invalid hostname: None", "Bad parameter device_b: Invalid hostname: 5"]
      }
    }
  },
  {
    name: "the mistakes in the additional names",
    request: put({ device_a: "a b", device_b: "nobody" }),
    reply: {
      status: 400,
      body: {
        message: [
          "Bad parameter device_a: Invalid hostname: a b",
          "Bad parameter device_b: Hostname nobody not found in database"
        ]
      }
    }
  },
  {
    name: "that another link has the network",
    given: [
      `insert into linknet (ipv4_network, device_a_id, device_a_port, device_b_id, device_b_port) values ('10.9.9.0/31', 3, 'x', 1, 'x')`
    ],
    request: put({ ipv4_network: "10.9.9.0/31", device_a_ip: "10.9.9.0", device_b_ip: "10.9.9.1" }),
    reply: { status: 400, body: { message: ["Network 10.9.9.0/31 is already used by another linknet"] } }
  },
  ...[4711, 99999999999].map((id): Case => ({
    name: "no link of that id",
    request: { method: "PUT", path: `/linknet/${id}`, json: {} },
    reply: { status: 404, body: { message: "linknet not found" } }
  })),
  {
    name: "a network in a management domain",
    request: {
      method: "PUT",
      path: "/linknet/1",
      json: { ipv4_network: "10.0.6.32/30", device_a_ip: "10.0.6.33", device_b_ip: "10.0.6.34" }
    },
    reply: {
      status: 409,
      body: { status: "error", message: ["network 10.0.6.32/30 overlaps network 10.0.6.0/24 of management domain 1"] }
    }
  }
]
