/** Lists: filters, sorting, pages and their headers (docs/api.md#lists). */
import { absent, type Case, type Expected } from "../Case.ts"

const devices = (
  query: string,
  name: string,
  hostnames: ReadonlyArray<string>,
  headers: Readonly<Record<string, string | RegExp | null>> = {}
): Case => ({
  name,
  request: { method: "GET", path: `/devices?${query}` },
  reply: {
    status: 200,
    body: { status: "success", data: { devices: hostnames.map((hostname) => ({ hostname })) } },
    headers
  }
})
const refused = (path: string, name: string, message: string): Case => ({
  name,
  request: { method: "GET", path },
  reply: { status: 400, body: { status: "error", message, data: absent } }
})
const all = ["core1", "dist1", "dist2", "east-a1", "east-a2", "mac-080027000006", "init-a7", "special-a8", "broken-a9"]
const unfit = (query: string, reason: string): Case =>
  refused(`/devices?${query}`, "why a filter does not fit", `Unable to filter devices: ${reason}`)
const contains = (field: string, kind: string): Case =>
  unfit(`filter[${field}][contains]=1`, `Cannot use 'contains' operator for ${kind} types`)
const perPage = (path: string, list: string): Case =>
  refused(
    path,
    "how many records a page may have",
    `Unable to filter ${list}: per_page argument must be integer between 1-1000`
  )
const link = (query: string, page: number) => `<http://[^/]+/api/v1\\.0/${query}page=${page}>`

const DRIFT = `insert into sync_event (hostname, cause, happened_at, by, job_id) values ('dist1', 'drift', 1688459999, 'server', null)`
const SILENT = `insert into device_unreachable (device_id) select id from device where hostname = 'core1'`
const OFF = `update device set synchronized = false, state = 'MANAGED' where hostname = 'dist1'`
const asIs = (given: ReadonlyArray<string>, found: Case): Case => ({ ...found, given })

const standings: ReadonlyArray<Case> = [
  devices(
    "filter[search][contains]=EAST-A1",
    "a word in the name, an address, the serial, the MAC, the model or the description",
    ["east-a1"]
  ),
  devices("filter[search][contains]=east_w", "a word in the name of a group", ["east-a1", "east-a2"]),
  devices("filter[group]=EAST_WING", "the devices of a group", ["east-a1", "east-a2"]),
  devices("filter[group]=WEST&sort=group", "nothing of a group that is not there", []),
  asIs([DRIFT], devices("filter[drifted]=true", "devices that have drifted", ["dist1"])),
  asIs([SILENT], devices("filter[unreachable]=true", "devices that do not answer", ["core1"])),
  devices("filter[in_change]=true", "devices whose configuration is being changed", []),
  asIs(
    [DRIFT, OFF],
    devices("filter[unsynchronized_by]=drift", "devices that are not synchronized, by the newest cause", ["dist1"])
  ),
  {
    name: "the counts of the network, each that of a list",
    given: [DRIFT, OFF, SILENT],
    request: { method: "GET", path: "/overview" },
    reply: {
      status: 200,
      body: {
        status: "success",
        data: {
          devices: { total: 9, drifted: 1, unreachable: 1, in_change: 0, unsynchronized_by: { drift: 1 } },
          jobs: { failed_today: 0 }
        }
      }
    }
  },
  {
    name: "the counts of the network over time: now, when none was kept",
    request: { method: "GET", path: "/overview/history?hours=24&step=1" },
    reply: { status: 200, body: { status: "success", data: { hours: 24, step: 1 } } }
  },
  {
    name: "the counts of the network over no time",
    request: { method: "GET", path: "/overview/history?hours=0" },
    reply: { status: 400, body: { status: "error", message: "hours: expected a number from 1 to 2160" } }
  },
  {
    name: "what needs a person now, the most urgent first",
    given: [DRIFT, OFF, SILENT],
    request: { method: "GET", path: "/attention" },
    reply: {
      status: 200,
      body: {
        status: "success",
        data: {
          items: [
            { kind: "silent", count: 1, action: "show_devices" },
            { kind: "changed_by_hand", count: 1, devices: ["dist1"], place: { screen: "device", of: "dist1" } },
            { kind: "new_device", count: 1, devices: ["mac-080027000006"] }
          ]
        }
      }
    }
  }
]

