/** Switches that exist already: adding and reading them, their distance from the templates, and proposals (docs/onboarding.md). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { DistanceRecord, OnboardedDevice } from "../domain/Onboarding.ts"
import * as Parameter from "../domain/fields/Parameter.ts"
import { AcceptLinksRequest, OnboardedRequest, OnboardRequest } from "../domain/requests/OnboardingRequests.ts"
import {
  BadRequest,
  Conflict,
  Enveloped,
  Forbidden,
  InternalError,
  JobStartedOnDevices,
  NotFound,
  ServiceUnavailable,
  TooManyRequests
} from "./Answers.ts"
import { documented, shown } from "./Documented.ts"
import { Authorization, RequestBody, RequestParameters } from "./Requests.ts"

const text = Schema.String
const names = Schema.Array(text)

const Added = Schema.Struct({
  /** False after a dry run, and if nothing was added. */
  stored: Schema.Boolean,
  /** The switches that were added, or would be. */
  hostnames: names,
  errors: Schema.Array(
    Schema.Struct({
      file: text,
      line: Schema.NullOr(Schema.Int),
      field: text,
      message: text
    }).annotate({ identifier: "OnboardingError" })
  ),
  /** The job that reads them; null if no switch is read. */
  job_id: Schema.NullOr(Schema.Int)
}).annotate({ identifier: "OnboardingResult" })

const Group = Schema.Struct({
  key: text,
  /** The lines: `-` runs and is not generated, `+` is generated and does not run. */
  diff: text,
  count: Schema.Int,
  /** How often it is there: a switch can have it on several ports. */
  places: Schema.Int,
  lines: Schema.Int,
  hostnames: names
}).annotate({ identifier: "DistanceGroup" })

const Distance = Schema.Struct({
  now: DistanceRecord,
  /** Equal differences of one section each, those of the most switches first. */
  groups: Schema.Array(Group),
  /** Groups that are left out. */
  left_out: Schema.Int,
  /** Switches for which nothing can be generated, with the reason. */
  unrendered: Schema.Record(text, text),
  /** Whether a commit or a changed record is still to be measured. */
  is_measuring: Schema.Boolean
}).annotate({ identifier: "OnboardingDistance" })

const Link = Schema.Struct({
  device_a: text,
  device_a_port: text,
  device_b: text,
  device_b_port: text,
  agreement: Schema.Literals(["both", "one", "contradiction"]),
  reason: text
}).annotate({ identifier: "ProposedLink" })

const Proposal = Schema.Struct({
  /** A patch for `git apply` in the settings repository; empty if no setting is proposed. */
  patch: text,
  /** The files that it changes. */
  files: names,
  /** What it sets: the keys by file. */
  keys: Schema.Array(Schema.Struct({ file: text, key: text, why: text }).annotate({ identifier: "ProposedSetting" })),
  /** Ports by hostname, in the form of `PUT /device/:hostname/interfaces`. */
  ports: Schema.Record(
    text,
    Schema.Record(
      text,
      Schema.Struct({ configtype: text, data: Schema.Record(text, Schema.Unknown) }).annotate({
        identifier: "ProposedPort"
      })
    )
  ),
  /** Lines that differ now, and with the patch and the ports. */
  before: Schema.Int,
  after: Schema.Int,
  /** The distance in percent, now and with both. */
  distance_before: Schema.Finite,
  distance_after: Schema.Finite
}).annotate({ identifier: "SettingsProposal" })

const record: typeof DistanceRecord.Type = {
  measured_at: "2026-11-26T17:02:11",
  settings_commit: "cdf978245c3782ec391ffa2bda3ca540577ad36f",
  templates_commit: "1b0c7e3f6a1d4a5a9f6f0f4b8c2d7e9a3b5c6d7e",
  devices: 2,
  reached: 1,
  unrendered: 0,
  lines: 412,
  differing: 7,
  distance: 1.7
}

