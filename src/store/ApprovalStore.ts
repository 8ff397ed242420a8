/** Approvals that jobs wait for (docs/changes.md#approval). Whoever decides holds the job's row. */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Option } from "effect"
import type { SqlError } from "effect/sql"
import type { Asked } from "../domain/access/PermissionRule.ts"

/** `unneeded`: the rule by which it was needed is gone. */
export type Decision = "approved" | "rejected" | "expired" | "unneeded"

/** By which rule an approval is needed. */
export interface ApprovalCause {
  /** The role whose live jobs need one; null where the change score asks for it. */
  readonly role: string | null
  /** The dry run that the job is pinned to; null for a job that has its whole change in its arguments. */
  readonly dryRunJob: number | null
}

export interface NewApproval {
  readonly jobId: number
  /** Why it is wanted, as a sentence without its end. */
  readonly reason: string
  readonly cause: ApprovalCause
  /** The call that was made. */
  readonly asked: Asked
  readonly askedBy: string
  readonly waitSeconds: number
}

/** An approval that nobody has decided over yet. */
export interface OpenApproval extends Pick<NewApproval, "asked" | "cause"> {
  readonly job_id: number
}

/** An approval that is wanted, or was decided. */
export interface Approval {
  readonly reason: string
  readonly asked: Asked
  readonly asked_by: string
  /** Who has made the token, where it was a program that asked. */
  readonly token_makers: ReadonlyArray<string>
  readonly decision: Decision | null
  readonly has_expired: boolean
}

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  return ApprovalStore.of({
    want: Effect.fn("ApprovalStore.want")(function* ({
      asked,
      askedBy,
      cause,
      jobId,
      reason,
      waitSeconds
    }: NewApproval) {
      const [row] = yield* sql<{
        until: string
      }>`insert into job_approval (job_id, reason, cause, asked, asked_by, expires_at)
        values (${jobId}, ${reason}, ${sql.json({ ...cause })}, ${sql.json({ ...asked })}, ${askedBy},
          (select greatest(scheduled_time, now()) from job where id = ${jobId}) + make_interval(secs => ${waitSeconds}))
        returning to_char(expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS') as until`
      return yield* Effect.orDie(Effect.fromNullishOr(row?.until))
    }),
    open: Effect.withSpan(
      sql<OpenApproval>`select job_id, asked, cause from job_approval join job on job.id = job_id
        where decision is null and cause is not null and status = 'SCHEDULED' order by job_id`,
      "ApprovalStore.open"
    ),
    find: Effect.fn("ApprovalStore.find")((jobId: number) =>
      Effect.map(
        sql<Approval>`select reason, asked, asked_by, decision, expires_at <= now() as has_expired,
            array(select t.created_by from api_token t join job on job.id = job_id and job.scheduled_way = 'token'
              where t.name = asked_by) as token_makers
          from job_approval where job_id = ${jobId} for update`,
        (rows) => Option.fromUndefinedOr(rows[0])
      )
    ),
    decide: Effect.fn("ApprovalStore.decide")((jobId: number, decision: Decision, by: string, comment: string | null) =>
      Effect.asVoid(sql`update job_approval set decision = ${decision}, decided_by = ${by}, decided_at = now(),
        comment = ${comment} where job_id = ${jobId} and decision is null`)
    ),
    state: Effect.fn("ApprovalStore.state")((jobId: number) =>
      Effect.map(
        sql<Pick<Approval, "decision" | "has_expired">>`select decision, expires_at <= now() as has_expired
          from job_approval where job_id = ${jobId}`,
        (rows) => Option.fromUndefinedOr(rows[0])
      )
    )
  })
})

type Write = Effect.Effect<void, SqlError.SqlError>

/** Approvals by job. */
export class ApprovalStore extends Context.Service<
  ApprovalStore,
  {
    /** Writes that the job waits for one. Yields until when, ISO 8601 without a zone, UTC; it counts from the time at which the job is due. */
    readonly want: (approval: NewApproval) => Effect.Effect<string, SqlError.SqlError>
    /** Those that jobs wait for and of which it is known by which rule. */
    readonly open: Effect.Effect<ReadonlyArray<OpenApproval>, SqlError.SqlError>
    /** The approval of a job, locked until the transaction ends; none for a job that needs none. */
    readonly find: (jobId: number) => Effect.Effect<Option.Option<Approval>, SqlError.SqlError>
    /** Writes what was decided, unless it was already. */
    readonly decide: (jobId: number, decision: Decision, by: string, comment: string | null) => Write
    /** Where the approval of a job stands; none for a job that needs none. */
    readonly state: (
      jobId: number
    ) => Effect.Effect<Option.Option<Pick<Approval, "decision" | "has_expired">>, SqlError.SqlError>
  }
>()("switchyard/store/ApprovalStore") {
  static readonly layer = Layer.effect(ApprovalStore, make)
}
