/** Reads and operations on devices other than configuration changes (docs/api.md). */
import type { Case, Expected } from "../Case.ts"
import { strangerCases } from "./StrangerCases.ts"

const data = (value: Expected): Expected => ({ status: "success", data: value })
const error = (message: string | RegExp): Expected => ({ status: "error", message })

const get = (name: string, path: string, status: number, body: Expected): Case => ({
  name,
  request: { method: "GET", path },
  reply: { status, body }
})
const send = (method: "POST" | "PUT", name: string, path: string, json: unknown, status: number, body: Expected) =>
  ({ name, request: { method, path, json }, reply: { status, body } }) satisfies Case

const withoutDriver = (request: Case["request"]): Case => ({
  name: "that no driver can log in to this platform",
  request,
  given: ["update device set platform = 'ios' where hostname = 'east-a1'"],
  reply: {
    status: 409,
    body: error("Device east-a1 cannot be managed: there is no driver for platform ios (only for eos, junos, frr)")
  }
})

const read = (route: string, answer: Expected, silent: string | RegExp): ReadonlyArray<Case> => [
  get("the answer of the device", `/device/east-a1/${route}`, 200, data(answer)),
  get("no name of a device", `/device/-x/${route}`, 400, error("Invalid hostname specified")),
  get("no device of that name", `/device/nobody/${route}`, 404, error("Device not found")),
  get("a device that does not answer", `/device/broken-a9/${route}`, 500, error(silent)),
  withoutDriver({ method: "GET", path: `/device/east-a1/${route}` })
]