const filters: ReadonlyArray<Case> = [
  devices("", "all devices by id, with both counts", all, {
    "x-total-count": "9",
    "x-matching-count": "9",
    link: null
  }),
  devices("filter[hostname]=core1", "an exact match; X-Total-Count stays the number of all devices", ["core1"], {
    "x-total-count": "9",
    "x-matching-count": "1"
  }),
  devices("filter%5Bhostname%5D=core1", "percent-encoded brackets", ["core1"]),
  devices("filter[hostname]=CORE1", "that text is matched case by case", []),
  devices("filter[hostname][contains]=EAST", "a substring in any case", ["east-a1", "east-a2"]),
  devices("filter[hostname][contains]=_", "that wildcards mean themselves", []),
  devices("filter[hostname][contains]=%25", "that wildcards mean themselves", []),
  devices("filter[hostname][contains]=", "every device with a value, for an empty substring", all),
  devices("filter[os_version][contains]=", "no device without a value, for an empty substring", [
    "core1",
    "dist1",
    "east-a1",
    "east-a2"
  ]),
  devices("filter[hostname]=", "nothing, for an empty exact match", []),
  devices("filter[device.type]=dist", "a dot for an underscore, and a type in lower case", ["dist1", "dist2"]),
  ...["filter[device_type]=FIREWALL", "filter[device_type][ilike]=firewall"].map((query) =>
    devices(query, "no device of a type that clients offer and that does not exist here", [], {
      "x-total-count": "9",
      "x-matching-count": "0"
    })
  ),
  devices("filter[device_type][ilike]=DIST", "ilike as an exact match", ["dist1", "dist2"]),
  devices("filter[id][equals]=1", "the operator of the web client", ["core1"]),
  devices("filter[state]=DISCOVERED&per_page=100", "a query of the web client", ["mac-080027000006"]),
  devices("filter[synchronized]=false&filter[state]=MANAGED&per_page=1000", "several filters combined", [
    "special-a8",
    "broken-a9"
  ]),
  devices("filter[synchronized]=YES", "any word for true", ["core1", "dist1", "dist2", "east-a1"]),
  devices("filter[ztp_mac]=08002708A8BE", "the DHCP hook's question", ["east-a1"]),
  ...["08:00:27:08:a8:be", "0800.2708.a8be", "08-00-27-08-A8-BE"].map((mac) =>
    devices(`filter[ztp_mac]=${mac}`, "a MAC address in any notation", ["east-a1"])
  ),
  devices("filter[ztp_mac][contains]=08:a8:be", "a part of a MAC address in any notation", ["east-a1"]),
  devices("filter[ztp_mac]=08:00:27", "nothing, for half a MAC address", []),
  devices("filter[manageable]=true&per_page=1000", "devices that a driver can log in to", all),
  devices("filter[manageable]=no", "devices that no driver can log in to", []),
  devices("filter[management_ip][contains]=10.0.6", "addresses as text", [
    "east-a1",
    "east-a2",
    "init-a7",
    "special-a8",
    "broken-a9"
  ]),
  devices("filter[last_seen]=2026-02-27%2010:30:23.338681", "a moment", ["core1"]),
  devices("filter[last_seen]=2026-02-27T10:30:23.338681", "a moment in ISO notation", ["core1"]),
  devices("filter[hostname]=core1&filter[hostname]=dist1", "nothing when a repeated filter cannot hold twice", []),
  devices("filter[hostname][contains]=dist&filter[hostname][contains]=2", "that both of a repeated filter hold", [
    "dist2"
  ]),
  devices("limit=1&colour=red&filter[hostname", "that other parameters are ignored", all),
  ...["Contains", "startswith", "neq", ""].map((operator) =>
    unfit(
      `filter[hostname][${operator}]=core`,
      `${operator} is not a filter operator, use one of: contains, equals, ilike`
    )
  ),
  unfit("filter[manageable]=perhaps", "perhaps is not a valid value for manageable"),
  unfit("filter[colour]=red", "colour is not a valid attribute to filter on"),
  unfit("filter[Hostname]=x", "Hostname is not a valid attribute to filter on"),
  unfit("filter[device.id]=1", "device_id is not a valid attribute to filter on"),
  unfit("filter[primary_group]=x", "primary_group is not a valid attribute to filter on"),
  unfit("filter[constructor]=x", "constructor is not a valid attribute to filter on"),
  unfit("filter[state]=fine", "FINE is not a valid value for state"),
  unfit("filter[state][contains]=man", "MAN is not a valid value for state"),
  unfit("filter[state][contains]=managed", "Cannot use 'contains' operator for enum types"),
  unfit("filter[device_type]=router", "ROUTER is not a valid value for device_type"),
  unfit("filter[device_type][contains]=firewall", "Cannot use 'contains' operator for enum types"),
  unfit("filter[device_type][contains]=access", "Cannot use 'contains' operator for enum types"),
  contains("id", "integer"),
  contains("site_id", "integer"),
  contains("port", "integer"),
  contains("last_seen", "datetime"),
  contains("synchronized", "boolean"),
  unfit("filter[id]=abc", "abc is not a valid value for id"),
  unfit("filter[id]=99999999999", "99999999999 is not a valid value for id"),
  unfit("filter[last_seen]=monday", "monday is not a valid value for last_seen"),
  unfit("filter[last_seen]=2026-02-31", "2026-02-31 is not a valid value for last_seen"),
  unfit("filter[last_seen]=2026-02-27T25:00:00", "2026-02-27T25:00:00 is not a valid value for last_seen"),
  unfit("filter[synchronized]=maybe", "maybe is not a valid value for synchronized")
]

