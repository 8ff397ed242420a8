/** Management domains (docs/api.md#management-domains). */
import { absent, type Case } from "../Case.ts"

const MISSING =
  "Not all required inputs were found: device_a, device_b, vlan, ipv4_gw OR device_a, device_b, vlan, ipv6_gw"
const domain = { device_a: "dist1", device_b: "dist2", vlan: 700, ipv4_gw: "10.0.7.1/24" }
const VLAN = "field should be: Numeric 802.1Q VLAN ID, 1-4095"

const bad = (name: string, extra: Readonly<Record<string, unknown>>, ...message: ReadonlyArray<string>): Case => ({
  name,
  request: { method: "POST", path: "/mgmtdomains", json: { ...domain, ...extra } },
  reply: { status: 400, body: { status: "error", message: [...message, MISSING] } }
})
const field = (name: string, key: string, value: unknown, shown: string, rule: string): ReadonlyArray<Case> => [
  bad(name, { [key]: value }, `Validation error for setting ${key}, bad value: ${shown}`, `Message: ${rule}`),
  {
    name,
    request: { method: "PUT", path: "/mgmtdomain/1", json: { [key]: value } },
    reply: {
      status: 400,
      body: { message: [`Validation error for setting ${key}, bad value: ${shown}`, `Message: ${rule}`] }
    }
  }
]
const marked = (cause: string) => [
  { path: "/device/2", body: { data: { devices: [{ synchronized: false }] } } },
  { path: "/device/3", body: { data: { devices: [{ synchronized: false }] } } },
  { path: "/device_synchistory", body: { data: { hostnames: { dist1: [{ cause }], dist2: [{ cause }] } } } }
]
const created = (
  name: string,
  extra: Readonly<Record<string, unknown>>,
  shows: Readonly<Record<string, string | number | null>>
): Case => ({
  name,
  request: { method: "POST", path: "/mgmtdomains", json: { ...domain, ...extra } },
  reply: { status: 200, body: { status: "success", data: { added_mgmtdomain: shows } } }
})
const changed = (name: string, json: unknown, shows: Readonly<Record<string, string | number | null>>): Case => ({
  name,
  request: { method: "PUT", path: "/mgmtdomain/1", json },
  reply: { status: 200, body: { data: { updated_mgmtdomain: shows } } },
  afterwards: marked("mgmtdomain_updated")
})

