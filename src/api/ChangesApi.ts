/**
 * Routes that push a configuration from outside the repositories, undo a push, or check its result
 * (docs/changes.md#earlier-configurations and docs/changes.md#apply_config). The revert of a whole job and the drift check go
 * beyond the reference.
 */
import * as Parameter from "../domain/fields/Parameter.ts"
import { Option, Result, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { CommitSignature, SIGNED } from "../domain/CommitSignature.ts"
import { FoundLine } from "../domain/ConfigSearch.ts"
import { ApplyRequest, DriftRequest, RestoreRequest, RevertRequest } from "../domain/requests/ChangeRequests.ts"
import { Authorization, hostname, RequestBody, RequestParameters } from "./Requests.ts"
import { documented, integers, shown } from "./Documented.ts"
import { learnedLines, withdrawLearnedLine } from "./LearnedLineEndpoints.ts"
import { BadRequest, Conflict, Enveloped, InternalError, JobStarted, JobStartedOnDevices, NotFound } from "./Answers.ts"
import { parameter } from "../domain/fields/Parameter.ts"
import { MAX_INTEGER, toId } from "../domain/fields/Values.ts"

// Endpoints of a device's past, present and next configurations (docs/changes.md#earlier-configurations).

export const Entry = Schema.Struct({
  job_id: Schema.Int,
  finish_time: Schema.String,
  /** What the job was: `sync_devices`, `apply_config`, `revert_job` or the end of an initialisation. */
  function_name: Schema.String,
  failed: Schema.Boolean,
  /** Whether the job has rendered one. */
  has_config: Schema.Boolean,
  by: Schema.NullOr(Schema.String),
  /** The user who started the job that found the need for the change; the same as `by`. */
  found_by: Schema.NullOr(Schema.String),
  /** The author of the configuration; null when unknown, as of a synchronization, which delivers the commits of others. */
  made_by: Schema.NullOr(Schema.String),
  comment: Schema.NullOr(Schema.String),
  settings_commit: Schema.NullOr(Schema.String),
  templates_commit: Schema.NullOr(Schema.String),
  /** Who signed them; null where signatures are not verified. */
  settings_signature: Schema.NullOr(CommitSignature),
  templates_signature: Schema.NullOr(CommitSignature)
}).annotate({ identifier: "StoredConfig" })

const entry = {
  job_id: 101,
  finish_time: "2026-04-07T12:03:05",
  function_name: "sync_devices",
  failed: false,
  has_config: true,
  by: "anna",
  found_by: "anna",
  made_by: null,
  comment: "new VLAN for students",
  settings_commit: "8c1f0f6d2b7a4e1f9a3d5c6b7e8f9a0b1c2d3e4f",
  templates_commit: "1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d",
  settings_signature: SIGNED,
  templates_signature: SIGNED
}

const listConfigs = HttpApiEndpoint.get("listConfigs", "/device/:hostname/configs", {
  params: hostname,
  success: Enveloped(Schema.Struct({ hostname: Schema.String, configs: Schema.Array(Entry) })),
  error: [BadRequest, NotFound]
})
  .middleware(RequestParameters)
  .annotateMerge(
    documented({
      name: "listConfigs",
      summary: "List a device's stored configurations",
      description:
        "The newest 100 jobs that have ended for the device and gave it a configuration, undoing ones too, newest first, each with the user who started it and its commits. `previous_config?job_id=` has the text.",
      example: { response: { status: "success", data: { hostname: "lhv-a1", configs: [entry] } } }
    })
  )

/** `running` or `generated`, or the id of a job. */
export type ConfigSource = "running" | "generated" | number
const ConfigSource = Schema.Union([Schema.Literals(["running", "generated"]), Schema.Int]).annotate({
  identifier: "ConfigSource"
})

const source = (name: string, description: string) =>
  Schema.optionalKey(
    parameter(
      ConfigSource,
      (sent) => {
        if (sent === "running" || sent === "generated") return Result.succeed(sent)
        return Option.match(toId(sent), {
          onNone: () => Result.fail(`${name} must be running, generated or the id of a job`),
          onSome: Result.succeed
        })
      },
      shown(description, "generated")
    )
  )

const configDiff = HttpApiEndpoint.get("configDiff", "/device/:hostname/config_diff", {
  params: hostname,
  query: {
    from: source("from", "running when absent"),
    to: source("to", "generated when absent"),
    other: Schema.optionalKey(
      Parameter.hostname("other is not a valid hostname", shown("the device of `to`, the same when absent", "lhv-a1"))
    )
  },
  success: Enveloped(
    Schema.Struct({
      hostname: Schema.String,
      from: ConfigSource,
      other: Schema.String,
      to: ConfigSource,
      diff: Schema.String
    })
  ),
  error: [BadRequest, NotFound, InternalError]
})
  .middleware(RequestParameters)
  .annotateMerge(
    documented({
      name: "diffConfigs",
      summary: "Compare two configurations",
      description:
        "A unified diff, empty when both are equal. Each is `running` (read from the switch while the client waits), `generated` (rendered now) or the id of a job that has rendered one. With `other` the second one is of another device. Secrets are masked; in a comparison with `generated` or with another device a different secret is no difference.",
      example: {
        response: {
          status: "success",
          data: {
            hostname: "lhv-a1",
            from: 101,
            other: "lhv-a1",
            to: "generated",
            diff: "@@ -12,2 +12,3 @@\n vlan 10\n    name students\n+vlan 20"
          }
        }
      }
    })
  )

const configBlame = HttpApiEndpoint.get("configBlame", "/device/:hostname/config_blame", {
  params: hostname,
  success: Enveloped(
    Schema.Struct({
      hostname: Schema.String,
      /** The newest job first, whose configuration the lines are. */
      jobs: Schema.Array(Entry),
      lines: Schema.Array(
        Schema.Struct({ text: Schema.String, job_id: Schema.Int }).annotate({ identifier: "BlamedLine" })
      ),
      /** More jobs are stored than were read: a line of the oldest may be older. */
      has_older: Schema.Boolean
    })
  ),
  error: [BadRequest, NotFound]
})
  .middleware(RequestParameters)
  .annotateMerge(
    documented({
      name: "blameConfig",
      summary: "Show the job behind each line",
      description:
        "The newest configuration from a live synchronization of the device, each line with the first job of an unbroken series whose configuration had it, of the newest 50 that did not fail; `jobs` are those that added any line. Secrets are masked.",
      example: {
        response: {
          status: "success",
          data: {
            hostname: "lhv-a1",
            jobs: [entry],
            lines: [{ text: "hostname lhv-a1", job_id: 101 }],
            has_older: false
          }
        }
      }
    })
  )

const ConfigHit = Schema.Struct({
  hostname: Schema.String,
  /** The job that gave or proved the configuration; null if it is no longer stored. */
  job_id: Schema.NullOr(Schema.Int),
  finish_time: Schema.NullOr(Schema.String),
  /** The number of lines with the text. */
  count: Schema.Int,
  /** The first of them. */
  lines: Schema.Array(FoundLine)
}).annotate({ identifier: "ConfigHit" })

const searchConfigs = HttpApiEndpoint.get("searchConfigs", "/configs", {
  query: {
    // the handler reports mistakes, also a missing value
    q: Schema.optionalKey(Parameter.text(shown("a part of a line, in any case", "ntp server"))),
    hostname: Schema.optionalKey(
      Parameter.hostname("Invalid hostname specified", shown("all stored configurations of this device", "lhv-a1"))
    ),
    before: Schema.optionalKey(
      Parameter.text(shown("as it was before this time (ISO 8601, UTC)", "2126-04-07T12:03:05"))
    ),
    after: Schema.optionalKey(
      Parameter.hostname(
        "after is not a valid hostname",
        shown("go on after this device: `next` of the answer", "lhv-a1")
      )
    )
  },
  success: Enveloped(
    Schema.Struct({
      hits: Schema.Array(ConfigHit),
      /** The number of devices that were searched, or of configurations of one device. */
      searched: Schema.Int,
      /** There are more devices: ask again with this `after`. */
      next: Schema.NullOr(Schema.String)
    })
  ),
  error: [BadRequest, NotFound]
})
  .middleware(RequestParameters)
  .annotateMerge(
    documented({
      name: "searchConfigs",
      summary: "Search the stored configurations",
      description:
        "Lines with a text in the configuration that each device was last proved to run, or with `before` in the last one that a job gave it before a time; with `hostname` in the newest 50 of one device, newest first. At most 500 devices are searched at once and 200 have hits; `next` goes on. Secrets are masked before the search, so they cannot be found.",
      example: {
        response: {
          status: "success",
          data: {
            hits: [
              {
                hostname: "lhv-a1",
                job_id: 101,
                finish_time: "2026-04-07T12:03:05",
                count: 1,
                lines: [{ number: 14, section: "interface Ethernet3", text: "description printers" }]
              }
            ],
            searched: 1,
            next: null
          }
        }
      }
    })
  )

const PreviousConfig = Schema.Struct({
  job_id: Schema.Int,
  finish_time: Schema.String,
  config: Schema.optionalKey(Schema.String),
  failed: Schema.Boolean
}).annotate({ identifier: "PreviousConfig" })

const configs = HttpApiGroup.make("changes").add(
  HttpApiEndpoint.get("previousConfig", "/device/:hostname/previous_config", {
    params: hostname,
    success: Enveloped(PreviousConfig),
    error: [BadRequest, NotFound]
  })
    .middleware(RequestParameters)
    .annotateMerge(
      documented({
        name: "getPreviousConfig",
        summary: "Read an earlier configuration",
        description:
          "The configuration that a live synchronization has rendered for the device; the newest one without parameters, else the first parameter wins.",
        query: {
          job_id: { description: "of this job", example: "0", schema: integers(0, MAX_INTEGER) },
          previous: {
            description: "so many jobs before the newest one",
            example: "0",
            schema: integers(0, MAX_INTEGER)
          },
          before: { description: "the newest one before this time (ISO 8601, UTC)", example: "2126-04-07T12:03:05" }
        },
        example: {
          response: {
            status: "success",
            data: { job_id: 101, finish_time: "2026-04-07T12:03:05", config: "hostname lhv-a1\n", failed: false }
          }
        }
      })
    ),
  HttpApiEndpoint.post("restoreConfig", "/device/:hostname/previous_config", {
    params: hostname,
    payload: RestoreRequest.schema,
    success: JobStarted,
    error: [BadRequest, NotFound, InternalError]
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        name: "restoreConfig",
        summary: "Restore an earlier configuration",
        description:
          "Starts a job that pushes the configuration of an earlier job to the device. A dry run unless `dry_run` is false; after a live run the device is UNMANAGED.",
        example: {
          request: { job_id: 101, dry_run: true },
          response: { status: "success", data: "Scheduled job to restore lhv-a1", job_id: 120 }
        }
      })
    ),
  HttpApiEndpoint.post("applyConfig", "/device/:hostname/apply_config", {
    params: hostname,
    payload: ApplyRequest.schema,
    success: JobStarted,
    error: BadRequest
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        name: "applyConfig",
        summary: "Push a given configuration to a device",
        description:
          "A dry run unless `dry_run` is false, which the server must allow (ALLOW_APPLY_CONFIG_LIVERUN); after a live run the device is UNMANAGED.",
        example: {
          request: { full_config: "hostname lhv-a1\n", dry_run: true },
          response: { status: "success", data: "Scheduled job to apply config lhv-a1", job_id: 121 }
        }
      })
    )
)

