/** A job that runs step 1 of an initialisation, of an access or of a fabric device. */
import type { InitDecision } from "../../domain/jobs/InitJobs.ts"
import type { JobMemo, RunningJob } from "../engine/JobHandler.ts"

export interface InitJob extends RunningJob {
  readonly memo: JobMemo<InitDecision>
}
