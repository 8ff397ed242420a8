/**
 * Routes that push a configuration from outside the repositories, undo a push, or check its result
 * (docs/changes.md#earlier-configurations and docs/changes.md#apply_config). The revert of a whole job and the drift check go
 * beyond the reference.
 */
import * as Parameter from "../domain/fields/Parameter.ts"
import { Option, Result, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { ApplyRequest, DriftRequest, RestoreRequest, RevertRequest } from "../domain/requests/ChangeRequests.ts"
import { Authorization, hostname, RequestBody, RequestParameters } from "./Requests.ts"
import { documented, integers, shown } from "./Documented.ts"
import { learnedLines, withdrawLearnedLine } from "./LearnedLineEndpoints.ts"
import { BadRequest, Conflict, Enveloped, InternalError, JobStarted, JobStartedOnDevices, NotFound } from "./Answers.ts"
import { parameter } from "../domain/fields/Parameter.ts"
import { MAX_INTEGER, toId } from "../domain/fields/Values.ts"

// Endpoints of a device's past, present and next configurations (docs/changes.md#earlier-configurations).

const Entry = Schema.Struct({
  job_id: Schema.Int,
  finish_time: Schema.String,
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
  templates_commit: Schema.NullOr(Schema.String)
}).annotate({ identifier: "StoredConfig" })

const entry = {
  job_id: 101,
  finish_time: "2026-04-07T12:03:05",
  failed: false,
  has_config: true,
  by: "anna",
  found_by: "anna",
  made_by: null,
  comment: "new VLAN for students",
  settings_commit: "8c1f0f6d2b7a4e1f9a3d5c6b7e8f9a0b1c2d3e4f",
  templates_commit: "1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d"
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
        "The newest 100 live synchronizations that have ended for the device, newest first, each with the user who started it and its commits. `previous_config?job_id=` has the text.",
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
  query: { from: source("from", "running when absent"), to: source("to", "generated when absent") },
  success: Enveloped(
    Schema.Struct({ hostname: Schema.String, from: ConfigSource, to: ConfigSource, diff: Schema.String })
  ),
  error: [BadRequest, NotFound, InternalError]
})
  .middleware(RequestParameters)
  .annotateMerge(
    documented({
      name: "diffConfigs",
      summary: "Compare two configurations of a device",
      description:
        "A unified diff, empty when both are equal. Each is `running` (read from the switch while the client waits), `generated` (rendered now) or the id of a job that has rendered one. Secrets are masked; in a comparison with `generated` a different secret is no difference.",
      example: {
        response: {
          status: "success",
          data: {
            hostname: "lhv-a1",
            from: 101,
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
