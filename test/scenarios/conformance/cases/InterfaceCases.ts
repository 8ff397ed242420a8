/** Ports of access switches: read, change, export (docs/api.md). */
import { absent, type Case, type Expected } from "../Case.ts"

const change = (interfaces: unknown) =>
  ({ method: "PUT", path: "/device/east-a1/interfaces", json: { interfaces } }) as const
const port = (name: string, data: Readonly<Record<string, unknown>> | null, updated: Expected): Case => ({
  name,
  request: change({ Ethernet2: { data } }),
  reply: { status: 200, body: { status: "success", data: { updated } } }
})
const kept = { untagged_vlan: "STUDENT", description: "room 5" }
const set = (
  name: string,
  data: Readonly<Record<string, unknown>>,
  result: Readonly<Record<string, Expected>> = {}
): Case => port(name, data, { Ethernet2: { configtype: absent, data: { ...kept, ...result } } })
const unchanged = (name: string, interfaces: unknown): Case => ({
  name,
  request: change(interfaces),
  reply: { status: 200, body: { data: { updated: { Ethernet1: absent, Ethernet2: absent, Ethernet10: absent } } } },
  afterwards: [{ path: "/device/4", body: { data: { devices: [{ synchronized: true }] } } }]
})

const reading: ReadonlyArray<Case> = [
  {
    name: "ports in the order of their numbers",
    request: { method: "GET", path: "/device/east-a1/interfaces" },
    reply: {
      status: 200,
      body: {
        data: {
          hostname: "east-a1",
          interfaces: [
            { device_id: 4, name: "Ethernet1", configtype: "ACCESS_AUTO", data: null, indexnum: 2 },
            { name: "Ethernet2", configtype: "ACCESS_UNTAGGED", data: kept, indexnum: 3 },
            { name: "Ethernet10", indexnum: 11 },
            { name: "Ethernet48", indexnum: 49 }
          ]
        }
      }
    }
  },
  {
    name: "no ports for a device without rows",
    request: { method: "GET", path: "/device/core1/interfaces" },
    reply: { status: 200, body: { data: { interfaces: [] } } }
  },
  {
    name: "number 0 for a name without one",
    given: [`insert into interface values (4, 'Ethernet', 'ACCESS_AUTO', null)`],
    request: { method: "GET", path: "/device/east-a1/interfaces" },
    reply: { status: 200, body: { data: { interfaces: [{ name: "Ethernet", indexnum: 0 }, {}, {}, {}, {}] } } }
  },
  {
    name: "no device of that name",
    request: { method: "GET", path: "/device/nobody/interfaces" },
    reply: { status: 404, body: { message: "Device not found" } }
  },
  {
    name: "no device for an id: digits are a hostname here",
    request: { method: "GET", path: "/device/4/interfaces" },
    reply: { status: 404, body: { message: "Device not found" } }
  },
  {
    name: "the body of a later PUT, without uplinks and without envelope",
    request: { method: "GET", path: "/device/east-a1/interfaces_export" },
    reply: {
      status: 200,
      headers: {
        "content-disposition": /^attachment; filename=east-a1-interfaces-\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.json$/
      },
      body: {
        status: absent,
        interfaces: {
          Ethernet1: { configtype: "ACCESS_AUTO", data: null },
          Ethernet2: { data: kept },
          Ethernet10: {},
          Ethernet48: absent
        }
      }
    }
  },
  {
    name: "with uplinks, without downlinks and descriptions",
    request: {
      method: "GET",
      path: "/device/east-a1/interfaces_export?include_uplinks=true&include_downlinks=false&include_descriptions=false"
    },
    reply: {
      status: 200,
      body: {
        interfaces: {
          Ethernet2: { data: { untagged_vlan: "STUDENT", description: absent } },
          Ethernet10: absent,
          Ethernet48: {}
        }
      }
    }
  },
  {
    name: "no device of that name",
    request: { method: "GET", path: "/device/nobody/interfaces_export" },
    reply: { status: 404, body: { message: "Device not found" } }
  }
]

const preview = (json: unknown, hostname = "east-a1") =>
  ({ method: "POST", path: `/device/${hostname}/interfaces/preview`, json }) as const