export const mgmtDomainCases: ReadonlyArray<Case> = [
  {
    name: "a domain in a list of one, with the names of its devices",
    request: { method: "GET", path: "/mgmtdomain/1" },
    reply: {
      status: 200,
      body: {
        data: {
          mgmtdomains: [
            { id: 1, ipv4_gw: "10.0.6.1/24", ipv6_gw: null, device_a: "dist1", device_b: "dist2", esi_mac: null }
          ]
        }
      }
    }
  },
  {
    name: "no domain of that id",
    request: { method: "GET", path: "/mgmtdomain/4711" },
    reply: { status: 404, body: { message: "Management domain not found" } }
  },
  {
    ...created(
      "a new domain; both devices become unsynchronized",
      {},
      { id: 2, vlan: 700, ipv4_gw: "10.0.7.1/24", device_a: "dist1" }
    ),
    afterwards: marked("mgmtdomain_created")
  },
  created("a second domain of the same pair", { device_a: "dist2", device_b: "dist1" }, { device_a: "dist2" }),
  created(
    "an IPv6 gateway alone",
    { ipv4_gw: null, ipv6_gw: "2001:db8::1/64" },
    { ipv4_gw: null, ipv6_gw: "2001:db8::1/64" }
  ),
  created(
    "both gateways, and a description",
    { ipv6_gw: "2001:db8::1/125", description: "east" },
    { ipv6_gw: "2001:db8::1/125", description: "east" }
  ),
  created("empty texts as null", { ipv6_gw: "", description: "" }, { ipv6_gw: null, description: null }),
  created("a VLAN as text", { vlan: "4095" }, { vlan: 4095 }),
  created("the prefix length of a dotted mask", { ipv4_gw: "10.0.7.1/255.255.255.0" }, { ipv4_gw: "10.0.7.1/24" }),
  created("a /17", { ipv4_gw: "10.1.7.1/17" }, { ipv4_gw: "10.1.7.1/17" }),
  created("a /30", { ipv4_gw: "10.0.7.1/30" }, { ipv4_gw: "10.0.7.1/30" }),
  {
    name: "the missing fields",
    request: { method: "POST", path: "/mgmtdomains", json: {} },
    reply: { status: 400, body: { message: [MISSING] } }
  },
  bad("that a gateway is needed", { ipv4_gw: null }),
  bad("that a VLAN is needed", { vlan: null }),
  bad(
    "the mistakes in the devices",
    { device_a: "a b", device_b: "nobody" },
    "Invalid hostname for device_a: a b",
    "Device with hostname nobody not found"
  ),
  {
    name: "that the devices differ",
    request: { method: "POST", path: "/mgmtdomains", json: { ...domain, device_b: "dist1" } },
    reply: { status: 400, body: { message: ["device_a and device_b must be different devices"] } }
  },
  ...field("that a VLAN is too high", "vlan", 4096, "4096", `Input should be less than 4096, ${VLAN}`),
  ...field("that a VLAN is too low", "vlan", 0, "0", `Input should be greater than 0, ${VLAN}`),
  ...field(
    "that a VLAN is an integer",
    "vlan",
    "x",
    "x",
    `Input should be a valid integer, unable to parse string as an integer, ${VLAN}`
  ),
  ...field(
    "that a VLAN has no fraction",
    "vlan",
    1.5,
    "1.5",
    `Input should be a valid integer, got a number with a fractional part, ${VLAN}`
  ),
  ...field("that a gateway is text", "ipv4_gw", 5, "5", "Input should be a valid string"),
  ...field(
    "that this is no gateway",
    "ipv4_gw",
    "x",
    "x",
    "Value error, Invalid ipv4_gw received. Must be correct IPv4 address with mask"
  ),
  ...field(
    "that IPv6 is no IPv4 gateway",
    "ipv4_gw",
    "2001:db8::1/64",
    "2001:db8::1/64",
    "Value error, Invalid ipv4_gw received. Must be correct IPv4 address with mask"
  ),
  ...field(
    "that a gateway is no network",
    "ipv4_gw",
    "10.0.6.0/24",
    "10.0.6.0/24",
    "Value error, Specify gateway address, not subnet address"
  ),
  ...field(
    "that a gateway needs a mask",
    "ipv4_gw",
    "10.0.6.1",
    "10.0.6.1",
    "Value error, Specify gateway address, not subnet address"
  ),
  ...field(
    "that a gateway is no broadcast address",
    "ipv4_gw",
    "10.0.6.255/24",
    "10.0.6.255/24",
    "Value error, Specify gateway address, not broadcast address"
  ),
  ...field(
    "that a network is too large",
    "ipv4_gw",
    "10.0.6.1/16",
    "10.0.6.1/16",
    "Value error, Bad prefix length 16 for management network"
  ),
  ...field(
    "that a /31 has no gateway",
    "ipv4_gw",
    "10.0.6.1/31",
    "10.0.6.1/31",
    "Value error, Specify gateway address, not broadcast address"
  ),
  ...field(
    "that this is no IPv6 gateway",
    "ipv6_gw",
    "10.0.6.1/24",
    "10.0.6.1/24",
    "Value error, Invalid ipv6_gw received. Must be correct IPv6 address with mask"
  ),
  ...field(
    "that an IPv6 network is too large",
    "ipv6_gw",
    "2001:db8::1/63",
    "2001:db8::1/63",
    "Value error, Bad prefix length 63 for management network"
  ),
  ...field(
    "that an IPv6 network is too small",
    "ipv6_gw",
    "2001:db8::1/126",
    "2001:db8::1/126",
    "Value error, Bad prefix length 126 for management network"
  ),
  ...field("that a description is text", "description", 5, "5", "Input should be a valid string"),
  ...field(
    "that a description is too long",
    "description",
    "x".repeat(256),
    "x".repeat(256),
    "String should have at most 255 characters"
  ),
  changed(
    "the domain after the change; both devices become unsynchronized",
    { vlan: 601, description: "east" },
    { vlan: 601, description: "east" }
  ),
  changed("null clears a field, also the VLAN", { vlan: null }, { vlan: null }),
  changed(
    "the other columns",
    { esi_mac: "0011223344ff", device_a_ip: "10.0.6.2", site_id: 1 },
    { esi_mac: "0011223344ff", device_a_ip: "10.0.6.2", site_id: 1 }
  ),
  {
    name: "another device",
    request: { method: "PUT", path: "/mgmtdomain/1", json: { device_a_id: 1 } },
    reply: { status: 200, body: { data: { updated_mgmtdomain: { device_a_id: 1, device_a: "core1" } } } }
  },
  {
    name: "no change; no device becomes unsynchronized",
    request: { method: "PUT", path: "/mgmtdomain/1", json: { vlan: "600", id: 9, device_a: "core1" } },
    reply: { status: 200, body: { data: { unchanged_mgmtdomain: { id: 1, vlan: 600 }, updated_mgmtdomain: absent } } },
    afterwards: [{ path: "/device/2", body: { data: { devices: [{ synchronized: true }] } } }]
  },
  {
    name: "no domain of that id, with 400",
    request: { method: "PUT", path: "/mgmtdomain/4711", json: {} },
    reply: { status: 400, body: { message: "mgmtdomain not found" } }
  },
  {
    name: "that devices and site have to exist",
    request: { method: "PUT", path: "/mgmtdomain/1", json: { device_a_id: 4711, site_id: 4711 } },
    reply: {
      status: 400,
      body: {
        message: [
          "Validation error for setting device_a_id, bad value: 4711",
          "Message: No such device found in database",
          "Validation error for setting site_id, bad value: 4711",
          "Message: No such site found in database"
        ]
      }
    }
  },
  {
    name: "that the devices differ",
    request: { method: "PUT", path: "/mgmtdomain/1", json: { device_a_id: 3 } },
    reply: { status: 400, body: { message: ["device_a and device_b must be different devices"] } }
  },
  {
    name: "the mistakes in the other columns",
    request: {
      method: "PUT",
      path: "/mgmtdomain/1",
      json: { esi_mac: "x".repeat(13), device_b_ip: "x", device_b_id: null }
    },
    reply: {
      status: 400,
      body: {
        message: [
          "Validation error for setting esi_mac, bad value: xxxxxxxxxxxxx",
          "Message: String should have at most 12 characters",
          "Validation error for setting device_b_ip, bad value: x",
          "Message: Value error, Must be a valid IP address",
          "Validation error for setting device_b_id, bad value: None",
          "Message: Input should be a valid integer"
        ]
      }
    }
  },
  {
    name: "the deleted domain; both devices become unsynchronized",
    request: { method: "DELETE", path: "/mgmtdomain/1" },
    reply: { status: 200, body: { data: { deleted_mgmtdomain: { id: 1, device_a: "dist1" } } } },
    afterwards: marked("mgmtdomain_deleted")
  },
  {
    name: "no domain of that id",
    request: { method: "DELETE", path: "/mgmtdomain/4711" },
    reply: { status: 404, body: { message: "Management domain not found" } }
  },
  {
    name: "a network that overlaps another one",
    request: {
      method: "POST",
      path: "/mgmtdomains",
      json: { device_a: "dist1", device_b: "dist2", vlan: 601, ipv4_gw: "10.0.6.129/25" }
    },
    reply: {
      status: 409,
      body: { status: "error", message: ["network 10.0.6.128/25 overlaps network 10.0.6.0/24 of management domain 1"] }
    }
  },
  {
    name: "a gateway that is the address of a device",
    request: { method: "PUT", path: "/mgmtdomain/1", json: { ipv4_gw: "10.0.6.6/24" } },
    reply: {
      status: 409,
      body: { status: "error", message: ["gateway 10.0.6.6 is used already: management_ip of east-a1"] }
    }
  }
]
