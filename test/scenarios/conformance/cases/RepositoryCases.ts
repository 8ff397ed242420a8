/** Questions of authors of settings and templates: commits and their results (docs/settings-repository.md#commits). */
import type { Case } from "../Case.ts"

const get = (name: string, path: string, body: Case["reply"]["body"], status = 200): Case => ({
  name,
  request: { method: "GET", path },
  reply: { status, ...(body === undefined ? {} : { body }) }
})
const refused = (name: string, path: string, message: string | RegExp, status = 400) =>
  get(name, path, { status: "error", message }, status)

const HASH = /^[0-9a-f]{40}$/
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/
const inForce = {
  commit: HASH,
  committer: "Jane Doe",
  at: TIME,
  state: "in_force",
  refusal: null
}

/** The newest commit of the scene's settings, as a refresh that refused it remembers it. */
const REFUSED = [
  `insert into job (id, function_name, status, scheduled_by, finish_time, memo) select 4, 'refresh_repo', 'EXCEPTION', 'sam',
    '2026-01-05 12:00:00+00', jsonb_build_object('repository', 'settings', 'refused', jsonb_build_object('status', 400,
      'message', 'no', 'commit', commit)) from repository where name = 'settings' and ref = ''`,
  "update repository set commit = repeat('b', 40) where name = 'settings'"
]

const commits: ReadonlyArray<Case> = [
  get("the commits of a repository, the one in force first", "/repository/settings/commits", {
    status: "success",
    data: { in_force: HASH, commits: [inForce, { state: "replaced", subject: "First settings" }] }
  }),
  get("the branches of a repository with their newest commits", "/repository/settings/branches", {
    status: "success",
    data: { branches: [{ branch: "main", commit: HASH, at: TIME, in_force: true }] }
  }),
  refused("which repositories have branches", "/repository/etc/branches", "Invalid repository type"),
  get("as many commits as are asked for", "/repository/Templates/commits?limit=1", {
    data: { in_force: HASH, commits: [inForce] }
  }),
  {
    ...get("which commit was refused, by whose refresh, and why", "/repository/settings/commits", {
      data: {
        in_force: "b".repeat(40),
        commits: [
          {
            state: "refused",
            refusal: {
              job_id: 4,
              at: "2026-01-05T12:00:00",
              by: "sam",
              message: "no",
              problems: [{ file: null, line: null, message: "no" }]
            }
          },
          { state: "not_applied" }
        ]
      }
    }),
    given: REFUSED
  },
  refused("which repositories have commits", "/repository/etc/commits", "Invalid repository type"),
  ...["0", "101", "x"].map((limit) =>
    refused(
      "how many commits may be asked for",
      `/repository/settings/commits?limit=${limit}`,
      "limit must be an integer from 1 to 100"
    )
  )
]

const files: ReadonlyArray<Case> = [
  get("the files in force with their sizes", "/repository/settings/files", {
    status: "success",
    data: { commit: HASH }
  }),
  get("no files of a branch that is not in force", "/repository/templates/files?branch=next", {
    data: { commit: null, files: [] }
  }),
  get("the text of a file", "/repository/settings/file?path=devices/special-a8/routing.yml", {
    data: { path: "devices/special-a8/routing.yml", text: "---\n{}\n" }
  }),
  refused(
    "that no such file is in force",
    "/repository/settings/file?path=x.yml",
    "path: no file x.yml is in force",
    404
  ),
  refused("which repositories have files", "/repository/etc/files", "Invalid repository type"),
  refused("which repositories have files", "/repository/etc/file?path=x", "Invalid repository type")
]