const seen: ReadonlyArray<Case> = [
  {
    name: "the effect of a description, and nothing is stored",
    request: preview({ interfaces: { Ethernet2: { data: { description: "room 7" } } } }),
    reply: {
      status: 200,
      body: {
        status: "success",
        data: {
          updated: { Ethernet2: { configtype: absent, data: { ...kept, description: "room 7" } } },
          errors: [],
          diff: /-.*description.*room 5[^]*\+.*description.*room 7/
        }
      }
    },
    afterwards: [
      { path: "/device/4", body: { data: { devices: [{ synchronized: true }] } } },
      { path: "/device/east-a1/interfaces", body: { data: { interfaces: [{}, { data: kept }, {}, {}] } } }
    ]
  },
  {
    name: "the refused parts of a change, in addition to the valid ones",
    request: preview({ interfaces: { Ethernet2: { data: { description: "room 5" } }, Ethernet99: { data: {} } } }),
    reply: { status: 200, body: { data: { updated: {}, errors: ["Interface Ethernet99 not found"], diff: "" } } }
  },
  {
    name: "no preview of a body that is none of interfaces",
    request: preview({}),
    reply: { status: 400, body: { status: "error" } }
  },
  {
    name: "no preview for an unknown device",
    request: preview({ interfaces: {} }, "nobody"),
    reply: { status: 404, body: { message: "Device not found" } }
  },
  {
    name: "no preview for a device whose configuration cannot be rendered",
    request: preview({ interfaces: {} }, "mac-080027000006"),
    reply: {
      status: 500,
      body: {
        message:
          "Exception while generating config for device mac-080027000006: VariablesError: Can't populate device vars for device type UNKNOWN"
      }
    }
  },
  {
    name: "a change of ports that have become others since",
    request: {
      ...change({ Ethernet2: { data: { description: "room 7" } } }),
      headers: { "if-match": '"0123456789abcdef"' }
    },
    reply: {
      status: 412,
      body: { status: "error", message: /^The ports of east-a1 have changed since they were read/ }
    },
    afterwards: [{ path: "/device/east-a1/interfaces", body: { data: { interfaces: [{}, { data: kept }, {}, {}] } } }]
  }
]

