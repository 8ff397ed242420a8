/** A job engine that writes jobs to the real table and runs none of them. */
import { Effect, Layer } from "effect"
import { functionName, JobNotAbortable } from "../../src/domain/Job.ts"
import type { AnyJob, SentArgs } from "../../src/domain/jobs/JobDefinition.ts"
import { JobEngine } from "../../src/jobs/engine/JobEngine.ts"
import type { StartOptions } from "../../src/jobs/engine/JobLaunch.ts"
import { JobStates } from "../../src/jobs/engine/JobStates.ts"
import { JobStore } from "../../src/store/JobStore.ts"

const make = Effect.gen(function* () {
  const jobs = yield* JobStore
  const states = yield* JobStates
  const start = <J extends AnyJob>(job: J, args: SentArgs<J>, options: StartOptions<J>) =>
    jobs.insert({
      function_name: functionName(job.name, args),
      scheduled_by: options.user,
      comment: options.comment?.slice(0, 255) ?? null,
      ticket_ref: options.ticketRef?.slice(0, 32) ?? null,
      start_arguments: args,
      delaySeconds: options.delaySeconds ?? 1
    })
  return JobEngine.of({
    startAgain: () => Effect.succeed(false),
    start,
    follow: (_id, job, args, options) => start(job, args, options),
    ended: jobs.get,
    abort: (id, user, reason) =>
      states.apply(id, { type: "ABORT_REQUESTED", reason: reason ?? null, by: user }).pipe(
        Effect.catchTag("JobEventRefused", ({ status }) => Effect.fail(new JobNotAbortable({ id, status }))),
        Effect.asVoid
      )
  })
})

/** Records started jobs. Needs JobStore and JobStates. */
export const RecordingEngine = Layer.effect(JobEngine, make)
