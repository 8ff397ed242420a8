/**
 * The life of a background job (docs/jobs.md#the-life-of-a-job, with docs/jobs.md#what-a-restart-does: a restart resumes a job
 * instead of marking it ABORTED, and a job that was due while no server ran starts late). The writes of a transition are data, for
 * the transaction that holds the job's row.
 */
import { setup, transition } from "xstate"
import type { JobState } from "./JobStatuses.ts"
import { type Refusal, refusedRule } from "../StepLogic.ts"

/** The fields that rules use. */
export interface LifecycleJob {
  readonly id: number
  readonly status: JobState
  /** Name of the function without ` (dry_run)`. */
  readonly functionName: string
}

/** The function that a request waits for; it gives up if another job holds the commits in force. */
const REFRESH_FUNCTION = "refresh_repo"

/** Width in characters of an abort reason. */
const REASON_WIDTH = 255

export interface JobFailureRecord {
  readonly message: string
  readonly type: string
  readonly args: ReadonlyArray<string>
  readonly traceback: string
}

export type JobEvent =
  | { readonly type: "DUE" }
  /** A discovery of the same address is scheduled already (docs/provisioning.md#discovery). */
  | { readonly type: "REJECTED_AS_PENDING"; readonly ztp_mac: string; readonly dhcp_ip: string }
  | { readonly type: "ABORT_REQUESTED"; readonly reason: string | null; readonly by: string }
  | {
      readonly type: "RETURNED"
      readonly result: unknown
      readonly next_job_id: number | null
      readonly change_score: number | null
      /** Why the work failed, if neither an exception nor a failed device shows it. */
      readonly failure?: string
    }
  | { readonly type: "THREW"; readonly exception: JobFailureRecord }
  /** The work was interrupted by an abort; its results so far. */
  | { readonly type: "STOPPED"; readonly result: unknown }
  /** The commits in force are locked by a stopped process (docs/jobs.md#refresh_repo). */
  | { readonly type: "LOCK_BUSY" }
  | { readonly type: "REFRESH_FAILED"; readonly error: string; readonly repository: string }
  /** A process resumes the jobs of another one. */
  | { readonly type: "PROCESS_STARTED" }

/** Parameters of every action, by its type. */
export type JobActions = {
  /** start_time := now, finished_devices := []. */
  readonly stampStart: undefined
  readonly stampFinish: undefined
  readonly storeResult: {
    readonly result: unknown
    readonly next_job_id: number | null
    readonly change_score: number | null
  }
  readonly storeException: { readonly exception: JobFailureRecord }
  /** Ask the running work to stop; its steps check the status (docs/jobs.md#abort). */
  readonly interruptWork: undefined
  /** Take the job out of the queue: it will never start. */
  readonly cancelStart: undefined
  /** Run the function, or continue it from its stored state. */
  readonly resumeWork: undefined
}

export type JobAction = {
  [K in keyof JobActions]: JobActions[K] extends undefined
    ? { readonly type: K; readonly params?: undefined }
    : { readonly type: K; readonly params: JobActions[K] }
}[keyof JobActions]

/** The stored and shown reason of an abort. */
export const abortReason = (reason: string | null, by: string): string =>
  `${(reason ?? "Aborted via API call").slice(0, REASON_WIDTH)} (aborted by ${by})`

const pendingMessage = (ztp_mac: string, dhcp_ip: string): string =>
  // The space at the end is part of the text that clients know.
  `There is already another scheduled job to discover ${ztp_mac} ${dhcp_ip}, skipping `

const onlyMessage = (message: string): JobActions["storeResult"] => ({
  result: { message },
  next_job_id: null,
  change_score: null
})

// Actions are data for the caller: the machine only declares their names and the types of their parameters.
const asData =
  <K extends keyof JobActions>(_type: K) =>
  (_info: unknown, _params: JobActions[K]): void => {}

const job = setup({
  types: { context: {} as LifecycleJob, input: {} as LifecycleJob, events: {} as JobEvent },
  actions: {
    stampStart: asData("stampStart"),
    stampFinish: asData("stampFinish"),
    storeResult: asData("storeResult"),
    storeException: asData("storeException"),
    interruptWork: asData("interruptWork"),
    cancelStart: asData("cancelStart"),
    resumeWork: asData("resumeWork")
  },
  guards: { isRepositoryRefresh: ({ context }) => context.functionName === REFRESH_FUNCTION }
})

export const jobLifecycle = job.createMachine({
  id: "job",
  context: ({ input }) => input,
  initial: "SCHEDULED",
  states: {
    SCHEDULED: {
      on: {
        DUE: { target: "RUNNING", actions: [{ type: "stampStart" }, { type: "resumeWork" }] },
        REJECTED_AS_PENDING: {
          target: "ABORTED",
          actions: [
            { type: "cancelStart" },
            { type: "storeResult", params: ({ event }) => onlyMessage(pendingMessage(event.ztp_mac, event.dhcp_ip)) },
            { type: "stampFinish" }
          ]
        },
        ABORT_REQUESTED: {
          target: "ABORTED",
          actions: [
            { type: "cancelStart" },
            { type: "storeResult", params: ({ event }) => onlyMessage(abortReason(event.reason, event.by)) },
            { type: "stampFinish" }
          ]
        },
        PROCESS_STARTED: { actions: { type: "resumeWork" } }
      }
    },
    RUNNING: {
      on: {
        RETURNED: {
          target: "FINISHED",
          actions: [
            {
              type: "storeResult",
              params: ({ event: { result, next_job_id, change_score } }) => ({ result, next_job_id, change_score })
            },
            { type: "stampFinish" }
          ]
        },
        THREW: {
          target: "EXCEPTION",
          actions: [
            { type: "storeException", params: ({ event }) => ({ exception: event.exception }) },
            { type: "stampFinish" }
          ]
        },
        ABORT_REQUESTED: { target: "ABORTING", actions: { type: "interruptWork" } },
        LOCK_BUSY: { guard: "isRepositoryRefresh", target: "ABORTED" },
        REFRESH_FAILED: {
          guard: "isRepositoryRefresh",
          target: "EXCEPTION",
          actions: [
            {
              type: "storeResult",
              params: ({ event: { error, repository } }) => ({
                result: { error, repository },
                next_job_id: null,
                change_score: null
              })
            },
            { type: "stampFinish" }
          ]
        },
        PROCESS_STARTED: { actions: { type: "resumeWork" } }
      }
    },
    ABORTING: {
      on: {
        RETURNED: {
          target: "ABORTED",
          actions: [
            {
              type: "storeResult",
              params: ({ event: { result, next_job_id, change_score } }) => ({ result, next_job_id, change_score })
            },
            { type: "stampFinish" }
          ]
        },
        STOPPED: {
          target: "ABORTED",
          actions: [
            {
              type: "storeResult",
              params: ({ event }) => ({ result: event.result, next_job_id: null, change_score: null })
            },
            { type: "stampFinish" }
          ]
        },
        THREW: {
          target: "EXCEPTION",
          actions: [
            { type: "storeException", params: ({ event }) => ({ exception: event.exception }) },
            { type: "stampFinish" }
          ]
        },
        PROCESS_STARTED: { actions: { type: "resumeWork" } }
      }
    },
    FINISHED: { type: "final" },
    EXCEPTION: { type: "final" },
    ABORTED: { type: "final" }
  }
})

// Applies an event to a job row with the transition function of `JobLifecycle.ts`: the new status with the writes and
// notifications, or the rule that forbids it.

/** The event changed the row: its new status, and the actions for the same transaction, in order. */
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
