/**
 * The body of a request to synchronize devices (docs/changes.md#synchronize). Options of another type than expected count as
 * absent, as clients know it; those of a rollout are new, and refused.
 */
import { Result, Schema, Struct } from "effect"
import { MissingLinesPolicy } from "../ChangeNotes.ts"
import * as Body from "../fields/Body.ts"
import { ignorable, type Rule } from "../fields/Field.ts"
import { accept, flag } from "../fields/Rules.ts"
import { explicitSelectors } from "./DeviceSelector.ts"
import { MAX_NAMES, namesRule } from "./Hostnames.ts"
import { count, flagOr, notes, nullAsAbsent, onlyTrue, startRule, windowFaults, windowFields } from "./RequestFields.ts"

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

/** An urgent sync goes beside the one that has the lock, so the two must not have to wait for each other. */
const urgencyFaults = ({ confirm_mode, revert_on_failure, urgent }: Combined): ReadonlyArray<string> => {
  if (urgent !== true) return []
  return [...(confirm_mode === 2 ? [URGENT_AND_MODE] : []), ...(revert_on_failure === true ? [URGENT_AND_REVERT] : [])]
}

const faultsOf = (request: Combined): ReadonlyArray<string> => [
  ...urgencyFaults(request),
  ...windowFaults(request),
  ...(request.dry_run && request.dry_run_job !== undefined ? [FENCED_DRY_RUN] : [])
]

/** The body of a synchronization whose device is in the path. */
export const SyncOptions = Body.make(options, { message: Body.firstOf, together: faultsOf })
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
