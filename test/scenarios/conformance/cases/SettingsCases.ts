/** Settings, groups and repositories (docs/settings-repository.md). */
import { BROKEN_SETTINGS, absent, type Case } from "../Case.ts"

const get = (name: string, path: string, body: Case["reply"]["body"], status = 200): Case => ({
  name,
  request: { method: "GET", path },
  reply: { status, ...(body === undefined ? {} : { body }) }
})
const refused = (name: string, path: string, message: string | RegExp, status = 400) =>
  get(name, path, { status: "error", message, data: absent }, status)
const refresh = (name: string, json: unknown, status: number, message: string | RegExp): Case => ({
  name,
  request: { method: "PUT", path: "/repository/settings", json },
  reply: { status, body: { status: "error", message } }
})
const commit = /^Commit [0-9a-f]{40} main by Jane Doe at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d[+-]\d\d:\d\d\n$/
const east = {
  groups: { EAST_WING: ["east-a1", "east-a2"] },
  group_settings: { EAST_WING: { regex: "east-", group_priority: 100, templates_branch: null } }
}

const settings: ReadonlyArray<Case> = [
  get("settings of everybody with their origins", "/settings", {
    status: "success",
    data: { settings: { ntp_servers: [{ host: "10.255.0.1" }] }, settings_origin: { ntp_servers: "global" } }
  }),
  get("settings of a device", "/settings?hostname=east-a1", { data: { settings: {} } }),
  get("settings of a device as if it were of another type", "/settings?hostname=east-a1&device_type=dist", {
    data: { settings: {} }
  }),
  get("settings of a type in any case", "/settings?device_type=core", { data: { settings: {} } }),
  refused("an error for an invalid hostname", "/settings?hostname=a%20b", "Invalid hostname specified"),
  refused("an error for an unknown name", "/settings?hostname=nobody", "Hostname not found in database"),
  refused("that the type is unknown", "/settings?device_type=FIREWALL", "Invalid device type specified"),
  refused(
    "an error for an unknown type, also with a hostname",
    "/settings?hostname=east-a1&device_type=x",
    "Invalid device type specified"
  ),
  refused(
    "that UNKNOWN has no settings",
    "/settings?device_type=UNKNOWN",
    "Error getting settings: It's not possible to get settings for devices with type UNKNOWN"
  ),
  {
    ...refused(
      "why there are no settings",
      "/settings?hostname=east-a1",
      /^Error getting settings: Validation error for setting ntp_servers, bad value: 5 /
    ),
    given: BROKEN_SETTINGS
  },
  get("the model in both notations, and once more as data", "/settings/model", {
    status: "success",
    title: "f_root",
    definitions: { f_ntp_server: {} },
    $defs: { f_ntp_server: {} },
    data: { title: "f_root" }
  }),
  {
    name: "the model without a token",
    request: { method: "GET", path: "/settings/model", user: null },
    reply: { status: 200 }
  },
  {
    name: "the whole settings with the fragment in them, without a token",
    request: { method: "POST", path: "/settings/model", json: { domain_name: "example.org" }, user: null },
    reply: { status: 200, body: { status: "success", data: { domain_name: "example.org", ntp_servers: [] } } }
  },
  {
    name: "which setting breaks which rule",
    request: { method: "POST", path: "/settings/model", json: { radius_servers: [{ host: "10.0.0.500" }] } },
    reply: {
      status: 400,
      body: {
        status: "error",
        message:
          /^Validation error for setting radius_servers->0->host, bad value: 10\.0\.0\.500 \(value origin: API POST data\)\nMessage: /
      }
    }
  },
  get("the model of one settings file in both notations", "/settings/model/vxlans.yml", {
    status: "success",
    title: "f_vxlans",
    definitions: { f_vxlan: {} },
    $defs: { f_vxlan: {} },
    data: { title: "f_vxlans" }
  }),
  {
    name: "the model of a file without a token",
    request: { method: "GET", path: "/settings/model/vxlans.yml", user: null },
    reply: { status: 200 }
  },
  refused(
    "that no settings file has this name",
    "/settings/model/x.yml",
    "Filename: 'x.yml' does not map to any model."
  ),
  {
    name: "the file's keys with the posted values in them, without a token",
    request: { method: "POST", path: "/settings/model/vxlans.yml", json: { vxlans: {} }, user: null },
    reply: { status: 200, body: { status: "success", data: { vxlans: {}, ntp_servers: absent } } }
  },
  {
    name: "that a key belongs into another file",
    request: { method: "POST", path: "/settings/model/vxlans.yml", json: { a: 1 } },
    reply: {
      status: 400,
      body: {
        status: "error",
        message:
          "Key: 'a' cannot be used in this file and will be filtered, please move them to the correct settings file."
      }
    }
  },
  {
    name: "that nothing can be posted for a name that no settings file has",
    request: { method: "POST", path: "/settings/model/x.yml", json: {} },
    reply: { status: 400, body: { message: "Filename: 'x.yml' does not map to any model." } }
  },
  get("the server's configuration without an envelope and without secrets", "/settings/server", {
    status: absent,
    api: {
      HOST: "127.0.0.1",
      COMMIT_CONFIRMED_MODE: 1,
      JWT_ENABLED: true,
      SETTINGS_KEYS_TO_MERGE: [],
      SETTINGS_OVERRIDE: null,
      FIRMWARE_URL: /^http/,
      DATABASE_URL: absent
    }
  })
]

