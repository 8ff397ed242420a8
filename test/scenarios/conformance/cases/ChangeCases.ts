/**
 * Earlier configurations, given ones, undoing a job and drift (docs/changes.md#earlier-configurations and
 * docs/changes.md#apply_config).
 */
import { absent, type Case, type Expected } from "../Case.ts"

const live = (id: number, config: string | null, failed = false) => [
  `insert into job (id, status, function_name, finish_time) values (${id}, 'FINISHED', 'sync_devices', '2026-03-0${id - 9}T12:03:05.5Z')`,
  `insert into job_device (job_id, hostname, failed, job_tasks, reached_end) values (${id}, 'east-a1', ${failed}, '${JSON.stringify(
    config === null ? [] : [{ task_name: "Generate device config", result: config, diff: "", failed: false }]
  )}', true)`
]
const history = [...live(10, "first"), ...live(11, "second"), ...live(12, "third", true), ...live(13, null)]
const path = "/device/east-a1/previous_config"

const read = (name: string, query: string, data: { readonly [key: string]: Expected | typeof absent }): Case => ({
  name,
  given: history,
  request: { method: "GET", path: `${path}${query}` },
  reply: { status: 200, body: { status: "success", data } }
})
const bad = (name: string, request: Case["request"], message: string | RegExp, status = 400): Case => ({
  name,
  given: history,
  request,
  reply: { status, body: { status: "error", message } }
})
const post = (where: string, json: unknown) => ({ method: "POST", path: where, json }) as const
/** The id of the job that a request starts is the next of the sequence, whatever ids the scene has set by hand. */
const starts = (
  name: string,
  request: Case["request"],
  data: string,
  job: { readonly [key: string]: Expected | typeof absent },
  headers: Readonly<Record<string, string | null>> = {},
  given: ReadonlyArray<string> = history
): Case => ({
  name,
  given,
  request,
  reply: { status: 200, body: { status: "success", data, job_id: 4 }, headers },
  afterwards: [{ path: "/job/4", body: { data: { jobs: [job] } } }]
})

const earlier: ReadonlyArray<Case> = [
  read("the latest configuration, or none in a job that rendered none", "", {
    job_id: 13,
    failed: false,
    config: absent
  }),
  read("the one of a job", "?job_id=11", {
    job_id: 11,
    finish_time: "2026-03-02T12:03:05",
    config: "second",
    failed: false
  }),
  read("one some steps back", "?previous=1", { job_id: 12, config: "third", failed: true }),
  read("the last before a time", "?before=2026-03-02T12:00:00", { job_id: 10, config: "first" }),
  read("the last before a day", "?before=2026-03-02", { job_id: 10 }),
  read("the latest for 0", "?job_id=0&previous=3", { job_id: 13 }),
  bad(
    "an error for an invalid hostname",
    { method: "GET", path: "/device/a%20b/previous_config" },
    "Invalid hostname specified"
  ),
  bad("that a job is a number", { method: "GET", path: `${path}?job_id=x` }, "job_id must be an integer"),
  ...["x", "-1"].map((previous) =>
    bad(
      "that steps are a number",
      { method: "GET", path: `${path}?previous=${previous}` },
      "previous must be an integer"
    )
  ),
  bad(
    "that this is no time",
    { method: "GET", path: `${path}?before=monday` },
    "before must be a valid ISO format date time string"
  ),
  bad("an error for a missing one", { method: "GET", path: `${path}?previous=4` }, "No matching job found", 404),
  bad(
    "an error for a device without one",
    { method: "GET", path: "/device/nobody/previous_config" },
    "No matching job found",
    404
  ),
  starts(
    "a job that restores it, dry unless said otherwise",
    post(path, { job_id: "11" }),
    "Scheduled job to restore east-a1",
    {
      function_name: "apply_config (dry_run)",
      start_arguments: { hostname: "east-a1", dry_run: true, config: "second" }
    }
  ),
  starts("a live job", post(path, { job_id: 11, dry_run: false }), "Scheduled job to restore east-a1", {
    function_name: "apply_config"
  }),
  ...[{}, { job_id: null }].map((json) => bad("that a job is needed", post(path, json), "job_id must be specified")),
  bad("that a job is a number", post(path, { job_id: "x" }), "job_id must be an integer"),
  bad("that the job has failed on this device", post(path, { job_id: 12 }), "The specified job_id has a failed status"),
  bad("an error for an unknown job", post(path, { job_id: 1 }), "No matching job found", 404),
  bad("that the job has rendered nothing", post(path, { job_id: 13 }), "No config found in this job", 500)
]

