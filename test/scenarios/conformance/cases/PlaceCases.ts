/** New switches, several initialisations at once, and the topology (docs/api.md#places). */
import { absent, type Case } from "../Case.ts"

const refused = (name: string, devices: unknown, ...message: ReadonlyArray<string>): Case => ({
  name,
  request: { method: "POST", path: "/new_devices", json: { devices } },
  reply: { status: 400, body: { status: "error", message, data: absent } }
})

const HEARD = [
  "insert into heard (device_id, heard_at) values (6, '2026-03-02T09:12:07Z'), (2, '2026-03-02T09:12:08Z')",
  `insert into heard_neighbour (device_id, port, name, peer_port) values
    (6, 'Ethernet48', 'dist1.example.org', 'Et1'), (6, 'Ethernet1', 'printer', 'lan0'),
    (2, 'Ethernet49', 'core1', 'Ethernet1'), (2, 'Ethernet2', 'dist2', 'Ethernet2')`
]
const NONE = "devices should be a list of 1 to 200 objects with hostname, device_type and mac or serial"

const line = { hostname: "east-a9", device_type: "access", mac: "08:00:27:00:00:06" }

export const placeCases: ReadonlyArray<Case> = [
  {
    name: "switches that wait, with where they hang and whose place that was",
    given: HEARD,
    request: { method: "GET", path: "/new_devices" },
    reply: {
      status: 200,
      body: {
        data: {
          devices: [
            {
              id: 6,
              state: "DISCOVERED",
              ztp_mac: "080027000006",
              neighbours_read: "2026-03-02T09:12:07",
              places: [
                {
                  hostname: "dist1",
                  port: "Ethernet1",
                  own_port: "Ethernet48",
                  heard_by: "switch",
                  linknet_id: 2,
                  was: "east-a1",
                  was_state: "MANAGED"
                }
              ],
              replaces: "east-a1",
              problems: [],
              job_id: null
            },
            { id: 7, state: "INIT", places: [], replaces: null }
          ]
        }
      }
    }
  },
  {
    name: "the planned and seen network",
    given: HEARD,
    request: { method: "GET", path: "/topology" },
    reply: {
      status: 200,
      body: {
        data: {
          edges: [
            {
              a: 1,
              a_port: "Ethernet1",
              b: 2,
              b_port: "Ethernet49",
              linknet_id: 1,
              agreement: "agreed",
              instead: null
            },
            {
              a: 4,
              a_port: "Ethernet48",
              b: 2,
              b_port: "Ethernet1",
              linknet_id: 2,
              agreement: "moved",
              instead: "mac-080027000006 Ethernet48 sees dist1 Ethernet1"
            },
            {
              a: 2,
              a_port: "Ethernet2",
              b: 3,
              b_port: "Ethernet2",
              linknet_id: null,
              agreement: "seen",
              instead: null
            },
            { a: 6, b: 2, linknet_id: null, agreement: "seen" }
          ]
        }
      }
    }
  },
  {
    name: "a job for each line",
    request: { method: "POST", path: "/new_devices", json: { devices: [line] } },
    reply: {
      status: 200,
      body: { status: "success", data: { started: [{ hostname: "east-a9", device_id: 6, job_id: 4 }] } }
    }
  },
  refused("an error for a missing list", "all", NONE),
  refused("that the list is empty", [], NONE),
  refused(
    "all that is wrong, with line and field",
    [
      { hostname: "a b", device_type: "access", mac: "5" },
      { hostname: "east-a9", device_type: "tree" },
      { ...line, device_type: "dist", replace_hostname: true }
    ],
    "line 1: hostname: Provided hostname is not valid",
    "line 1: mac: 5 is no MAC address",
    "line 2: device_type: Invalid 'device_type' provided",
    "line 2: mac: mac or serial must be specified",
    "line 3: device_type: MLAG peers and replacement are for device_type ACCESS only"
  ),
  refused(
    "that lines repeat each other",
    [line, line],
    "line 2: hostname: east-a9 is on line 1 already",
    "line 2: mac: 080027000006 is on line 1 already"
  ),
  refused(
    "the database's objections to a line, and begins none of them",
    [
      line,
      { hostname: "x1", device_type: "access", serial: "none" },
      { hostname: "core1", device_type: "access", mac: "080027000007" },
      { hostname: "x2", device_type: "access", mac: "08002708A8BE", replace_hostname: true }
    ],
    "line 2: serial: No device has serial none",
    "line 3: mac: Device must be in state DISCOVERED to begin init, init-a7 is INIT",
    "line 3: hostname: Another device has the hostname core1",
    "line 4: mac: Device must be in state DISCOVERED to begin init, east-a1 is MANAGED",
    "line 4: replace_hostname: Device x2 not found"
  ),
  {
    name: "that a new switch is ignored, and by whom",
    request: { method: "PUT", path: "/new_devices/6", json: { ignored: true, comment: "spare unit" } },
    reply: { status: 200, body: { status: "success", data: { ignored: true } } },
    afterwards: [
      {
        path: "/new_devices",
        body: {
          data: {
            devices: [
              { id: 6, ignored: { comment: "spare unit" } },
              { id: 7, ignored: null }
            ]
          }
        }
      }
    ]
  },
  {
    name: "that only new switches can be ignored",
    request: { method: "PUT", path: "/new_devices/1", json: { ignored: true } },
    reply: { status: 400, body: { status: "error", message: "Only a new switch can be ignored, core1 is MANAGED" } }
  },
  {
    name: "an error for an unknown switch",
    request: { method: "PUT", path: "/new_devices/4711", json: { ignored: true } },
    reply: { status: 404, body: { status: "error", message: "Device not found" } }
  },
  {
    name: "that the switch to be replaced has an open change",
    given: ["insert into device_operation (device_id, kind, phase, detail) values (5, 'bounce', 'shutting', '{}')"],
    request: {
      method: "POST",
      path: "/new_devices",
      json: { devices: [{ ...line, hostname: "east-a2", replace_hostname: true }] }
    },
    reply: { status: 409, body: { status: "error", message: /^Device east-a2 has an open change of bounce/ } }
  }
]
