/** Settings, their model, groups and their repositories (docs/settings-repository.md). */
import { CommitSignature, SIGNED } from "../domain/CommitSignature.ts"
import { Option, Result, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { DeviceType, deviceTypeOf } from "../domain/Device.ts"
import * as Parameter from "../domain/fields/Parameter.ts"
import { CommitEffects, NO_EFFECTS, WaitingCommit } from "../domain/CommitEffects.ts"
import { Remark } from "../domain/Repository.ts"
import { RefreshRequest } from "../domain/requests/OperationRequests.ts"
import { Authorization, RequestBody, RequestParameters } from "./Requests.ts"
import { documented, type EndpointDocument, shown } from "./Documented.ts"
import {
  BadRequest,
  bodyFailures,
  Conflict,
  Enveloped,
  InternalError,
  NotFound,
  ServiceUnavailable,
  Unauthorized
} from "./Answers.ts"
import { repository } from "./RepositoryApi.ts"
import { ShownFreeze, ShownVerdict, ShownWindow } from "../domain/access/Windows.ts"

const JsonObject = Schema.Record(Schema.String, Schema.Unknown)
const Text = Enveloped(Schema.String)
const name = { name: Schema.String }

const typeRule = (sent: string) =>
  Result.fromOption(Option.fromUndefinedOr(deviceTypeOf(sent)), () => "Invalid device type specified")

/** The selection of settings. */
const target = {
  hostname: Schema.optionalKey(
    Parameter.hostname("Invalid hostname specified", shown("settings of this device", "lhv-a1"))
  ),
  device_type: Schema.optionalKey(
    Parameter.parameter(
      DeviceType,
      typeRule,
      shown("settings of this type, or of the device with this type assumed", "ACCESS")
    )
  )
}

const GroupSettings = Schema.Struct({
  regex: Schema.String,
  group_priority: Schema.Int,
  templates_branch: Schema.NullOr(Schema.String)
}).annotate({ identifier: "GroupSettings" })
const Groups = Enveloped(
  Schema.Struct({
    groups: Schema.Record(Schema.String, Schema.Array(Schema.String)),
    group_settings: Schema.Record(Schema.String, GroupSettings)
  }).annotate({ identifier: "Groups" })
)
const OsVersions = Enveloped(
  Schema.Struct({
    groups: Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Array(Schema.String)))
  })
)

const fragment = { ntp_servers: [{ host: "ntp1.example.org" }] }
const commit = {
  status: "success",
  data: "Commit cdf978245c3782ec391ffa2bda3ca540577ad36f master by Jane Doe at 2026-02-13 10:07:32+01:00\n"
}
const Remarks = Schema.Array(Remark)
const warnings = [
  {
    file: "global/base_system.yml",
    line: 12,
    column: 1,
    path: "ntp_serverz",
    message: "no setting has this name"
  }
]
const groups = {
  status: "success",
  data: {
    groups: { EAST_WING: ["lhv-a1", "lhv-a2"] },
    group_settings: { EAST_WING: { regex: "lhv-a[0-9]+$", group_priority: 100, templates_branch: null } }
  }
}
const osVersions: EndpointDocument = {
  name: "getGroupOsVersions",
  summary: "Operating systems of a group",
  description: "Managed devices of the group by their known os_version.",
  example: { response: { status: "success", data: { groups: { EAST_WING: { "4.31.5M": ["lhv-a1", "lhv-a2"] } } } } }
}

const open = HttpApiGroup.make("settingsModel").add(
  HttpApiEndpoint.get("model", "/settings/model", { success: JsonObject }).annotateMerge(
    documented({
      name: "getSettingsModel",
      summary: "Read the model of the settings",
      description:
        "JSON schema of the settings, with its parts under `definitions` and once more under `$defs`; patterns are Python regular expressions. No token is needed.",
      example: { response: { status: "success", title: "f_root", type: "object", properties: {}, definitions: {} } }
    })
  ),
  HttpApiEndpoint.post("validate", "/settings/model", {
    payload: JsonObject,
    success: Enveloped(JsonObject),
    error: [...bodyFailures, Unauthorized]
  }).annotateMerge(
    documented({
      name: "checkSettings",
      summary: "Check settings",
      description:
        "Checks any part of the settings in the form of a YAML file, and answers with the whole normalised settings. Nothing is stored. No token is needed for up to 64 KB that are quickly checked.",
      example: { request: fragment, response: { status: "success", data: fragment } }
    })
  )
)

const file = { file: Schema.String }
const ntp = { ntp_servers: [{ host: "ntp1.example.org" }] }