const device = "/device/east-a1"
const lines = [
  ...live(10, "hostname east-a1\nvlan 1"),
  ...live(11, "hostname east-a1\nvlan 1\nvlan 2"),
  ...live(13, null)
]
/** A synchronization of another device. */
const ofOther = [
  "insert into job (id, status, function_name, finish_time) values (20, 'FINISHED', 'sync_devices', '2026-03-03T12:03:05Z')",
  `insert into job_device (job_id, hostname, failed, job_tasks, reached_end) values (20, 'east-a2', false, '${JSON.stringify(
    [{ task_name: "Generate device config", result: "hostname east-a2\nvlan 2", diff: "", failed: false }]
  )}', true)`
]
/** The configurations that two devices were last proved to run, one of them with a secret. */
const lastProved = [
  `insert into proved_config (device_id, job_id, hash, config)
    select id, 11, 'x', E'hostname east-a1\nvlan 1\nvlan 2' from device where hostname = 'east-a1'`,
  `insert into proved_config (device_id, job_id, hash, config) select id, null, 'y',
    E'snmp-server community 2c6af1 ro\ninterface Ethernet1\n   switchport access vlan 7' from device where hostname = 'east-a2'`
]
const get = (name: string, where: string, data: Expected, given: ReadonlyArray<string> = lines): Case => ({
  name,
  given,
  request: { method: "GET", path: where },
  reply: { status: 200, body: { status: "success", data } }
})

