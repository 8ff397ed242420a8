/**
 * The retention rule for jobs and their results (docs/operations.md#retention): how long each kind is kept, and what is never
 * removed at any age. Pure: the store reads the facts, asks here, and removes the rest.
 */

/** Kinds that have an age of their own, in the order in which they are removed: parts before their jobs. */
export const retainedKinds = ["change", "config", "job_device", "operation", "job"] as const
export type RetainedKind = (typeof retainedKinds)[number]

/** Days for which each kind is kept, 0 for ever; and how many stored configurations of each device are kept at any age. */
export interface RetentionSettings {
  readonly JOB_DAYS: number
  readonly JOB_DEVICE_DAYS: number
  readonly CHANGE_DAYS: number
  readonly CONFIG_DAYS: number
  readonly CONFIG_COUNT: number
  readonly OPERATION_DAYS: number
}

/** Days of each kind; null for ever. */
type Periods = Readonly<Record<RetainedKind, number | null>>

/** A part is not kept longer than its job: a period that is null or longer ends with the job. */
export const periodsOf = (settings: RetentionSettings): Periods => {
  const job = settings.JOB_DAYS === 0 ? null : settings.JOB_DAYS
  const part = (days: number): number | null => (days === 0 ? job : job === null ? days : Math.min(days, job))
  return {
    change: part(settings.CHANGE_DAYS),
    config: part(settings.CONFIG_DAYS),
    job_device: part(settings.JOB_DEVICE_DAYS),
    operation: part(settings.OPERATION_DAYS),
    job
  }
}

/**
 * A change of one device. `job_over` in all facts: the job has ended, and no unfinished job refers to it, as its dry run or as
 * the job that it undoes.
 */
export interface ChangeFacts {
  readonly job_over: boolean
  /** Running, or its result is unknown. */
  readonly is_open: boolean
  /** No later change of the device exists. */
  readonly is_newest: boolean
  /** The newest change that was confirmed: an undo restores the configuration from before it. */
  readonly is_undoable: boolean
  /** The last configuration in force before that change: an undo compares with it. */
  readonly is_ground: boolean
}

/** A configuration that a job has rendered for a device. */
export interface ConfigFacts {
  readonly job_over: boolean
  /** The row of the device will be written again. */
  readonly is_waiting: boolean
  readonly failed: boolean
  /** From a live synchronization, which the history of a device shows. */
  readonly is_live: boolean
  /** False for a deleted device. */
  readonly device_exists: boolean
  /** Later ones of the device, live and from jobs that did not fail on it. */
  readonly newer: number
}

/** The result of a job on a device. */
export interface JobDeviceFacts {
  readonly job_over: boolean
  readonly is_waiting: boolean
  readonly has_config: boolean
  readonly has_change: boolean
}

/** A job. */
export interface JobFacts {
  readonly job_over: boolean
  /** Remaining changes, device results and operations. */
  readonly parts: number
}

/** An operation on a switch; `job_over` is true for an operation without a job. */
export interface OperationFacts {
  readonly job_over: boolean
  readonly is_done: boolean
}

export const keepsChange = (facts: ChangeFacts): boolean =>
  !facts.job_over || facts.is_open || facts.is_newest || facts.is_undoable || facts.is_ground

export const keepsConfig = (facts: ConfigFacts, count: number): boolean =>
  !facts.job_over ||
  facts.is_waiting ||
  (facts.device_exists && facts.is_live && !facts.failed && facts.newer < Math.max(count, 1))

export const keepsJobDevice = (facts: JobDeviceFacts): boolean =>
  !facts.job_over || facts.is_waiting || facts.has_config || facts.has_change

export const keepsOperation = (facts: OperationFacts): boolean => !facts.job_over || !facts.is_done

export const keepsJob = (facts: JobFacts): boolean => !facts.job_over || facts.parts > 0
