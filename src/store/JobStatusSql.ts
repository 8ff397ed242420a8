/** Lists of job statuses for statements: `status in ${JOB_ENDED}`. Plain text, so that partial indexes are recognized. */
import { begunStates, endedStates, unfinishedStates } from "../../machines/job/JobStatuses.ts"

const listOf = (statuses: ReadonlyArray<string>): string => `(${statuses.map((status) => `'${status}'`).join(", ")})`

/** Statuses of jobs that have begun and not ended. */
export const JOB_BEGUN = listOf(begunStates)
/** Statuses of jobs that have not ended. */
export const JOB_UNFINISHED = listOf(unfinishedStates)
/** Statuses of jobs that have ended. */
export const JOB_ENDED = listOf(endedStates)
