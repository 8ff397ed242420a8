/**
 * Live jobs that wait for the approval of another person (docs/changes.md#approval): they stay SCHEDULED, and the row of the job
 * records the wait, so no process begins it before the approval, even after a restart.
 */
import { Context, Effect, Layer, Option, Schema } from "effect"
import { Sharding } from "effect/cluster"
import { SqlClient, type SqlError } from "effect/sql"
import type { Asked } from "../../domain/access/PermissionRule.ts"
import { Permissions } from "../../access/Permissions.ts"
import { judge, wantsApproval } from "../../access/Permit.ts"
import { finalStatuses, type JobNotFound } from "../../domain/Job.ts"
import type { AnyJob, SentArgs } from "../../domain/jobs/JobDefinition.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { type Approval, type ApprovalCause, makeJobApprovals, type OpenApproval } from "../../store/ApprovalStore.ts"
import { EventStore } from "../../store/EventStore.ts"
import { JobStore } from "../../store/JobStore.ts"
import { riskOf, type RiskServices } from "./DryRun.ts"
import { JobEngine, type StartOptions } from "../engine/JobEngine.ts"
import { JobStates } from "../engine/JobStates.ts"
import { JobScheduleStore } from "../../store/JobScheduling.ts"

const POLL = "1 second"

/** The user in whose name a job without approval is aborted. */
const SERVER = "switchyard"

/** The job does not wait for an approval, or no longer. */
class NotAwaitingApproval extends Schema.TaggedError<NotAwaitingApproval>()("NotAwaitingApproval", {
  id: Schema.Int,
  why: Schema.String
}) {
  override get message() {
    return `Job ${this.id} waits for no approval: ${this.why}`
  }
  get httpStatus() {
    return 409 as const
  }
}

/** Why an approval is needed, and which permission the approver needs. */
interface WantedApproval {
  readonly reason: string
  readonly asked: Asked
  readonly cause: ApprovalCause
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { APPROVAL_SCORE, APPROVAL_WAIT } = yield* ServerConfig
  const permissions = yield* Permissions
  const services = yield* Effect.context<RiskServices>()
  const store = yield* makeJobApprovals
  const jobs = yield* JobStore
  const { waits } = yield* JobScheduleStore
  const events = yield* EventStore
  const engine = yield* JobEngine
  const sharding = yield* Sharding.Sharding
  const states = yield* JobStates

  const note = (action: string, jobId: number, data: Readonly<Record<string, unknown>>) =>
    events.append({ kind: "approval", action, isAudit: true, jobId, data })

  const launch = Effect.fnUntraced(function* <J extends AnyJob>(
    job: J,
    args: SentArgs<J>,
    options: StartOptions<J>,
    { asked, cause, reason }: WantedApproval
  ) {
    const id = yield* engine.launch(job, args, options)
    const wanted = { jobId: id, reason, cause, asked, askedBy: options.user, waitSeconds: APPROVAL_WAIT }
    const until = yield* store.want(wanted)
    const message = `Waits until ${until} for the approval of somebody else: ${reason}`
    yield* waits.waitFor(id, { reason: "approval", why: reason, dry_run_job: cause.dryRunJob, until, message })
    yield* note("asked", id, { reason, dry_run_job: cause.dryRunJob })
    return id
  }, sql.withTransaction)

  const start = Effect.fn("JobApproval.start")(function* <J extends AnyJob>(
    job: J,
    args: SentArgs<J>,
    options: StartOptions<J>,
    wanted: WantedApproval
  ) {
    const id = yield* launch(job, args, options, wanted)
    // not before the commit: the woken process must find the job
    yield* sharding.pollStorage
    return id
  })

  /** The approval, with the job's row locked. */
  const pending = Effect.fnUntraced(function* (id: number) {
    const status = yield* jobs.lockStatus(id)
    const found = Option.getOrUndefined(yield* store.find(id))
    const no = (why: string) => new NotAwaitingApproval({ id, why })
    if (found === undefined) return yield* no("it needs none")
    if (found.decision !== null) return yield* no(`it was ${found.decision}`)
    if (status !== "SCHEDULED") return yield* no(`it is ${status}`)
    return found
  })

  const approve = Effect.fn("JobApproval.approve")(function* (id: number, by: string, comment: string) {
    const found = yield* pending(id)
    if (found.has_expired) return yield* new NotAwaitingApproval({ id, why: "it has waited too long" })
    yield* store.decide(id, "approved", by, comment)
    yield* waits.clear(id)
    yield* note("approved", id, { comment, reason: found.reason, started_by: found.asked_by })
  }, sql.withTransaction)