const config = "/device/east-a1/running_config"
const SILENT = "Failed to get LLDP neighbors"
const reads: ReadonlyArray<Case> = [
  ...read(
    "running_config",
    { config: /^hostname east-a1$/m },
    /^Exception: ConnectionException: connection refused by /
  ),
  get("one interface", `${config}?interface=Ethernet2`, 200, data({ config: "description room 5" })),
  get("an interface that is not there", `${config}?interface=Ethernet9`, 200, data({ config: "" })),
  get(
    "a device that is not managed",
    "/device/east-a2/running_config",
    400,
    error("Hostname 'east-a2' not found or is not a managed device")
  ),
  ...read("lldp_neighbors", { lldp_neighbors: { Ethernet48: [{ hostname: "dist1", port: "Ethernet1" }] } }, SILENT),
  ...read(
    "lldp_neighbors_detail",
    {
      lldp_neighbors_detail: {
        Ethernet48: [{ remote_system_name: "dist1", remote_system_capab: ["bridge", "router"] }]
      }
    },
    SILENT
  ),
  ...read(
    "optics",
    { optics: { Ethernet48: { media: "10GBASE-LR", tx_power: -2.5 } } },
    /^Exception: ConnectionException: connection refused by /
  ),
  get(
    "no light of a device that is not managed",
    "/device/east-a2/optics",
    400,
    error("east-a2 is UNMANAGED: only a managed device is read")
  ),
  ...read(
    "readings?reads=interfaces,mlag",
    {
      readings: [
        { reading: { reads: "interfaces", items: { Ethernet48: { is_up: true, is_enabled: true } } }, problem: null },
        { reading: { reads: "mlag", items: {} }, problem: null }
      ]
    },
    /^Exception: ConnectionException: connection refused by /
  ),
  get(
    "what came back to a ping",
    "/device/east-a1/readings?reads=ping&to=192.0.2.1&count=2",
    200,
    data({
      readings: [{ reading: { reads: "ping", items: { "192.0.2.1": { sent: 2, received: 0, rtt_ms: null } } } }]
    })
  ),
  get(
    "a kind of reading that there is not",
    "/device/east-a1/readings?reads=bgp,mood",
    400,
    error(/^reads must be a list of neighbours, interfaces, /)
  ),
  get("a ping to nobody", "/device/east-a1/readings?reads=ping", 400, error("ping needs the address in to")),
  get(
    "a ping with a command in its address",
    "/device/east-a1/readings?reads=ping&to=10.0.0.1%0Areload",
    400,
    error(/Expected an IPv4 or IPv6 address/)
  ),
  get(
    "no readings of a device that is not managed",
    "/device/east-a2/readings?reads=bgp",
    400,
    error("east-a2 is UNMANAGED: only a managed device is read")
  ),
  get("the checks of a device while there are none", "/device/east-a1/checks", 200, data({ checks: [] })),
  get("checks without the name of a device", "/device/-x/checks", 400, error("Invalid hostname specified")),
  get("checks of no device", "/device/nobody/checks", 404, error("Device not found")),
  get(
    "no checks of a device that is not managed",
    "/device/east-a2/checks",
    400,
    error("east-a2 is UNMANAGED: only a managed device is read")
  ),
  withoutDriver({ method: "GET", path: "/device/east-a1/checks" }),
  get("the activity of its actor", "/device/east-a1/actor", 200, data({ activity: "idle", change: null, waiting: [] })),
  get("the statecharts that actors run", "/statecharts", 200, data({ life: { initial: "DHCP_BOOT" } })),
  get("no name of a device", "/device/-x/actor", 400, error("Invalid hostname specified")),
  get("no device of that name", "/device/nobody/actor", 404, error("Device not found")),
  get("the activity of a silent device's actor", "/device/broken-a9/actor", 200, data({ activity: "idle" })),
  get(
    "ports with whole numbers as speed",
    "/device/east-a1/interface_status",
    200,
    data({ interface_status: { Ethernet2: { speed: 0, is_up: false }, Ethernet48: { speed: 2500, is_up: true } } })
  ),
  get(
    "a device that is not managed has no port states",
    "/device/east-a2/interface_status",
    400,
    error("Could not get interface states, invalid input: Hostname east-a2 not found in inventory")
  ),
  get(
    "ports of a device that does not answer",
    "/device/broken-a9/interface_status",
    400,
    error(/^Could not get interface states, unknown exception: ConnectionException: connection refused by /)
  ),
  withoutDriver({ method: "GET", path: "/device/east-a1/interface_status" }),
  get(
    "ports that were never read",
    "/device/east-a1/port_readings",
    200,
    data({ read_at: null, age: null, problem: null, ports: {}, machines: [] })
  ),
  get(
    "ports that are read now",
    "/device/east-a1/port_readings?max_age=0",
    200,
    data({
      problem: null,
      ports: { Ethernet2: { speed: 0, is_up: false }, Ethernet48: { is_up: true, light: { tx_power: -2.5 } } }
    })
  ),
  {
    name: "the last good reading of a device that does not answer, with the reason",
    given: [
      `insert into port_reading (device_id, read_at, ports) select id, '2026-03-03T12:03:05Z', '{"Ethernet1":
        {"is_up": true, "is_enabled": true, "description": "", "last_flapped": -1, "mtu": 1500, "speed": 1000, "mac_address": ""}}'
        from device where hostname = 'broken-a9'`
    ],
    request: { method: "GET", path: "/device/broken-a9/port_readings?max_age=60" },
    reply: {
      status: 200,
      body: data({
        read_at: "2026-03-03T12:03:05",
        problem: { busy: false, message: /^connection refused by / },
        ports: { Ethernet1: { is_up: true } }
      })
    }
  },
  get(
    "that a device that is not managed is not read",
    "/device/east-a2/port_readings?max_age=0",
    200,
    data({ read_at: null, problem: { busy: false, message: "east-a2 is not a managed device" } })
  ),
  get(
    "no age that is no number",
    "/device/east-a1/port_readings?max_age=soon",
    400,
    error("max_age must be a number of seconds")
  ),
  get("no readings of an unknown device", "/device/nobody/port_readings", 404, error("Device not found")),
  get("no options of an unknown device", "/device/nobody/port_options", 404, error("Device not found")),
  get(
    "what ports can be given",
    "/device/east-a1/port_options",
    200,
    data({
      vlans: [
        { id: 500, name: "STUDENT" },
        { id: 501, name: "GUEST" }
      ],
      profiles: [{ name: "guests", description: "Desk for guests" }],
      location: null
    })
  ),
  get(
    "the place of a device",
    "/device/special-a8/port_options",
    200,
    data({ location: "East wing, room E-2, rack 2" })
  ),
  ...["east-a1;x=1", "east-a1;", "4;jsessionid=1"].map((name) =>
    get("that nothing is cut off a name", `/device/${name}`, 404, error("Not Found"))
  )
]

const bounce = (name: string, hostname: string, json: unknown, status: number, body: Expected) =>
  send("PUT", name, `/device/${hostname}/interface_status`, json, status, body)
const ports = (...bounce_interfaces: ReadonlyArray<unknown>) => ({ bounce_interfaces })

const bounces: ReadonlyArray<Case> = [
  bounce("ports that went down and up", "east-a1", ports("Ethernet1"), 200, data("Bounced interfaces: Ethernet1")),
  bounce(
    "a push that made no difference",
    "east-a1",
    ports("Ethernet2"),
    200,
    data("No error, but no interfaces changed state: Ethernet2")
  ),
  withoutDriver({
    method: "PUT",
    path: "/device/east-a1/interface_status",
    json: { bounce_interfaces: ["Ethernet1"] }
  }),
  bounce("nothing to do", "east-a1", ports(), 200, data("No error, but no interfaces changed state: ")),
  bounce("no list", "east-a1", { bounce_interfaces: "Ethernet1" }, 400, error("Unknown action")),
  bounce("no device of that name", "nobody", ports("Ethernet1"), 400, error("Hostname nobody not found in database")),
  bounce(
    "no access switch",
    "dist1",
    ports("Ethernet1"),
    400,
    error("Hostname dist1 is not of type ACCESS or not in state MANAGED")
  ),
  bounce(
    "an uplink",
    "east-a1",
    ports("Ethernet1", "Ethernet48"),
    400,
    error("Can't bounce UPLINK port Ethernet48 for device east-a1")
  ),
  bounce(
    "a port that is not there",
    "east-a1",
    ports("Ethernet1", 7),
    400,
    error("Specified interface 7 not found on device east-a1")
  ),
  bounce(
    "a device that does not answer",
    "broken-a9",
    ports("Ethernet1"),
    500,
    error(/^Could not bounce ports of device broken-a9: connection refused by /)
  )
]

