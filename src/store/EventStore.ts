/**
 * The log of events (docs/security.md#audit): rows are added in the transaction of what they tell, and never changed. Changes of rows write
 * their events by themselves; what changes no row, such as a login that was refused, is appended here.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"

/** What happened. Who did it, from where and by which job is noted by itself (`Acting`). */
export interface NewEvent {
  /** What it happened to: `login`, `token`, `permission`, `device` … */
  readonly kind: string
  /** What happened: `accepted`, `refused`, `created`, `updated` … */
  readonly action: string
  /** Part of the audit: it is kept longer, and chained. */
  readonly isAudit: boolean
  readonly deviceId?: number
  readonly hostname?: string
  /** The job that it is about; without it the one that acts, if any. */
  readonly jobId?: number
  /** Without secrets. */
  readonly data: Readonly<Record<string, unknown>>
}

/** Who did it, and when, in UTC. */
export interface LastEvent {
  readonly actor: string
  readonly at: string
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return EventStore.of({
    // in a transaction: only there the database knows who acts
    append: Effect.fn("EventStore.append")(
      ({ action, data, deviceId, hostname, isAudit, jobId, kind }: NewEvent) =>
        Effect.asVoid(sql`insert into event (kind, action, is_audit, device_id, hostname, job_id, data)
          values (${kind}, ${action}, ${isAudit}, ${deviceId ?? null}, ${hostname ?? null},
            coalesce(${jobId ?? null}, acting('job')::integer), ${JSON.stringify(data)}::jsonb)`),
      sql.withTransaction
    ),
    last: Effect.fn("EventStore.last")((kind: string, deviceId: number) =>
      Effect.map(
        sql<LastEvent>`select actor, to_char(at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"') as at from event
          where kind = ${kind} and device_id = ${deviceId} order by id desc limit 1`,
        ([last]) => last ?? null
      )
    )
  })
})

/** Events as they happen. */
export class EventStore extends Context.Service<
  EventStore,
  {
    /** Adds an event, in the transaction of the caller if there is one. */
    readonly append: (event: NewEvent) => Effect.Effect<void, SqlError.SqlError>
    /** The newest event of a kind about a device. */
    readonly last: (kind: string, deviceId: number) => Effect.Effect<LastEvent | null, SqlError.SqlError>
  }
>()("switchyard/store/EventStore") {
  static readonly layer = Layer.effect(EventStore, make)
}
