/**
 * Applies an event to a job row with the transition function of `JobLifecycle.ts`: the new status and what has to be written
 * and told, or the rule that forbids it.
 */
import { transition } from "xstate"
import { type JobAction, type JobEvent, jobLifecycle, type LifecycleJob } from "./JobLifecycle.ts"
import type { JobState } from "./JobStatuses.ts"
import { type Refusal, refusedRule } from "../Refusal.ts"

/** The event changed the row: its new status, and what to do in the same transaction, in order. */
export interface JobApplied {
  readonly _tag: "Applied"
  readonly status: JobState
  readonly actions: ReadonlyArray<JobAction>
}

interface AnyAction {
  readonly type: string
  readonly params?: unknown
}

// The machine's own setup has checked the parameters; anything else that xstate may emit starts with "xstate.".
const isJobAction = (action: AnyAction): action is JobAction => !action.type.startsWith("xstate.")

const sentence = (rule: string, job: LifecycleJob, event: JobEvent): string => {
  if (event.type === "ABORT_REQUESTED") {
    return `Job id ${job.id} is in state JobStatus.${job.status}, must be SCHEDULED or RUNNING to abort`
  }
  return rule === "isRepositoryRefresh"
    ? `Job id ${job.id} is not a refresh of a repository`
    : `Job id ${job.id} in state ${job.status} takes no ${event.type}`
}

/** Applies one event to a job row; pure. Call it with the locked row and write the outcome in the same transaction. */
export const applyJobEvent = (job: LifecycleJob, event: JobEvent): JobApplied | Refusal => {
  const snapshot = jobLifecycle.resolveState({ value: job.status, context: job })
  const rule = refusedRule(snapshot, event)
  if (rule !== null) return { _tag: "Refused", rule, message: sentence(rule, job, event) }
  const [next, actions] = transition(jobLifecycle, snapshot, event)
  const plain: ReadonlyArray<AnyAction> = actions.map(({ type, params }) =>
    params === undefined ? { type } : { type, params }
  )
  return { _tag: "Applied", status: next.value, actions: plain.filter(isJobAction) }
}