const stored: ReadonlyArray<Case> = [
  get("which configurations are stored", `${device}/configs`, {
    hostname: "east-a1",
    configs: [
      { job_id: 13, has_config: false },
      {
        job_id: 11,
        finish_time: "2026-03-02T12:03:05",
        function_name: "sync_devices",
        failed: false,
        has_config: true,
        settings_commit: null
      },
      { job_id: 10 }
    ]
  }),
  bad("an error for an unknown device", { method: "GET", path: "/device/nobody/configs" }, "Device not found", 404),
  get("the diff of two jobs", `${device}/config_diff?from=10&to=11`, {
    from: 10,
    to: 11,
    diff: "@@ -1,2 +1,3 @@\n hostname east-a1\n vlan 1\n+vlan 2"
  }),
  get(
    "the diff of two devices",
    `${device}/config_diff?from=11&to=20&other=east-a2`,
    {
      hostname: "east-a1",
      from: 11,
      other: "east-a2",
      to: 20,
      diff: "@@ -1,3 +1,2 @@\n-hostname east-a1\n-vlan 1\n+hostname east-a2\n vlan 2"
    },
    [...lines, ...ofOther]
  ),
  bad(
    "that the other device is unknown",
    { method: "GET", path: `${device}/config_diff?from=11&to=11&other=nobody` },
    "Job 11 has stored no configuration of nobody",
    404
  ),
  bad(
    "that the other device has no name",
    { method: "GET", path: `${device}/config_diff?other=a%20b` },
    "other is not a valid hostname"
  ),
  get(
    "lines of the configurations that devices were last proved to run",
    "/configs?q=VLAN",
    {
      hits: [
        { hostname: "east-a1", job_id: 11, finish_time: "2026-03-02T12:03:05", count: 2, lines: [{ number: 2 }, {}] },
        {
          hostname: "east-a2",
          job_id: null,
          count: 1,
          lines: [{ number: 3, section: "interface Ethernet1", text: "switchport access vlan 7" }]
        }
      ],
      next: null
    },
    [...lines, ...lastProved]
  ),
  get("no secrets, which are hidden before", "/configs?q=2c6af1", { hits: [] }, [...lines, ...lastProved]),
  get(
    "lines of what devices ran before a time",
    "/configs?q=vlan&before=2026-03-02",
    { hits: [{ hostname: "east-a1", job_id: 10, count: 1 }] },
    lines
  ),
  get(
    "all configurations of a device with a text",
    "/configs?q=vlan&hostname=east-a1",
    {
      hits: [
        { job_id: 11, count: 2 },
        { job_id: 10, count: 1, lines: [{ text: "vlan 1" }] }
      ],
      searched: 2,
      next: null
    },
    lines
  ),
  get("the rest after a device", "/configs?q=vlan&after=east-a1", { hits: [{ hostname: "east-a2" }] }, [
    ...lines,
    ...lastProved
  ]),
  ...["/configs", "/configs?q=x"].map((where) =>
    bad("that a text is needed", { method: "GET", path: where }, "q must have 2 to 200 characters")
  ),
  bad(
    "that this is no time",
    { method: "GET", path: "/configs?q=vlan&before=monday" },
    "before must be a valid ISO format date time string"
  ),
  bad(
    "an error for an unknown device",
    { method: "GET", path: "/configs?q=vlan&hostname=nobody" },
    "Device not found",
    404
  ),
  get("no difference of one from itself", `${device}/config_diff?from=11&to=11`, { diff: "" }),
  get("the diff of a job and the running configuration", `${device}/config_diff?from=11&to=running`, { to: "running" }),
  bad(
    "that a configuration is a word or a job",
    { method: "GET", path: `${device}/config_diff?from=old` },
    "from must be running, generated or the id of a job"
  ),
  bad(
    "that the job has stored none",
    { method: "GET", path: `${device}/config_diff?from=13&to=11` },
    "Job 13 has stored no configuration of east-a1",
    404
  ),
  bad(
    "that an unmanaged device is not read",
    { method: "GET", path: "/device/east-a2/config_diff?from=running&to=11" },
    "east-a2 is UNMANAGED: only a managed device is read",
    400
  ),
  bad(
    "that the switch cannot be read",
    { method: "GET", path: "/device/broken-a9/config_diff" },
    /^Exception: ConnectionException: connection refused by /,
    500
  ),
  ...["configs", "config_diff", "config_blame"].map((what) =>
    bad(
      "an error for an invalid hostname",
      { method: "GET", path: `/device/a%20b/${what}` },
      "Invalid hostname specified"
    )
  ),
  get("which job brought each line", `${device}/config_blame`, {
    hostname: "east-a1",
    jobs: [{ job_id: 11 }, { job_id: 10 }],
    lines: [
      { text: "hostname east-a1", job_id: 10 },
      { text: "vlan 1", job_id: 10 },
      { text: "vlan 2", job_id: 11 }
    ],
    has_older: false
  }),
  bad(
    "that no job has stored one",
    { method: "GET", path: "/device/east-a2/config_blame" },
    "No job has stored a configuration of east-a2 yet: synchronize it",
    404
  )
]

const apply = "/device/east-a1/apply_config"
const changed = [
  `insert into config_change (job_id, device_id, phase, epoch, protocol, candidate) values (1, 4, 'confirmed', 1, '{}', '')`
]