const device: typeof OnboardedDevice.Type = {
  hostname: "lhv-a1",
  device_type: "ACCESS",
  platform: "eos",
  management_ip: "10.0.6.6",
  state: "differs",
  message: null,
  source: "csv",
  origin: "access.csv",
  added_by: "maria",
  added_at: "2026-11-26T16:58:40",
  fingerprint: "SHA256:1fW2gZ0y3o0E0bU2cH6m9qg8nT8m3cQn0q3V0s2kQ1c",
  refused_fingerprint: null,
  shown: {
    hostname: "lhv-a1",
    serial: "SSJ17200213",
    model: "CCS-720XP-48ZC2",
    os_version: "4.31.5M",
    mac: "08:00:27:08:A8:BE",
    ports: 48,
    neighbours: 2
  },
  config_from: "session",
  config_at: "2026-11-26T16:58:43",
  lines: 206,
  extra: 3,
  missing: 4,
  distance: 3.4,
  measured_at: "2026-11-26T17:02:11"
}

const link: typeof Link.Type = {
  device_a: "lhv-a1",
  device_a_port: "Ethernet49",
  device_b: "lhv-dist1",
  device_b_port: "Ethernet1",
  agreement: "both",
  reason: "Both ends report it"
}

const endpoints = HttpApiGroup.make("onboarding").add(
  HttpApiEndpoint.get("list", "/onboarding", {
    success: Enveloped(Schema.Struct({ devices: Schema.Array(OnboardedDevice) }))
  }).annotateMerge(
    documented({
      name: "listOnboarding",
      summary: "List onboarded switches",
      description:
        "Switches that were added from a list, with what they have shown, the SSH host key that waits for approval, and how far each is from its generated configuration.",
      example: { response: { status: "success", data: { devices: [device] } } }
    })
  ),
  HttpApiEndpoint.post("add", "/onboarding", {
    payload: OnboardRequest.schema,
    success: Enveloped(Added),
    error: [BadRequest, Forbidden, NotFound, Conflict, TooManyRequests, InternalError, ServiceUnavailable]
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        name: "onboard",
        summary: "Add switches that exist already",
        description:
          "Reads a list of switches: comma-separated values, a topology of containerlab, an inventory of Ansible (`text`), configurations as Oxidized keeps them (`files`), or devices of the NetBox at NETBOX_URL (`filter`). All rows are checked together; a mistake is 400 with every mistake by file, line and field, and nothing is stored. With `only_good` the rows without a mistake are added. `dry_run` answers 200 with `errors` and stores nothing. The switches become UNMANAGED and a job reads them; those of `configs` are not read. Nothing on a switch is changed.",
        example: {
          request: {
            source: "csv",
            name: "access.csv",
            text: "hostname,management_ip,device_type,platform\nlhv-a1,10.0.6.6,ACCESS,eos\n"
          },
          response: { status: "success", data: { stored: true, hostnames: ["lhv-a1"], errors: [], job_id: 831 } }
        }
      })
    ),
  HttpApiEndpoint.post("read", "/onboarding/read", {
    payload: OnboardedRequest.schema,
    success: JobStartedOnDevices,
    error: [BadRequest, Forbidden]
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        name: "readOnboarded",
        summary: "Read onboarded switches again",
        description:
          "Starts a job that reads facts, ports, neighbours and the running configuration of these switches, or of all that are not managed and were not read from a file. Use it after a host key was approved.",
        example: {
          request: { hostnames: ["lhv-a1"] },
          response: { status: "success", data: "Scheduled job to read lhv-a1", job_id: 832 }
        }
      })
    ),
  HttpApiEndpoint.post("manage", "/onboarding/manage", {
    payload: OnboardedRequest.schema,
    success: JobStartedOnDevices,
    error: [BadRequest, Forbidden]
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        name: "manageOnboarded",
        summary: "Manage switches without a push",
        description:
          "Starts a job that reads each switch once more. One that runs what is generated becomes MANAGED, proved and synchronized; nothing is sent to it. Without `hostnames` all switches without a difference.",
        example: {
          request: { hostnames: ["lhv-a1"] },
          response: { status: "success", data: "Scheduled job to manage lhv-a1", job_id: 833 }
        }
      })
    ),
  HttpApiEndpoint.get("distance", "/onboarding/distance", {
    query: {
      hostname: Schema.optionalKey(
        Parameter.hostname("Invalid hostname specified", shown("only the groups of this switch", "lhv-a1"))
      )
    },
    success: Enveloped(Distance),
    error: BadRequest
  })
    .middleware(RequestParameters)
    .annotateMerge(
      documented({
        name: "onboardingDistance",
        summary: "How far switches are from the templates",
        description:
          "The percentage of lines that differ between what onboarded switches run and what would be generated for them, and the differences in groups, the most common first. Measured from the texts that were read, again within seconds after a commit of settings or templates. A secret is never compared here.",
        example: {
          response: {
            status: "success",
            data: {
              now: record,
              groups: [
                {
                  key: "+ntp server 10.20.0.1 prefer",
                  diff: "+ntp server 10.20.0.1 prefer",
                  count: 1,
                  places: 1,
                  lines: 1,
                  hostnames: ["lhv-a1"]
                }
              ],
              left_out: 0,
              unrendered: {},
              is_measuring: false
            }
          }
        }
      })
    ),
  HttpApiEndpoint.get("history", "/onboarding/history", {
    success: Enveloped(Schema.Struct({ history: Schema.Array(DistanceRecord) }))
  }).annotateMerge(
    documented({
      name: "onboardingHistory",
      summary: "The distance by commit",
      description:
        "The newest first, at most 500: a record for each commit or change of records after which the distance was another one.",
      example: { response: { status: "success", data: { history: [record] } } }
    })
  ),
  HttpApiEndpoint.get("links", "/onboarding/links", {
    success: Enveloped(Schema.Struct({ links: Schema.Array(Link) }))
  }).annotateMerge(
    documented({
      name: "proposedLinks",
      summary: "List proposed links",
      description:
        "Links between devices that their LLDP neighbours show and that are not stored: reported by `both` ends, by `one`, or in `contradiction` to another report.",
      example: { response: { status: "success", data: { links: [link] } } }
    })
  ),
  HttpApiEndpoint.post("acceptLinks", "/onboarding/links", {
    payload: AcceptLinksRequest.schema,
    success: Enveloped(Schema.Struct({ links: Schema.Array(Link), ports: Schema.Int })),
    error: [BadRequest, Forbidden, Conflict]
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        name: "acceptLinks",
        summary: "Accept proposed links",
        description:
          "Stores these links, or with `both` all that both ends report. Links between routed switches get the /31 that both ends run. Ports of access switches that lead up become uplinks. A contradiction is refused; if one link is refused, none is stored.",
        example: {
          request: { both: true },
          response: { status: "success", data: { links: [link], ports: 1 } }
        }
      })
    ),
  HttpApiEndpoint.get("settings", "/onboarding/settings", {
    success: Enveloped(Proposal),
    error: [BadRequest, ServiceUnavailable]
  }).annotateMerge(
    documented({
      name: "proposedSettings",
      summary: "Settings from what runs",
      description:
        "Proposes settings and port data by which the generated configurations come nearer to what the switches run: a patch for git, which nobody but a person commits, and ports. `before` and `after` are counted by rendering with them. No secret is proposed.",
      example: {
        response: {
          status: "success",
          data: {
            patch: "",
            files: [],
            keys: [],
            ports: { "lhv-a1": { Ethernet1: { configtype: "ACCESS_UNTAGGED", data: { untagged_vlan: "STAFF" } } } },
            before: 7,
            after: 3,
            distance_before: 1.7,
            distance_after: 0.8
          }
        }
      }
    })
  ),
  HttpApiEndpoint.post("acceptPorts", "/onboarding/ports", {
    payload: OnboardedRequest.schema,
    success: Enveloped(Schema.Struct({ hostnames: names, ports: Schema.Int })),
    error: [BadRequest, Forbidden, ServiceUnavailable]
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        name: "acceptPorts",
        summary: "Accept proposed ports",
        description:
          "Stores the proposed ports of these switches, or of all that are onboarded and not managed. Each value is checked as by `PUT /device/:hostname/interfaces`.",
        example: {
          request: { hostnames: ["lhv-a1"] },
          response: { status: "success", data: { hostnames: ["lhv-a1"], ports: 24 } }
        }
      })
    )
)

/** Endpoints of onboarding, all with a token. */
export class OnboardingGroup extends endpoints.middleware(Authorization) {}
