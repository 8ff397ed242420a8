/** Routes that bring devices into the network and keep them equal to the repositories (docs/provisioning.md and docs/changes.md). */
import * as Parameter from "../domain/fields/Parameter.ts"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { parameter } from "../domain/fields/Parameter.ts"
import { parseHostname } from "../domain/fields/Values.ts"
import { DiscoverRequest, InitCheckRequest, InitRequest } from "../domain/requests/InitRequests.ts"
import { SyncOptions, SyncRequest } from "../domain/requests/ChangeRequests.ts"
import { Authorization, hostname, RequestBody, RequestParameters } from "./Requests.ts"
import { documented, type EndpointDocument } from "./Documented.ts"
import {
  BadRequest,
  Conflict,
  Enveloped,
  InternalError,
  JobStarted,
  JobStartedOnDevices,
  NotFound,
  TooManyRequests
} from "./Answers.ts"

/** A hostname in a path that replaces the selector of a body. */
const selected = { hostname: parameter(Schema.String, parseHostname) }

const discovery: EndpointDocument = {
  name: "discoverDevice",
  summary: "Discover a device",
  description:
    "Starts a job that logs in to the device that booted with this address. The DHCP server's hook makes this call.",
  example: {
    request: { ztp_mac: "0800275C091F", dhcp_ip: "10.0.0.20" },
    response: { status: "success", data: "Scheduled job to discover device for ztp_mac 0800275C091F", job_id: 55 }
  }
}

const started = { status: "success", data: "Scheduled job to synchronize lhv-a1", job_id: 812 }
const syncDescription =
  "A dry run unless `dry_run` is false. `auto_push` lets a live run of one device follow a dry run with a low change score; a change that is never pushed without a person, such as the removal of a VLAN, is named in the job's result as `auto_push.refused` and has no `next_job_id`. Device types, groups and all skip synchronized devices unless `resync` is true. `X-Total-Count` is the number of selected devices, left out when it is 0. `canary` devices (hostnames, or a number) go first and none of them may fail; the others follow in batches of `batch_size`. When `max_failures` devices have failed, nothing new is begun; with `revert_on_failure` devices are confirmed together, per batch (mode 1) or all at the end (mode 2), and a stopped rollout takes back unconfirmed changes. By default mode 2 stops and takes back at the first failure. `abort_on_failure` ends the job before anything is pushed when one device is silent or was changed outside Switchyard. One live run works at a time: another one waits for its turn (`waiting_for` of its record). `on_missing_lines` decides about lines that a device received but does not show: by default lines that are new in this change fail the device, `warn` only names them in its task (`not_shown`), `fail` makes all of them fail it. `failed_proof` decides about devices that have failed the proof of the same configuration from the same commits: `leave` leaves them out, which is the default of scheduled runs, `retry` pushes to them again. `urgent` runs in parallel to the run that has the lock, for named devices that it has not begun or has finished; a device of both is done once. After a restore and before a refresh, a live run with `force` needs `confirm_older: true` (409 without it): the commits in force are those of the backup, and the repositories may be newer."

const discoverOptions = { payload: DiscoverRequest.schema, success: JobStarted, error: TooManyRequests }

const initial = HttpApiGroup.make("provisioning").add(
  HttpApiEndpoint.post("discover", "/discover_device", discoverOptions)
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        ...discovery,
        name: "discoverDeviceAlias",
        summary: "Discover a device (second name)",
        replacedBy: "discoverDevice"
      })
    ),
  HttpApiEndpoint.post("discoverAlias", "/device_discover", discoverOptions)
    .middleware(RequestBody)
    .annotateMerge(documented(discovery)),
  HttpApiEndpoint.post("init", "/device_init/:id(^\\d+$)", {
    params: { id: Parameter.id },
    payload: InitRequest.schema,
    success: JobStarted,
    error: [BadRequest, NotFound, Conflict]
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        name: "initDevice",
        summary: "Initialise a discovered device",
        description:
          "Starts the jobs that give the device its name, addresses and base configuration. For a device in state INIT it repeats step 2.",
        example: {
          request: { hostname: "lhv-a9", device_type: "ACCESS" },
          response: { status: "success", data: "Scheduled job to initialize device_id 45", job_id: 101 }
        }
      })
    ),
  HttpApiEndpoint.post("initCheck", "/device_initcheck/:id(^\\d+$)", {
    params: { id: Parameter.id },
    payload: InitCheckRequest.schema,
    success: Enveloped(Schema.Record(Schema.String, Schema.Unknown)),
    error: [BadRequest, InternalError]
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        name: "checkDeviceInit",
        summary: "Check whether a device could be initialised",
        description:
          "Logs in to the device and reads its neighbours; nothing is changed. `compatible` says whether an initialisation would be accepted.",
        example: {
          request: { hostname: "lhv-dist3", device_type: "DIST" },
          response: {
            status: "success",
            data: {
              linknets: [],
              linknets_compatible: true,
              neighbors_compatible: false,
              neighbors_error: "Not enough compatible neighbors (1 of 2) were detected",
              parsed_args: { device_id: 2, new_hostname: "lhv-dist3", device_type: "DIST", neighbors: null },
              compatible: false
            }
          }
        }
      })
    )
)

const endpoints = initial.add(
  HttpApiEndpoint.post("syncto", "/device_syncto", {
    payload: SyncRequest.schema,
    success: JobStartedOnDevices,
    error: [BadRequest, Conflict]
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        name: "syncDevices",
        summary: "Synchronize devices",
        description: `The first of \`hostname\`, \`hostnames\`, \`device_type\`, \`group\` and \`all\` selects managed devices. ${syncDescription}`,
        example: { request: { hostname: "lhv-a1", dry_run: true, comment: "ticket work" }, response: started }
      })
    ),
  HttpApiEndpoint.post("synctoHostname", "/device_syncto/hostname/:hostname", {
    params: selected,
    payload: SyncOptions.schema,
    success: JobStartedOnDevices,
    error: [BadRequest, Conflict]
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        name: "syncDevice",
        summary: "Synchronize one device",
        description: syncDescription,
        example: { request: { dry_run: true }, response: started }
      })
    ),
  HttpApiEndpoint.get("generateConfig", "/device/:hostname/generate_config", {
    params: hostname,
    success: Enveloped(
      Schema.Struct({
        config: Schema.Struct({
          hostname: Schema.optionalKey(Schema.String),
          generated_config: Schema.optionalKey(Schema.String),
          available_variables: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
        }).annotate({ identifier: "GeneratedConfig" })
      })
    ),
    error: [BadRequest, NotFound, InternalError]
  })
    .middleware(RequestParameters)
    .annotateMerge(
      documented({
        name: "generateConfig",
        summary: "Preview a device's configuration",
        description:
          "Renders the configuration without contacting the device. The header `X-Fields` selects parts, for example `available_variables{interfaces}`.",
        example: {
          response: {
            status: "success",
            data: {
              config: {
                hostname: "lhv-a1",
                generated_config: "hostname lhv-a1\n",
                available_variables: { hostname: "lhv-a1", mgmt_ip: "10.0.6.6" }
              }
            }
          }
        }
      })
    )
)

/** Endpoints of discovery, initialisation and synchronization, all with a token. */
export class ProvisioningGroup extends endpoints.middleware(Authorization) {}