const others: ReadonlyArray<Case> = [
  starts(
    "a job that applies a configuration, dry unless said otherwise",
    post(apply, { full_config: "hostname x" }),
    "Scheduled job to apply config east-a1",
    {
      function_name: "apply_config (dry_run)",
      start_arguments: { hostname: "east-a1", dry_run: true, config: "hostname x" }
    }
  ),
  bad("an error for an invalid hostname", post("/device/a%20b/apply_config", {}), "Invalid hostname specified"),
  ...[{}, { full_config: 5 }, { full_config: null }].map((json) =>
    bad("that a configuration is needed", post(apply, json), "full_config must be specified")
  ),
  bad(
    "that live runs are not allowed",
    post(apply, { full_config: "x", dry_run: false }),
    "Apply config live_run is not allowed"
  ),
  starts(
    "a job that undoes another one",
    post("/job/1/revert", { comment: "wrong VLAN" }),
    "Scheduled job to revert job 1",
    { function_name: "revert_job", start_arguments: { job_id: 1, dry_run: false }, comment: "wrong VLAN" },
    { "x-total-count": "1" },
    changed
  ),
  ...["true", 1, null].map((dry_run): Case => ({
    name: "that this is neither live nor dry",
    given: history,
    request: post("/job/1/revert", { dry_run }),
    reply: { status: 400, body: { status: "error", message: ["dry_run must be a boolean"] } }
  })),
  bad(
    "that the job has changed nothing",
    post("/job/2/revert", {}),
    "Job 2 has changed no device, so there is nothing to revert"
  ),
  bad(
    "that the job has not ended",
    post("/job/3/revert", {}),
    "Job 3 is SCHEDULED: only a job that has ended can be reverted",
    409
  ),
  ...["4711", "99999999999"].map((id) =>
    bad("no job of that id", post(`/job/${id}/revert`, {}), `No job with id ${id} found`, 404)
  ),
  ...["approve", "reject"].flatMap((decision) => [
    bad("that a comment is needed", post(`/job/3/${decision}`, {}), "comment must be specified"),
    bad("no job of that id", post(`/job/4711/${decision}`, { comment: "x" }), "No job with id 4711 found", 404),
    bad(
      "that the job waits for no approval",
      post(`/job/3/${decision}`, { comment: "x" }),
      "Job 3 waits for no approval: it needs none",
      409
    )
  ]),
  starts(
    "a job that looks for drift everywhere",
    post("/device_drift", {}),
    "Scheduled job to look for drift on all devices",
    { function_name: "device_drift", start_arguments: { hostnames: absent } },
    { "x-total-count": "6" }
  ),
  starts(
    "a job that looks at one device",
    post("/device_drift", { hostname: "east-a1" }),
    "Scheduled job to look for drift on east-a1",
    { start_arguments: { hostnames: ["east-a1"] } },
    { "x-total-count": "1" }
  ),
  bad(
    "that the device is not managed",
    post("/device_drift", { hostname: "east-a2" }),
    "Hostname 'east-a2' not found or is not a managed device"
  ),
  starts(
    "a job that reads tables everywhere",
    post("/device_read_tables", {}),
    "Scheduled job to read tables of all devices",
    { function_name: "read_tables", start_arguments: { hostnames: absent } },
    { "x-total-count": "6" }
  ),
  starts(
    "a job that reads the tables of some devices",
    post("/device_read_tables", { hostnames: ["east-a1", "core1"] }),
    "Scheduled job to read tables of 2 devices",
    { start_arguments: { hostnames: ["east-a1", "core1"] } }
  ),
  bad(
    "that the device whose tables are wanted is not managed",
    post("/device_read_tables", { hostname: "east-a2" }),
    "Hostname 'east-a2' not found or is not a managed device"
  ),
  bad("that the group is unknown", post("/device_drift", { group: "WEST" }), "Could not find a group with name WEST")
]

// Spellings that were learnt from switches (docs/changes.md#spellings).

const learnt = [
  "delete from learned_line",
  `insert into learned_line (id, platform, release, shape, shown, learned_at) values
    (1, 'eos', '4.31.4M', E'interface Ethernet#\\nstorm level #', 'storm-control all level #', '2026-03-02T12:03:05.5Z'),
    (2, 'eos', '4.31.4M', E'interface Ethernet#\\nqos cos 0', '', '2026-03-02T12:03:05.5Z'),
    (3, 'eos', '4.31.4M', 'mtu 9500', 'mtu 9214', '2026-03-02T12:03:05.5Z'),
    (4, 'eos', '4.32.2F', 'hostname ä', null, '2026-03-02T12:03:05.5Z')`
]

const spelled = {
  id: 1,
  platform: "eos",
  release: "4.31.4M",
  section: ["interface Ethernet#"],
  line: "storm level #",
  shown: ["storm-control all level #"],
  state: "spelled",
  learned_at: "2026-03-02T12:03:05.500000"
}
const others432 = { id: 4, release: "4.32.2F", section: [], line: "hostname ä", shown: [], state: "not_taken" }

