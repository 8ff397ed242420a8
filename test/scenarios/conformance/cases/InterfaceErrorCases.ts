/** Refused changes of ports (docs/api.md#changing-ports). */
import { BROKEN_SETTINGS, absent, type Case } from "../Case.ts"

const change = (interfaces: unknown) =>
  ({ method: "PUT", path: "/device/east-a1/interfaces", json: { interfaces } }) as const
const bad = (name: string, data: unknown, error: string): Case => ({
  name,
  request: change({ Ethernet2: { data } }),
  reply: { status: 400, body: { status: "error", message: { errors: [error], updated: absent } } }
})
export const interfaceErrorCases: ReadonlyArray<Case> = [
  {
    name: "the VLAN name that is absent; type and description are stored all the same",
    request: change({
      Ethernet1: {
        configtype: "access_tagged",
        data: { tagged_vlan_list: ["STUDENT", "STUDENTT"], description: "AP 12" }
      }
    }),
    reply: {
      status: 400,
      body: {
        status: "error",
        message: {
          errors: ["Some VLAN names STUDENTT are not present in east-a1"],
          updated: {
            Ethernet1: { configtype: "ACCESS_TAGGED", data: { description: "AP 12", tagged_vlan_list: absent } }
          }
        }
      }
    },
    afterwards: [{ path: "/device/4", body: { data: { devices: [{ synchronized: false }] } } }],
    storesTheGoodPart: true
  },
  {
    name: "errors of several ports, while the good one is stored",
    request: change({
      Ethernet1: { configtype: "fine" },
      Ethernet99: {},
      Ethernet2: { data: { enabled: true } },
      Ethernet48: 5
    }),
    reply: {
      status: 400,
      body: {
        message: {
          errors: [
            "Invalid configtype received: FINE",
            "Interface Ethernet99 not found",
            "Each interface must have a dict with data to update"
          ],
          updated: { Ethernet2: {} }
        }
      }
    },
    storesTheGoodPart: true
  },
  {
    name: "that a type is no text",
    request: change({ Ethernet1: { configtype: 5 } }),
    reply: { status: 400, body: { message: { errors: ["configtype is not a string"] } } }
  },
  ...[5, "x", [1], true].map((data) =>
    bad("that data is no object", data, "Each interface must have a dict with data to update")
  ),
  bad(
    "that a VLAN name is unknown",
    { untagged_vlan: "learner" },
    "Specified VLAN name learner is not present in east-a1"
  ),
  bad("that an empty VLAN name is unknown", { untagged_vlan: "" }, "Specified VLAN name  is not present in east-a1"),
  bad("that 0 is no VLAN", { untagged_vlan: 0 }, "Specified VLAN name 0 is not present in east-a1"),
  bad("that true is no VLAN", { untagged_vlan: true }, "Specified VLAN name True is not present in east-a1"),
  bad(
    "that a list of VLANs is no list",
    { tagged_vlan_list: "STUDENT" },
    "tagged_vlan_list should be of type list, found <class 'str'>"
  ),
  bad(
    "that ranges are not understood here",
    { tagged_vlan_list: ["100-110", null, 5.5] },
    "Some VLAN names 100-110, None, 5.5 are not present in east-a1"
  ),
  bad(
    "that a description is too long",
    { description: "x".repeat(65) },
    `Description must be a string of 0-64 characters, got: ${"x".repeat(65)}`
  ),
  bad("that a description is no text", { description: 5 }, "Description must be a string of 0-64 characters, got: 5"),
  bad("that enabled is a boolean", { enabled: "true" }, "Enabled must be a bool, true or false, got: true"),
  bad("that an aggregate id is an integer", { aggregate_id: true }, "Aggregate ID must be an integer: True"),
  bad("that a VXLAN is unknown", { vxlan: "STUDENT" }, "Specified VXLAN STUDENT is not present in east-a1"),
  bad("that a neighbour is a hostname", { neighbor: "a b" }, "Neighbor must be valid hostname, got: a b"),
  bad("that a neighbour's id is an integer", { neighbor_id: "5" }, "Neighbor_id must be valid integer, got: 5"),
  bad("that bpdu_filter is a boolean", { bpdu_filter: 1 }, "bpdu_filter must be a bool, true or false, got: 1"),
  bad(
    "that redundant_link is a boolean",
    { redundant_link: "x" },
    "redundant_link must be a bool, true or false, got: x"
  ),
  bad("that tags are a list", { tags: "x" }, "tags should be of type list, found <class 'str'>"),
  bad("that text for the configuration is text", { cli_append_str: 5 }, "cli_append_str must be a string, got: 5"),
  ...(
    [
      [{ untagged_vlan: "STUDENT" }, ["untagged_vlan: there is no such field, known are configtype, data"]],
      [
        { color: "red", size: 5 },
        [
          "color: there is no such field, known are configtype, data",
          "size: there is no such field, known are configtype, data"
        ]
      ],
      [
        { configtype: null, data: { untaged_vlan: "STUDENT", Description: "x" }, enabled: false },
        [
          "data.untaged_vlan: there is no such field, did you mean untagged_vlan?",
          "data.Description: there is no such field, did you mean description?",
          "enabled: there is no such field, known are configtype, data"
        ]
      ],
      [{ ["x".repeat(200)]: 1 }, [`${"x".repeat(64)}…: there is no such field, known are configtype, data`]]
    ] as const
  ).map(([entry, faults]): Case => ({
    name: "which keys of an entry are unknown; the others are stored",
    request: change({ Ethernet1: entry, Ethernet2: { data: { description: "AP 12" } } }),
    reply: {
      status: 400,
      body: {
        message: {
          errors: faults.map((fault) => `Interface Ethernet1: ${fault}`),
          updated: { Ethernet1: absent, Ethernet2: { data: { description: "AP 12" } } }
        }
      }
    },
    storesTheGoodPart: true
  })),
  ...[undefined, null, [], "x"].map((interfaces): Case => ({
    name: "that interfaces is an object",
    request: change(interfaces),
    reply: { status: 400, body: { message: { errors: ["interfaces must be an object"], updated: absent } } }
  })),
  {
    name: "no device of that name",
    request: { method: "PUT", path: "/device/nobody/interfaces", json: { interfaces: {} } },
    reply: { status: 404, body: { message: "Device not found" } }
  },
  {
    name: "that a core device has no ports here",
    request: { method: "PUT", path: "/device/core1/interfaces", json: { interfaces: { Ethernet1: {} } } },
    reply: { status: 400, body: { message: { errors: ["Interface Ethernet1 not found"] } } }
  },
  {
    name: "that the settings are broken, when a file names a VLAN",
    given: BROKEN_SETTINGS,
    request: { method: "POST", path: "/interfaces/bulk", json: { csv: "switch,port,vlan\nbroken-a9,Ethernet1,X\n" } },
    reply: { status: 500, body: { message: /^Error getting settings: / } }
  },
  {
    name: "that the settings are broken, when a VLAN is named",
    given: BROKEN_SETTINGS,
    request: {
      method: "PUT",
      path: "/device/broken-a9/interfaces",
      json: { interfaces: { Ethernet1: { data: { untagged_vlan: "X" } } } }
    },
    reply: { status: 500, body: { message: /^Error getting settings: / } }
  },
  {
    name: "that broken settings do not matter for a description",
    given: BROKEN_SETTINGS,
    request: {
      method: "PUT",
      path: "/device/broken-a9/interfaces",
      json: { interfaces: { Ethernet1: { data: { description: "X" } } } }
    },
    reply: { status: 200, body: { data: { updated: { Ethernet1: { data: { description: "X" } } } } } }
  }
]