const endpoints = configs.add(
  listConfigs,
  searchConfigs,
  configDiff,
  configBlame,
  HttpApiEndpoint.post("revertJob", "/job/:id(^\\d+$)/revert", {
    params: { id: Parameter.id },
    payload: RevertRequest.schema,
    success: JobStartedOnDevices,
    error: [BadRequest, NotFound, Conflict]
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        name: "revertJob",
        summary: "Revert a job",
        description:
          "Starts a job that restores the previous configuration on every device that this job has changed. Devices with later changes are skipped, and the result says so. `dry_run: true` only shows the differences. The settings stay unchanged: until an author changes them, the devices are not synchronized.",
        example: {
          request: { comment: "wrong VLAN" },
          response: { status: "success", data: "Scheduled job to revert job 812", job_id: 815 }
        }
      })
    ),
  HttpApiEndpoint.post("drift", "/device_drift", {
    payload: DriftRequest.schema,
    success: JobStartedOnDevices,
    error: BadRequest
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        name: "checkDrift",
        summary: "Check for drift",
        description:
          "Starts a job that compares the running configurations of managed devices with the ones that were proved last. A device that differs becomes unsynchronized with the cause `drift`, and the job stores the difference; nothing is pushed. Without a selector it checks all devices.",
        example: {
          request: { device_type: "ACCESS" },
          response: { status: "success", data: "Scheduled job to look for drift on ACCESS devices", job_id: 816 }
        }
      })
    ),
  learnedLines,
  withdrawLearnedLine
)

/** Endpoints of given configurations, reverts and drift, all with a token. */
export class ChangesGroup extends endpoints.middleware(Authorization) {}