const started = (text: string): Expected => ({ status: "success", data: text, job_id: 4 })
const facts = (name: string, json: unknown, status: number, body: Expected) =>
  send("POST", name, "/device_update_facts", json, status, body)
const interfaces = (name: string, json: unknown, status: number, body: Expected) =>
  send("POST", name, "/device_update_interfaces", json, status, body)
const onlyAccess = error("Only devices of type ACCESS has interface database to update")

const updates: ReadonlyArray<Case> = [
  facts("a job that reads facts", { hostname: "dist1" }, 200, started("Scheduled job to update facts for dist1")),
  facts("no hostname", {}, 400, error("No target to be updated was specified")),
  facts("no name of a device", { hostname: "-x" }, 400, error("Hostname '-x' is not a valid hostname")),
  facts(
    "a device in another state",
    { hostname: "init-a7" },
    400,
    error("Hostname 'init-a7' not found or is in invalid state")
  ),
  interfaces(
    "a job that reads ports",
    { hostname: "east-a2" },
    200,
    started("Scheduled job to update interfaces for east-a2")
  ),
  interfaces("no hostname for ports", {}, 400, error("No target to be updated was specified")),
  interfaces("no access switch", { hostname: "dist1" }, 400, onlyAccess),
  interfaces("a peer that is no access switch", { hostname: "east-a1", mlag_peer_hostname: "dist1" }, 400, onlyAccess)
]

const PINNED = `SHA256:${"a".repeat(43)}`
const SEEN = `SHA256:${"b".repeat(43)}`
const key = (fingerprint: string | null, refused_fingerprint: string | null): Expected =>
  data({ host_key: { hostname: "east-a1", fingerprint, refused_fingerprint } })
const given = [`insert into host_key (device_id, fingerprint, refused_fingerprint) values (4, '${PINNED}', '${SEEN}')`]
const path = "/device/east-a1/host_key"

const keys: ReadonlyArray<Case> = [
  { ...get("the pinned key and the one that was refused", path, 200, key(PINNED, SEEN)), given },
  get("a device that is not pinned yet", path, 200, key(null, null)),
  get("no name of a device has a key", "/device/-x/host_key", 400, error("Invalid hostname specified")),
  get("no device of that name has a key", "/device/nobody/host_key", 404, error("Device not found")),
  { ...send("PUT", "the refused key pinned", path, { action: "PIN", fingerprint: SEEN }, 200, key(SEEN, null)), given },
  { ...send("PUT", "no key pinned any more", path, { action: "FORGET" }, 200, key(null, null)), given },
  send("PUT", "an error for an unknown action", path, { action: "TRUST" }, 400, error("action must be PIN or FORGET")),
  send("PUT", "no device to pin", "/device/nobody/host_key", { action: "FORGET" }, 404, error("Device not found")),
  {
    ...send(
      "PUT",
      "an error for an unseen key",
      path,
      { action: "PIN", fingerprint: PINNED },
      409,
      error(/^Cannot pin SHA256:a+ for east-a1: the key that was refused is SHA256:b+$/)
    ),
    given
  }
]

const renew = (name: string, json: unknown, status: number, body: Expected) =>
  send("POST", name, "/device_cert", json, status, body)
const authority = "/certificate_authority"

const certificates: ReadonlyArray<Case> = [
  renew(
    "a job that renews",
    { action: "renew", hostname: "east-a1" },
    200,
    started("Scheduled job to renew certificates")
  ),
  renew(
    "a job for a group",
    { action: "RENEW", group: "EAST_WING" },
    200,
    started("Scheduled job to renew certificates")
  ),
  renew("no action", { hostname: "east-a1" }, 400, error("Required field 'action' was not specified")),
  renew("another action", { action: "burn", hostname: "east-a1" }, 400, error("Unknown action specified: BURN")),
  renew("no selector", { action: "RENEW" }, 400, error("No devices were specified")),
  renew("no such group", { action: "RENEW", group: "NONE" }, 400, error("Could not find a group with name NONE")),
  get("no authority", authority, 404, error("This server has no certificate authority")),
  send(
    "POST",
    "a name that is none",
    authority,
    { common_name: "" },
    400,
    error("common_name must be a text of 1 to 64 characters")
  ),
  send(
    "POST",
    "a folder that cannot be written",
    authority,
    {},
    500,
    error("/dev/null/rootCA.key cannot be written: something else is there already")
  )
]

/** Everything of `OperationsGroup`. */
export const operationCases: ReadonlyArray<Case> = [
  ...reads,
  ...bounces,
  ...updates,
  ...keys,
  ...certificates,
  ...strangerCases
]
