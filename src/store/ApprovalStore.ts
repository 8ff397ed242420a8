/**
 * Requests and jobs that wait until another person approves them. The body of a request is stored sealed and unchanged, with its outcome
 * (docs/security.md#four-eyes).
 */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Option, Schema } from "effect"
import type { SqlError } from "effect/sql"
import type { Identity } from "../domain/access/Identity.ts"
import type { JobStatus, Outcome } from "../domain/Job.ts"
import { open, seal, SecretKey } from "../runtime/SecretKey.ts"
import { EventStore } from "./EventStore.ts"
import { sealingKeys } from "./SecretStore.ts"
import type { Asked } from "../domain/access/PermissionRule.ts"

/** A request in API responses; times are UTC. */
export interface RequestApproval {
  readonly id: number
  readonly operation: string
  readonly method: string
  readonly path: string
  readonly body: unknown
  readonly asked_by: string
  readonly asked_at: string
  readonly expires_at: string
  readonly decision: "approved" | "rejected" | "expired" | null
  readonly decided_by: string | null
  readonly decided_at: string | null
  readonly comment: string | null
  readonly answer: RequestAnswer | null
}

/** The answer to a request that was carried out. */
export interface RequestAnswer {
  readonly status: number
  readonly message: unknown
}

/** A request with all data to carry it out. */
export interface StoredRequest extends RequestApproval {
  /** Empty for a request without a body. */
  readonly sent: string
  readonly identity: Identity
  /** The persons who created the token, if a program sent the request. */
  readonly token_makers: ReadonlyArray<string>
  readonly at: Date
}

interface NewRequestApproval {
  readonly operation: string
  readonly method: string
  readonly path: string
  readonly sent: string
  /** The body with secrets masked. */
  readonly shown: unknown
  readonly identity: Identity
  readonly waitSeconds: number
}

/** No request with this id exists. */
export class RequestNotFound extends Schema.TaggedError<RequestNotFound>()("RequestNotFound", {}) {
  override get message() {
    return "There is no such request that waits for an approval"
  }
  get httpStatus() {
    return 404 as const
  }
}

/** The request was already decided. */
export class RequestNotWaiting extends Schema.TaggedError<RequestNotWaiting>()("RequestNotWaiting", {
  id: Schema.Int,
  why: Schema.String
}) {
  override get message() {
    return `Request ${this.id} waits for no approval: ${this.why}`
  }
  get httpStatus() {
    return 409 as const
  }
}

/** One person has more waiting requests than reviewers can check. */
export class TooManyWaiting extends Schema.TaggedError<TooManyWaiting>()("TooManyWaiting", { most: Schema.Int }) {
  override get message() {
    return `${this.most} requests of yours wait for an approval already`
  }
  get httpStatus() {
    return 429 as const
  }
}

const MOST_WAITING = 50
const MOST_LISTED = 200

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const events = yield* EventStore
  const keys = sealingKeys(yield* SecretKey)
  const [own] = keys
  const time = (column: string) => sql.literal(`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`)
  const columns = sql`id, operation, method, path, shown_body as body, asked_by, ${time("asked_at")} as asked_at,
    ${time("expires_at")} as expires_at,
    case when decision is null and expires_at <= now() then 'expired' else decision end as decision,
    decided_by, ${time("decided_at")} as decided_at, comment, answer`

  const note = (action: string, { asked_by, id, method, operation, path }: RequestApproval, more: object) =>
    events.append({
      kind: "approval",
      action,
      isAudit: true,
      data: { request: id, operation, method, path, asked_by, ...more }
    })

  const find = Effect.fnUntraced(function* (id: number) {
    const [row] = yield* sql<Omit<StoredRequest, "sent"> & { readonly sealed: string }>`select ${columns},
      asked_identity as identity, sealed_body as sealed, asked_at as at,
      array(select created_by from api_token t where asked_identity ->> 'way' = 'token' and t.name = asked_by) as token_makers
      from request_approval where id = ${id}`
    if (row === undefined) return yield* new RequestNotFound()
    const { sealed, ...found } = row
    if (found.decision !== null) return yield* new RequestNotWaiting({ id, why: `it is ${found.decision}` })
    const sent = open(keys, sealed)
    if (Option.isNone(sent)) return yield* new RequestNotWaiting({ id, why: "its body was sealed under another key" })
    return { ...found, sent: sent.value } satisfies StoredRequest
  })

  return RequestApprovalStore.of({
    find,
    ask: Effect.fn("RequestApprovalStore.ask")(function* (asked: NewRequestApproval) {
      const { identity, method, operation, path, sent, shown, waitSeconds } = asked
      const [waiting] = yield* sql<{ count: number }>`select count(*)::integer as count from request_approval
        where asked_person = ${identity.person} and decision is null and expires_at > now()`
      if ((waiting?.count ?? 0) >= MOST_WAITING) return yield* new TooManyWaiting({ most: MOST_WAITING })
      const [row] =
        yield* sql<RequestApproval>`insert into request_approval (operation, method, path, sealed_body, shown_body,
          asked_by, asked_person, asked_identity, expires_at)
        values (${operation}, ${method}, ${path}, ${seal(own, sent)}, ${sql.json(shown)}, ${identity.name}, ${identity.person},
          ${sql.json({ ...identity })}, now() + make_interval(secs => ${waitSeconds})) returning ${columns}`
      const added = yield* Effect.orDie(Effect.fromNullishOr(row))
      yield* note("asked", added, { body: shown })
      return added
    }, sql.withTransaction),
    list: sql<
      RequestApproval & { readonly person: string }
    >`select ${columns}, asked_person as person from request_approval
      order by id desc limit ${MOST_LISTED}`,
    decide: Effect.fn("RequestApprovalStore.decide")(function* (id, decision, by, comment) {
      // a stored password is removed with the decision
      const [row] = yield* sql<RequestApproval>`update request_approval set decision = ${decision}, decided_by = ${by},
        decided_at = now(), comment = ${comment}, sealed_body = ''
        where id = ${id} and decision is null and expires_at > now() returning ${columns}`
      if (row === undefined) return yield* new RequestNotWaiting({ id, why: "it was decided just now, or has expired" })
      yield* note(decision, row, { comment })
      return row
    }, sql.withTransaction),
    forget: Effect.fn("RequestApprovalStore.forget")(function* (days: number) {
      // no person can approve these requests any more, and stored passwords are removed
      yield* sql`update request_approval set decision = 'expired', decided_at = expires_at, sealed_body = ''
        where decision is null and expires_at <= now()`
      if (days > 0) yield* sql`delete from request_approval where decided_at < now() - make_interval(days => ${days})`
    }),
    answered: Effect.fn("RequestApprovalStore.answered")(function* (id, answer) {
      const [row] = yield* sql<RequestApproval>`update request_approval set answer = ${sql.json({ ...answer })}
        where id = ${id} returning ${columns}`
      const found = yield* Effect.orDie(Effect.fromNullishOr(row))
      yield* note("carried out", found, { status: answer.status, message: answer.message })
      return found
    }, sql.withTransaction)
  })
})

