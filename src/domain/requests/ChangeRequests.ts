/**
 * Bodies of requests that put a configuration on a device or take one back (docs/changes.md#earlier-configurations and
 * docs/changes.md#apply_config).
 */
import { Option, Result, Schema } from "effect"
import * as Body from "../fields/Body.ts"
import { otherwise, required, type Rule } from "../fields/Field.ts"
import { accept, flag } from "../fields/Rules.ts"
import { isFalsy, toInteger } from "../fields/Values.ts"
import { selectors } from "./DeviceSelector.ts"
import { notes, windowFaults, windowFields } from "./RequestFields.ts"

/** A dry run unless it is false. */
const dryRun = otherwise(Schema.Boolean, true, (sent) => Result.succeed(sent !== false))

const NO_JOB = "job_id must be specified"

const jobRule: Rule<number> = (sent) => {
  if (isFalsy(sent)) return Result.fail(NO_JOB)
  const id = typeof sent === "boolean" ? Option.none() : toInteger(sent)
  return Option.match(id, { onNone: () => Result.fail("job_id must be an integer"), onSome: Result.succeed })
}

export const RestoreRequest = Body.make(
  { job_id: required(Schema.Int, () => NO_JOB, jobRule), dry_run: dryRun, ...windowFields },
  { message: Body.firstOf, together: windowFaults }
)
export type RestoreRequest = typeof RestoreRequest.schema.Type

const NO_CONFIG = "full_config must be specified"
const isFilled = (sent: unknown): sent is string => typeof sent === "string" && sent !== ""

export const ApplyRequest = Body.make(
  {
    full_config: required(
      Schema.String,
      () => NO_CONFIG,
      accept(isFilled, () => NO_CONFIG)
    ),
    dry_run: dryRun,
    ...windowFields
  },
  { message: Body.firstOf, together: windowFaults }
)
export type ApplyRequest = typeof ApplyRequest.schema.Type

/** A live run unless `dry_run` is true; what is neither true nor false must not become one. */
export const RevertRequest = Body.make(
  {
    dry_run: otherwise(
      Schema.Boolean,
      false,
      flag(() => "dry_run must be a boolean")
    ),
    ...windowFields,
    ...notes
  },
  { together: windowFaults }
)
export type RevertRequest = typeof RevertRequest.schema.Type

/** All managed devices when there is no selector; `all` may say so. */
export const DriftRequest = Body.make(
  {
    hostname: selectors.hostname,
    device_type: selectors.device_type,
    group: selectors.group,
    all: otherwise(Schema.Boolean, true, () => Result.succeed(true))
  },
  { message: Body.firstOf }
)
export type DriftRequest = typeof DriftRequest.schema.Type
