/**
 * Bodies of requests that synchronize devices, push a given configuration or revert one, and try templates or a branch
 * (docs/changes.md).
 */
import { Option, Result, Schema, Struct } from "effect"
import { FailedProofPolicy, MissingLinesPolicy } from "../Job.ts"
import * as Body from "../fields/Body.ts"
import { ignorable, optional, otherwise, required, type Rule } from "../fields/Body.ts"
import { accept, flag } from "../fields/Rules.ts"
import {
  count,
  explicitSelectors,
  flagOr,
  MAX_NAMES,
  namesRule,
  notes,
  nullAsAbsent,
  onlyTrue,
  selectors,
  skipField,
  startRule,
  windowFaults,
  windowFields
} from "./RequestFields.ts"
import { isFalsy, isObject, toInteger } from "../fields/Values.ts"

const ConfirmMode = Schema.Literals([0, 1, 2])
const isMode = Schema.is(ConfirmMode)

const modeRule: Rule<typeof ConfirmMode.Type | undefined> = (sent) => {
  if (isMode(sent)) return Result.succeed(sent)
  return Number.isInteger(sent) ? Result.fail("confirm_mode must be 0, 1 or 2") : Result.succeed(undefined)
}

const Canary = Schema.Union([Schema.Int, Schema.Array(Schema.String)])

const canaryRule: Rule<typeof Canary.Type> = (sent, place) => {
  const number = count(sent, place)
  if (Result.isSuccess(number)) return number
  return Array.isArray(sent) && sent.length > 0 && sent.length <= MAX_NAMES
    ? namesRule(sent, place)
    : Result.fail(`canary must be an integer of 1 or more, or a list of 1 to ${MAX_NAMES} hostnames`)
}

const options = {
  dry_run: flagOr(true),
  auto_push: flagOr(false),
  force: flagOr(false),
  resync: flagOr(false),
  confirm_older: ignorable(Schema.Boolean, nullAsAbsent(flag(() => "confirm_older must be a boolean"))),
  confirm_mode: ignorable(ConfirmMode, modeRule),
  abort_on_failure: onlyTrue,
  urgent: onlyTrue,
  batch_size: ignorable(Schema.Int, nullAsAbsent(count)),
  max_failures: ignorable(Schema.Int, nullAsAbsent(count)),
  revert_on_failure: ignorable(Schema.Boolean, nullAsAbsent(flag(() => "revert_on_failure must be a boolean"))),
  canary: ignorable(Canary, nullAsAbsent(canaryRule)),
  dry_run_job: ignorable(Schema.Int, nullAsAbsent(count)),
  start_at: ignorable(Schema.Finite, nullAsAbsent(startRule), Schema.String),
  on_missing_lines: ignorable(
    MissingLinesPolicy,
    nullAsAbsent(accept(Schema.is(MissingLinesPolicy), () => "on_missing_lines must be warn or fail"))
  ),
  failed_proof: ignorable(
    FailedProofPolicy,
    nullAsAbsent(accept(Schema.is(FailedProofPolicy), () => "failed_proof must be leave or retry"))
  ),
  ...skipField,
  ...windowFields,
  ...notes
}

const FENCED_DRY_RUN = "dry_run_job is for live runs: dry_run must be false"

const URGENT_AND_MODE = "urgent cannot be combined with confirm_mode 2"
const URGENT_AND_REVERT = "urgent cannot be combined with revert_on_failure"
const URGENT_AND_UNNAMED = "urgent needs named devices: hostname or hostnames"

interface Combined {
  readonly dry_run: boolean
  readonly dry_run_job?: number
  readonly urgent?: boolean
  readonly confirm_mode?: number
  readonly wait_for_window?: boolean
  readonly emergency?: string
  readonly revert_on_failure?: boolean
}

/** An urgent sync runs in parallel to the one that has the lock, so the two must not have to wait for each other. */
const urgencyFaults = ({ confirm_mode, revert_on_failure, urgent }: Combined): ReadonlyArray<string> => {
  if (urgent !== true) return []
  return [...(confirm_mode === 2 ? [URGENT_AND_MODE] : []), ...(revert_on_failure === true ? [URGENT_AND_REVERT] : [])]
}

const faultsOf = (request: Combined): ReadonlyArray<string> => [
  ...urgencyFaults(request),
  ...windowFaults(request),
  ...(request.dry_run && request.dry_run_job !== undefined ? [FENCED_DRY_RUN] : [])
]

/** The body of a synchronization whose device is in the path, which replaces the selector of the body. */
export const SyncOptions = Body.make(options, {
  message: Body.firstOf,
  together: faultsOf,
  ignored: ["hostname", "hostnames", "device_type", "group", "all"]
})
export type SyncOptions = typeof SyncOptions.schema.Type

/** The body of a synchronization. */
export const SyncRequest = Body.make(
  { ...explicitSelectors("No devices to synchronize were specified"), ...options },
  {
    message: Body.firstOf,
    together: (request) => {
      const isNamed = request.hostname !== undefined || request.hostnames !== undefined
      return [...(request.urgent === true && !isNamed ? [URGENT_AND_UNNAMED] : []), ...faultsOf(request)]
    }
  }
)
export type SyncRequest = typeof SyncRequest.schema.Type