type Ended = RequestNotFound | RequestNotWaiting | SqlError.SqlError

/** Waiting and decided requests. */
export class RequestApprovalStore extends Context.Service<
  RequestApprovalStore,
  {
    /** Stores a waiting request. */
    readonly ask: (asked: NewRequestApproval) => Effect.Effect<RequestApproval, TooManyWaiting | SqlError.SqlError>
    /** Finds a waiting request. */
    readonly find: (id: number) => Effect.Effect<StoredRequest, Ended>
    /** The newest requests, each with the key of the person who sent it. */
    readonly list: Effect.Effect<ReadonlyArray<RequestApproval & { readonly person: string }>, SqlError.SqlError>
    /** Decides a waiting request; of two simultaneous decisions, the second fails. */
    readonly decide: (
      id: number,
      decision: "approved" | "rejected",
      by: string,
      comment: string
    ) => Effect.Effect<RequestApproval, RequestNotWaiting | SqlError.SqlError>
    /** Ends expired requests, and removes requests that ended this number of days ago; 0 removes none. */
    readonly forget: (days: number) => Effect.Effect<void, SqlError.SqlError>
    /** Records the answer. */
    readonly answered: (id: number, answer: RequestAnswer) => Effect.Effect<RequestApproval, SqlError.SqlError>
  }
>()("switchyard/store/RequestApprovalStore") {
  static readonly layer = Layer.effect(RequestApprovalStore, make).pipe(Layer.provide(SecretKey.layer))
}

// Approvals of jobs (docs/changes.md#approval). A decision is written while the job's row is locked.

/** `unneeded`: the rule that required it no longer exists. */
type Decision = "approved" | "rejected" | "expired" | "unneeded"

/** The rule that requires an approval. */
export interface ApprovalCause {
  /** The role whose live jobs need an approval; null if the change score requires it. */
  readonly role: string | null
  /** The dry run that fences the job; null for a job whose arguments hold the whole change. */
  readonly dryRunJob: number | null
}

interface NewApproval {
  readonly jobId: number
  /** The reason, as a sentence without a full stop. */
  readonly reason: string
  readonly cause: ApprovalCause
  /** The request that started the job. */
  readonly asked: Asked
  readonly askedBy: string
  readonly waitSeconds: number
}

/** An approval without a decision. */
export interface OpenApproval extends Pick<NewApproval, "asked" | "cause"> {
  readonly job_id: number
}

/** A required or decided approval. */
export interface Approval {
  readonly reason: string
  readonly asked: Asked
  readonly asked_by: string
  /** The key of the person; null for a job of an earlier release. */
  readonly asked_person: string | null
  readonly asked_at: Date
  /** The persons who created the token, if a program sent the request. */
  readonly token_makers: ReadonlyArray<string>
  readonly decision: Decision | null
  readonly has_expired: boolean
}