  const end = Effect.fnUntraced(function* (
    id: number,
    decision: "rejected" | "expired",
    by: string,
    comment: string,
    reason: string
  ) {
    const found = yield* pending(id)
    yield* store.decide(id, decision, by, comment)
    yield* note(decision, id, { comment, reason: found.reason, started_by: found.asked_by })
    // not `JobEngine.abort`: it would interrupt the fiber that waits, which may be this one
    yield* states
      .apply(id, { type: "ABORT_REQUESTED", reason, by })
      .pipe(Effect.catchTag("JobEventRefused", ({ status }) => new NotAwaitingApproval({ id, why: `it is ${status}` })))
  }, sql.withTransaction)

  const expire = (id: number) =>
    Effect.catchTag(
      end(id, "expired", SERVER, "", `Nobody has approved it within ${APPROVAL_WAIT} s`),
      ["NotAwaitingApproval", "JobNotFound"],
      () => Effect.void
    )

  const wait = Effect.fn("JobApproval.wait")(function* (id: number) {
    yield* Effect.logInfo("The job waits for an approval")
    for (;;) {
      const status = yield* Effect.catchTag(jobs.status(id), "JobNotFound", Effect.die)
      if (finalStatuses.includes(status)) return
      const { decision, has_expired } = yield* Effect.orDie(Effect.flatMap(store.state(id), Effect.fromOption))
      if (decision === "approved" || decision === "unneeded") return
      if (has_expired) yield* expire(id)
      else yield* Effect.sleep(POLL)
    }
  })

  /** By the rules in force now. A role that was removed, or may not start such a job any more, does not count. */
  const isStillNeeded = Effect.fnUntraced(function* ({ asked, cause: { dryRunJob, role } }: OpenApproval) {
    if (role !== null) {
      const held = (yield* permissions.roles).get(role)?.map((permission) => ({ role, permission })) ?? []
      const { allowed } = judge(held, asked)
      if (allowed === null || wantsApproval(allowed)) return true
    }
    return (
      APPROVAL_SCORE > 0 &&
      dryRunJob !== null &&
      (yield* Effect.provideContext(riskOf(dryRunJob, APPROVAL_SCORE), services)) !== null
    )
  })

  const endUnneeded = Effect.fnUntraced(function* (id: number) {
    const { asked_by, reason } = yield* pending(id)
    yield* store.decide(id, "unneeded", SERVER, null)
    yield* waits.clear(id)
    yield* note("unneeded", id, { reason, started_by: asked_by })
    yield* Effect.logInfo("The job needs no approval any more", { job: id, was: reason })
  }, sql.withTransaction)

  /** The rules of the last check; undefined at the start. */
  let seen: Effect.Success<typeof permissions.rules> | undefined

  const lookAgain = Effect.gen(function* () {
    const rules = yield* permissions.rules
    if (rules === seen) return
    for (const approval of yield* store.open) {
      if (yield* isStillNeeded(approval)) continue
      yield* Effect.catchTag(endUnneeded(approval.job_id), ["NotAwaitingApproval", "JobNotFound"], () => Effect.void)
    }
    seen = rules
  })

  return JobApproval.of({
    start,
    wait,
    lookAgain,
    approve,
    pending: Effect.fn("JobApproval.pending")((id: number) => sql.withTransaction(pending(id))),
    reject: Effect.fn("JobApproval.reject")((id: number, by: string, comment: string) =>
      end(id, "rejected", by, comment, `Rejected: ${comment}`)
    )
  })
})

/** Approvals of jobs. */
export class JobApproval extends Context.Service<
  JobApproval,
  {
    /** As `JobEngine.start`, for a job that waits for an approval before it begins. */
    readonly start: <J extends AnyJob>(
      job: J,
      args: SentArgs<J>,
      options: StartOptions<J>,
      wanted: WantedApproval
    ) => Effect.Effect<number, SqlError.SqlError>
    /** Waits until the job is approved or has ended; after too long a wait it is aborted. */
    readonly wait: (id: number) => Effect.Effect<void, SqlError.SqlError>
    /** Lets jobs begin that need no approval any more, at the start and when the roles have changed. */
    readonly lookAgain: Effect.Effect<void, SqlError.SqlError>
    /** The approval that an approver decides. */
    readonly pending: (id: number) => Effect.Effect<Approval, SqlError.SqlError | JobNotFound | NotAwaitingApproval>
    /** Lets the job begin. The caller must have checked that `by` may decide. */
    readonly approve: (
      id: number,
      by: string,
      comment: string
    ) => Effect.Effect<void, SqlError.SqlError | JobNotFound | NotAwaitingApproval>
    /** Ends the job as ABORTED. */
    readonly reject: (
      id: number,
      by: string,
      comment: string
    ) => Effect.Effect<void, SqlError.SqlError | JobNotFound | NotAwaitingApproval>
  }
>()("switchyard/jobs/JobApproval") {
  static readonly layer = Layer.effect(JobApproval, make)
}