const groups: ReadonlyArray<Case> = [
  get("all groups with their devices, in every state", "/groups", {
    data: {
      ...east,
      groups: {
        ...east.groups,
        DEFAULT: [
          "broken-a9",
          "core1",
          "dist1",
          "dist2",
          "east-a1",
          "east-a2",
          "init-a7",
          "mac-080027000006",
          "special-a8"
        ]
      }
    }
  }),
  get("one group with the same keys", "/groups/EAST_WING", {
    data: { ...east, groups: { ...east.groups, DEFAULT: absent } }
  }),
  refused("no group of that name", "/groups/WEST", "No such group found, or group is not valid", 404),
  ...["os_versions", "os_version"].flatMap((path) => [
    get("managed devices with a known version", `/groups/EAST_WING/${path}`, {
      data: { groups: { EAST_WING: { "4.31.5M": ["east-a1"], "4.28.0F": absent } } }
    }),
    get("several versions", `/groups/DEFAULT/${path}`, {
      data: { groups: { DEFAULT: { "4.31.5M": ["core1", "dist1", "east-a1"] } } }
    }),
    refused(
      "no group of that name",
      `/groups/WEST/${path}`,
      "Exception while getting group WEST: Could not find group WEST",
      404
    )
  ])
]

const gone = ["delete from repository"]
const NO_SETTINGS =
  "No settings are in force: no commit of the settings repository was read and accepted yet; refresh it to see why"
const withoutSettings: ReadonlyArray<Case> = [
  {
    ...refused("an error while there are no settings", "/groups", `Error getting settings: ${NO_SETTINGS}`, 503),
    given: gone
  },
  {
    ...refused(
      "an error while there are no settings",
      "/groups/EAST_WING",
      `Error getting settings: ${NO_SETTINGS}`,
      503
    ),
    given: gone
  },
  ...["os_versions", "os_version"].map((path) => ({
    ...refused(
      "an error while there are no settings",
      `/groups/EAST_WING/${path}`,
      `Exception while getting group EAST_WING: ${NO_SETTINGS}`,
      503
    ),
    given: gone
  })),
  ...["device_syncto", "firmware/upgrade", "firmware/upgradecheck"].map((path): Case => ({
    name: "an error while there are no settings, before the one for an unknown group",
    given: gone,
    request: {
      method: "POST",
      path: `/${path}`,
      json: path === "firmware/upgrade" ? { group: "EAST_WING", reboot: true } : { group: "EAST_WING" }
    },
    reply: {
      status: 503,
      body: {
        status: "error",
        message: `Error getting settings: ${NO_SETTINGS}`,
        job_id: absent
      }
    }
  }))
]

const repositories: ReadonlyArray<Case> = [
  get("the commit in force, as one line", "/repository/settings", { status: "success", data: commit }),
  {
    ...get("the repository's name in any case, and that nothing is in force", "/repository/Templates", {
      data: "Repository is not yet cloned from remote"
    }),
    given: gone
  },
  refused("which repositories there are", "/repository/etc", "Invalid repository type"),
  get("the problems of a repository", "/repository/settings/problems", {
    status: "success",
    data: { commit: /^[0-9a-f]{40}$/, problems: [], warnings: [] }
  }),
  refused("which repositories have problems", "/repository/etc/problems", "Invalid repository type"),
  ...["REFRESH", "refresh"].map((action): Case => ({
    name: "the commit after the refresh",
    request: { method: "PUT", path: "/repository/settings", json: { action } },
    reply: { status: 200, body: { status: "success", data: commit, warnings: [] } }
  })),
  {
    name: "which repositories there are",
    request: { method: "PUT", path: "/repository/etc", json: {} },
    reply: { status: 400, body: { message: "Invalid repository type" } }
  },
  refresh("that an action is needed", {}, 400, "No action specified"),
  ...["PULL", null, 5].map((action) => refresh("that the action is unknown", { action }, 400, "Invalid action")),
  refresh(
    "that confirm is no commit",
    { action: "REFRESH", confirm: "main" },
    400,
    "confirm should be the hash of the commit that waits, or its first 7 digits or more"
  ),
  refresh(
    "that another commit is confirmed than the newest one",
    { action: "REFRESH", confirm: "0000000" },
    409,
    /^confirm names commit 0000000, but the newest commit is [0-9a-f]{40}: /
  ),
  {
    ...refresh(
      "why the repository is not accepted",
      { action: "REFRESH" },
      400,
      /^Syntax error in repository: Validation error for setting ntp_servers, bad value: 5 /
    ),
    committed: { "global/base_system.yml": "---\nntp_servers: 5\n" }
  }
]

export const settingsCases: ReadonlyArray<Case> = [...settings, ...groups, ...withoutSettings, ...repositories]