/** An approval that waits for a decision, with its job. Times are ISO 8601 without a zone, UTC. */
interface WaitingJob extends Pick<
  Approval,
  "reason" | "asked" | "asked_by" | "asked_person" | "asked_at" | "token_makers"
> {
  readonly job_id: number
  readonly function_name: string
  readonly comment: string | null
  readonly since: string
  readonly until: string
}

/** An approval with its job and its decision, for lists. Times are ISO 8601 without a zone, UTC. */
export interface ListedApproval extends Pick<
  Approval,
  "reason" | "asked" | "asked_by" | "asked_person" | "asked_at" | "token_makers"
> {
  readonly job_id: number
  readonly function_name: string
  readonly title: string | null
  readonly ticket_ref: string | null
  readonly status: JobStatus
  readonly outcome: Outcome | null
  readonly dry_run_job: number | null
  readonly since: string
  readonly until: string
  /** `withdrawn`: the job was stopped before anybody decided. */
  readonly decision: Decision | "withdrawn" | null
  readonly decided_by: string | null
  readonly decided_at: string | null
  readonly comment: string | null
}

/** So many of the newest approvals are listed. */
const MOST_OF_JOBS = 200

/** The persons who created the token, if a program started the job. */
const TOKEN_MAKERS = `array(select t.created_by from api_token t join job on job.id = job_id and job.scheduled_way = 'token'
  where t.name = asked_by) as token_makers`

/** Approvals by job. */
export const makeJobApprovals = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const tokenMakers = sql.literal(TOKEN_MAKERS)
  return {
    /**
     * Stores the approval that the job waits for. Yields its expiry (ISO 8601 without a zone, UTC), which counts from the time when the job
     * is due.
     */
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
    /** Open approvals whose rule is known. */
    open: Effect.withSpan(
      sql<OpenApproval>`select job_id, asked, cause from job_approval join job on job.id = job_id
        where decision is null and cause is not null and status = 'SCHEDULED' order by job_id`,
      "ApprovalStore.open"
    ),
    /** Approvals that can be decided now, the oldest first. */
    waiting: Effect.withSpan(
      sql<WaitingJob>`select job_id, reason, asked, asked_by, asked_person, asked_at, waiting.function_name, waiting.comment,
          iso_time(asked_at) as since, iso_time(expires_at) as until, ${tokenMakers}
        from job_approval join job waiting on waiting.id = job_id
        where decision is null and expires_at > now() and waiting.status = 'SCHEDULED' order by asked_at, job_id`,
      "ApprovalStore.waiting"
    ),
    /** The newest approvals, waiting and decided; or those of these jobs. */
    listed: Effect.fn("ApprovalStore.listed")(
      (
        jobIds?: ReadonlyArray<number>
      ) => sql<ListedApproval>`select job_id, reason, asked, asked_by, asked_person, asked_at,
          waiting.function_name, waiting.comment as title, waiting.ticket_ref, waiting.status, waiting.outcome,
          coalesce((cause ->> 'dryRunJob')::integer, (waiting.start_arguments ->> 'dry_run_job')::integer) as dry_run_job,
          iso_time(asked_at) as since, iso_time(expires_at) as until, ${tokenMakers},
          case when decision is not null then decision when waiting.status <> 'SCHEDULED' then 'withdrawn'
            when expires_at <= now() then 'expired' end as decision,
          coalesce(decided_by, case when waiting.status <> 'SCHEDULED' then waiting.aborted_by end) as decided_by,
          iso_time(coalesce(decided_at, case when waiting.status <> 'SCHEDULED' then waiting.finish_time end)) as decided_at,
          job_approval.comment
        from job_approval join job waiting on waiting.id = job_id
        where ${jobIds === undefined ? sql`true` : sql`job_id = any(${jobIds}::integer[])`}
        order by job_id desc limit ${MOST_OF_JOBS}`
    ),
    /** The approval of a job, locked until the transaction ends; `None` for a job that needs no approval. */
    find: Effect.fn("ApprovalStore.find")((jobId: number) =>
      Effect.map(
        sql<Approval>`select reason, asked, asked_by, asked_person, asked_at, decision, expires_at <= now() as has_expired,
            ${tokenMakers}
          from job_approval where job_id = ${jobId} for update`,
        (rows) => Option.fromUndefinedOr(rows[0])
      )
    ),
    /** Writes the decision, unless one exists. */
    decide: Effect.fn("ApprovalStore.decide")((jobId: number, decision: Decision, by: string, comment: string | null) =>
      Effect.asVoid(sql`update job_approval set decision = ${decision}, decided_by = ${by}, decided_at = now(),
        comment = ${comment} where job_id = ${jobId} and decision is null`)
    ),
    /** The state of a job's approval; `None` for a job that needs no approval. */
    state: Effect.fn("ApprovalStore.state")((jobId: number) =>
      Effect.map(
        sql<Pick<Approval, "decision" | "has_expired">>`select decision, expires_at <= now() as has_expired
          from job_approval where job_id = ${jobId}`,
        (rows) => Option.fromUndefinedOr(rows[0])
      )
    )
  }
})