const NTP = "/repository/settings/lines?path=global/base_system.yml"
const origins: ReadonlyArray<Case> = [
  get("where a line of a device comes from", "/device/east-a1/blame?line=5", {
    status: "success",
    data: {
      hostname: "east-a1",
      lines: [
        {
          line: 5,
          text: "ntp server 10.255.0.1 prefer",
          job_id: null,
          template: { file: /^eos\// },
          settings: [{ name: "ntp_servers", file: "global/base_system.yml", line: 3, commit: HASH }]
        }
      ],
      jobs: []
    }
  }),
  refused("that lines count from 1", "/device/east-a1/blame?line=0", /^line must be/),
  refused("no device of that name", "/device/nobody/blame", "Device not found", 404),
  get("the lines of devices that come from a line of settings", `${NTP}&line=3`, {
    status: "success",
    data: {
      searched: 6,
      lines: [
        { hostname: "broken-a9", line: 5, text: "ntp server 10.255.0.1 prefer" },
        { hostname: "core1", line: 5, text: "ntp server vrf MGMT 10.255.0.1 prefer" },
        { hostname: "dist1" },
        { hostname: "dist2" },
        { hostname: "east-a1", line: 5 }
      ],
      next: null
    }
  }),
  refused("that a line is named", NTP, "line must be given"),
  refused("that a path is named", "/repository/settings/lines?line=3", "path must be given")
]

const checks: ReadonlyArray<Case> = [
  get("the checks of the templates in force, here none", "/checks", {
    status: "success",
    data: { commit: HASH, checks: [] }
  })
]

const VARIABLES = "/device/east-a1/variables"
const variables: ReadonlyArray<Case> = [
  get("the variables of a device, and their sources", VARIABLES, {
    status: "success",
    data: { hostname: "east-a1", group: "EAST_WING", branch: null, platform: "eos", template: /^eos\// }
  }),
  refused("an error for an invalid hostname", "/device/a%20b/variables", "Invalid hostname specified"),
  refused("no device of that name", "/device/nobody/variables", "Device not found", 404),
  refused(
    "why a device has none",
    "/device/mac-080027000006/variables",
    "Can't populate device vars for device type UNKNOWN"
  )
]

const RENDER = "/device/east-a1/render"
const render = (name: string, json: unknown, status: number, body: Case["reply"]["body"]): Case => ({
  name,
  request: { method: "POST", path: RENDER, json },
  reply: { status, ...(body === undefined ? {} : { body }) }
})
const trials: ReadonlyArray<Case> = [
  render("a text with the variables of the device", { text: "{{ hostname }} {{ ntp_servers[0].host }}" }, 200, {
    status: "success",
    data: { template: null, text: "east-a1 10.255.0.1", log: [], warnings: [] }
  }),
  render("the device's whole configuration", {}, 200, { data: { template: /^eos\//, text: /^hostname east-a1$/m } }),
  render("a template by its name", { template: "hostname.j2" }, 200, { data: { template: "eos/hostname.j2" } }),
  render("a text in the place of a template", { template: "hostname.j2", text: "x{{ 1 }}" }, 200, {
    data: { template: "eos/hostname.j2", text: "x1" }
  }),
  render("the undefined variables of a text, with their lines", { text: "a\n{{ nothing }}" }, 200, {
    data: { warnings: [{ file: null, line: 2 }] }
  }),
  render("where a text is wrong", { text: "a\n{{ nothing.more }}" }, 400, {
    status: "error",
    message: /nothing/,
    problems: [{ file: null, line: 2 }]
  }),
  render(
    "the place of a mistake in a text that replaces a template",
    { template: "hostname.j2", text: "{% if %}" },
    400,
    {
      problems: [{ file: "eos/hostname.j2", line: 1 }]
    }
  ),
  render(
    "that a text takes too much",
    { text: "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}" },
    400,
    {
      message: /^LimitExceeded: /
    }
  ),
  render("an error for an unknown template", { template: "none.j2" }, 400, {
    message: "There is no template none.j2 for platform eos"
  }),
  render("an error without the file that a text replaces", { text: "x", whole: true }, 400, {
    message: "template should name the file that the text stands for when whole is true"
  }),
  render("how large a text may be", { text: "x".repeat(262_145) }, 400, {
    message: "text should be a text of at most 262144 characters"
  }),
  {
    name: "no device of that name",
    request: { method: "POST", path: "/device/nobody/render", json: {} },
    reply: { status: 404, body: { message: "Device not found" } }
  }
]

const check = (name: string, json: unknown, status: number, body: Case["reply"]["body"]): Case => ({
  name,
  request: { method: "POST", path: "/repository/settings/check", json },
  reply: { status, ...(body === undefined ? {} : { body }) }
})

/** At the end: these commits stay in the remote. */
export const branchCases: ReadonlyArray<Case> = [
  check("that a branch is needed", {}, 400, { message: "branch must be specified" }),
  check("an error for an unknown branch", { branch: "next" }, 400, {
    message: "branch: the repository has no branch, tag or commit next"
  }),
  {
    name: "that no device would change by the templates in force",
    request: { method: "POST", path: "/repository/templates/check", json: { branch: "main" } },
    reply: {
      status: 200,
      body: { data: { repository: "templates", accepted: true, problems: [], devices: { concerned: 0 }, groups: [] } }
    }
  },
  {
    ...check("why a refresh would refuse a branch, with file and line", { branch: "main" }, 200, {
      data: {
        repository: "settings",
        branch: "main",
        commit: HASH,
        accepted: false,
        problems: [{ file: "global/base_system.yml", line: 2 }],
        devices: { concerned: 0 },
        groups: []
      }
    }),
    committed: { "global/base_system.yml": "---\nntp_servers: 5\n" }
  },
  {
    ...check("which devices a branch would change, those with the same difference together", { branch: "main" }, 200, {
      status: "success",
      data: {
        accepted: true,
        problems: [],
        devices: { concerned: 5, rendered: 5, changed: 5, failed: 0 },
        groups: [
          {
            count: 2,
            hostnames: ["east-a1", "broken-a9"],
            added: 1,
            removed: 1,
            diff: /^\+ntp server 10\.255\.0\.7 prefer$/m
          },
          { count: 3, hostnames: ["core1", "dist1", "dist2"], diff: /^\+ntp server vrf MGMT 10\.255\.0\.7 prefer$/m }
        ],
        truncated: false
      }
    }),
    committed: { "global/base_system.yml": "---\nntp_servers:\n  - host: 10.255.0.7\n" },
    afterwards: [{ path: "/settings", body: { data: { settings: { ntp_servers: [{ host: "10.255.0.1" }] } } } }]
  }
]

export const repositoryCases: ReadonlyArray<Case> = [
  ...commits,
  ...files,
  ...origins,
  ...checks,
  ...variables,
  ...trials
]
