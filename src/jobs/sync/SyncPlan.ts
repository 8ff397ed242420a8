/** How a sync confirms and when it stops, from its arguments and the server's mode (docs/changes.md#confirm-modes). Pure. */
import type { SyncArguments } from "../../domain/jobs/ChangeJobs.ts"
import type { ConfirmMode } from "./ChangeCalls.ts"
import type { Limits } from "./Rollout.ts"

/** Which devices are confirmed together: each alone, those of a stage, or all of the job. */
export type ConfirmScope = "device" | "stage" | "job"

export interface SyncPlan extends Limits {
  readonly mode: ConfirmMode
  readonly scope: ConfirmScope
  /** What waits is taken back when devices fail; after an abort it always is. */
  readonly takesBack: boolean
}

const scopeOf = (args: SyncArguments, mode: ConfirmMode): ConfirmScope => {
  if (args.dry_run || mode === 0) return "device"
  if (mode === 2) return "job"
  return args.revert_on_failure ? "stage" : "device"
}

/** The plan; `configured` is COMMIT_CONFIRMED_MODE. */
export const planOf = (args: SyncArguments, configured: number): SyncPlan => {
  const wanted = args.confirm_mode_override ?? configured
  // two jobs that each wait for all of their devices could wait for each other
  const mode = wanted === 0 ? 0 : wanted === 2 && !args.urgent ? 2 : 1
  const scope = scopeOf(args, mode)
  const takesBack = args.revert_on_failure ?? mode === 2
  return {
    mode: scope === "device" ? (mode === 0 ? 0 : 1) : 2,
    scope,
    takesBack,
    // who wants failures taken back wants the first one to stop the rollout, unless told otherwise
    maxFailures: args.dry_run ? null : (args.max_failures ?? (takesBack && mode !== 2 ? 1 : null)),
    allOrNothing: scope === "job" && takesBack
  }
}