const paging: ReadonlyArray<Case> = [
  devices("sort=-hostname&per_page=2", "the last two by name", ["special-a8", "mac-080027000006"], {
    "x-total-count": "9",
    link: new RegExp(
      `^${link("devices\\?sort=-hostname&per_page=2&", 2)}; rel="next",${link("devices\\?sort=-hostname&per_page=2&", 5)}; rel="last"$`
    )
  }),
  devices("sort=HOSTNAME&per_page=1", "a column in any case", ["broken-a9"]),
  devices("sort=device_type&per_page=3", "types in their own order, equal ones by id", [
    "mac-080027000006",
    "east-a1",
    "east-a2"
  ]),
  devices("sort=-state&per_page=1", "states in their own order", ["east-a2"]),
  devices("sort=colour&per_page=1", "that an unknown column is ignored", ["core1"]),
  devices("sort=primary_group&per_page=1", "that the group is no column", ["core1"]),
  devices("sort=-infra_ip&per_page=1", "nulls first when descending", ["east-a1"]),
  devices("page=2&per_page=4", "the second page", ["east-a2", "mac-080027000006", "init-a7", "special-a8"], {
    link: /page=3.*rel="next".*page=3.*rel="last"/
  }),
  devices("per_page=4&page=3", "the last page, without a link", ["broken-a9"], { link: null }),
  devices("page=99", "an empty page beyond the end, with the counts", [], {
    "x-total-count": "9",
    "x-matching-count": "9",
    link: null
  }),
  devices("page=99999999999999999999", "an empty page for an absurd number", []),
  devices("page=0&per_page=1", "the first page for a number below 1", ["core1"]),
  devices("page=1.5&per_page=1", "the first page for a page that is not an integer", ["core1"]),
  devices("page=&per_page=1", "the first page for an empty number", ["core1"]),
  devices("filter[hostname][contains]=east&per_page=1", "a link based on the matches", ["east-a1"], {
    link: /filter%5Bhostname%5D%5Bcontains%5D=east&per_page=1&page=2>; rel="next",.*page=2>; rel="last"$/,
    "x-total-count": "9",
    "x-matching-count": "2"
  }),
  {
    name: "links with the scheme of the proxy in front",
    request: { method: "GET", path: "/devices?per_page=8", headers: { "x-forwarded-proto": "https" } },
    reply: { status: 200, headers: { link: /^<https:\/\// } }
  },
  ...["0", "1001", "x", "", "-1", "1.5", "1e3"].map((value) => perPage(`/devices?per_page=${value}`, "devices"))
]

const jobs = (
  query: string,
  name: string,
  ids: ReadonlyArray<number>,
  headers: Readonly<Record<string, string | null>> = {}
): Case => ({
  name,
  request: { method: "GET", path: `/jobs?${query}` },
  reply: { status: 200, body: { data: { jobs: ids.map((id) => ({ id })) } }, headers }
})
const tasks = (...names: ReadonlyArray<string>): Expected => ({
  data: { jobs: [{ result: { devices: { "east-a1": { job_tasks: names.map((task_name) => ({ task_name })) } } } }] }
})

const jobLists: ReadonlyArray<Case> = [
  jobs("", "all jobs by id", [1, 2, 3], { "x-total-count": "3" }),
  jobs("sort=-id&limit=1", "limit as another name of per_page; X-Total-Count of jobs is the matching number", [3], {
    "x-total-count": "3"
  }),
  jobs("filter[function.name][contains]=SYNC", "jobs of a function", [1], {
    "x-total-count": "1",
    "x-matching-count": "1"
  }),
  jobs("filter[status]=exception", "jobs of a status in any case", [2]),
  jobs("filter[finished_devices][contains]=east-a1", "jobs of a device", [1]),
  jobs("filter[traceback][contains]=gone", "jobs by their traceback", [2]),
  jobs("filter[change_score]=21", "jobs by their score", [1]),
  jobs("filter[dry_run_job]=99999", "jobs that push the result of a dry run", []),
  jobs("filter[ticket_ref]=CHG-1", "jobs of a ticket", [1]),
  {
    name: "jobs of an outcome in any case, with the devices that failed",
    given: [
      `update job set outcome = 'partial', failed_devices = '["east-a1"]',
        counts = '{"devices": 2, "succeeded": 1, "failed": 1, "changed": 0}' where id = 1`
    ],
    request: { method: "GET", path: "/jobs?filter[outcome]=Partial&filter[counts.failed]=1" },
    reply: {
      status: 200,
      body: {
        data: {
          jobs: [
            {
              id: 1,
              outcome: "partial",
              failed_devices: ["east-a1"],
              counts: { devices: 2, succeeded: 1, failed: 1, changed: 0 }
            }
          ]
        }
      }
    }
  },
  jobs("filter[outcome]=failed", "no jobs of an outcome that none had", []),
  jobs("filter[finish_time]=2026-03-02T09:11:35.775562", "a moment as records show it", [1]),
  jobs("sort=-scheduled_time&per_page=1", "the job that is due last", [3]),
  {
    name: "results without the configuration",
    request: { method: "GET", path: "/jobs?per_page=1&filter_jobresult=config" },
    reply: { status: 200, body: tasks("push_sync_device", "Sync device config") }
  },
  {
    name: "results without configuration and diff",
    request: { method: "GET", path: "/jobs?per_page=1&filter_jobresult=config,diff,x" },
    reply: { status: 200, body: tasks("push_sync_device") }
  },
  refused(
    "/jobs?filter[status]=done",
    "why a filter does not fit",
    "Unable to filter jobs: DONE is not a valid value for status"
  ),
  refused(
    "/jobs?filter[outcome]=fine",
    "why a filter does not fit",
    "Unable to filter jobs: FINE is not a valid value for outcome"
  ),
  refused(
    "/jobs?filter[outcome][contains]=failed",
    "why a filter does not fit",
    "Unable to filter jobs: Cannot use 'contains' operator for enum types"
  ),
  refused(
    "/jobs?filter[colour]=x",
    "why a filter does not fit",
    "Unable to filter jobs: colour is not a valid attribute to filter on"
  ),
  refused(
    "/jobs?filter[finish_time][contains]=x",
    "why a filter does not fit",
    "Unable to filter jobs: Cannot use 'contains' operator for datetime types"
  ),
  perPage("/jobs?limit=0", "jobs")
]

const others: ReadonlyArray<Case> = [
  {
    name: "all links",
    request: { method: "GET", path: "/linknets" },
    reply: {
      status: 200,
      body: {
        data: {
          linknets: [
            { id: 1, ipv4_network: "10.198.0.0/31" },
            { id: 2, ipv4_network: null }
          ]
        }
      }
    }
  },
  ...[
    "filter[device_a_id]=4",
    "filter[colour]=x",
    "filter[id]=x",
    "per_page=1&page=2",
    "per_page=0",
    "limit=1",
    "sort=-id"
  ].map((query): Case => ({
    name: "all links by id, whatever is asked for, and no counts",
    request: { method: "GET", path: `/linknets?${query}` },
    reply: {
      status: 200,
      body: { data: { linknets: [{ id: 1 }, { id: 2 }] } },
      headers: { "x-total-count": null, "x-matching-count": null, link: null }
    }
  })),
  {
    name: "management domains with the hostnames of their devices",
    request: { method: "GET", path: "/mgmtdomains" },
    reply: {
      status: 200,
      body: { data: { mgmtdomains: [{ id: 1, vlan: 600, device_a: "dist1", device_b: "dist2" }] } },
      headers: { "x-total-count": "1" }
    }
  },
  {
    name: "management domains of a VLAN",
    request: { method: "GET", path: "/mgmtdomains?filter[vlan]=1" },
    reply: { status: 200, body: { data: { mgmtdomains: [] } } }
  },
  refused(
    "/mgmtdomains?filter[device_a]=dist1",
    "why a filter does not fit",
    "Unable to filter mgmtdomains: device_a is not a valid attribute to filter on"
  ),
  perPage("/mgmtdomains?per_page=1001", "mgmtdomains")
]

export const listCases: ReadonlyArray<Case> = [...standings, ...filters, ...paging, ...jobLists, ...others]