const BESIDE = [
  "hostname",
  "hostnames",
  "device_type",
  "group",
  "all",
  "comment",
  "ticket_ref",
  "start_at",
  "confirm_mode"
] as const

/** The options as arguments of the job, without its devices. */
export const syncArguments = (request: SyncRequest) => ({
  ...Struct.omit(request, BESIDE),
  ...(request.confirm_mode === undefined ? {} : { confirm_mode_override: request.confirm_mode })
})

// Bodies of requests that push a given configuration to a device or revert one (docs/changes.md#earlier-configurations and
// docs/changes.md#apply_config).

/** A dry run unless it is false. */
const dryRun = otherwise(Schema.Boolean, true, (sent) => Result.succeed(sent !== false))

const NO_JOB = "job_id must be specified"

const jobRule: Rule<number> = (sent) => {
  if (isFalsy(sent)) return Result.fail(NO_JOB)
  const id = typeof sent === "boolean" ? Option.none() : toInteger(sent)
  return Option.match(id, { onNone: () => Result.fail("job_id must be an integer"), onSome: Result.succeed })
}

export const RestoreRequest = Body.make(
  { job_id: required(Schema.Int, () => NO_JOB, jobRule), dry_run: dryRun, ...skipField, ...windowFields },
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
    ...skipField,
    ...windowFields,
    ...notes
  },
  { message: Body.firstOf, together: windowFaults }
)
export type ApplyRequest = typeof ApplyRequest.schema.Type

/** A live run unless `dry_run` is true; a value of another type than boolean is refused. */
export const RevertRequest = Body.make(
  {
    dry_run: otherwise(
      Schema.Boolean,
      false,
      flag(() => "dry_run must be a boolean")
    ),
    ...skipField,
    ...windowFields,
    ...notes
  },
  { together: windowFaults }
)
export type RevertRequest = typeof RevertRequest.schema.Type

/** All managed devices without a selector; `all` may request this explicitly. */
export const DriftRequest = Body.make(
  {
    hostname: selectors.hostname,
    device_type: selectors.device_type,
    group: selectors.group,
    all: otherwise(Schema.Boolean, true, () => Result.succeed(true)),
    ...notes
  },
  { message: Body.firstOf }
)
export type DriftRequest = typeof DriftRequest.schema.Type

// Bodies about what is not in force: a template to try, and a branch to check (docs/templates.md#trying-templates).

/** The largest text that is rendered, in characters. */
const MAX_TEXT = 262_144
const MAX_NAME = 255

const isText = (sent: unknown): sent is string => typeof sent === "string" && sent.length <= MAX_TEXT
const isFlag = (sent: unknown): sent is boolean => typeof sent === "boolean"
const isPath = (sent: unknown): sent is string =>
  typeof sent === "string" && /^[^/\0(][^\0]*$/.test(sent) && sent.length <= MAX_NAME

/** The text to render with the variables of a device; without it, the device's whole configuration. */
export const TrialRequest = Body.make(
  {
    template: ignorable(
      Schema.String,
      nullAsAbsent(accept(isPath, () => "template should be a path in the directory of the device's platform"))
    ),
    text: ignorable(
      Schema.String,
      nullAsAbsent(accept(isText, () => `text should be a text of at most ${MAX_TEXT} characters`))
    ),
    whole: ignorable(Schema.Boolean, nullAsAbsent(accept(isFlag, () => "whole should be a boolean")))
  },
  {
    message: Body.firstOf,
    isLenient: true,
    together: ({ template, text, whole }) =>
      whole === true && text !== undefined && template === undefined
        ? ["template should name the file that the text stands for when whole is true"]
        : []
  }
)
export type TrialRequest = typeof TrialRequest.schema.Type

const branchRule: Rule<string> = (sent) =>
  typeof sent === "string" && sent.trim() !== "" && sent.length <= MAX_NAME
    ? Result.succeed(sent.trim())
    : Result.fail(`branch should be the name of a branch, of 1 to ${MAX_NAME} characters`)

const isFiles = (sent: unknown): sent is Readonly<Record<string, string>> =>
  isObject(sent) && Object.values(sent).every((text) => typeof text === "string")

/** The branch to check (a tag or a commit is valid too), or the files of a working copy by their paths. */
export const BranchRequest = Body.make(
  {
    branch: optional(Schema.String, branchRule),
    files: optional(
      Schema.Record(Schema.String, Schema.String),
      accept(isFiles, () => "files should be an object with the text of each file by its path")
    )
  },
  {
    message: Body.firstOf,
    isLenient: true,
    together: ({ branch, files }) => {
      if (branch === undefined && files === undefined) return ["branch must be specified"]
      return branch !== undefined && files !== undefined ? ["branch cannot be combined with files"] : []
    }
  }
)
export type BranchRequest = typeof BranchRequest.schema.Type
