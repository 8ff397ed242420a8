/** Switches that exist already (docs/onboarding.md). */
import { absent, type Case, type Expected } from "../Case.ts"

/** `east-a2` is onboarded from a file; how far it is from the templates is measured. */
const onboarded = (extra: number): ReadonlyArray<string> => [
  `insert into onboarding (device_id, source, origin, added_by, config, config_from, config_at, is_stale, lines, extra, missing,
      difference, secrets, measured_at)
    values (5, 'configs', 'access/east-a2', 'admin', E'hostname east-a2\\n', 'file', '2026-03-01T08:00:00Z', false, 40, ${extra}, 0,
      '${extra === 0 ? "" : "-ntp server 10.9.9.9"}', '[]', '2026-03-02T09:00:00Z')`
]

const LIST = "hostname,management_ip,device_type,platform\neast-a3,10.0.6.33,ACCESS,eos\n"
const WRONG = `${LIST}east-a4,10.0.6.333,ACCESS,eos\neast-a2,10.0.6.44,ACCESS,eos\n`

const post = (
  name: string,
  path: string,
  json: unknown,
  status: number,
  body: { readonly [key: string]: Expected | typeof absent },
  given: ReadonlyArray<string> = []
): Case => ({ name, given, request: { method: "POST", path, json }, reply: { status, body } })

const get = (name: string, path: string, status: number, body: Expected, given: ReadonlyArray<string> = []): Case => ({
  name,
  given,
  request: { method: "GET", path },
  reply: { status, body }
})

export const onboardingCases: ReadonlyArray<Case> = [
  get(
    "onboarded switches, and where each is on its way",
    "/onboarding",
    200,
    {
      status: "success",
      data: {
        devices: [{ hostname: "east-a2", state: "differs", config_from: "file", lines: 40, extra: 1, distance: 2.5 }]
      }
    },
    onboarded(1)
  ),
  post("the switches of a list that is only tried", "/onboarding", { source: "csv", text: WRONG, dry_run: true }, 200, {
    data: {
      stored: false,
      hostnames: ["east-a3"],
      errors: [
        { line: 3, field: "management_ip", message: /^Invalid management_ip received/ },
        { line: 4, field: "", message: "Device already exists" }
      ],
      job_id: null
    }
  }),
  post(
    "every mistake of a list, and nothing is stored",
    "/onboarding",
    { source: "csv", name: "a.csv", text: WRONG },
    400,
    {
      message: {
        errors: [/^a\.csv, line 3, management_ip: Invalid/, "a.csv, line 4: Device already exists"]
      },
      data: absent
    }
  ),
  post("that the list has a source", "/onboarding", { text: LIST }, 400, {
    message: { errors: ["source must be one of csv, netbox, containerlab, ansible, configs"] },
    data: absent
  }),
  post("that no NetBox is named", "/onboarding", { source: "netbox" }, 400, {
    message: { errors: ["NETBOX_URL is not set, so there is no NetBox to ask"] },
    data: absent
  }),
  post(
    "the job that reads a switch again",
    "/onboarding/read",
    { hostnames: ["east-a2"] },
    200,
    {
      data: "Scheduled job to read east-a2"
    },
    onboarded(1)
  ),
  post("that a switch is not onboarded", "/onboarding/read", { hostnames: ["east-a1"] }, 400, {
    message: "east-a1 is not onboarded",
    data: absent
  }),
  post(
    "the job that manages the switches without a difference",
    "/onboarding/manage",
    {},
    200,
    {
      data: "Scheduled job to manage east-a2"
    },
    onboarded(0)
  ),
  post(
    "that every switch has a difference",
    "/onboarding/manage",
    {},
    400,
    {
      message: "No onboarded switch is without a difference",
      data: absent
    },
    onboarded(1)
  ),
  get(
    "the distance, and the differences in groups",
    "/onboarding/distance",
    200,
    {
      data: {
        now: { devices: 1, reached: 0, lines: 40, differing: 1, distance: 2.5 },
        groups: [{ diff: "-ntp server 10.9.9.9", count: 1, places: 1, hostnames: ["east-a2"] }],
        left_out: 0
      }
    },
    onboarded(1)
  ),
  get("that a switch has no distance", "/onboarding/distance?hostname=east-a1", 400, {
    message: "east-a1 is not onboarded, or its configuration was not read yet"
  }),
  get("the distance by commit", "/onboarding/history", 200, { status: "success", data: { history: [] } }),
  get("that no link is proposed", "/onboarding/links", 200, { data: { links: [] } }),
  post("that no link is stored", "/onboarding/links", { both: true }, 200, { data: { links: [], ports: 0 } }),
  post(
    "that a link is not proposed",
    "/onboarding/links",
    { links: [{ device_a: "east-a2", device_a_port: "Ethernet1", device_b: "dist1", device_b_port: "Ethernet9" }] },
    400,
    { message: "The link east-a2 Ethernet1 to dist1 Ethernet9 is not proposed", data: absent }
  ),
  get("settings from what runs", "/onboarding/settings", 200, { status: "success" }, onboarded(1)),
  get("that there is nothing to propose from", "/onboarding/settings", 400, {
    message: "No onboarded switch has a configuration"
  }),
  post("that no port is proposed", "/onboarding/ports", {}, 200, { data: { hostnames: [], ports: 0 } }, onboarded(1)),
  post("that ports of a switch cannot be proposed", "/onboarding/ports", { hostnames: ["east-a1"] }, 400, {
    message: "east-a1 is not onboarded, or its configuration was not read yet",
    data: absent
  })
]