const good: ReadonlyArray<Case> = [
  {
    name: "the changes; configtype in lower case is stored in upper case, and the device becomes unsynchronized",
    request: change({ Ethernet1: { configtype: "access_untagged", data: { untagged_vlan: "GUEST" } } }),
    reply: {
      status: 200,
      body: { data: { updated: { Ethernet1: { configtype: "ACCESS_UNTAGGED", data: { untagged_vlan: "GUEST" } } } } }
    },
    afterwards: [
      { path: "/device/4", body: { data: { devices: [{ synchronized: false }] } } },
      {
        path: "/device_synchistory?hostname=east-a1",
        body: { data: { hostnames: { "east-a1": [{ cause: "interface_updated", by: "admin", job_id: null }] } } }
      }
    ]
  },
  {
    name: "only the type when only that changed",
    request: change({ Ethernet1: { configtype: "ACCESS_TAGGED" } }),
    reply: { status: 200, body: { data: { updated: { Ethernet1: { configtype: "ACCESS_TAGGED", data: absent } } } } }
  },
  ...["UNKNOWN", "UNMANAGED", "CONFIGFILE", "CUSTOM", "TEMPLATE", "ACCESS_UPLINK", "ACCESS_DOWNLINK", "MLAG_PEER"].map(
    (configtype): Case => ({
      name: `the type ${configtype}`,
      request: change({ Ethernet1: { configtype } }),
      reply: { status: 200, body: { data: { updated: { Ethernet1: { configtype } } } } }
    })
  ),
  set("keys that were not sent stay", { enabled: false }, { enabled: false }),
  set("a VLAN by number, whether it exists or not", { untagged_vlan: 42 }, { untagged_vlan: 42 }),
  set(
    "a list of VLANs by name and number",
    { tagged_vlan_list: ["STUDENT", "GUEST", 7, "GUEST"] },
    { tagged_vlan_list: ["STUDENT", "GUEST", 7, "GUEST"] }
  ),
  set("an empty list of VLANs", { tagged_vlan_list: [] }, { tagged_vlan_list: [] }),
  set(
    "a description of 64 characters, untrimmed",
    { description: ` ${"ä".repeat(63)}` },
    { description: ` ${"ä".repeat(63)}` }
  ),
  port(
    "an empty description is none",
    { description: "" },
    { Ethernet2: { data: { untagged_vlan: "STUDENT", description: absent } } }
  ),
  set("MLAG by index number", { aggregate_id: -1 }, { aggregate_id: -1 }),
  set("a VXLAN by its key", { vxlan: "student" }, { vxlan: "student" }),
  set("a neighbour that need not exist", { neighbor: "elsewhere" }, { neighbor: "elsewhere" }),
  set("the id of a neighbour", { neighbor_id: 5 }, { neighbor_id: 5 }),
  set("flags", { bpdu_filter: true, redundant_link: false }, { bpdu_filter: true, redundant_link: false }),
  set("tags", { tags: ["a", "b"] }, { tags: ["a", "b"] }),
  set("text for the configuration", { cli_append_str: "no lldp\n" }, { cli_append_str: "no lldp\n" }),
  ...["untagged_vlan", "description"].map((key) =>
    port("null removes a key", { [key]: null }, { Ethernet2: { data: { [key]: absent } } })
  ),
  ...[
    "tagged_vlan_list",
    "enabled",
    "aggregate_id",
    "vxlan",
    "neighbor",
    "neighbor_id",
    "bpdu_filter",
    "redundant_link",
    "tags",
    "cli_append_str"
  ].map((key): Case => ({
    name: "null removes any key",
    given: [`update interface set data = '{"${key}": true}' where name = 'Ethernet2'`],
    request: change({ Ethernet2: { data: { [key]: null } } }),
    reply: { status: 200, body: { data: { updated: { Ethernet2: { data: { [key]: absent } } } } } }
  })),
  ...[null, {}, "", false, []].map((data): Case => ({
    name: "no data at all empties it",
    request: change({ Ethernet2: { data } }),
    reply: { status: 200, body: { data: { updated: { Ethernet2: { data: null } } } } }
  })),
  unchanged("values that are there already change nothing", {
    Ethernet2: { configtype: "access_untagged", data: kept }
  }),
  unchanged("null for an empty field changes nothing", {
    Ethernet1: { configtype: null, data: null },
    Ethernet10: { data: null }
  }),
  unchanged("an entry without keys changes nothing", { Ethernet1: {} }),
  unchanged("nothing changes nothing", {})
]

const bulk = (csv: string, more: object = {}) =>
  ({ method: "POST", path: "/interfaces/bulk", json: { csv, ...more } }) as const
const desk = "switch,port,description\neast-a1,Ethernet1-2,desk\n"

const files: ReadonlyArray<Case> = [
  {
    name: "ports of a file, all of them",
    request: bulk(desk),
    reply: {
      status: 200,
      body: {
        data: {
          stored: true,
          errors: [],
          updated: {
            "east-a1": { Ethernet1: { data: { description: "desk" } }, Ethernet2: { data: { description: "desk" } } }
          }
        }
      }
    },
    afterwards: [{ path: "/device/4", body: { data: { devices: [{ synchronized: false }] } } }]
  },
  {
    name: "none of the ports of a file with a mistake",
    request: bulk(`${desk}east-a1,Ethernet99,desk\n`),
    reply: {
      status: 400,
      body: { status: "error", message: { errors: ["line 3, port: east-a1 has no port Ethernet99"] } }
    },
    afterwards: [{ path: "/device/4", body: { data: { devices: [{ synchronized: true }] } } }]
  },
  {
    name: "no ports that have become others since the dry run",
    request: bulk(desk, { version: "0123456789abcdef" }),
    reply: { status: 412, body: { message: /^The ports have changed since the dry run/ } },
    afterwards: [{ path: "/device/4", body: { data: { devices: [{ synchronized: true }] } } }]
  },
  {
    name: "ports as a file",
    request: { method: "GET", path: "/interfaces.csv?hostnames=east-a1" },
    reply: {
      status: 200,
      headers: { "content-disposition": /^attachment; filename=interfaces-\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.csv$/ }
    }
  },
  {
    name: "no file without a switch",
    request: { method: "GET", path: "/interfaces.csv" },
    reply: { status: 400, body: { message: "hostnames must name at least one switch" } }
  }
]

export const interfaceCases: ReadonlyArray<Case> = [...reading, ...seen, ...files, ...good]
