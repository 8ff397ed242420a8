/** The statuses of a job by meaning, for queries of waiting, running or ended jobs. */

/** Statuses that a job can reach. UNKNOWN is never assigned. */
export const jobStates = ["SCHEDULED", "RUNNING", "FINISHED", "EXCEPTION", "ABORTED", "ABORTING"] as const
export type JobState = (typeof jobStates)[number]

/** It has begun and not ended. */
export const begunStates = ["RUNNING", "ABORTING"] as const satisfies ReadonlyArray<JobState>

/** It has not ended. */
export const unfinishedStates = ["SCHEDULED", ...begunStates] as const satisfies ReadonlyArray<JobState>

/** It has ended and will not change any more: the final states of the machine. */
export const endedStates = ["FINISHED", "EXCEPTION", "ABORTED"] as const satisfies ReadonlyArray<JobState>