const withFiles = open.add(
  HttpApiEndpoint.get("fileModel", "/settings/model/:file", {
    params: file,
    success: JsonObject,
    error: BadRequest
  }).annotateMerge(
    documented({
      name: "getSettingsFileModel",
      summary: "Read the model of one settings file",
      description:
        "The part of the model for a file of this name, such as base_system.yml or interfaces_dcs-7050.yml, in the form of the whole model. No token is needed.",
      example: {
        response: { status: "success", title: "f_vxlans", type: "object", properties: {}, definitions: {} }
      }
    })
  ),
  HttpApiEndpoint.post("validateFile", "/settings/model/:file", {
    params: file,
    payload: JsonObject,
    success: Enveloped(JsonObject),
    error: [...bodyFailures, Unauthorized]
  }).annotateMerge(
    documented({
      name: "checkSettingsFile",
      summary: "Check one settings file",
      description:
        "Checks the content of a file of this name, where keys of other files are errors, and answers with its keys normalised. Nothing is stored. No token is needed for up to 64 KB that are quickly checked, except for patterns of groups.",
      example: { request: ntp, response: { status: "success", data: ntp } }
    })
  )
)

/** Endpoints of the settings model, open to everybody. */
export class SettingsModelGroup extends withFiles {}

const settings = HttpApiGroup.make("settings").add(
  HttpApiEndpoint.get("effective", "/settings", {
    query: target,
    success: Enveloped(
      Schema.Struct({ settings: JsonObject, settings_origin: Schema.Record(Schema.String, Schema.String) }).annotate({
        identifier: "EffectiveSettings"
      })
    ),
    error: BadRequest
  })
    .middleware(RequestParameters)
    .annotateMerge(
      documented({
        name: "getSettings",
        summary: "Read effective settings",
        description:
          "Settings of a device, of a device type or of all, and the level from which each key comes: default, global, fabric, devicetype, group or device.",
        example: {
          response: { status: "success", data: { settings: fragment, settings_origin: { ntp_servers: "global" } } }
        }
      })
    ),
  HttpApiEndpoint.get("server", "/settings/server", { success: Schema.Struct({ api: JsonObject }) }).annotateMerge(
    documented({
      name: "getServerSettings",
      summary: "Read the server's configuration",
      description: "The settings with which the server was started, without secrets and without an envelope.",
      example: { response: { api: { HOST: "0.0.0.0", COMMIT_CONFIRMED_MODE: 1 } } }
    })
  )
)

const withGroups = settings.add(
  HttpApiEndpoint.get("groups", "/groups", { success: Groups }).annotateMerge(
    documented({
      name: "listGroups",
      summary: "List groups",
      description: "Groups of the settings repository with the hostnames of their devices; `DEFAULT` always exists.",
      example: { response: groups }
    })
  ),
  HttpApiEndpoint.get("group", "/groups/:name", { params: name, success: Groups, error: NotFound }).annotateMerge(
    documented({
      name: "getGroup",
      summary: "Read one group",
      description: "The same keys with this group alone.",
      example: { response: groups }
    })
  ),
  HttpApiEndpoint.get("osVersions", "/groups/:name/os_versions", {
    params: name,
    success: OsVersions,
    error: [NotFound, ServiceUnavailable]
  }).annotateMerge(documented(osVersions)),
  HttpApiEndpoint.get("osVersion", "/groups/:name/os_version", {
    params: name,
    success: OsVersions,
    error: [NotFound, ServiceUnavailable]
  }).annotateMerge(
    documented({
      ...osVersions,
      name: "getGroupOsVersionsAlias",
      summary: "Operating systems of a group (second name)",
      replacedBy: "getGroupOsVersions"
    })
  )
)

