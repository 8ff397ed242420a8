/**
 * Routes that put a configuration on devices beside the repositories, or undo and watch over what was pushed
 * (docs/changes.md#earlier-configurations and docs/changes.md#apply_config). Reverting a whole job and looking for drift go
 * beyond the reference.
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { ApplyRequest, DriftRequest, RestoreRequest, RevertRequest } from "../domain/requests/ChangeRequests.ts"
import { Authorization } from "./Authorization.ts"
import { documented } from "./Documented.ts"
import { Enveloped, JobStarted, JobStartedOnDevices } from "./Envelope.ts"
import { BadRequest, Conflict, InternalError, NotFound } from "./Failures.ts"
import { hostname } from "./PathParameters.ts"
import { RequestBody, RequestParameters } from "./Requests.ts"
import { configBlame, configDiff, listConfigs } from "./StoredConfigEndpoints.ts"

const PreviousConfig = Schema.Struct({
  job_id: Schema.Int,
  finish_time: Schema.String,
  config: Schema.optionalKey(Schema.String),
  failed: Schema.Boolean
})

const configs = HttpApiGroup.make("changes").add(
  HttpApiEndpoint.get("previousConfig", "/device/:hostname/previous_config", {
    params: hostname,
    success: Enveloped(PreviousConfig),
    error: [BadRequest, NotFound]
  })
    .middleware(RequestParameters)
    .annotateMerge(
      documented({
        summary: "Read an earlier configuration",
        description:
          "The configuration that a live synchronization has rendered for the device; the newest one when no parameter is given, else the first of the parameters counts.",
        query: {
          job_id: { description: "of this job", example: "0" },
          previous: { description: "so many jobs before the newest one", example: "0" },
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
        summary: "Restore an earlier configuration",
        description:
          "Starts a job that puts the configuration of an earlier job on the device. A dry run unless `dry_run` is false; after a live run the device is UNMANAGED.",
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
        summary: "Put a configuration on a device",
        description:
          "A dry run unless `dry_run` is false, which the server has to allow (ALLOW_APPLY_CONFIG_LIVERUN); after a live run the device is UNMANAGED.",
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
    params: { id: Schema.String },
    payload: RevertRequest.schema,
    success: JobStartedOnDevices,
    error: [BadRequest, NotFound, Conflict]
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        summary: "Undo a job",
        description:
          "Starts a job that gives every device that this job has changed the configuration which it ran before. Devices that somebody has changed since are left alone, and the result says so. `dry_run: true` only shows the differences. The settings are not changed: until they are, the devices are not synchronized.",
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
        summary: "Look for drift",
        description:
          "Starts a job that compares what managed devices run with what was last proved. A device that differs becomes unsynchronized with the cause `drift`, and the job keeps the difference; nothing is pushed. All devices when no selector is given.",
        example: {
          request: { device_type: "ACCESS" },
          response: { status: "success", data: "Scheduled job to look for drift on ACCESS devices", job_id: 816 }
        }
      })
    )
)

/** Endpoints of configurations from elsewhere, undoing and drift, all with a token. */
export class ChangesGroup extends endpoints.middleware(Authorization) {}