const spellings: ReadonlyArray<Case> = [
  {
    name: "the learnt spellings of a release",
    given: learnt,
    request: { method: "GET", path: "/learned_lines?platform=eos&release=4.31.4M" },
    reply: {
      status: 200,
      body: {
        status: "success",
        data: {
          learned_lines: [
            { id: 2, line: "qos cos 0", shown: [], state: "default" },
            spelled,
            { id: 3, section: [], line: "mtu 9500", shown: ["mtu 9214"], state: "not_used" }
          ]
        }
      }
    }
  },
  {
    name: "the learnt spellings of all releases of a platform",
    given: learnt,
    request: { method: "GET", path: "/learned_lines?platform=frr" },
    reply: { status: 200, body: { data: { learned_lines: [] } } }
  },
  {
    name: "the spelling that it has withdrawn, which the audit notes",
    given: learnt,
    request: { method: "DELETE", path: "/learned_lines/1" },
    reply: { status: 200, body: { status: "success", data: { withdrawn_line: spelled } } },
    afterwards: [
      { path: "/learned_lines?release=4.31.4M", body: { data: { learned_lines: [{ id: 2 }, { id: 3 }] } } },
      { path: "/learned_lines?release=4.32.2F", body: { data: { learned_lines: [others432] } } },
      {
        path: "/audit?filter[kind]=spelling",
        body: { data: { events: [{ kind: "spelling", action: "withdrawn", data: spelled }] } }
      }
    ]
  },
  bad(
    "that the platform is unknown",
    { method: "GET", path: "/learned_lines?platform=vms" },
    /^platform: expected one of eos, /
  ),
  bad(
    "no learnt spelling with that id",
    { method: "DELETE", path: "/learned_lines/4711" },
    "No learned line with id 4711 found",
    404
  )
]

export const changeCases: ReadonlyArray<Case> = [...earlier, ...stored, ...others, ...spellings]

// Windows: what is in force, and what it says of a device or a group (docs/windows.md#looking-at-windows).

const getWindows = (name: string, query: string, status: number, body: Expected): Case => ({
  name,
  request: { method: "GET", path: `/windows${query}` },
  reply: { status, body }
})

const none = { in_force: false, problem: null, windows: [], freezes: [] }
const always = { may_be_changed: true, why_not: null, opens_at: null, closes_at: null }

export const windowCases: ReadonlyArray<Case> = [
  getWindows("the absence of windows", "", 200, { status: "success", data: { ...none, asked: null } }),
  getWindows("that a device may be changed at any time", "?device=east-a1", 200, {
    data: { ...none, asked: { devices: 1, ...always } }
  }),
  getWindows("that a group may be changed at any time", "?group=EAST_WING", 200, { data: { ...none, asked: always } }),
  getWindows("an error for an invalid hostname", "?device=a%20b", 400, { message: "Invalid hostname specified" }),
  getWindows("no group of that name", "?group=WEST", 400, { message: "Could not find a group with name WEST" }),
  getWindows("no device of that name", "?device=nobody", 404, { message: "Device not found" }),
  ...["/device_syncto", "/device/east-a1/apply_config"].flatMap((path): ReadonlyArray<Case> => {
    const sent = path === "/device_syncto" ? { hostname: "east-a1" } : { full_config: "hostname x" }
    const refused = (name: string, more: object, message: string): Case => ({
      name,
      request: { method: "POST", path, json: { ...sent, ...more } },
      reply: { status: 400, body: { status: "error", message } }
    })
    return [
      refused("that waiting is yes or no", { wait_for_window: "yes" }, "wait_for_window must be a boolean"),
      refused(
        "that an emergency has a reason",
        { emergency: " " },
        "emergency must be a reason of 1 to 255 characters"
      ),
      refused(
        "that an emergency does not wait",
        { emergency: "fire", wait_for_window: true },
        "emergency cannot be combined with wait_for_window"
      )
    ]
  })
]