const endpoints = withGroups.add(
  HttpApiEndpoint.get("problems", "/repository/:name/problems", {
    params: repository,
    success: Enveloped(Schema.Struct({ commit: Schema.NullOr(Schema.String), problems: Remarks, warnings: Remarks })),
    error: BadRequest
  })
    .middleware(RequestParameters)
    .annotateMerge(
      documented({
        name: "getRepositoryProblems",
        summary: "Read a repository's problems",
        description:
          "The current problems of `settings` or `templates`. `problems`: why the last refresh was refused, and the mistakes in the commit in force. `warnings`: unknown keys, groups, directories and files, keys given twice, missing includes, mistakes in mappings, and undefined variables that templates printed at the last rendering of a device by this server.",
        example: {
          response: {
            status: "success",
            data: { commit: "cdf978245c3782ec391ffa2bda3ca540577ad36f", problems: [], warnings }
          }
        }
      })
    ),
  HttpApiEndpoint.get("repository", "/repository/:name", {
    params: repository,
    success: Schema.Struct({
      ...Text.fields,
      waiting: Schema.NullOr(WaitingCommit),
      signature: Schema.NullOr(CommitSignature)
    }),
    error: BadRequest
  })
    .middleware(RequestParameters)
    .annotateMerge(
      documented({
        name: "getRepository",
        summary: "Read a repository's commit",
        description:
          "The commit in force of `settings` or `templates`, as one line of text. `waiting` is a newer commit that removes so much that it comes into force only after a confirmation, with the reasons and its effects; null without one. `signature` says who signed the commit in force; null where signatures are not verified.",
        example: {
          response: {
            ...commit,
            waiting: null,
            signature: SIGNED
          }
        }
      })
    ),
  HttpApiEndpoint.put("refresh", "/repository/:name", {
    params: repository,
    payload: RefreshRequest.schema,
    success: Schema.Struct({
      ...Text.fields,
      warnings: Remarks,
      ignored: Schema.optionalKey(Schema.Array(Schema.String)),
      effects: CommitEffects,
      signature: Schema.NullOr(CommitSignature)
    }),
    error: [BadRequest, Conflict, InternalError, ServiceUnavailable]
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        name: "refreshRepository",
        summary: "Refresh a repository",
        description:
          "Fetches and checks the newest commit, and marks the devices that it concerns unsynchronized. A commit that breaks a rule is refused and the old one stays in force: `problems` next to the message has the place of each mistake. `warnings` are mistakes that stop nothing, `ignored` are files such as temporary files of editors. `effects` are those of the commit: groups, rules and VLANs that lose devices or ports, removed items, configurations that change. A commit that removes too much is 409 with its effects and waits until `confirm` names it; `rename_ports` updates ports that name a renamed VLAN in the same transaction. `signature` says who signed the commit in force. Running jobs continue with their commits.",
        example: {
          request: { action: "REFRESH" },
          response: { ...commit, warnings, effects: NO_EFFECTS, signature: SIGNED }
        }
      })
    )
)

/** Endpoints of settings, groups and repositories, all with a token. */
export class SettingsGroup extends endpoints.middleware(Authorization) {}

// Windows: the times at which devices may be changed (docs/windows.md#looking-at-windows).

const Windows = Schema.Struct({
  in_force: Schema.Boolean,
  problem: Schema.NullOr(Schema.String),
  windows: Schema.Array(ShownWindow),
  freezes: Schema.Array(ShownFreeze),
  asked: Schema.NullOr(ShownVerdict)
}).annotate({ identifier: "WindowOverview" })

const windowEndpoints = HttpApiGroup.make("windows").add(
  HttpApiEndpoint.get("list", "/windows", {
    query: {
      device: Schema.optionalKey(
        Parameter.hostname("Invalid hostname specified", shown("whether this device may be changed", "lhv-a1"))
      ),
      group: Schema.optionalKey(
        Parameter.parameter(Schema.String, Result.succeed, shown("the same for all devices of a group", "EAST_WING"))
      )
    },
    success: Enveloped(Windows),
    error: [BadRequest, NotFound]
  })
    .middleware(RequestParameters)
    .annotateMerge(
      documented({
        name: "getWindows",
        summary: "Show the windows",
        description:
          "The times at which devices may be changed. `in_force` is false without a `windows.yml`; `problem` is the mistake in the file while older rules stay in force. With `device` or `group`, `asked` says whether these may be changed now, and the next time at which they may. Times are UTC.",
        example: {
          response: {
            status: "success",
            data: {
              in_force: true,
              problem: null,
              windows: [
                {
                  name: "closets",
                  groups: ["EAST_WING"],
                  device_types: null,
                  timezone: "Europe/Stockholm",
                  is_open: false,
                  opens_at: "2026-11-24T21:00:00",
                  closes_at: null,
                  spans: [{ from: "2026-11-24T21:00:00", to: "2026-11-25T03:00:00" }]
                }
              ],
              freezes: [],
              asked: {
                devices: 1,
                may_be_changed: false,
                why_not:
                  "lhv-a1 must not be changed: window closets is closed. The next opening is 2026-11-24 22:00 Europe/Stockholm",
                opens_at: "2026-11-24T21:00:00",
                closes_at: null
              }
            }
          }
        }
      })
    )
)

/** Endpoints of windows, all with a token. */
export class WindowsGroup extends windowEndpoints.middleware(Authorization) {}
